//! How far the work has come, for a person who waits.
//!
//! Inputs count what is read of them. Nothing shows for a second, and nothing at all unless standard error
//! is a terminal.

use super::ui;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Shorter work needs no bar.
const PATIENCE: Duration = Duration::from_secs(1);

struct Progress {
    began: Instant,
    /// Bytes that were read, and that are known to be there.
    done: AtomicU64,
    all: AtomicU64,
    /// Made when it is to be seen.
    bar: OnceLock<ProgressBar>,
}

static PROGRESS: OnceLock<Progress> = OnceLock::new();

/// To be called by what reads whole files, before it does.
pub(crate) fn begin() {
    if !ui::is_quiet() && !ui::is_json() && io::stderr().is_terminal() {
        PROGRESS.get_or_init(|| Progress {
            began: Instant::now(),
            done: AtomicU64::new(0),
            all: AtomicU64::new(0),
            bar: OnceLock::new(),
        });
    }
}

/// So many more bytes are to be read.
pub(crate) fn expect(bytes: u64) {
    if let Some(progress) = PROGRESS.get() {
        progress.all.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// So many more bytes were read.
pub(crate) fn add(bytes: u64) {
    let Some(progress) = PROGRESS.get() else {
        return;
    };
    let done = progress.done.fetch_add(bytes, Ordering::Relaxed) + bytes;
    if progress.began.elapsed() < PATIENCE {
        return;
    }
    let all = progress.all.load(Ordering::Relaxed);
    let bar = progress.bar.get_or_init(|| bar(all));
    if all > 0 {
        bar.set_length(all);
    }
    bar.set_position(done);
}

fn bar(all: u64) -> ProgressBar {
    // A pipe has no end that is known.
    let (template, length) = match all {
        0 => ("{bytes} in {elapsed}, {bytes_per_sec}", None),
        _ => (
            "{wide_bar} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left",
            Some(all),
        ),
    };
    let style = ProgressStyle::with_template(template).expect("the templates are well-formed");
    let target = ProgressDrawTarget::stderr();
    ProgressBar::with_draw_target(length, target).with_style(style.progress_chars("##-"))
}

/// Does something while no bar is on the screen.
pub(crate) fn suspend(work: impl FnOnce()) {
    match PROGRESS.get().and_then(|progress| progress.bar.get()) {
        Some(bar) => bar.suspend(work),
        None => work(),
    }
}

/// Takes the bar off the screen.
pub(crate) fn end() {
    if let Some(bar) = PROGRESS.get().and_then(|progress| progress.bar.get()) {
        bar.finish_and_clear();
    }
}
