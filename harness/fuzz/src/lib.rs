//! Every reader of foreign input in layoutproof, as a function of bytes.
//! The input is any bytes. A function returns nothing, and panics if a reader fails or claims
//! something impossible. The fuzz targets call these functions with libFuzzer's inputs,
//! `harness/tests/mutated_inputs.rs` with mutations of the same corpora.
#![allow(clippy::missing_panics_doc, reason = "a panic is what a fuzzer looks for")]

use std::sync::Arc;

use layoutproof_bindings::{BindingRequest, Convention, bind};
use layoutproof_core::case::Case;
use layoutproof_core::results::frozen::{IntendedChanges, Manifest, text as decisions};
use layoutproof_core::results::{floors, known};
use layoutproof_device::{Batch, BufferKind, Job, JobBuffer, Runner, Shader};
use layoutproof_events::summary;
use layoutproof_frontend::module::Module;
use layoutproof_frontend::{DeclareOptions, declare};
use layoutproof_layout::{LayoutOptions, Span, lay_out, table};
use layoutproof_readers::clang_ir::{constant_buffers, resources};
use layoutproof_readers::container::{ContainerReflection, listed_blocks};
use layoutproof_readers::dxil::{buffer_definitions, resource_bindings};
use layoutproof_readers::evaluator::Evaluator;
use layoutproof_readers::reflection::parameters;
use layoutproof_readers::spirv::accesses::ModuleAccesses;
use layoutproof_readers::spirv::{bound_variables, declared};
use layoutproof_render::render;
use layoutproof_report::deqp_csv::DeqpCsv;
use layoutproof_report::json_lines::{self, JsonLines};
use layoutproof_report::reporter::{FinishedRun, REPORTERS, Reporter};
use layoutproof_report::terminal::{Terminal, View};
use layoutproof_source::diagnostics::{Diagnostic, Severity};
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::{ReadRefusal, SourceMap, Sources};
use layoutproof_source::text_limits::check_text;
use layoutproof_wgsl::WgslLayouts;
use layoutproof_wgsl::{LinkSearch, WgslModule, link};

/// Starts each included file of an input of [`declarations`]; the file's name ends the line.
const FILE_MARK: &str = "\n//// ";

/// Maximum number of problems to render: enough for every kind of place, few enough to stay fast.
const DRAWN: usize = 8;

/// HLSL or Slang declarations; the files that they may include follow lines `//// NAME`. The input
/// is preprocessed, parsed, elaborated, laid out under every rule set and bound by every
/// convention, and its problems are rendered.
pub fn declarations(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let (main, files) = parts(&text);
    let options = DeclareOptions { files: Arc::new(files), ..DeclareOptions::default() };
    let mut sources = SourceMap::default();
    let file = sources.add("main.slang", main);
    let end = u32::try_from(main.len()).expect("an input is far below 4 GiB");
    let problems = match declare(&mut sources, Span { file, start: 0, end }, &options) {
        Ok(module) => {
            assert!(module.warnings.iter().all(|found| found.severity == Severity::Warning));
            lay_out_all(&module);
            bind_all(&module, &sources);
            module.warnings
        }
        Err(problems) => {
            assert!(problems.iter().any(|found| found.severity == Severity::Error));
            problems
        }
    };
    draw(&problems, &sources);
}

/// A module of WESL or `naga_oil`; those that it may import follow lines `//// NAME`. The modules are linked, and the result
/// is read as WGSL.
pub fn modules(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let (main, files) = parts(&text);
    let mut sources = SourceMap::default();
    let file = sources.add("shaders/main.wesl", main);
    let macros = ["BIG", "COUNT=2", "SMALL=false"].map(str::to_owned);
    let search = LinkSearch { macros: &macros, folders: &["library".to_owned()], files: &files };
    let problems = match link(file, &search, &mut sources) {
        Ok(linked) => {
            let length = linked.text.len();
            for byte in (0..length).step_by(1 + length / DRAWN) {
                let start = u32::try_from(byte).expect("an input is far below 4 GiB");
                sources.text(linked.place(Span { file, start, end: start + 1 }));
            }
            let read = WgslModule::read_linked(&linked, &sources);
            linked.warnings.into_iter().chain(read.err().into_iter().flatten()).collect()
        }
        Err(problem) => vec![problem],
    };
    draw(&problems, &sources);
}

/// The text before the first line `//// NAME`, and the files that these lines begin.
fn parts(text: &str) -> (&str, Included) {
    let mut parts = text.split(FILE_MARK);
    let main = parts.next().unwrap_or_default();
    let files = parts.map(|part| part.split_once('\n').unwrap_or((part, "")));
    (main, Included(files.map(|(name, text)| (name.trim().to_owned(), text.to_owned())).collect()))
}

/// A case file: reads its tables and numbers, and renders its problems.
pub fn cases(input: &[u8]) {
    let mut sources = SourceMap::default();
    let file = sources.add("case.toml", String::from_utf8_lossy(input));
    match Case::read("case", file, &mut sources) {
        Ok(case) => {
            let text = &sources.file(case.declare.file).text;
            assert!(text.get(case.declare.start as usize..case.declare.end as usize).is_some());
        }
        Err(problems) => {
            assert!(!problems.is_empty());
            draw(&problems, &sources);
        }
    }
}

/// A SPIR-V module of little-endian words: reads the declared layouts and the bound variables.
pub fn spirv(input: &[u8]) {
    let bytes = input.chunks_exact(4);
    let words: Vec<u32> =
        bytes.map(|word| word.iter().rev().fold(0, |bits, byte| (bits << 8) | u32::from(*byte))).collect();
    let bound = bound_variables(&words);
    if let Ok(blocks) = declared(&words) {
        assert!(bound.is_ok());
        for block in blocks {
            block.layout.rows();
        }
    }
}

/// A DXIL listing: reads its tables, and executes its function `probe` over one buffer of each
/// kind.
pub fn listings(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    // The reader may refuse the tables but understand the code, and vice versa.
    let _ =
        (resource_bindings(&text), buffer_definitions(&text), listed_blocks(&text), ContainerReflection::find(input));
    let _ = ModuleAccesses::of_dxil(&text);
    execute(Shader::DxilListing(text.into_owned()));
}

/// Executes the function `probe` of a shader over one buffer of each kind.
fn execute(shader: Shader) {
    let buffer = |kind, set, binding| {
        let bytes = (0..=255).collect();
        JobBuffer { set, binding, element: 0, kind, bytes, after: Vec::new(), before_word: 0 }
    };
    let buffers = vec![
        buffer(BufferKind::Uniform, 2, 3),
        buffer(BufferKind::StorageRead, 0, 4),
        buffer(BufferKind::StorageRead, 0, 7),
        buffer(BufferKind::Storage, 0, 1),
    ];
    let job = Job::compute(shader, "probe", buffers);
    let answers = Evaluator::new().run(&Batch { jobs: vec![job] });
    assert_eq!(answers.len(), 1);
}

/// Clang's IR: reads its lists, and executes its function `probe` over one buffer of each kind.
pub fn clang_ir(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    if let (Ok(buffers), Ok(resources)) = (constant_buffers(&text), resources(&text)) {
        assert!(buffers.len() <= input.len() && resources.len() <= input.len());
    }
    execute(Shader::ClangIr(text.into_owned()));
}

/// slangc's reflection JSON.
pub fn reflection(input: &[u8]) {
    if let Ok(rows) = parameters(&String::from_utf8_lossy(input)) {
        assert!(rows.len() <= input.len());
    }
}

/// A list of known differences or of floors; each reader gets both.
pub fn lists(input: &[u8]) {
    let mut sources = SourceMap::default();
    let file = sources.add("list.toml", String::from_utf8_lossy(input));
    if let Err(problems) = known::read(file, &sources) {
        assert!(!problems.is_empty());
        draw(&problems, &sources);
    }
    if let Err(problems) = floors::read(file, &sources) {
        assert!(!problems.is_empty());
        draw(&problems, &sources);
    }
}

/// A file of records, possibly cut off by a killed run: reads it, renders every report, and writes
/// the same records again.
pub fn records(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let Ok(records) = json_lines::read(json_lines::without_torn_line(&text)) else { return };
    let checks = &records.checks;
    let end = summary::fold(checks);
    assert_eq!(u64::from(end.checks), u64::try_from(checks.len()).expect("fewer than 2^64"));
    let run = FinishedRun::of(checks, &end);
    let detailed = FinishedRun { view: View { verbose: 2, ..View::default() }, ..run };
    assert!(!Terminal.text(&detailed).is_empty());
    for reporter in REPORTERS {
        reporter.text(&run);
    }
    assert!(checks.is_empty() || !DeqpCsv.text(&run).is_empty());

    let again = json_lines::read(&JsonLines.text(&run)).expect("what was written is read");
    assert!(again.checks == *checks);
}

/// Parts of a frozen set: its manifest, a toolchain's decisions, the accepted changes. Each reader
/// gets the whole input.
pub fn frozen(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    if let Ok(decided) = decisions::read(&text) {
        let again = decisions::read(&decisions::write(&decided)).expect("what was written is read");
        assert!(again == decided);
    }
    if let Ok(manifest) = Manifest::read(&text) {
        manifest.write().expect("its fields are texts and numbers");
    }
    if let Ok(accepted) = IntendedChanges::read(&text) {
        accepted.write().expect("its fields are texts and numbers");
    }
}

/// A WGSL or GLSL text: looks for input that naga must not see, and reads WGSL's declarations. naga
/// itself runs in a separate process, which `ci/attack` attacks.
pub fn texts(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let mut sources = SourceMap::default();
    let file = sources.add("text", text.as_ref());
    for language in [ShaderLanguage::Wgsl, ShaderLanguage::Glsl] {
        if let Err(problem) = check_text(&text, file, language) {
            draw(&[problem], &sources);
        }
    }
    match WgslLayouts::read(&text, file) {
        Ok(WgslLayouts { module, blocks, forbidden, restricted }) => {
            for block in &blocks {
                block.rows();
                module.atomics(&block.name);
            }
            draw(&module.warnings, &sources);
            draw(&forbidden, &sources);
            draw(&restricted, &sources);
        }
        Err(problems) => {
            assert!(!problems.is_empty());
            draw(&problems, &sources);
        }
    }
}

fn lay_out_all(module: &Module) {
    for block in &module.blocks {
        for rules in table() {
            lay_out(block, rules, LayoutOptions::default()).rows();
        }
    }
}

fn bind_all(module: &Module, sources: &SourceMap) {
    for convention in Convention::ALL {
        for target in convention.targets() {
            match bind(module, &BindingRequest::new(*target, convention)) {
                Ok(bound) => draw(&bound.warnings, sources),
                Err(problems) => {
                    assert!(!problems.is_empty());
                    draw(&problems, sources);
                }
            }
        }
    }
}

fn draw(problems: &[Diagnostic], sources: &SourceMap) {
    let drawn = &problems[..problems.len().min(DRAWN)];
    assert_eq!(render(drawn, sources, false).is_empty(), drawn.is_empty());
}

/// The included files of one input.
#[derive(Debug)]
struct Included(Vec<(String, String)>);

impl Sources for Included {
    fn read(&self, path: &str) -> Result<String, ReadRefusal> {
        let found = self.0.iter().find(|(name, _)| name == path);
        found.map(|(_, text)| text.clone()).ok_or(ReadRefusal::NotFound)
    }
}
