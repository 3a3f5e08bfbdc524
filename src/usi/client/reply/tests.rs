//! Lines of real engines, and lines of none.
