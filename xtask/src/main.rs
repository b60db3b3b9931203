//! The project's own chores, as `cargo xtask NAME`.

fn main() {}
