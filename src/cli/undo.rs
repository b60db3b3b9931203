//! What a signal must not leave behind.
//!
//! Most runs need nothing of this: a signal kills the process and the kernel drops the unnamed
//! output file. Only where something outlives the process (a temporary file with a name, a terminal
//! without echo) is there a thread that waits for signals, undoes it, and then lets the signal do
//! what it would have done.

#[cfg(unix)]
pub(crate) use unix::{Undo, die_of_closed_pipe};

#[cfg(unix)]
mod unix {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;
    use std::ffi::c_int;
    use std::io;
    use std::process::ExitCode;
    use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

    type Action = Box<dyn FnOnce() + Send>;

    /// Something that is undone if a signal ends the process while this value lives.
    pub(crate) struct Undo(Arc<Mutex<Option<Action>>>);

    impl Undo {
        pub(crate) fn on_signal(action: impl FnOnce() + Send + 'static) -> io::Result<Self> {
            let slot: Arc<Mutex<Option<Action>>> = Arc::new(Mutex::new(Some(Box::new(action))));
            let mut signals = Signals::new(deadly())?;
            let shared = Arc::clone(&slot);
            std::thread::Builder::new().spawn(move || {
                for signal in signals.forever() {
                    // Kept locked: nothing more happens to what was just undone.
                    let mut slot = lock(&shared);
                    if let Some(action) = slot.take() {
                        action();
                    }
                    let _ = emulate_default_handler(signal);
                }
            })?;
            Ok(Self(slot))
        }

        /// Runs the step after which there is nothing to undo. A signal that comes meanwhile
        /// waits, so that it finds either everything to undo or nothing.
        pub(crate) fn finish<T, E>(&self, step: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
            let mut slot = lock(&self.0);
            let result = step();
            if result.is_ok() {
                *slot = None;
            }
            result
        }
    }

    impl Drop for Undo {
        fn drop(&mut self) {
            *lock(&self.0) = None;
        }
    }

    fn lock(slot: &Mutex<Option<Action>>) -> MutexGuard<'_, Option<Action>> {
        slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The signals that end the process, without those that it was started to ignore (`nohup`, and
    /// background jobs of a shell without job control): a handler would take that away.
    fn deadly() -> Vec<c_int> {
        let ignored = ignored().unwrap_or(0);
        let all = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ];
        let is_ignored = |signal: &c_int| ignored >> (signal - 1) & 1 == 1;
        all.into_iter().filter(|s| !is_ignored(s)).collect()
    }

    /// Bit n - 1 is signal n. Only Linux tells without `unsafe`.
    fn ignored() -> Option<u64> {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let mask = status.lines().find_map(|l| l.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(mask.trim(), 16).ok()
    }

    /// Ends the process as a closed pipe ends any Unix tool: quietly, by SIGPIPE. Rust programs
    /// start with that signal ignored, which is as well: up to here the error came back through
    /// every caller, and temporary files were removed on the way.
    pub(crate) fn die_of_closed_pipe() -> ExitCode {
        let _ = emulate_default_handler(SIGPIPE);
        ExitCode::FAILURE
    }
}

#[cfg(not(unix))]
pub(crate) use other::{Undo, die_of_closed_pipe};

/// Without signals there is nothing to wait for.
#[cfg(not(unix))]
mod other {
    use std::io;
    use std::process::ExitCode;

    pub(crate) struct Undo;

    impl Undo {
        pub(crate) fn on_signal(_action: impl FnOnce() + Send + 'static) -> io::Result<Self> {
            Ok(Self)
        }

        pub(crate) fn finish<T, E>(&self, step: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
            step()
        }
    }

    pub(crate) fn die_of_closed_pipe() -> ExitCode {
        ExitCode::FAILURE
    }
}
