//! What the tests of the KEM share.

use pqbox::Backend;
use rand::{TryCryptoRng, TryRng};
use std::convert::Infallible;
use std::sync::{Mutex, PoisonError};

/// Runs `test` with every backend that this CPU has, each selected in turn. One test at a time: the
/// selection is the process's.
pub(crate) fn on_every_backend(mut test: impl FnMut(Backend)) {
    static SELECTION: Mutex<()> = Mutex::new(());
    let _alone = SELECTION.lock().unwrap_or_else(PoisonError::into_inner);
    let mut count = 0;
    for backend in Backend::available() {
        backend.select();
        assert_eq!(Backend::selected(), backend);
        test(backend);
        count += 1;
    }
    assert!(count > 0, "no backend at all");
}

/// A generator that hands out the given bytes, each once: known randomness, through the algorithms
/// that draw their own.
pub(crate) struct Given<'a>(pub(crate) &'a [u8]);

impl TryRng for Given<'_> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0; 4];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut bytes = [0; 8];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        let (given, rest) = self
            .0
            .split_at_checked(bytes.len())
            .expect("no more randomness is drawn than was given");
        bytes.copy_from_slice(given);
        self.0 = rest;
        Ok(())
    }
}

impl TryCryptoRng for Given<'_> {}
