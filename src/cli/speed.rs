//! `pqbox speed`.

use super::args::Speed;
use super::ui;
use anyhow::Context;
use pqbox::Backend;
use pqbox::hybrid::{FileKey, Header, Opener, Sealing, SecretKey};
use pqbox::kem::SetId;
use rand::rngs::SysRng;
use serde_json::json;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// Bytes that are sealed and opened at a time.
const CONTENT: usize = 16 << 20;

pub(crate) fn run(args: &Speed, chosen: Option<Backend>) -> anyhow::Result<()> {
    let before = Backend::selected();
    let time = Duration::from_millis(args.time);
    let backends: Vec<_> = match chosen {
        Some(backend) => vec![backend],
        None => Backend::available().collect(),
    };
    if !ui::is_json() {
        let mut head = format!("{:22}", "");
        for backend in &backends {
            let _ = write!(head, " {:>10}", backend.name());
        }
        ui::print(&format!("{head}\n"))?;
    }
    for operation in Operation::all() {
        let mut line = format!("{:22}", operation.name());
        for backend in &backends {
            backend.select();
            let rate = operation.rate(time).context("cannot measure")?;
            if ui::is_json() {
                ui::object(&json!({
                    "operation": operation.name(),
                    "backend": backend.name(),
                    "unit": operation.unit(),
                    "per_second": rate,
                }))?;
            }
            // A String takes all.
            let _ = write!(line, " {:>10}", operation.shown(rate));
        }
        if !ui::is_json() {
            ui::print(&format!("{line}  {}/s\n", operation.unit()))?;
        }
    }
    before.select();
    Ok(())
}

/// What is measured.
#[derive(Clone, Copy)]
enum Operation {
    KeyGen(SetId),
    Encaps(SetId),
    Decaps(SetId),
    Seal,
    Open,
}

impl Operation {
    fn all() -> impl Iterator<Item = Self> {
        let of_set = |set| [Self::KeyGen(set), Self::Encaps(set), Self::Decaps(set)];
        let kem = SetId::ALL.into_iter().flat_map(of_set);
        kem.chain([Self::Seal, Self::Open])
    }

    fn name(self) -> String {
        let (what, set) = match self {
            Self::KeyGen(set) => ("keygen", set),
            Self::Encaps(set) => ("encaps", set),
            Self::Decaps(set) => ("decaps", set),
            Self::Seal => return "seal".to_owned(),
            Self::Open => return "open".to_owned(),
        };
        format!("{} {what}", set.name())
    }

    fn unit(self) -> &'static str {
        match self {
            Self::Seal | Self::Open => "B",
            _ => "op",
        }
    }

    /// How many per second: operations, or bytes.
    fn rate(self, time: Duration) -> Result<f64, pqbox::Error> {
        let rng = &mut SysRng;
        match self {
            Self::KeyGen(set) => per_second(time, || SecretKey::generate(set, rng).map(drop)),
            Self::Encaps(set) => {
                let key = SecretKey::generate(set, rng)?.public_key();
                per_second(time, || key.encapsulate(rng).map(drop))
            }
            Self::Decaps(set) => {
                let key = SecretKey::generate(set, rng)?;
                let (_, ciphertext) = key.public_key().encapsulate(rng)?;
                per_second(time, || key.decapsulate(&ciphertext).map(drop))
            }
            Self::Seal => {
                let (content, mut sealed) = (vec![1; CONTENT], Vec::new());
                let rate = per_second(time, || seal(&content, &mut sealed).map(drop))?;
                Ok(rate * CONTENT as f64)
            }
            Self::Open => {
                let mut sealed = Vec::new();
                let file_key = seal(&vec![1; CONTENT], &mut sealed)?;
                let rate = per_second(time, || open(&file_key, &sealed))?;
                Ok(rate * CONTENT as f64)
            }
        }
    }

    fn shown(self, rate: f64) -> String {
        let scales = [(1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "")];
        let fits = scales.iter().find(|(scale, _)| rate >= *scale);
        let (scale, letter) = fits.unwrap_or(&(1.0, ""));
        format!(
            "{:.*} {letter}",
            usize::from(*scale > 1.0) * 2,
            rate / scale
        )
    }
}

/// How often `work` can be done in a second: the best of three parts of `time`, since whatever disturbs
/// it makes it slower.
fn per_second(
    time: Duration,
    mut work: impl FnMut() -> Result<(), pqbox::Error>,
) -> Result<f64, pqbox::Error> {
    let mut best = 0.0;
    for _ in 0..3 {
        let (begin, mut done) = (Instant::now(), 0_u32);
        while done == 0 || begin.elapsed() < time / 3 {
            work()?;
            done += 1;
        }
        best = f64::max(best, f64::from(done) / begin.elapsed().as_secs_f64());
    }
    Ok(best)
}

/// Seals to a key that nobody keeps; the file key opens it.
fn seal(content: &[u8], sealed: &mut Vec<u8>) -> Result<FileKey, pqbox::Error> {
    let rng = &mut SysRng;
    let recipients = [SecretKey::generate(SetId::MlKem768, rng)?.public_key()];
    let file_key = FileKey::generate(rng)?;
    let mut sealer = Sealing::to(&recipients)
        .under(&file_key)
        .begin(content, rng)?;
    sealed.clear();
    while let Some(piece) = sealer.next_chunk()? {
        sealed.extend_from_slice(piece);
    }
    Ok(file_key)
}

fn open(file_key: &FileKey, mut sealed: &[u8]) -> Result<(), pqbox::Error> {
    let file_key = Header::read(&mut sealed)?.authenticate(file_key.clone())?;
    let mut opener = Opener::new(file_key, sealed)?;
    while opener.next_chunk()?.is_some() {}
    Ok(())
}
