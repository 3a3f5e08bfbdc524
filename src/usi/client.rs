//! Drives another USI engine: a process, its dialogue, its options.
