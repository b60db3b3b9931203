//! keys on disk
