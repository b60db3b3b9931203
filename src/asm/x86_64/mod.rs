//! The x86-64 backends.

pub(super) mod avx512;
