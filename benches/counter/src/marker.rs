//! What the counted program and the counter agree on. The program compiles this file into itself.
#![allow(
    dead_code,
    reason = "the counter counts no call of its own, and only AArch64 has markers"
)]

/// `hint #100` and `hint #101`: no meaning is assigned to them, every CPU takes them for `nop`, and
/// no compiler emits them.
pub const BEGIN: u32 = hint(100);
pub const END: u32 = hint(101);

/// The encoding of `hint #number`.
const fn hint(number: u32) -> u32 {
    0xd503_201f | number << 5
}

/// What `call` returns; on AArch64, the counter counts what runs in it.
///
/// The markers stay where they are: each may read and write all memory, as far as the compiler
/// knows, and so may `call`, which is not inlined.
pub fn between<T>(call: impl FnMut() -> T) -> T {
    #[inline(never)]
    fn run<T>(mut call: impl FnMut() -> T) -> T {
        call()
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: a `nop`.
    unsafe {
        core::arch::asm!(".inst {}", const BEGIN)
    };
    let value = core::hint::black_box(run(call));
    #[cfg(target_arch = "aarch64")]
    // SAFETY: a `nop`.
    unsafe {
        core::arch::asm!(".inst {}", const END)
    };
    value
}
