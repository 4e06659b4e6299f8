//! Files from elsewhere: mutated project files and records that name programs, outputs and paths, outputs that are
//! links, and compilers that look for the user's files. No program that they name may run, nothing outside of
//! what the command line names may change, and no file outside of the project may be read.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use fastrand::Rng;
use landlock::{ABI, Access, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr};

use crate::unix::assault::{Assault, Extent, Outcome};
use crate::unix::mutation::mutated;
use crate::unix::program::{Call, End};
use crate::unix::sandbox::{HOME, Sandbox, TEMPORARY};

/// The trace of a program that must not run.
const MARK: &str = "home/was-here";

/// Programs of the project, under names that files may give.
const PROGRAMS: [&str; 6] = ["tools/dxc", "tools/slangc", "tools/glslang", "dxc", "slangc", "evil"];

/// The mutations of each file with `--full`.
const FULL: u64 = 400;

pub(crate) fn assaults() -> Vec<Box<dyn Assault>> {
    vec![Box::new(ForeignProjects), Box::new(ForeignRecords), Box::new(LinkedOutputs), Box::new(PryingCompilers)]
}

/// A folder `project` of a stranger, with programs that leave a trace.
fn write_programs(sandbox: &Sandbox) {
    for name in PROGRAMS {
        sandbox.write_script(
            &format!("project/{name}"),
            &format!("touch '{}'; echo 'libdxcompiler.so: 1.8 - 1.8.2405 (test)'", sandbox.path(MARK).display()),
        );
    }
}

/// The files of the user below `folder` with their contents, without caches and what [`Call`] writes.
fn files(sandbox: &Sandbox, folder: &str) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![sandbox.path(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name().display().to_string());
            let of_call = [".out", ".err", "command.txt"].contains(&name.as_str());
            if of_call || path.ends_with(format!("{HOME}/.cache")) || path.ends_with(TEMPORARY) {
                continue;
            }
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(path);
            } else {
                found.insert(path.display().to_string(), fs::read(&path).unwrap_or_default());
            }
        }
    }
    found
}

/// Runs a command in `project`, and asserts that nothing ran and that only the files of `outputs` are new or other.
fn is_harmless(sandbox: &Sandbox, call: Call<'_>, outputs: &[&str]) -> Result<End, String> {
    let before = files(sandbox, "");
    let end = call.run();
    if sandbox.path(MARK).exists() {
        return Err(end.told("it ran a program of the folder"));
    }
    let mut after = files(sandbox, "");
    let is_named = |path: &String| outputs.iter().any(|output| Path::new(path).starts_with(sandbox.path(output)));
    after.retain(|path, _| !is_named(path));
    let is_same = before.iter().filter(|(path, _)| !is_named(path)).eq(after.iter());
    if !is_same {
        let changed = after.iter().find(|(path, bytes)| before.get(*path) != Some(bytes)).map(|(path, _)| path);
        return Err(end.told(&format!("it changed {changed:?}")));
    }
    end.orderly()
}

struct ForeignProjects;

/// Words of project files, and what must not follow from them.
const PROJECT_WORDS: &[&str] = &[
    "compiler",
    "target",
    "rules",
    "args",
    "include",
    "defines",
    "entry",
    "files",
    "host",
    "schema",
    "[[shader]]",
    "[[map]]",
    "[[known]]",
    "tools/dxc",
    "\"dxc=tools/dxc\"",
    "\"slangc=./slangc\"",
    "\"-I /etc\"",
    "\"../..\"",
    "=",
    "\"-Fo ../written\"",
    "\"--html=../written\"",
    "env",
    "\"d3d12\"",
    "\"vulkan\"",
    "\"dxc@1.9\"",
    "\"*\"",
];

/// Project files that name programs.
fn projects() -> Vec<Vec<u8>> {
    let shaders = "[[shader]]\nfiles = [\"shaders/*.hlsl\"]\n";
    [
        format!("schema = 1\nhost = [\"h.o\"]\ncompiler = \"dxc=tools/dxc\"\n{shaders}"),
        format!("schema = 1\nhost = [\"h.o\"]\n{shaders}compiler = [\"slangc=tools/slangc\", \"dxc\"]\n"),
        format!("schema = 1\nhost = [\"h.o\"]\n{shaders}args = \"tools/dxc -T cs_6_0 -I .. -Fo ../written\"\n"),
        format!("schema = 1\nhost = [\"h.o\"]\ntarget = \"vulkan\"\n{shaders}include = [\"../..\", \"/etc\"]\n"),
        format!("schema = 1\nhost = [\"h.o\"]\n{shaders}defines = [\"A=1\"]\nentry = \"main\"\nmatrix = \"row\"\n"),
    ]
    .map(String::into_bytes)
    .to_vec()
}

impl Assault for ForeignProjects {
    fn name(&self) -> &'static str {
        "foreign-projects"
    }

    fn extent(&self) -> Extent {
        Extent::Endless { full: FULL }
    }

    fn attack(&self, _: u64, rng: &mut Rng, sandbox: &Sandbox) -> Outcome {
        write_programs(sandbox);
        sandbox.write("project/shaders/a.hlsl", "cbuffer Good { float a[sizeof(bool)]; };\n");
        sandbox.write("project/h.o", "no object");
        sandbox.write("project/layoutproof.toml", mutated(rng, &projects(), PROJECT_WORDS));
        let commands = ["check", "check shaders/a.hlsl h.o", "show shaders/a.hlsl", "check --lock", "check --run"];
        let call = Call::new(sandbox, commands[rng.usize(..commands.len())]).below("project");
        is_harmless(sandbox, call, &[]).map(drop).into()
    }
}

struct ForeignRecords;

/// Options of records, and values that must have no effect.
const RECORD_WORDS: &[&str] = &[
    "inputs",
    "producer",
    "html",
    "json",
    "junit",
    "csv",
    "save_known",
    "keep",
    "known",
    "floors",
    "caselist",
    "cases",
    "include",
    "args",
    "resume",
    "device",
    "rules",
    "again",
    "dxc=./evil",
    "slangc=tools/slangc",
    "../home/written",
    "written",
    "--html=written",
    "/etc/passwd",
    "./evil",
];

/// The check that differs in the records.
const CHECK: &str = "arrays::scalar_packs_behind_the_last_element::scalar::rspirv::model::model";

/// The records of a run, with these arguments as well.
fn recorded(sandbox: &Sandbox, arguments: &str) -> Vec<u8> {
    let words = "run arrays/scalar_packs_behind_the_last_element --rules scalar --form leaf --device model \
                 --plant-misreading array-stride-sixteen --json made.jsonl";
    let end = Call::new(sandbox, words).run();
    assert_eq!(end.code(), Some(1), "{}", end.told("no run to mutate the records of"));
    let text = sandbox.read("made.jsonl");
    fs::remove_file(sandbox.path("made.jsonl")).unwrap();
    text.replacen("\"arguments\":{", &format!("\"arguments\":{{{arguments},"), 1).into_bytes()
}

impl Assault for ForeignRecords {
    fn name(&self) -> &'static str {
        "foreign-records"
    }

    fn extent(&self) -> Extent {
        Extent::Endless { full: FULL }
    }

    fn attack(&self, _: u64, rng: &mut Rng, sandbox: &Sandbox) -> Outcome {
        let arguments = [
            r#""producer":["dxc=./evil","slangc=tools/slangc"]"#,
            r#""html":["../home/written"],"junit":["written"]"#,
            r#""save_known":["../home/written"],"keep":["written"]"#,
            r#""known":["../home/written"],"cases":["/etc"],"include":["/etc"]"#,
            r#""no_known":["true"],"no_fuse":["true"]"#,
        ];
        let drawn = recorded(sandbox, arguments[rng.usize(..arguments.len())]);
        write_programs(sandbox);
        // Most mutations of a whole file break its end, which is read first.
        let (head, rest) = drawn.split_at(drawn.iter().position(|byte| *byte == b'\n').unwrap_or(0));
        let head = if rng.u8(..3) == 0 { head.to_vec() } else { mutated(rng, &[head.to_vec()], RECORD_WORDS) };
        sandbox.write("project/r.jsonl", [head.as_slice(), rest].concat());
        let commands = [
            "run --resume r.jsonl".to_owned(),
            "run --resume r.jsonl --json out/all.jsonl".to_owned(),
            "report r.jsonl".to_owned(),
            "report r.jsonl --html out/page.html".to_owned(),
            format!("report r.jsonl --repro {CHECK} --out out/made"),
        ];
        fs::create_dir(sandbox.path("project/out")).unwrap();
        let call = Call::new(sandbox, &commands[rng.usize(..commands.len())]).below("project");
        is_harmless(sandbox, call, &["project/out", "project/r.jsonl"]).map(drop).into()
    }
}

struct LinkedOutputs;

/// Commands with an output in the place of `OUT`.
const OUTPUTS: [&str; 12] = [
    "run vectors/two_pairs --rules std140 --device model --json OUT",
    "run vectors/two_pairs --rules std140 --device model --json OUT.zst",
    "run vectors/two_pairs --rules std140 --device model --html OUT",
    "run vectors/two_pairs --rules std140 --device model --junit OUT",
    "run vectors/two_pairs --rules std140 --device model --csv OUT",
    "run vectors/two_pairs --rules std140 --device model --save-known OUT",
    "show a.hlsl --format cpp --rules std140 --output OUT",
    "dev fuzz --count 1 --json OUT",
    "dev vectors OUT/folder",
    "dev man --out OUT/folder",
    "run vectors/two_pairs --rules std140 --device model --html OUT/folder",
    "report --site OUT/folder",
];

/// Targets of links, from the project's folder.
const TARGETS: [&str; 3] = ["../home/kept", "../home", "inside"];

impl Assault for LinkedOutputs {
    fn name(&self) -> &'static str {
        "linked-outputs"
    }

    fn extent(&self) -> Extent {
        Extent::List(u64::try_from(OUTPUTS.len() * TARGETS.len()).unwrap())
    }

    fn attack(&self, number: u64, _: &mut Rng, sandbox: &Sandbox) -> Outcome {
        let number = usize::try_from(number).unwrap();
        let (words, target) = (OUTPUTS[number / TARGETS.len()], TARGETS[number % TARGETS.len()]);
        sandbox.write("project/a.hlsl", "cbuffer S { float a; };\n");
        sandbox.write("project/inside", "kept");
        sandbox.write("home/kept", "kept");
        for name in ["out", "out.zst"] {
            symlink(target, sandbox.path(&format!("project/{name}"))).unwrap();
        }
        let call = Call::new(sandbox, &words.replace("OUT", "out")).below("project");
        is_harmless(sandbox, call, &[]).and_then(|end| end.exits(&[2])).map(drop).into()
    }
}

struct PryingCompilers;

/// Files for a compiler to open, and whether it may.
const PRIED: [(&str, bool); 6] = [
    ("home/secret", false),
    ("outside.h", false),
    ("project/.git/config", false),
    ("project/link.h", false),
    ("project/shared.h", true),
    ("project/a.hlsl", true),
];

impl Assault for PryingCompilers {
    fn name(&self) -> &'static str {
        "prying-compilers"
    }

    fn extent(&self) -> Extent {
        Extent::List(u64::try_from(PRIED.len()).unwrap())
    }

    fn attack(&self, number: u64, _: &mut Rng, sandbox: &Sandbox) -> Outcome {
        let rules = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        if rules.handle_access(AccessFs::from_all(ABI::V1)).and_then(Ruleset::create).is_err() {
            return Outcome::NotTried("this kernel has no Landlock".to_owned());
        }
        let (name, is_open) = PRIED[usize::try_from(number).unwrap()];
        for (path, is_open) in PRIED {
            if path != "project/link.h" {
                sandbox
                    .write(path, if is_open { "cbuffer S { float a[sizeof(bool)]; };\n" } else { "words-of-the-user" });
            }
        }
        symlink("../outside.h", sandbox.path("project/link.h")).unwrap();
        let script = format!(
            "case \"$*\" in *-version*) echo 'libdxcompiler.so: 1.8 - 1.8.2405 (test)'; exit 0;; esac\n\
             if cat '{}' >/dev/null 2>&1; then word=open; else word=closed; fi\n\
             if touch '{}' 2>/dev/null; then word=written; fi\n\
             echo \"a.hlsl:1:1: error: it-is-$word\" >&2; exit 1",
            sandbox.path(name).display(),
            sandbox.path("home/written").display(),
        );
        sandbox.write_script("compiler", &script);
        let call = Call::new(sandbox, "show project/a.hlsl --compiler dxc").variable("DXC", sandbox.path("compiler"));
        let word = if is_open { "it-is-open" } else { "it-is-closed" };
        let end = match is_harmless(sandbox, call.long(), &[]) {
            Ok(end) => end,
            Err(reason) => return Outcome::Failed(reason),
        };
        let held = if end.text().contains(word) { Ok(()) } else { Err(end.told(&format!("{name}: not {word}"))) };
        held.into()
    }
}
