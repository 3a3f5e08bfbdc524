//! Where the games of a match begin.
