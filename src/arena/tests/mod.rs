//! What the tests of the modules below share.

pub(super) mod samples;
