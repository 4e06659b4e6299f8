//! `check` must agree with the output of `show`: the host structs of every case, compiled with debug
//! information and compared with the blocks that they describe.
//!
//! Each case is taken under every rule set that gives it structs of its own. All cases are one
//! program, with a namespace for each. If a compiler is missing, its test prints a note and ends.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use layoutproof_core::case::Case;
use layoutproof_core::check::Source;
use layoutproof_debuginfo::{DebugFile, Sibling, SiblingBytes, SiblingFiles};
use layoutproof_hostcheck::shader_comment::BlockComment;
use layoutproof_hostcheck::{ProgramStruct, VectorTypes};
use layoutproof_layout::{RuleSet, lay_out, table};
use layoutproof_report::host_check::CompiledAs;
use layoutproof_show::asserts::{HostLanguage, HostOptions, HostVector, asserts};
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::SourceMap;

use crate::comparisons::Comparisons;
use crate::debug_types::convert;
use crate::debug_worker::DebugAnswer;
use crate::pairing::{PairRules, pair};
use crate::shader_blocks::{BlockSource, TargetBlock, names_of};

/// Blocks that no struct can describe: `show` writes a note for them, and `check` rightly finds a
/// difference. Each has its reason.
const WITHOUT_A_STRUCT: &[(&str, &str)] = &[
    (
        "globals/array_without_a_length_in_a_global",
        "no struct of a host ends in an array without a length inside another one",
    ),
    ("vk_offset/stride_follows_the_last_declared_member", "elements of 20 bytes lie 8 bytes apart, and overlap"),
    (
        "arrays/array_without_a_length_is_forbidden_in_wgsl_uniform",
        "no struct of a host ends in an array without a length inside another one",
    ),
    (
        "globals/pointer_for_an_array_without_a_length",
        "no struct of a host ends in an array without a length inside another one",
    ),
    (
        "sixty_four_bit/array_of_double_matrices under dx-cbuffer",
        "elements of 88 bytes lie 64 bytes apart, and overlap",
    ),
];

/// The text of a case's host structs, and the blocks under each rule set that gives this text.
struct CaseBlocks {
    text: String,
    /// Each with the names of case and rule set.
    under: Vec<(String, Vec<TargetBlock>)>,
}

fn case_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            case_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            files.push(path);
        }
    }
}

/// The structs to write.
#[derive(Clone, Copy)]
struct Structs<'a> {
    language: HostLanguage,
    /// Types for vectors and matrices, which `VECTORS` defines.
    vectors: &'a [HostVector],
}

/// Vectors as mathematics libraries define them.
const VECTORS: &str = "namespace own {
struct Float2 { float x, y; };
struct Float3 { float x, y, z; };
struct Float4 { float x, y, z, w; };
struct Float4x4 { Float4 vectors[4]; };
struct Uint3 { unsigned x, y, z; };
struct Double2 { double x, y; };
}
";

fn own_vectors() -> Vec<HostVector> {
    let types = ["float2=own::Float2", "float3=own::Float3", "float4=own::Float4", "float4x4=own::Float4x4"];
    let more = ["uint3=own::Uint3", "double2=own::Double2"];
    types.into_iter().chain(more).map(|text| HostVector::parse(text).unwrap()).collect()
}

fn all_cases(wanted: Structs<'_>) -> Vec<CaseBlocks> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
    let mut files = Vec::new();
    case_files(&folder, &mut files);
    files.sort();
    files.iter().flat_map(|file| case_blocks(&folder, file, wanted)).collect()
}

fn case_blocks(folder: &Path, file: &Path, wanted: Structs<'_>) -> Vec<CaseBlocks> {
    let mut sources = SourceMap::default();
    let id = file.strip_prefix(folder).unwrap().with_extension("").display().to_string();
    let span = sources.add(&id, std::fs::read_to_string(file).unwrap());
    let case = Case::read(&id, span, &mut sources).unwrap();
    let Some(source) = Source::of_case(&case, &mut sources).unwrap() else { return Vec::new() };
    let source = Arc::new(source);
    let block_source = Arc::new(BlockSource::Declared(Arc::clone(&source)));

    let under = |row: &RuleSet| {
        let rules = row.name;
        let layouts: Vec<_> = source.module.blocks.iter().map(|block| lay_out(block, row, source.options)).collect();
        let options = HostOptions { vectors: wanted.vectors, ..HostOptions::new(ShaderLanguage::Hlsl) };
        let text = asserts(&id, &layouts, wanted.language, options);
        let blocks = source.module.blocks.iter().zip(layouts).filter(|(_, layout)| layout.result.is_ok());
        let blocks = blocks.map(|(block, layout)| TargetBlock {
            shader: id.clone(),
            target: rules.to_owned(),
            names: names_of(block, &layout, &BlockComment::default()),
            layout,
            places: BTreeMap::new(),
            host_start: None,
            contract: None,
            api: None,
            host_form: crate::shader_blocks::HostForm::One,
            renames: BTreeMap::new(),
            source: Arc::clone(&block_source),
            compiled: CompiledAs::default(),
            open: None,
            reads: Arc::default(),
        });
        (text, format!("{id} under {rules}"), blocks.collect::<Vec<_>>())
    };
    // Many rule sets give a case the same structs, which are compiled once.
    let code = |text: &str| text.lines().filter(|line| !line.starts_with("//")).collect::<Vec<_>>().join("\n");
    let mut texts: BTreeMap<String, CaseBlocks> = BTreeMap::new();
    for (text, name, blocks) in table().iter().map(under).filter(|(_, _, blocks)| !blocks.is_empty()) {
        let known = texts.entry(code(&text)).or_insert_with(|| CaseBlocks { text, under: Vec::new() });
        known.under.push((name, blocks));
    }
    texts.into_values().collect()
}

/// All host structs as one program. Each has a variable of its type, because compilers leave out
/// unused types.
fn program(cases: &[CaseBlocks], language: HostLanguage) -> String {
    let mut program = match language {
        HostLanguage::Rust => "#![allow(warnings)]\n".to_owned(),
        HostLanguage::Cpp | HostLanguage::C => format!("#include <cstddef>\n#include <cstdint>\n{VECTORS}"),
    };
    for (index, case) in cases.iter().enumerate() {
        let (begin, text) = match language {
            HostLanguage::Rust => ("pub mod", case.text.clone()),
            HostLanguage::Cpp | HostLanguage::C => ("namespace", case.text.replace("#pragma once\n", "")),
        };
        writeln!(program, "{begin} case_{index} {{\n{text}").unwrap();
        for (number, line) in text.lines().enumerate() {
            let named = line.strip_prefix("pub struct ").or_else(|| line.strip_prefix("struct "));
            let Some(name) = named.and_then(|rest| rest.strip_suffix(" {")) else { continue };
            match language {
                HostLanguage::Rust => writeln!(
                    program,
                    "#[used] pub static VALUE_{number}: core::mem::MaybeUninit<{name}> = core::mem::MaybeUninit::uninit();"
                ),
                HostLanguage::Cpp | HostLanguage::C => writeln!(program, "{name} value_{number};"),
            }
            .unwrap();
        }
        program += "}\n";
    }
    program
}

struct NoSiblings;

impl SiblingFiles for NoSiblings {
    fn open_sibling(&self, _: &Sibling<'_>) -> Option<SiblingBytes> {
        None
    }
}

/// The structs of each case, by the case's number.
fn structs_of(object: &Path) -> BTreeMap<usize, Vec<ProgramStruct>> {
    let bytes = std::fs::read(object).unwrap();
    let file = DebugFile::new("all.o", &bytes, &NoSiblings);
    let index = file.index().unwrap();
    let number = |name: &str| {
        let inner = name.split("::").find_map(|segment| segment.strip_prefix("case_"))?;
        inner.parse::<usize>().ok()
    };
    let found = file.read(&index, |name| number(name.name).is_some() && !name.name.contains('<')).unwrap();
    assert_eq!(found.problems, &[]);
    let mut by_case: BTreeMap<usize, Vec<ProgramStruct>> = BTreeMap::new();
    for named in &found.named {
        let program = convert(&found, named, "all.o", Path::new("/"), false);
        by_case.entry(number(&named.name).unwrap()).or_default().extend(program);
    }
    by_case
}

/// Compiles the host structs of all cases, and returns the blocks that `check` finds different from
/// their structs.
#[expect(clippy::print_stderr, reason = "a test that skips says so, and how many structs it compared")]
fn disagreements(wanted: Structs<'_>, compiler: &mut Command) -> Option<Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    let language = wanted.language;
    let cases = all_cases(wanted);
    let source = if language == HostLanguage::Rust { "all.rs" } else { "all.cpp" };
    std::fs::write(folder.path().join(source), program(&cases, language)).unwrap();
    let output = match compiler.args([source, "-o", "all.o"]).current_dir(folder.path()).output() {
        Ok(output) => output,
        Err(error) => {
            eprintln!("skipped: {compiler:?} is not here ({error})");
            return None;
        }
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut structs = structs_of(&folder.path().join("all.o"));

    let comparisons = Comparisons::new(VectorTypes::built_in(), []);
    let rules = PairRules { known: &[], comparisons: &comparisons, is_strict: true };
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for (index, case) in cases.iter().enumerate() {
        let answer = DebugAnswer { structs: structs.remove(&index).unwrap_or_default(), ..DebugAnswer::default() };
        let answer = [answer];
        for (name, blocks) in &case.under {
            let check = pair(blocks, &answer, rules).check;
            compared += check.pairs.len();
            for pair in &check.pairs {
                for mismatch in &pair.comparison.mismatches {
                    wrong.push(format!("{name}: {} with {}: {mismatch}", pair.shader_name(), pair.host));
                }
            }
            for unmatched in &check.unmatched {
                wrong.push(format!("{name}: {}: {}", unmatched.block, unmatched.reason));
            }
        }
    }
    assert!(compared > 1000, "only {compared} blocks were compared: the cases were not found");
    eprintln!("{} texts were compiled, and their structs compared with {compared} blocks", cases.len());
    let is_excused = |line: &String| WITHOUT_A_STRUCT.iter().any(|(case, _)| line.starts_with(case));
    for (case, reason) in WITHOUT_A_STRUCT {
        assert!(wrong.iter().any(|line| line.starts_with(case)), "{case} agrees now, remove it: {reason}");
    }
    wrong.retain(|line| !is_excused(line));
    Some(wrong)
}

#[test]
fn structs_of_every_case_agree_in_cpp() {
    cpp_agrees(&[]);
}

#[test]
fn structs_with_the_users_vectors_agree() {
    cpp_agrees(&own_vectors());
}

fn cpp_agrees(vectors: &[HostVector]) {
    let mut compiler = Command::new("g++");
    compiler.args(["-std=c++11", "-g", "-c"]);
    let wanted = Structs { language: HostLanguage::Cpp, vectors };
    let wrong = disagreements(wanted, &mut compiler).expect("without g++ this proves nothing: install it");
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn structs_of_every_case_agree_in_rust() {
    let mut compiler = Command::new("rustc");
    compiler.args(["--edition=2021", "--crate-type=lib", "--emit=obj", "-g"]);
    let wanted = Structs { language: HostLanguage::Rust, vectors: &[] };
    let wrong = disagreements(wanted, &mut compiler).expect("rustc built this test");
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
