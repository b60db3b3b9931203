//! `pqbox open --range` and `pqbox open --salvage`: parts of a sealed file.

use super::args::{ByteRange, Open};
use super::files::Input;
use super::open::{opened_name, without_armor};
use super::output::{Form, Output};
use super::ui::{self, Problem, Status};
use super::unlock::Means;
use anyhow::Context;
use pqbox::Error;
use pqbox::hybrid::{ArmorReader, FileKey, Header, RandomAccess, Salvaged, Salvager};
use serde_json::json;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// Bytes that are copied together.
const BLOCK: usize = 256 << 10;

trait Seekable: Read + Seek {}
impl<T: Read + Seek> Seekable for T {}

/// A sealed file that can be read anywhere, and its key.
struct Whole {
    name: String,
    file: Box<dyn Seekable>,
    file_key: FileKey,
    output: Output,
}

impl Whole {
    fn prepare(
        args: &Open,
        path: Option<&Path>,
        output: PathBuf,
        means: &Means<'_>,
    ) -> anyhow::Result<Self> {
        let input = Input::open(path)?;
        let output = Output::new(&output, args.access(), args.force)?
            .durability((&args.durability).into())
            .form(Form::Opened);
        output.is_not(input.identity().as_ref(), "the input")?;
        let name = input.name.clone();
        let opening = || format!("cannot open {name}");
        if input.size().is_none() {
            let message = format!("{name} cannot be read at any place, as a file can");
            return Err(Problem::usage(message)
                .hint("save it to a file first")
                .into());
        }
        let mut file: Box<dyn Seekable> = match ArmorReader::new(input).with_context(opening)? {
            armored if armored.is_armored() => {
                Box::new(without_armor(armored).with_context(opening)?)
            }
            plain => Box::new(plain.into_inner().into_file()),
        };
        file.rewind().with_context(opening)?;
        let header = Header::read(&mut file).with_context(opening)?;
        let file_key = means.unlock(&header, &name, Some(&output))?;
        Ok(Self {
            name,
            file,
            file_key,
            output,
        })
    }
}

/// Writes a part of the content.
pub(crate) fn range(
    args: &Open,
    path: Option<&Path>,
    range: ByteRange,
    means: &Means<'_>,
) -> anyhow::Result<()> {
    let output = args.output.clone().unwrap_or_else(|| "-".into());
    let whole = Whole::prepare(args, path, output, means)?;
    let (name, mut output) = (whole.name, whole.output);
    let opening = || format!("cannot open {name}");
    let mut content = RandomAccess::new(whole.file_key, whole.file).with_context(opening)?;
    let (start, len) = (range.start, content.len());
    if start > len {
        let message = format!("{name} has {len} bytes of content, and the range begins at {start}");
        return Err(Problem::usage(message).into());
    }
    content.seek(SeekFrom::Start(start)).with_context(opening)?;
    let mut part = content.take(range.end.unwrap_or(len).min(len) - start);
    let mut block = Zeroizing::new(vec![0; BLOCK]);
    loop {
        match part
            .read(&mut block)
            .map_err(Error::reading)
            .with_context(opening)?
        {
            0 => return output.commit(),
            len => output.write(&block[..len])?,
        }
    }
}

/// Writes what is authentic, and zeros for the rest.
pub(crate) fn salvage(args: &Open, path: Option<&Path>, means: &Means<'_>) -> anyhow::Result<()> {
    let output = match (&args.output, path) {
        (Some(output), _) => output.clone(),
        (None, Some(path)) if !super::files::is_dash(path) => {
            let mut name = opened_name(path)?.into_os_string();
            name.push(".salvaged");
            name.into()
        }
        (None, _) => "-".into(),
    };
    let whole = Whole::prepare(args, path, output, means)?;
    let (name, mut output) = (whole.name, whole.output);
    let opening = || format!("cannot open {name}");
    let mut salvager = Salvager::new(&whole.file_key, whole.file).with_context(opening)?;
    let mut losses = Losses::default();
    let end = loop {
        match salvager.next_chunk() {
            Ok(Some(Salvaged::Intact(piece))) => {
                losses.position += piece.len() as u64;
                output.write(piece)?;
            }
            Ok(Some(Salvaged::Lost { offset, len, .. })) => {
                losses.add(offset, len as u64);
                output.write(&vec![0; len])?;
            }
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    let is_stream = !output.is_new_file();
    let written = output.name.clone();
    output.commit()?;
    losses.list(is_stream)?;
    let lost = losses
        .ranges
        .iter()
        .map(|(range, _)| range.end - range.start);
    let (lost, all): (u64, _) = (lost.sum(), losses.position);
    let problem = Problem::new(match lost {
        0 => format!("{name} is damaged; {written} has all {all} bytes that are there"),
        _ => format!("{name} is damaged; {written} has zeros for {lost} of its {all} bytes"),
    })
    .status(Status::Damaged)
    .hint("an undamaged copy is better");
    match end {
        Err(error) => Err(anyhow::Error::new(error).context(problem)),
        Ok(()) if lost > 0 => Err(problem.code("salvaged").into()),
        Ok(()) => Ok(()),
    }
}

/// What is lost of the content.
#[derive(Default)]
struct Losses {
    /// Bytes so far.
    position: u64,
    /// Bytes of the content, and where in the file they would begin.
    ranges: Vec<(Range<u64>, u64)>,
}

impl Losses {
    fn add(&mut self, offset: u64, len: u64) {
        let start = self.position;
        self.position += len;
        match self.ranges.last_mut() {
            Some((range, _)) if range.end == start => range.end += len,
            _ => self.ranges.push((start..start + len, offset)),
        }
    }

    fn list(&self, stdout_is_taken: bool) -> anyhow::Result<()> {
        for (Range { start, end }, offset) in &self.ranges {
            let json = json!({ "lost": { "start": start, "end": end, "file_offset": offset } });
            let text = format!("lost  bytes {start} to {end}, from byte {offset} of the file\n");
            match (stdout_is_taken, ui::is_json()) {
                (false, _) => ui::result(&text, &json)?,
                (true, true) => ui::say(&format!("{json}\n")),
                (true, false) => ui::say(&text),
            }
        }
        Ok(())
    }
}
