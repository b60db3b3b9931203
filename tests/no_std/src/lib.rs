//! That pqbox without features is `no_std` in truth: a program has one panic handler, so this
//! compiles only as long as neither pqbox nor anything below it brings the standard library's.
#![no_std]

use pqbox::Error;
use pqbox::kem::{MlKem768, decapsulate_bytes};

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

/// Something of the library, so that it is linked.
///
/// # Errors
/// As `decapsulate_bytes`.
pub fn decapsulate(dk: &[u8], c: &[u8]) -> Result<[u8; 32], Error> {
    decapsulate_bytes::<MlKem768>(dk, c).map(|secret| *secret.as_bytes())
}
