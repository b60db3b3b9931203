//! How far the work has come, for a person who waits.
//!
//! Inputs count what is read of them. Nothing shows for a second, and nothing at all unless standard error
//! is a terminal.

use super::ui;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::{Once, OnceLock};
use std::time::Duration;

/// Shorter work needs no bar.
const PATIENCE: Duration = Duration::from_secs(1);

struct Progress {
    /// It counts from the beginning, and is hidden until it is worth while.
    bar: ProgressBar,
    shown: Once,
    /// Whether the length is that of all that is to come.
    planned: Once,
}

static PROGRESS: OnceLock<Progress> = OnceLock::new();

/// To be called by what reads whole files, before it does.
pub(crate) fn begin() {
    if !ui::is_quiet() && !ui::is_json() && io::stderr().is_terminal() {
        PROGRESS.get_or_init(|| Progress {
            bar: ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()),
            shown: Once::new(),
            planned: Once::new(),
        });
    }
}

/// All files that there will be: what [`expect`] says of each is then known.
pub(crate) fn plan<'a>(files: impl Iterator<Item = &'a Path>) {
    begin();
    if let Some(Progress { bar, planned, .. }) = PROGRESS.get() {
        let sizes = files.filter_map(|file| Some(file.metadata().ok()?.len()));
        bar.set_length(sizes.sum());
        planned.call_once(|| {});
    }
}

/// So many more bytes are to be read.
pub(crate) fn expect(bytes: u64) {
    if let Some(Progress { bar, planned, .. }) = PROGRESS.get() {
        // A pipe has no end that is known.
        if bytes > 0 && !planned.is_completed() {
            bar.set_length(bytes);
        }
    }
}

/// So many more bytes were read.
pub(crate) fn add(bytes: u64) {
    let Some(Progress { bar, shown, .. }) = PROGRESS.get() else {
        return;
    };
    bar.inc(bytes);
    if bar.elapsed() >= PATIENCE {
        shown.call_once(|| {
            let template = match bar.length() {
                None => "{bytes} in {elapsed}, {bytes_per_sec}",
                Some(_) => "{wide_bar} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left",
            };
            let style = ProgressStyle::with_template(template).expect("it is well-formed");
            bar.set_style(style.progress_chars("##-"));
            bar.set_draw_target(ProgressDrawTarget::stderr());
        });
    }
}

/// Does something while no bar is on the screen.
pub(crate) fn suspend(work: impl FnOnce()) {
    match PROGRESS.get() {
        Some(progress) => progress.bar.suspend(work),
        None => work(),
    }
}

/// Takes the bar off the screen.
pub(crate) fn end() {
    if let Some(progress) = PROGRESS.get() {
        progress.bar.finish_and_clear();
    }
}
