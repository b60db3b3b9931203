//! NIST's own JSON files, run by the same judge as the vectors built in.
//!
//! A vector set is either `internalProjection.json`, which holds questions and answers, or
//! `prompt.json` with its `expectedResults.json`. ACVP's registration of ML-KEM
//! (draft-celi-acvp-ml-kem) knows them in these revisions:
//!
//! | mode | revision | decapsulation key |
//! | --- | --- | --- |
//! | keyGen | FIPS203 | |
//! | encapDecap | FIPS203 | `dk`, in the case or (in older files) in its group |
//! | encapDecap | FIPS203-tr1 | `dk`, or the seed `d` and `z`, as the group's `keyFormat` says |

use super::Row;
use super::acvp::{Case, Function, Key};
use crate::Backend;
use crate::kem::SetId;
use core::fmt;
use flate2::read::MultiGzDecoder;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Read;

/// Bytes of JSON that one file may unpack to. NIST's largest is a quarter of it.
const MAX_JSON: u64 = 256 << 20;

/// Files that were read, and the cases in them.
pub struct VectorSets {
    cases: Vec<(Function, SetId, Case<Vec<u8>>)>,
    not_run: BTreeMap<String, usize>,
}

/// Cases that this library does not know how to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotRun {
    /// What they are, in ACVP's words, for example `ML-DSA keyGen FIPS204`.
    pub what: String,
    /// How many there are.
    pub cases: usize,
}

/// A file of vectors that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileError {
    /// Its name, as given.
    pub file: String,
    /// What is wrong with it.
    pub problem: String,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file, self.problem)
    }
}

impl core::error::Error for FileError {}

impl VectorSets {
    /// Reads files, each given as its name and its bytes: JSON, plain or in gzip. Prompts and
    /// expected results find each other by what they say of themselves, in any order.
    ///
    /// # Errors
    /// [`FileError`] if a file is not such JSON, if a prompt or its expected results is missing, or
    /// if the two do not have the same cases. What is well formed but unknown is no error:
    /// [`Self::not_run`] tells of it.
    pub fn read(files: &[(String, Vec<u8>)]) -> Result<Self, FileError> {
        let named = |file: &str, problem| FileError {
            file: file.to_owned(),
            problem,
        };
        let mut questions = Vec::new();
        let mut answers = BTreeMap::new();
        for (file, bytes) in files {
            let document = Document::parse(bytes).map_err(|problem| named(file, problem))?;
            if document.is_answers() {
                let id = document.id.clone();
                if answers.insert(id, (file, document)).is_some() {
                    let problem = "expected results of a vector set that another file has too";
                    return Err(named(file, problem.to_owned()));
                }
            } else {
                questions.push((file, document));
            }
        }

        let mut sets = Self {
            cases: Vec::new(),
            not_run: BTreeMap::new(),
        };
        for (file, document) in &questions {
            let partner = if document.has_answers() {
                None
            } else {
                answers.remove(&document.id).map(|(_, document)| document)
            };
            sets.add(document, partner.as_ref())
                .map_err(|problem| named(file, problem))?;
        }
        match answers.into_values().next() {
            Some((file, document)) => Err(named(
                file,
                format!("expected results, without a prompt of {}", document.id),
            )),
            None => Ok(sets),
        }
    }

    /// What was in the files and will not be run.
    #[must_use]
    pub fn not_run(&self) -> Vec<NotRun> {
        let not_run = self.not_run.iter().map(|(what, &cases)| NotRun {
            what: what.clone(),
            cases,
        });
        not_run.collect()
    }

    /// Runs the cases, and gives a row for each function and parameter set that there are cases of.
    #[must_use]
    pub fn run(&self, backend: Backend) -> Vec<Row> {
        let mut rows = Vec::new();
        for function in Function::ALL {
            for set in SetId::ALL {
                let cases = self
                    .cases
                    .iter()
                    .filter(|case| (case.0, case.1) == (function, set));
                let (passed, total) = cases.fold((0, 0), |(passed, total), (.., case)| {
                    (passed + usize::from(case.passes(set, backend)), total + 1)
                });
                if total > 0 {
                    rows.push(Row {
                        vectors: "ACVP",
                        function: function.name(),
                        set: set.name(),
                        backend: backend.name(),
                        passed,
                        total,
                    });
                }
            }
        }
        rows
    }

    /// Adds the cases of a document, whose answers are in `answers` or in itself.
    fn add(&mut self, document: &Document, answers: Option<&Document>) -> Result<(), String> {
        if !document.id.is_known() {
            let cases = document.groups().map(|group| tests(group).count()).sum();
            self.skip(document.id.name(), cases);
            return Ok(());
        }
        if answers.is_none() && !document.has_answers() {
            return Err(format!(
                "a prompt, without the expected results of {}",
                document.id
            ));
        }
        let mut unused = match answers {
            Some(answers) => Some(answers.by_number()?),
            None => None,
        };
        document.by_number()?;
        for group in document.groups() {
            let kind = document.kind(group);
            for test in tests(group) {
                let number = Number::of(group, test);
                let answer = match &mut unused {
                    Some(unused) => unused
                        .remove(&number)
                        .ok_or_else(|| format!("{number} is not among the expected results"))?,
                    None => test,
                };
                let case = match &kind {
                    Ok((function, set)) => Fields {
                        group,
                        test,
                        answer,
                    }
                    .case(*function)
                    .map_err(|problem| format!("{number}: {problem}"))?
                    .map(|case| (*function, *set, case))
                    .ok_or_else(|| format!("{}, without a key", function.name())),
                    Err(unknown) => Err(unknown.clone()),
                };
                match case {
                    Ok(case) => self.cases.push(case),
                    Err(unknown) => self.skip(format!("{}: {unknown}", document.id.name()), 1),
                }
            }
        }
        match unused.iter().flatten().next() {
            Some((number, _)) => Err(format!("{number} is among the expected results alone")),
            None => Ok(()),
        }
    }

    fn skip(&mut self, what: String, cases: usize) {
        *self.not_run.entry(what).or_default() += cases;
    }
}

/// What a file says of itself. Both halves of a vector set say the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Identity {
    vector_set: u64,
    algorithm: String,
    mode: String,
    revision: String,
}

impl Identity {
    fn is_known(&self) -> bool {
        let (mode, revision) = (self.mode.as_str(), self.revision.as_str());
        self.algorithm == "ML-KEM"
            && matches!(
                (mode, revision),
                ("keyGen" | "encapDecap", "FIPS203") | ("encapDecap", "FIPS203-tr1")
            )
    }

    fn name(&self) -> String {
        format!("{} {} {}", self.algorithm, self.mode, self.revision)
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (vector set {})", self.name(), self.vector_set)
    }
}

/// A case's number in its vector set.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Number {
    group: u64,
    case: u64,
}

impl Number {
    /// A missing number is 0. Two of those are found to be one and the same.
    fn of(group: &Value, test: &Value) -> Self {
        Self {
            group: group["tgId"].as_u64().unwrap_or(0),
            case: test["tcId"].as_u64().unwrap_or(0),
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "case {} of group {}", self.case, self.group)
    }
}

/// One file.
struct Document {
    id: Identity,
    body: Value,
}

impl Document {
    fn parse(bytes: &[u8]) -> Result<Self, String> {
        let mut body: Value = serde_json::from_slice(&unpack(bytes)?)
            .map_err(|problem| format!("not JSON: {problem}"))?;
        // As ACVP servers send it: [{"acvVersion": ..}, {the vector set}].
        if let Value::Array(parts) = &mut body {
            parts.retain(|part| part.get("testGroups").is_some());
            body = match parts.as_mut_slice() {
                [part] => part.take(),
                parts => return Err(format!("{} vector sets, where one is wanted", parts.len())),
            };
        }
        let groups = body["testGroups"].as_array();
        if groups.is_none_or(Vec::is_empty) || body["algorithm"].as_str().is_none() {
            return Err("not a vector set of ACVP: no algorithm or no test groups".to_owned());
        }
        let id = Identity {
            vector_set: body["vsId"].as_u64().unwrap_or(0),
            algorithm: text(&body, "algorithm").unwrap_or_default(),
            mode: text(&body, "mode").unwrap_or_default(),
            revision: text(&body, "revision").unwrap_or_default(),
        };
        Ok(Self { id, body })
    }

    fn groups(&self) -> impl Iterator<Item = &Value> {
        list(&self.body, "testGroups")
    }

    /// Expected results say nothing of their groups but the number.
    fn is_answers(&self) -> bool {
        self.groups().all(|group| group.get("testType").is_none())
    }

    /// An internal projection has its answers in itself; the names are those of known modes.
    fn has_answers(&self) -> bool {
        let names: &[&str] = match self.id.mode.as_str() {
            "keyGen" => &["dk"],
            _ => &["k", "testPassed"],
        };
        self.groups()
            .flat_map(tests)
            .any(|test| names.iter().any(|name| test.get(name).is_some()))
    }

    /// The cases by their numbers, each there once.
    fn by_number(&self) -> Result<BTreeMap<Number, &Value>, String> {
        let mut cases = BTreeMap::new();
        for group in self.groups() {
            for test in tests(group) {
                let number = Number::of(group, test);
                if cases.insert(number, test).is_some() {
                    return Err(format!("{number} of {} is there twice", self.id));
                }
            }
        }
        Ok(cases)
    }

    /// What the cases of a group are, or the words for what is unknown about them.
    fn kind(&self, group: &Value) -> Result<(Function, SetId), String> {
        let text = |name: &str| text(group, name).unwrap_or("none".to_owned());
        let function = match self.id.mode.as_str() {
            "keyGen" => "keyGen".to_owned(),
            _ => text("function"),
        };
        let (known, test_type) = match function.as_str() {
            "keyGen" => (Function::KeyGen, "AFT"),
            "encapsulation" => (Function::Encapsulation, "AFT"),
            "decapsulation" => (Function::Decapsulation, "VAL"),
            "encapsulationKeyCheck" => (Function::EncapsulationKeyCheck, "VAL"),
            "decapsulationKeyCheck" => (Function::DecapsulationKeyCheck, "VAL"),
            _ => return Err(format!("function {function}")),
        };
        if text("testType") != test_type {
            return Err(format!("{function}, test type {}", text("testType")));
        }
        if !matches!(text("keyFormat").as_str(), "none" | "expanded" | "seed") {
            return Err(format!("{function}, key format {}", text("keyFormat")));
        }
        let set = text("parameterSet");
        match SetId::ALL.into_iter().find(|known| known.name() == set) {
            Some(set) => Ok((known, set)),
            None => Err(format!("{function}, parameter set {set}")),
        }
    }
}

/// The JSON of a file, unpacked if it is in gzip.
fn unpack(bytes: &[u8]) -> Result<Cow<'_, [u8]>, String> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok(bytes.into());
    }
    let mut json = Vec::new();
    MultiGzDecoder::new(bytes)
        .take(MAX_JSON + 1)
        .read_to_end(&mut json)
        .map_err(|problem| format!("damaged gzip: {problem}"))?;
    if json.len() as u64 > MAX_JSON {
        return Err(format!("unpacks to more than {MAX_JSON} bytes"));
    }
    Ok(json.into())
}

/// A text of the file's, with what could steer a terminal escaped: it ends up in messages.
fn text(value: &Value, name: &str) -> Option<String> {
    Some(value[name].as_str()?.escape_debug().to_string())
}

fn list<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    value[name].as_array().into_iter().flatten()
}

fn tests(group: &Value) -> impl Iterator<Item = &Value> {
    list(group, "tests")
}

/// Where the fields of one case are.
struct Fields<'a> {
    group: &'a Value,
    test: &'a Value,
    answer: &'a Value,
}

impl Fields<'_> {
    /// `None`: a decapsulation key check without a key, as some prompts of FIPS203-tr1 have it.
    fn case(&self, function: Function) -> Result<Option<Case<Vec<u8>>>, String> {
        let input = |name| hex(self.test, name)?.ok_or_else(|| format!("no {name}"));
        let output = |name| hex(self.answer, name)?.ok_or_else(|| format!("no expected {name}"));
        let accepted = || {
            let verdict = self.answer["testPassed"].as_bool();
            verdict.ok_or_else(|| "no expected testPassed".to_owned())
        };
        Ok(Some(match function {
            Function::KeyGen => Case::KeyGen {
                d: input("d")?,
                z: input("z")?,
                ek: output("ek")?,
                dk: output("dk")?,
            },
            Function::Encapsulation => Case::Encapsulation {
                ek: input("ek")?,
                m: input("m")?,
                c: output("c")?,
                k: output("k")?,
            },
            Function::Decapsulation => Case::Decapsulation {
                dk: self.key()?.ok_or("no dk, and no d and z")?,
                c: input("c")?,
                k: output("k")?,
            },
            Function::EncapsulationKeyCheck => Case::EncapsulationKeyCheck {
                ek: input("ek")?,
                accepted: accepted()?,
            },
            Function::DecapsulationKeyCheck => match self.key()? {
                Some(dk) => Case::DecapsulationKeyCheck {
                    dk,
                    accepted: accepted()?,
                },
                None => return Ok(None),
            },
        }))
    }

    /// The decapsulation key. An internal projection may have both forms, of which the group's
    /// `keyFormat` names the one in question.
    fn key(&self) -> Result<Option<Key<Vec<u8>>>, String> {
        let seed = hex(self.test, "d")?.zip(hex(self.test, "z")?);
        let seed = seed.map(|(d, z)| Key::Seed { d, z });
        let expanded = match hex(self.test, "dk")? {
            None => hex(self.group, "dk")?,
            dk => dk,
        };
        let expanded = expanded.map(Key::Expanded);
        Ok(if self.group["keyFormat"] == "seed" {
            seed.or(expanded)
        } else {
            expanded.or(seed)
        })
    }
}

/// The bytes of a field, if it is there.
fn hex(fields: &Value, name: &str) -> Result<Option<Vec<u8>>, String> {
    let digits = match &fields[name] {
        Value::Null => return Ok(None),
        Value::String(digits) => digits.as_bytes(),
        _ => return Err(format!("{name} is not text")),
    };
    let nibble = |digit: u8| char::from(digit).to_digit(16);
    let bytes = digits.chunks(2).map(|pair| match *pair {
        [high, low] => u8::try_from(nibble(high)? << 4 | nibble(low)?).ok(),
        _ => None,
    });
    match bytes.collect() {
        Some(bytes) => Ok(Some(bytes)),
        None => Err(format!("{name} is not hexadecimal")),
    }
}

#[cfg(test)]
mod tests;
