//! `cargo xtask bench-files`: whole processes that seal and open files, beside other tools, `cp` and
//! `true`; rewrites the tables in docs.

mod tools;

use crate::command::Command;
use crate::page;
use anyhow::{Context, Result, bail, ensure};
use std::fmt::Write;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};
use std::time::{Duration, Instant};
use tools::{Recipients, TOOLS, Tool};
use wait4::Wait4;

const USAGE: &str = "usage: cargo xtask bench-files [--json FILE] [--rounds N] [--in DIRECTORY]";

/// Where nothing but memory is written, if there is such a place.
const MEMORY: &str = "/dev/shm";

/// Runs of what takes milliseconds, for each of what takes seconds.
const SHORT: usize = 20;

/// Recipients, and files, where there are many.
const MANY: usize = 1000;

/// Where everything runs.
struct Lab {
    directory: tempfile::TempDir,
    pqbox: PathBuf,
}

/// One tool's part in a case: its command as words, and what that writes.
struct Run {
    tool: &'static str,
    words: Vec<String>,
    outputs: Vec<String>,
    /// A command that makes its input, and the input's name.
    input: Option<(Vec<String>, String)>,
}

struct Case {
    name: &'static str,
    times: usize,
    /// Whether so much is written that it matters which memory is free.
    large: bool,
    runs: Vec<Run>,
}

/// What a process took.
#[derive(Clone, Copy)]
struct Spent {
    cpu: Duration,
    wall: Duration,
    /// Bytes.
    rss: u64,
}

pub(crate) fn run(root: &Path, options: &[&str]) -> Result<()> {
    let (mut json_file, mut rounds) = (None, 5);
    let mut place = PathBuf::from(MEMORY);
    let (pairs, rest) = options.as_chunks();
    ensure!(rest.is_empty(), USAGE);
    for [option, value] in pairs {
        match *option {
            "--json" => json_file = Some(*value),
            "--rounds" => rounds = value.parse().context(USAGE)?,
            "--in" => place = value.into(),
            _ => bail!(USAGE),
        }
    }
    let lab = Lab::new(root, &place)?;
    let tools: Vec<&Tool> = TOOLS.iter().filter(|tool| lab.prepare(tool)).collect();

    let mut text = String::new();
    let mut json = Vec::new();
    for case in lab.cases(&tools, rounds)? {
        let rows: Vec<(&str, Spent)> = lab.measure(&case)?;
        table(&mut text, case.name, &rows)?;
        json.extend(rows.iter().map(|(tool, spent)| {
            serde_json::json!({
                "case": case.name,
                "tool": tool,
                "cpu_s": spent.cpu.as_secs_f64(),
                "wall_s": spent.wall.as_secs_f64(),
                "rss_kib": spent.rss >> 10,
            })
        }));
    }
    if let Some(file) = json_file {
        let json = serde_json::Value::from(json);
        fs::write(file, format!("{json:#}\n")).with_context(|| file.to_owned())?;
    }
    page::publish(root, "bench-files", &text)
}

impl Lab {
    fn new(root: &Path, place: &Path) -> Result<Self> {
        Command::cargo(root)
            .arguments(&["build", "--release", "--bin", "pqbox"])
            .run()?;
        let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
        let target = root.join(target);
        // Copied, as an installed program is: what the linker wrote piece by piece lies in the page
        // cache in pieces, and starts 0.1 ms later.
        let pqbox = target.join("bench-files");
        fs::copy(target.join("release/pqbox"), &pqbox)?;
        let lab = Self {
            directory: tempfile::tempdir_in(place)?,
            pqbox,
        };
        for directory in ["gnupg", "many", "copies"] {
            fs::create_dir(lab.path(directory))?;
        }
        lab.fill("1GiB", 1 << 30)?;
        lab.fill("1KiB", 1 << 10)?;
        (0..MANY).try_for_each(|i| lab.fill(&format!("many/{i}"), 4 << 10))?;
        Ok(lab)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// A file of random bytes.
    fn fill(&self, name: &str, len: u64) -> Result<()> {
        let mut random = File::open("/dev/urandom")?.take(len);
        io::copy(&mut random, &mut File::create(self.path(name))?)?;
        Ok(())
    }

    /// Makes the tool's keys. False where that fails, most often for want of the tool.
    fn prepare(&self, tool: &Tool) -> bool {
        let mut setup = tool.setup.iter();
        let done = setup.try_for_each(|line| self.spend(&words(line, &[])).map(drop));
        if let Err(error) = &done {
            println!("{} takes no part: {error:#}", tool.name);
        }
        done.is_ok()
    }

    /// Runs a command; it has to succeed.
    fn spend(&self, words: &[String]) -> Result<Spent> {
        let (program, arguments) = words.split_first().context("a command has a name")?;
        let mut command = match &**program {
            "pqbox" => process::Command::new(&self.pqbox),
            other => process::Command::new(other),
        };
        command
            .args(arguments)
            .current_dir(self.directory.path())
            .env("PQBOX_HOME", "home")
            .env("GNUPGHOME", self.path("gnupg"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let what = || words[..words.len().min(8)].join(" ");
        let start = Instant::now();
        let used = command.spawn().with_context(what)?.wait4()?;
        let wall = start.elapsed();
        ensure!(used.status.success(), "{}: {}", what(), used.status);
        Ok(Spent {
            cpu: used.rusage.utime + used.rusage.stime,
            wall,
            rss: used.rusage.maxrss,
        })
    }

    /// Makes the input of a run.
    fn make_input(&self, run: &Run) -> Result<()> {
        if let Some((words, name)) = &run.input {
            let output = self.path("out");
            let _ = fs::remove_file(&output);
            self.spend(words)?;
            // `true` writes nothing.
            if output.exists() {
                fs::rename(output, self.path(name))?;
            }
        }
        Ok(())
    }

    fn cases(&self, tools: &[&'static Tool], rounds: usize) -> Result<Vec<Case>> {
        let mut cases = Vec::new();
        let mut case = |name, times, runs| {
            cases.push(Case {
                name,
                times,
                large: times == rounds,
                runs,
            });
        };
        let sizes = [
            ("seal-1GiB", "open-1GiB", "1GiB", rounds),
            ("seal-1KiB", "open-1KiB", "1KiB", SHORT * rounds),
        ];
        for (seal_name, open_name, file, times) in sizes {
            let (mut seal, mut open) = (Vec::new(), Vec::new());
            for tool in tools
                .iter()
                .filter(|tool| file == "1KiB" || tool.name != "true")
            {
                // With and without --sync, what is made is the same.
                let (program, _) = tool.name.split_once(' ').unwrap_or((tool.name, ""));
                let sealed = format!("{file}.{program}");
                let sealing = Run::new(tool, words(tool.seal, &[("{in}", file)]));
                let opening = Run::new(tool, words(tool.open, &[("{in}", &sealed)]));
                open.push(Run {
                    input: Some((sealing.words.clone(), sealed)),
                    ..opening
                });
                seal.push(sealing);
            }
            case(seal_name, times, seal);
            case(open_name, times, open);
        }

        let (mut seal, mut open) = (Vec::new(), Vec::new());
        for tool in tools {
            let Some(many) = &tool.many_keys else {
                continue;
            };
            let keys: Vec<String> = (0..MANY).map(|i| format!("{}-{i}", tool.name)).collect();
            for key in &keys {
                self.spend(&words(many.keygen, &[("{out}", key)]))?;
            }
            let mut sealing = Run::new(tool, words(tool.seal, &[("{in}", "1KiB")]));
            sealing
                .words
                .retain(|word| word != "-i" && !word.ends_with(".key"));
            // Behind the command; some tools want options to come first.
            let named = self.recipients(&many.recipients, &keys)?;
            sealing.words.splice(2..2, named);
            let sealed = format!("many.{}", tool.name);
            let last = &keys[MANY - 1];
            let names = [("{in}", &*sealed), ("{key}", last)];
            open.push(Run {
                input: Some((sealing.words.clone(), sealed.clone())),
                ..Run::new(tool, words(many.open, &names))
            });
            seal.push(sealing);
        }
        case("seal-1000-recipients", SHORT * rounds, seal);
        case("open-last-of-1000", SHORT * rounds, open);

        let with_files = tools.iter().filter_map(|tool| {
            let many = tool.many_files.as_ref()?;
            let mut run = Run::new(tool, words(many.line, &[]));
            run.words.extend((0..MANY).map(|i| format!("many/{i}")));
            let (before, after) = many.output;
            run.outputs = (0..MANY).map(|i| format!("{before}{i}{after}")).collect();
            Some(run)
        });
        case("seal-1000-files", SHORT * rounds, with_files.collect());

        let with_armor = tools.iter().filter_map(|tool| {
            let words = words(tool.armor?, &[("{in}", "1GiB")]);
            Some(Run::new(tool, words))
        });
        case("armor-1GiB", rounds, with_armor.collect());
        Ok(cases)
    }

    /// The words that name so many recipients.
    fn recipients(&self, how: &Recipients, keys: &[String]) -> Result<Vec<String>> {
        match how {
            Recipients::Files => {
                let named = keys
                    .iter()
                    .flat_map(|key| ["-r".to_owned(), format!("{key}.pub")]);
                Ok(named.collect())
            }
            Recipients::Comments => {
                let mut list = String::new();
                for key in keys {
                    let text = fs::read_to_string(self.path(key))?;
                    let public = text
                        .lines()
                        .find_map(|line| line.strip_prefix("# public key: "));
                    writeln!(list, "{}", public.context("a key without its public half")?)?;
                }
                let name = format!("{}.list", keys[0]);
                fs::write(self.path(&name), list)?;
                Ok(vec!["-R".to_owned(), name])
            }
        }
    }

    /// Runs all of a case. The medians.
    ///
    /// Where much is written, what that costs depends on whether the memory that is free was in use a
    /// moment ago: a hypervisor takes back what was not, the more of it, the more files lie about. So
    /// pqbox and `cp`, of which the ratio counts, then take turns by themselves, and oftener; every
    /// other tool by itself.
    fn measure(&self, case: &Case) -> Result<Vec<(&'static str, Spent)>> {
        println!("{}: {} times", case.name, case.times);
        let mut samples = vec![Vec::new(); case.runs.len()];
        let all = 0..case.runs.len();
        if case.large {
            let quick = |i: &usize| {
                let tool = case.runs[*i].tool;
                tool.starts_with("pqbox") || tool == "cp"
            };
            let (quick, others): (Vec<_>, Vec<_>) = all.partition(quick);
            self.rounds(case, 3 * case.times, quick, &mut samples)?;
            for other in others {
                self.rounds(case, case.times, vec![other], &mut samples)?;
            }
        } else {
            self.rounds(case, case.times, all.collect(), &mut samples)?;
        }
        let medians = samples.iter().map(|samples| Spent {
            cpu: median(samples.iter().map(|spent| spent.cpu)),
            wall: median(samples.iter().map(|spent| spent.wall)),
            rss: median(samples.iter().map(|spent| spent.rss)),
        });
        Ok(case.runs.iter().map(|run| run.tool).zip(medians).collect())
    }

    /// Runs `some` of a case, round after round, in another order each time: what ran before leaves
    /// caches and free memory in its own way. The first round does not count.
    fn rounds(
        &self,
        case: &Case,
        times: usize,
        mut some: Vec<usize>,
        samples: &mut [Vec<Spent>],
    ) -> Result<()> {
        for &i in &some {
            self.make_input(&case.runs[i])?;
        }
        for round in 0..=times {
            some.sort_by_cached_key(|i| {
                let mut hasher = DefaultHasher::new();
                (round, i).hash(&mut hasher);
                hasher.finish()
            });
            for &i in &some {
                let run = &case.runs[i];
                for output in &run.outputs {
                    let _ = fs::remove_file(self.path(output));
                }
                let spent = self.spend(&run.words)?;
                if round > 0 {
                    samples[i].push(spent);
                }
            }
        }
        for &i in &some {
            if let Some((_, name)) = &case.runs[i].input {
                let _ = fs::remove_file(self.path(name));
            }
        }
        Ok(())
    }
}

impl Run {
    fn new(tool: &Tool, words: Vec<String>) -> Self {
        Self {
            tool: tool.name,
            words,
            outputs: vec!["out".to_owned()],
            input: None,
        }
    }
}

/// The words of a line, with the names for what stands for them; `{out}` is `out` otherwise.
fn words(line: &str, names: &[(&str, &str)]) -> Vec<String> {
    let named = |word: &str| {
        let names = names.iter().chain(&[("{out}", "out")]);
        names.fold(word.to_owned(), |word, (placeholder, name)| {
            word.replace(placeholder, name)
        })
    };
    line.split_whitespace().map(named).collect()
}

fn median<T: Ord>(values: impl Iterator<Item = T>) -> T {
    let mut values: Vec<T> = values.collect();
    values.sort_unstable();
    values.swap_remove(values.len() / 2)
}

/// Seconds and MiB; and over `cp`, or what is above `true`, where they take part.
fn table(text: &mut String, case: &str, rows: &[(&str, Spent)]) -> Result<()> {
    let of = |name| rows.iter().find(|row| row.0 == name).map(|row| row.1);
    let (copy, nothing) = (of("cp"), of("true"));
    writeln!(text, "### {case}\n")?;
    writeln!(
        text,
        "| | CPU, s | wall, s | RSS, MiB | CPU over cp | wall over cp | ms above true |"
    )?;
    writeln!(text, "| --- |{}", " ---: |".repeat(6))?;
    for (tool, spent) in rows {
        let over = |part: fn(&Spent) -> Duration| {
            copy.map_or_else(String::new, |copy| {
                format!(
                    "{:.2}",
                    part(spent).as_secs_f64() / part(&copy).as_secs_f64()
                )
            })
        };
        let above = nothing.map_or_else(String::new, |nothing| {
            format!(
                "{:.2}",
                1e3 * (spent.wall.as_secs_f64() - nothing.wall.as_secs_f64())
            )
        });
        writeln!(
            text,
            "| {tool} | {:.4} | {:.4} | {:.1} | {} | {} | {above} |",
            spent.cpu.as_secs_f64(),
            spent.wall.as_secs_f64(),
            spent.rss as f64 / f64::from(1 << 20),
            over(|spent| spent.cpu),
            over(|spent| spent.wall),
        )?;
    }
    writeln!(text)?;
    Ok(())
}
