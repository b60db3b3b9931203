//! The self-test.
