//! The sequential test: stops as soon as the results say enough.
