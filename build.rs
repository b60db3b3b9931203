//! Links the unwinder into the program where GCC has it as an archive. Nothing of the program unwinds,
//! but the standard library refers to it, and as a library of its own (`libgcc_s`) it takes the
//! dynamic linker 0.1 ms to find, map and bind: a tenth of what sealing a small file takes.

use std::env;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let variable = |name| env::var(name).unwrap_or_default();
    if (
        variable("CARGO_CFG_TARGET_OS"),
        variable("CARGO_CFG_TARGET_ENV"),
    ) != ("linux".to_owned(), "gnu".to_owned())
    {
        return Ok(());
    }
    let linker = match env::var_os("RUSTC_LINKER") {
        Some(linker) => linker,
        None if variable("HOST") == variable("TARGET") => "cc".into(),
        None => return Ok(()),
    };
    let asked = Command::new(linker)
        .arg("-print-file-name=libgcc_eh.a")
        .output();
    // Another compiler's driver may not know the question, and GCC repeats the name of a file that it
    // does not have.
    let archive = asked.map_or_else(
        |_| String::new(),
        |answer| String::from_utf8_lossy(&answer.stdout).trim().to_owned(),
    );
    if !Path::new(&archive).is_file() {
        return Ok(());
    }
    // What the linker finds first under the library's name is a script that names the archive.
    let directory = env::var("OUT_DIR")?;
    fs::write(
        Path::new(&directory).join("libgcc_s.so"),
        format!("INPUT(\"{archive}\")\n"),
    )?;
    println!("cargo::rustc-link-arg-bin=pqbox=-L{directory}");
    Ok(())
}
