//! Game records in CSA format (version 2.2).
