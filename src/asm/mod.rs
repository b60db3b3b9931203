//! The kernels: polynomials and Keccak states, nothing of keys or of FIPS 203's step order.

pub(crate) mod dispatch;
