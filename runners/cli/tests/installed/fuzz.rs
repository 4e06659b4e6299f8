//! `layoutproof dev fuzz` with the compilers of this machine: it finds a planted fault and shrinks it,
//! and the same seed draws the same declarations again, whole or in parts.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::{Failed, Trial};
use serde_json::Value;
use tempfile::TempDir;

/// A rule with a planted fault.
#[derive(Clone, Copy)]
struct PlantedRule {
    mutant: &'static str,
    /// The toolchain that follows the correct rule.
    toolchain: &'static str,
    seed: u32,
    /// Number of declarations within which the fault must show; each costs a compiler's time.
    within: u32,
}

/// Wrong rules: arrays of constant buffers, also with Slang's uniform blocks, need not begin a
/// register; a vector in a storage buffer, also in WGSL, may cross 16 bytes.
const PLANTED: [PlantedRule; 4] = [
    PlantedRule { mutant: "hlsl-cbuffer:array-alignment=4", toolchain: "dxc-dxil", seed: 7, within: 8 },
    PlantedRule { mutant: "std140@slang:array-alignment=4", toolchain: "slang-vulkan", seed: 7, within: 16 },
    PlantedRule { mutant: "relaxed430:members.straddle=allowed", toolchain: "dxc-spirv", seed: 8, within: 8 },
    PlantedRule { mutant: "wgsl-storage:vectors=component", toolchain: "tint", seed: 7, within: 4 },
];

/// Maximum number of members in the shrunk declaration.
const SMALL: usize = 2;

pub(crate) fn trials() -> Vec<Trial> {
    let here = Here::look();
    let mut trials: Vec<Trial> = PLANTED
        .into_iter()
        .map(|planted| {
            let name = format!("planted::{}", planted.mutant);
            trial(&name, here.lacks(planted.toolchain), move || finds(planted))
        })
        .collect();
    let dxc = || here.lacks("dxc-dxil");
    trials.push(trial("the_same_seed_twice_prints_the_same", dxc(), same_seed));
    trials.push(trial("what_agrees_is_not_told_where_only_differences_are_wanted", dxc(), quiet));
    trials.push(trial("parts_add_up_to_the_whole", dxc(), parts));
    trials.push(trial("all_declarations_of_one_member", dxc(), one_member));
    trials.push(trial("records_are_those_of_a_run", dxc(), records));
    trials.push(trial("layout_options_take_turns", here.lacks("dxc-spirv"), options));
    trials.push(trial("programs_are_bound_alike", dxc(), bindings));
    let library = here.dxc_library.clone();
    let lacking = library.is_none().then(|| "no library of DXC is there".to_owned());
    trials
        .push(trial("a_compiler_that_binds_elsewhere_is_found", lacking, move || bound_elsewhere(library.as_deref())));
    trials
}

fn trial(name: &str, lacking: Option<String>, test: impl Fn() -> Result<(), String> + Send + 'static) -> Trial {
    crate::trial(&format!("fuzz::{name}"), lacking, move || test().map_err(Failed::from))
}

/// The compilers and devices of this machine.
pub(crate) struct Here {
    compilers: Vec<String>,
    has_vulkan: bool,
    /// DXC, if it is a library and not a program.
    dxc_library: Option<String>,
}

impl Here {
    pub(crate) fn look() -> Self {
        let folder = Path::new(".");
        let listed = |what: &str| -> Vec<Value> {
            let answer = layoutproof(folder, &format!("doctor {what} --format json"));
            let json: Value = serde_json::from_str(&answer.out).unwrap_or_default();
            json[what].as_array().cloned().unwrap_or_default()
        };
        let compilers = listed("compilers").iter().filter_map(|it| it["name"].as_str().map(str::to_owned)).collect();
        // "Found dxc VERSION, FILE, ORIGIN"
        let told = layoutproof(folder, "doctor compilers").out;
        let dxc = told.lines().find(|line| line.trim_start().starts_with("Found dxc "));
        let file = dxc
            .and_then(|line| line.rsplit(", ").nth(1))
            .filter(|path| Path::new(path).extension().is_some_and(|suffix| suffix == "so"));
        Self {
            compilers,
            has_vulkan: listed("devices").iter().any(|device| device["runner"] == "ash"),
            dxc_library: file.map(str::to_owned),
        }
    }

    /// The requirement of a toolchain that this machine lacks.
    pub(crate) fn lacks(&self, toolchain: &str) -> Option<String> {
        let mut known = layoutproof_readers::toolchain::toolchains().iter();
        let compiler = known.find(|known| known.name == toolchain).expect("the trials name toolchains").compiler;
        let needs_device = !toolchain.ends_with("dxil");
        self.lacks_compiler(compiler).or_else(|| self.lacks_device().filter(|_| needs_device))
    }

    pub(crate) fn lacks_device(&self) -> Option<String> {
        (!self.has_vulkan).then(|| "no Vulkan device is there".to_owned())
    }

    pub(crate) fn lacks_compiler(&self, compiler: &str) -> Option<String> {
        let is_here = self.compilers.iter().any(|name| name == compiler);
        (!is_here).then(|| format!("{compiler} is not there"))
    }
}

/// Exit code and standard output of the command.
struct Answer {
    code: Option<i32>,
    out: String,
}

fn layoutproof(folder: &Path, words: &str) -> Answer {
    answer_of(Command::new(env!("CARGO_BIN_EXE_layoutproof")), folder, words)
}

fn answer_of(mut command: Command, folder: &Path, words: &str) -> Answer {
    // Use today's answers of the compilers, not those in the user's cache.
    command.env("LAYOUTPROOF_CACHE", folder.join("cache"));
    let output = command.args(words.split(' ')).current_dir(folder).output().expect("the command was just built");
    Answer { code: output.status.code(), out: String::from_utf8_lossy(&output.stdout).into_owned() }
}

fn folder() -> Result<TempDir, String> {
    tempfile::tempdir().map_err(|error| error.to_string())
}

/// This toolchain finds the fault, in a declaration that agrees without the fault, and the written
/// files can be read again.
fn finds(PlantedRule { mutant, toolchain, seed, within }: PlantedRule) -> Result<(), String> {
    let folder = folder()?;
    let words = format!("dev fuzz --seed {seed} --count {within} --compiler {toolchain} --plant-mutant {mutant}");
    let answer = layoutproof(folder.path(), &words);
    if answer.code != Some(1) {
        return Err(format!("exit code {:?} of `{words}`\n{}", answer.code, answer.out));
    }
    let found = only_folder(&folder.path().join("fuzz-found"))?;
    let read = |name: &str| fs::read_to_string(found.join(name)).map_err(|error| format!("{name}: {error}"));
    let (case, report) = (read("case.toml")?, read("report.md")?);
    let members = before(&answer.out, " after ")?;
    if members > SMALL {
        return Err(format!("{members} members are left\n{}", answer.out));
    }
    let shown = layoutproof(folder.path(), &format!("show {}", found.join("case.toml").display()));
    if shown.code != Some(0) {
        return Err(format!("our own reader refuses the case\n{case}"));
    }
    // The report has what a person needs to reproduce it: the compiler's version, its command line
    // and the source.
    let told = match toolchain {
        "tint" => ["@workgroup_size(", "probe.", "--entry-point", "--format spirv"],
        "slang-vulkan" => ["[numthreads(", "probe.", "-entry", "-target spirv"],
        _ => ["[numthreads(", "probe.", "-E", "-T cs_6_6"],
    };
    match told.iter().find(|words| !report.contains(**words)) {
        Some(missing) => Err(format!("no `{missing}` in\n{report}")),
        None => Ok(()),
    }
}

fn only_folder(parent: &Path) -> Result<PathBuf, String> {
    let entries = fs::read_dir(parent).map_err(|error| error.to_string())?;
    let folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    match folders.as_slice() {
        [one] => Ok(one.clone()),
        several => Err(format!("{} findings, not one", several.len())),
    }
}

/// The number before the first occurrence of these words.
fn before(text: &str, words: &str) -> Result<usize, String> {
    let start = text.split_once(words).map(|(start, _)| start).ok_or_else(|| format!("no `{words}` in\n{text}"))?;
    let number = start.rsplit(' ').next().unwrap_or_default();
    number.parse().map_err(|_| format!("no number before `{words}` in\n{text}"))
}

const SEED: &str = "dev fuzz --seed 11 --compiler dxc-dxil";

fn same_seed() -> Result<(), String> {
    let folder = folder()?;
    let [first, second] = [(); 2].map(|()| layoutproof(folder.path(), &format!("{SEED} --count 12")));
    let other = layoutproof(folder.path(), "dev fuzz --seed 12 --compiler dxc-dxil --count 12");
    if first.out != second.out || first.code != second.code {
        return Err(format!("one seed printed\n{}\nand\n{}", first.out, second.out));
    }
    if first.out.lines().skip(1).eq(other.out.lines().skip(1)) {
        Err("two seeds print the same".into())
    } else {
        Ok(())
    }
}

fn quiet() -> Result<(), String> {
    let folder = folder()?;
    let [told, quiet] = ["", " -q"].map(|more| layoutproof(folder.path(), &format!("{SEED} --count 4{more}")));
    let differences = |text: &str| text.lines().filter(|line| line.starts_with("number ")).count();
    let is_less = quiet.code == told.code && differences(&quiet.out) == differences(&told.out);
    if !is_less || quiet.out.contains("agreed") || (quiet.code == Some(0) && !quiet.out.is_empty()) {
        return Err(format!("-q printed\n{}\nof\n{}", quiet.out, told.out));
    }
    Ok(())
}

/// The numbers in the table's line for `dxc-dxil`.
fn tally(text: &str) -> Result<Vec<u64>, String> {
    let line = text.lines().find_map(|line| line.trim_start().strip_prefix("dxc-dxil  "));
    let line = line.ok_or_else(|| format!("no line of dxc-dxil in\n{text}"))?;
    // One space separates thousands, more separate columns.
    let numbers = line.split("  ").map(|number| number.replace(' ', "")).filter(|number| !number.is_empty());
    numbers.map(|number| number.parse().map_err(|_| format!("`{number}` is no number"))).collect()
}

fn parts() -> Result<(), String> {
    let folder = folder()?;
    let numbers = |words: &str| tally(&layoutproof(folder.path(), &format!("{SEED} {words}")).out);
    let whole = numbers("--count 12")?;
    let (first, second) = (numbers("--count 5")?, numbers("--from 5 --count 7")?);
    let sum: Vec<u64> = first.iter().zip(&second).map(|(one, other)| one + other).collect();
    if whole != sum {
        return Err(format!("{first:?} and {second:?} are not {whole:?}"));
    }
    let shards = (numbers("--count 12 --shard 1/2")?, numbers("--count 12 --shard 2/2")?);
    let sum: Vec<u64> = shards.0.iter().zip(&shards.1).map(|(one, other)| one + other).collect();
    if whole != sum {
        return Err(format!("shards {shards:?} are not {whole:?}"));
    }
    if whole.len() == 6 && whole[0] > 0 { Ok(()) } else { Err(format!("nothing agreed: {whole:?}")) }
}

/// Twelve kinds of members, each as the only one in a constant buffer and in a structured buffer.
fn one_member() -> Result<(), String> {
    let folder = folder()?;
    let words = "dev fuzz --exhaustive 1 --compiler dxc-dxil";
    let answer = layoutproof(folder.path(), words);
    if !answer.out.starts_with("seed 0, 24 declarations from number 0\n") {
        return Err(format!("not 24 declarations\n{}", answer.out));
    }
    let rest = layoutproof(folder.path(), &format!("{words} --from 20"));
    if rest.out.starts_with("seed 0, 4 declarations from number 20\n") { Ok(()) } else { Err(rest.out) }
}

/// The records file has a line for every check, and `report` reads it.
fn records() -> Result<(), String> {
    let folder = folder()?;
    let answer = layoutproof(folder.path(), &format!("{SEED} --count 10 --json r.jsonl"));
    let text = fs::read_to_string(folder.path().join("r.jsonl")).map_err(|error| error.to_string())?;
    let lines: Result<Vec<Value>, _> = text.lines().map(serde_json::from_str).collect();
    let lines = lines.map_err(|error| format!("{error}\n{text}"))?;
    let [header, checks @ .., end] = lines.as_slice() else { return Err(text) };
    let is_drawn = |check: &Value| check["case"].as_str().is_some_and(|case| case.starts_with("fuzz/"));
    let well_formed = header["type"] == "run" && end["type"] == "end" && checks.iter().all(is_drawn);
    // Agreeing, known, skipped, differing, broken; the leaves come after them.
    let counted: u64 = tally(&answer.out)?.iter().take(5).sum();
    if !well_formed || end["checks"] != counted || checks.len() as u64 != counted {
        return Err(format!("{counted} checks in\n{}\nand in the records\n{text}", answer.out));
    }
    let report = layoutproof(folder.path(), "report r.jsonl");
    if report.code == answer.code { Ok(()) } else { Err(format!("exit code {:?}\n{}", report.code, report.out)) }
}

/// A declaration uses one of DXC's options for SPIR-V, the next ones use others; with
/// --every-option, each uses all four.
fn options() -> Result<(), String> {
    let folder = folder()?;
    let of_declarations = |words: &str| -> Result<Vec<BTreeSet<String>>, String> {
        layoutproof(folder.path(), &format!("dev fuzz --seed 7 --compiler dxc {words} --json r.jsonl"));
        let text = fs::read_to_string(folder.path().join("r.jsonl")).map_err(|error| error.to_string())?;
        let mut options: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for line in text.lines() {
            let record: Value = serde_json::from_str(line).map_err(|error| format!("{error}\n{line}"))?;
            let (Some(case), Some(producer)) = (record["case"].as_str(), record["producer"].as_str()) else { continue };
            if producer.starts_with("dxc-spirv") {
                options.entry(case.to_owned()).or_default().insert(producer.to_owned());
            }
        }
        Ok(options.into_values().collect())
    };

    let in_turn = of_declarations("--count 26")?;
    let seen: BTreeSet<&String> = in_turn.iter().flatten().collect();
    let all = of_declarations("--count 4 --every-option")?;
    let is_right = seen.len() > 1
        && in_turn.iter().all(|options| options.len() == 1)
        && !all.is_empty()
        && all.iter().all(|options| options.len() == 4);
    if is_right { Ok(()) } else { Err(format!("in turn {in_turn:?}, all {all:?}")) }
}

/// DXC binds programs as its convention predicts, the records are those of devices, and a seed
/// draws the same programs again.
fn bindings() -> Result<(), String> {
    let folder = folder()?;
    let words = "dev fuzz --bindings --seed 3 --count 6 --compiler dxc --json r.jsonl";
    let [first, second] = [(); 2].map(|()| layoutproof(folder.path(), words));
    if first.out != second.out || first.code != Some(0) {
        return Err(format!("exit code {:?}, and one seed printed\n{}\nand\n{}", first.code, first.out, second.out));
    }
    let line = first.out.lines().find_map(|line| line.trim_start().strip_prefix("dxc for d3d12 "));
    let agreed: Option<u32> = line.and_then(|line| line.split_whitespace().next()).and_then(|it| it.parse().ok());
    if agreed.is_none_or(|agreed| agreed < 3) {
        return Err(format!("hardly a program was bound\n{}", first.out));
    }
    let report = layoutproof(folder.path(), "report r.jsonl");
    if matches!(report.code, Some(0 | 4)) { Ok(()) } else { Err(format!("{:?}\n{}", report.code, report.out)) }
}

/// A DXC that shifts the texture registers for Vulkan contradicts its convention.
#[cfg(unix)]
fn bound_elsewhere(library: Option<&str>) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt;

    let folder = folder()?;
    let wrapper = folder.path().join("dxc");
    let library = library.ok_or("no library of DXC is there")?;
    let dxc = format!("{} dxc-library --library {library}", env!("CARGO_BIN_EXE_layoutproof"));
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in *-spirv*) exec {dxc} \"$@\" -fvk-t-shift 9 all ;; *) exec {dxc} \"$@\" ;; esac\n"
    );
    fs::write(&wrapper, script).map_err(|error| error.to_string())?;
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).map_err(|error| error.to_string())?;

    let mut command = Command::new(env!("CARGO_BIN_EXE_layoutproof"));
    command.env("DXC", &wrapper);
    let answer = answer_of(command, folder.path(), "dev fuzz --bindings --count 24 --compiler dxc");
    if answer.code != Some(1) || !answer.out.contains("for dxc: dxc differs for vulkan\n") {
        return Err(format!("exit code {:?}\n{}", answer.code, answer.out));
    }
    let found = only_folder(&folder.path().join("fuzz-found"))?;
    let program = fs::read_to_string(found.join("program.hlsl")).map_err(|error| error.to_string())?;
    // One texture with a register, in addition to what every program has.
    let registers = program.matches(": register(t").count();
    if registers == 1 { Ok(()) } else { Err(format!("{registers} registers of textures are left\n{program}")) }
}

#[cfg(not(unix))]
fn bound_elsewhere(_: Option<&str>) -> Result<(), String> {
    Err("a script in DXC's place needs a shell".to_owned())
}
