//! Many things at a time: keys to read, files to seal or open.

use super::files;
use super::progress;
use super::selection::Item;
use super::ui::{self, Problem, Status};
use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Does `work` on each of `items`, by as many threads as there are CPUs, but none for less than
/// `share` of the items; the results in the order of the items.
///
/// # Panics
/// If `work` does.
pub(crate) fn map<T: Sync, R: Send>(
    items: &[T],
    share: usize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let cpus = || thread::available_parallelism().map_or(1, NonZero::get);
    let threads = match items.len() / share {
        0 | 1 => 1,
        shares => shares.min(cpus()),
    };
    let next = AtomicUsize::new(0);
    let take_all = || {
        let mut results = Vec::new();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(place) else {
                return results;
            };
            results.push((place, work(item)));
        }
    };
    let mut results = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(take_all)).collect();
        let mut results = take_all();
        for other in others {
            results.extend(other.join().expect("a panic ends the process"));
        }
        results
    });
    results.sort_unstable_by_key(|(place, _)| *place);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Refuses what can only be meant of one file.
pub(crate) fn check(files: &[Item], output: Option<&Path>) -> anyhow::Result<()> {
    if let Some(output) = output
        && files.len() > 1
    {
        let (count, output) = (files.len(), ui::name(output));
        return Err(
            Problem::usage(format!("{count} files cannot all become {output}"))
                .hint("without -o, the output of each is named after it")
                .into(),
        );
    }
    match files.iter().any(|file| files::is_dash(&file.path)) {
        true => Err(
            Problem::usage("standard input cannot be one of several files")
                .hint("give it a run of its own")
                .into(),
        ),
        false => Ok(()),
    }
}

/// Does `work` on each of several files, and reports those on which it fails: `done` says what is
/// then not done with them. The exit status is that of the first of them.
pub(crate) fn each(
    files: &[Item],
    done: &str,
    work: impl Fn(&Item) -> anyhow::Result<()> + Sync,
) -> anyhow::Result<()> {
    progress::plan(files.iter().map(|file| &*file.path));
    let statuses = map(files, 1, |file| {
        work(file).err().map(|error| ui::report(&error))
    });
    let failed: Vec<Status> = statuses.into_iter().flatten().collect();
    match failed.first() {
        None => Ok(()),
        Some(status) => {
            let (failed, all) = (failed.len(), files.len());
            Err(
                Problem::new(format!("{failed} of {all} files were not {done}"))
                    .status(*status)
                    .into(),
            )
        }
    }
}
