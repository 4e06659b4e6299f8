//! Compiles generated host structs with rustc and a C++ compiler. Without a compiler the tests are
//! ignored, not passed.
//! The offsets in the additional assertions come from the compiler that the case quotes.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use expect_test::{ExpectFile, expect_file};
use layoutproof_core::case::Case;
use layoutproof_core::check::Source;
use layoutproof_layout::{BlockLayout, find, lay_out};
use layoutproof_show::asserts::own_types::{OwnMember, OwnType, OwnTypes, own_type_asserts};
use layoutproof_show::asserts::{HostLanguage, HostOptions, asserts};
use layoutproof_source::diagnostics::Diagnostic;
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::SourceMap;
use libtest_mimic::{Arguments, Failed, Trial};

/// A case and a rule set, with the authority's offsets in bytes as fields of the host struct.
struct Pinned {
    case: &'static str,
    rules: &'static str,
    /// Struct and its size in bytes.
    size: (&'static str, u32),
    /// Field of that struct and its offset in bytes.
    offsets: &'static [(&'static str, u32)],
}

const PINNED: &[Pinned] = &[
    // DXC 1.7.2308, listing.
    Pinned {
        case: "arrays/scalar_packs_behind_the_last_element",
        rules: "hlsl-cbuffer",
        size: ("S", 48),
        offsets: &[("a", 0), ("b", 16), ("b_last", 32), ("c", 36), ("d", 40)],
    },
    // glslang 12, decorations.
    Pinned {
        case: "arrays/scalar_packs_behind_the_last_element",
        rules: "std140",
        size: ("S", 64),
        offsets: &[("a", 0), ("b", 16), ("c", 48), ("d", 56)],
    },
    // DXC 1.7.2308, listing: a scalar in the tail of the last element of a struct array.
    Pinned {
        case: "arrays/struct_elements_are_padded_between_but_not_behind",
        rules: "hlsl-cbuffer",
        size: ("S", 76),
        offsets: &[("a", 0), ("l", 16), ("b", 72)],
    },
    // DXC 1.7.2308, listing: a struct that ends at 12 although it holds a double.
    Pinned {
        case: "structs/tail_of_a_double_struct_is_rounded_or_not",
        rules: "hlsl-cbuffer",
        size: ("S", 16),
        offsets: &[("p", 0), ("p.d", 0), ("p.f", 8), ("b", 12)],
    },
    // DXC 1.7.2308, listing: `C.cp` in the tail of a row_major float2x3.
    Pinned {
        case: "matrices/tails_are_used_in_dx_layout",
        rules: "hlsl-cbuffer",
        size: ("C", 32),
        offsets: &[("cm", 0), ("cm_last", 16), ("cp", 28)],
    },
];

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for compiler in [Compiler::rust(), Compiler::cpp(), Compiler::c()] {
        for (index, pinned) in PINNED.iter().enumerate() {
            let name = format!("{}::{}::{}", compiler.name(), pinned.case, pinned.rules);
            let this = compiler.clone();
            trials.push(compiler.trial(name, move || holds(&this, pinned, index)));
        }
        let this = compiler.clone();
        let moved = format!("{}::a_moved_field_does_not_compile", compiler.name());
        trials.push(compiler.trial(moved, move || moved_field(&this)));
        let this = compiler.clone();
        let own = format!("{}::a_users_type_is_held_to_the_block", compiler.name());
        trials.push(compiler.trial(own, move || users_type(&this)));
        // C has no namespaces to separate the names of two cases.
        if compiler.language == HostLanguage::C {
            continue;
        }
        let this = compiler.clone();
        let every = format!("{}::every_case_under_every_rule_set", compiler.name());
        trials.push(compiler.trial(every, move || every_case(&this)));
    }
    trials.push(Trial::test("golden::rust", || {
        golden(&PINNED[0], HostLanguage::Rust, &expect_file!["golden/asserts_rust.txt"])
    }));
    trials.push(Trial::test("golden::cpp", || {
        golden(&PINNED[3], HostLanguage::Cpp, &expect_file!["golden/asserts_cpp.txt"])
    }));
    libtest_mimic::run(&arguments, trials).exit();
}

#[derive(Clone)]
struct Compiler {
    language: HostLanguage,
    command: Option<String>,
}

impl Compiler {
    fn rust() -> Self {
        let command = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
        Self { language: HostLanguage::Rust, command: Some(command).filter(|command| runs(command)) }
    }

    fn cpp() -> Self {
        let command = ["g++", "clang++", "c++"].into_iter().find(|command| runs(command));
        Self { language: HostLanguage::Cpp, command: command.map(str::to_owned) }
    }

    fn c() -> Self {
        let command = ["gcc", "clang", "cc"].into_iter().find(|command| runs(command));
        Self { language: HostLanguage::C, command: command.map(str::to_owned) }
    }

    fn name(&self) -> &'static str {
        match self.language {
            HostLanguage::Rust => "rustc",
            HostLanguage::Cpp => "cpp",
            HostLanguage::C => "c",
        }
    }

    fn trial(&self, name: String, test: impl FnOnce() -> Result<(), Failed> + Send + 'static) -> Trial {
        match self.command {
            Some(_) => Trial::test(name, test),
            None => Trial::test(format!("{name} (no compiler on PATH)"), test).with_ignored_flag(true),
        }
    }

    /// Compiles a text and returns the errors; empty on success.
    fn compile(&self, name: &str, text: &str) -> Result<Result<(), String>, Failed> {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("host_structs_{name}_{}", self.name()));
        fs::create_dir_all(&folder)?;
        let mut command = Command::new(self.command.as_deref().ok_or("no compiler")?);
        match self.language {
            HostLanguage::Rust => {
                fs::write(folder.join("lib.rs"), text)?;
                command.args(["--edition=2021", "--crate-type=lib", "--emit=metadata", "-Dwarnings", "lib.rs"]);
            }
            HostLanguage::C => {
                fs::write(folder.join("structs.h"), text)?;
                fs::write(folder.join("main.c"), "#include \"structs.h\"\n")?;
                command.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "main.c"]);
            }
            HostLanguage::Cpp => {
                fs::write(folder.join("structs.hpp"), text)?;
                fs::write(folder.join("main.cpp"), "#include \"structs.hpp\"\n")?;
                command.args(["-std=c++11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "main.cpp"]);
            }
        }
        let output = command.current_dir(&folder).output()?;
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        Ok(if output.status.success() { Ok(()) } else { Err(errors) })
    }

    fn offset(&self, structure: &str, field: &str, offset: u32) -> String {
        match self.language {
            HostLanguage::Rust => {
                format!("const _: () = assert!(core::mem::offset_of!({structure}, {field}) == {offset});\n")
            }
            HostLanguage::Cpp => format!("static_assert(offsetof({structure}, {field}) == {offset}, \"\");\n"),
            HostLanguage::C => format!("_Static_assert(offsetof({structure}, {field}) == {offset}, \"\");\n"),
        }
    }

    fn size(&self, structure: &str, size: &str) -> String {
        match self.language {
            HostLanguage::Rust => format!("const _: () = assert!(core::mem::size_of::<{structure}>() == {size});\n"),
            HostLanguage::Cpp => format!("static_assert(sizeof({structure}) == {size}, \"\");\n"),
            HostLanguage::C => format!("_Static_assert(sizeof({structure}) == {size}, \"\");\n"),
        }
    }
}

fn runs(command: &str) -> bool {
    Command::new(command).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases")
}

/// The blocks of a case under `rules`, or under each rule set that it names. Empty for a case about
/// rejected text.
fn layouts(file: &Path, rules: Option<&str>) -> Result<Vec<Vec<BlockLayout>>, Failed> {
    let mut sources = SourceMap::default();
    let name = file.display().to_string();
    let id = sources.add(&name, fs::read_to_string(file)?);
    let problems = |found: Vec<Diagnostic>| format!("{name}: {found:?}");
    let case = Case::read(&name, id, &mut sources).map_err(problems)?;
    let Some(source) = Source::of_case(&case, &mut sources).map_err(problems)? else { return Ok(Vec::new()) };
    let named = source.expect.iter().map(|expectation| expectation.rules.as_str());
    let chosen: Vec<&str> = rules.map_or_else(|| named.collect(), |rules| vec![rules]);
    let under = |rules: &&str| {
        let rules = find(rules).ok_or_else(|| format!("{name}: no rule set is called {rules}"))?;
        Ok(source.module.blocks.iter().map(|block| lay_out(block, rules, source.options)).collect())
    };
    chosen.iter().map(under).collect()
}

fn text_of(pinned: &Pinned, language: HostLanguage) -> Result<String, Failed> {
    let file = cases().join(format!("{}.toml", pinned.case));
    let blocks = layouts(&file, Some(pinned.rules))?.concat();
    Ok(asserts(pinned.case, &blocks, language, HostOptions::new(ShaderLanguage::Hlsl)))
}

/// Compares the text with its golden file; `UPDATE_EXPECT=1` rewrites that.
fn golden(pinned: &Pinned, language: HostLanguage, file: &ExpectFile) -> Result<(), Failed> {
    file.assert_eq(&text_of(pinned, language)?);
    Ok(())
}

/// The generated text compiles, also with the authority's numbers appended as assertions.
fn holds(compiler: &Compiler, pinned: &Pinned, index: usize) -> Result<(), Failed> {
    let mut text = text_of(pinned, compiler.language)?;
    let (structure, size) = pinned.size;
    text += &compiler.size(structure, &size.to_string());
    for (field, offset) in pinned.offsets {
        text += &compiler.offset(structure, field, *offset);
    }
    compiler.compile(&format!("pinned_{index}"), &text)?.map_err(|errors| format!("{errors}\n{text}").into())
}

/// Moves `c` before `b_last`: same size, different offsets.
fn moved_field(compiler: &Compiler) -> Result<(), Failed> {
    let text = text_of(&PINNED[0], compiler.language)?;
    let lines: Vec<&str> = text.lines().collect();
    let declares = |name: &str| {
        let ends = [format!(" {name}: f32,"), format!(" {name};")];
        let code = |line: &str| line.split(" // ").next().unwrap_or_default().to_owned();
        let found = lines.iter().position(|line| ends.iter().any(|end| code(line).ends_with(end)));
        found.ok_or_else(|| format!("no field {name} in\n{text}"))
    };
    let (last, c) = (declares("b_last")?, declares("c")?);
    let mut moved = lines.clone();
    moved.swap(last, c);
    let errors = match compiler.compile("moved", &moved.join("\n"))? {
        Ok(()) => return Err(format!("compiles although `c` moved:\n{}", moved.join("\n")).into()),
        Err(errors) => errors,
    };
    let expected = match compiler.language {
        HostLanguage::Rust => "offset_of!(S, c) == 36",
        HostLanguage::Cpp | HostLanguage::C => "S::c is at 36",
    };
    if errors.contains(expected) { Ok(()) } else { Err(format!("the errors do not name `c`:\n{errors}").into()) }
}

/// A hand-written type for `arrays/scalar_packs_behind_the_last_element`: `float3 a; float b[2];
/// float c; float2 d;`. DXC 1.7.2308 lists the offsets 0, 16 (stride 16), 36 and 40, and the size
/// 48. A host array of floats cannot end in the middle of its last element, so `b` is split up and
/// left out.
fn own_type(language: HostLanguage, c: &str) -> String {
    match language {
        HostLanguage::Rust => format!(
            "#[repr(C)] pub struct Mine {{ pub a: [f32; 3], pub pad: f32, pub b0: [f32; 4], pub b1: f32, pub {c}, pub d: [f32; 2] }}\n"
        ),
        HostLanguage::Cpp | HostLanguage::C => {
            format!("struct Mine {{ float a[3]; float pad; float b0[4]; float b1; {c}; float d[2]; }};\n")
        }
    }
}

/// The right type compiles. One whose `c` is a double does not, and the error names the wrong
/// member.
fn users_type(compiler: &Compiler) -> Result<(), Failed> {
    let file = cases().join(format!("{}.toml", PINNED[0].case));
    let blocks = layouts(&file, Some(PINNED[0].rules))?.concat();
    let language = compiler.language;
    let member = |path: &str, host: &str| OwnMember { path: path.to_owned(), host: host.to_owned() };
    let host = if language == HostLanguage::C { "struct Mine" } else { "Mine" };
    let own = OwnTypes {
        types: vec![OwnType { declared: None, host: host.to_owned() }],
        members: vec![member("b", ""), member("c", "see")],
        namespace: None,
    };
    let text = own_type_asserts("a.hlsl", &blocks, language, &own)?;
    let (right, wrong) = match language {
        HostLanguage::Rust => ("see: f32", "see: f64"),
        HostLanguage::Cpp | HostLanguage::C => ("float see", "double see"),
    };

    compiler
        .compile("own_right", &(own_type(language, right) + &text))?
        .map_err(|errors| format!("{errors}\n{text}"))?;
    match compiler.compile("own_wrong", &(own_type(language, wrong) + &text))? {
        Ok(()) => Err(format!("compiles although `c` is a double:\n{text}").into()),
        Err(errors) if errors.contains("c is at byte 36") => Ok(()),
        Err(errors) => Err(format!("the errors do not name `c`:\n{errors}").into()),
    }
}

/// The case files below a folder.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            files.push(path);
        }
    }
    Ok(())
}

/// All cases in one source, a module each, with an assertion that every byte of a struct belongs to
/// a field.
fn every_case(compiler: &Compiler) -> Result<(), Failed> {
    let mut files = Vec::new();
    collect(&cases(), &mut files)?;
    files.sort();
    let mut all = match compiler.language {
        HostLanguage::Rust => String::new(),
        HostLanguage::Cpp | HostLanguage::C => "#include <cstddef>\n#include <cstdint>\n".to_owned(),
    };
    let mut structs = 0;
    for (file, index) in files.iter().zip(0..) {
        for (blocks, rules) in layouts(file, None)?.iter().zip(0..) {
            let text =
                asserts(&file.display().to_string(), blocks, compiler.language, HostOptions::new(ShaderLanguage::Hlsl));
            let text = text.replace("#pragma once\n", "");
            let sums = without_padding(compiler, &text);
            structs += sums.len();
            let (open, sums) = (module(compiler.language, index, rules), sums.concat());
            write!(all, "{open} {{\n{text}{sums}}}\n")?;
        }
    }
    if structs < 500 {
        return Err(format!("only {structs} structs: the cases were not found").into());
    }
    compiler.compile("all", &all)?.map_err(Failed::from)
}

fn module(language: HostLanguage, case: u32, rules: u32) -> String {
    match language {
        HostLanguage::Rust => format!("pub mod case_{case}_{rules}"),
        HostLanguage::Cpp | HostLanguage::C => format!("namespace case_{case}_{rules}"),
    }
}

/// Asserts for each struct that its size is the sum of its fields' sizes, as bytemuck's `Pod`
/// demands.
fn without_padding(compiler: &Compiler, text: &str) -> Vec<String> {
    let mut sums = Vec::new();
    let mut open: Option<(String, Vec<String>)> = None;
    for line in text.lines() {
        let code = line.split(" // ").next().unwrap_or_default().trim_end();
        let opened = code.strip_prefix("pub struct ").or_else(|| code.strip_prefix("struct "));
        if let Some(name) = opened.and_then(|rest| rest.strip_suffix(" {")) {
            open = Some((name.to_owned(), vec!["0".to_owned()]));
        } else if let Some((name, sizes)) = open.take_if(|_| code == "}" || code == "};") {
            // C++ gives a struct without members a size of 1.
            if compiler.language == HostLanguage::Rust || sizes.len() > 1 {
                sums.push(compiler.size(&name, &sizes.join(" + ")));
            }
        } else if let Some((name, sizes)) = &mut open {
            sizes.push(size_of_field(compiler.language, name, code.trim()));
        }
    }
    sums
}

fn size_of_field(language: HostLanguage, structure: &str, declaration: &str) -> String {
    match language {
        HostLanguage::Rust => {
            let ty = declaration.split_once(": ").map_or("", |(_, ty)| ty.trim_end_matches(','));
            format!("core::mem::size_of::<{ty}>()")
        }
        HostLanguage::Cpp | HostLanguage::C => {
            let named = declaration.split([';', '[']).next().unwrap_or_default();
            format!("sizeof({structure}::{})", named.rsplit(' ').next().unwrap_or_default())
        }
    }
}
