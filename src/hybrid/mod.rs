//! Keys, container.
pub mod keyfile;
