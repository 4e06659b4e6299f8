//! Writes a folder of tests for LLVM's offload test suite: one for each case that the suite can
//! express and does not have yet.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::bail;
use layoutproof_compilers::compiler::Compiler;
use layoutproof_compilers::typed_command::{TypedCommand, TypedEnd};
use layoutproof_core::check::{Source, Subject};
use layoutproof_events::summary::Exit;
use layoutproof_executor::interrupt;
use layoutproof_executor::tools::MachineTools;
use layoutproof_exports::{
    BlockSignature, ExportObstacle, MAX_BYTES, NotExported, OffloadApis, OffloadTest, offload_test,
    offload_test_of_case,
};
use layoutproof_inputs::all_cases;
use layoutproof_layout::{BlockKind, find};
use layoutproof_records::output_files::{check_folder, write_below};
use layoutproof_show::counted;

use super::ExportArgs;
use super::suite_tree::SuiteTree;
use crate::output::{print, warn};

pub(super) fn export_folder(args: &ExportArgs, folder: &Path) -> anyhow::Result<Exit> {
    if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        bail!("{} is not empty: name an empty folder, so that no old file stays among the tests", folder.display());
    }
    check_folder(folder)?;
    interrupt::end_without_traces()?;

    let check = args.check.as_deref().map(CompileCheck::with).transpose()?.flatten();
    if let (Some(name), None) = (&args.check, &check) {
        warn(&format!(
            "error: compiler `{name}` was not found (`layoutproof doctor compilers` says how to name one)\n"
        ));
        return Ok(Exit::Missing);
    }
    let sources = all_cases::sources(&[], args.case.as_slice())?;
    if sources.is_empty() {
        warn("error: nothing is selected: no case matches\n");
        return Ok(Exit::NothingSelected);
    }

    let suite = args.suite.as_deref().map(SuiteTree::read).transpose()?;
    let mut summary = FolderSummary { suite, checked_with: args.check.clone(), ..FolderSummary::default() };
    for source in &sources {
        match test_of(source, summary.suite.as_ref(), check.as_ref())? {
            CaseTest::Written(test) => {
                let group = group_of(test.block);
                *summary.written.entry(group).or_default() += 1;
                write_below(folder, Path::new(group).join(format!("{}.test", source.id)), &test.text)?;
            }
            CaseTest::LeftOut(kind) => summary.leave_out(&source.id, kind),
        }
    }

    write_below(folder, "README.md", readme(&summary))?;
    print(&summary_text(&summary, folder));
    Ok(if summary.tests() == 0 { Exit::NothingSelected } else { Exit::Agree })
}

enum CaseTest {
    Written(Box<OffloadTest>),
    /// With the kind of reason.
    LeftOut(String),
}

fn test_of(source: &Arc<Source>, suite: Option<&SuiteTree>, check: Option<&CompileCheck>) -> anyhow::Result<CaseTest> {
    let test = match offload_test_of_case(source) {
        Ok(test) => test,
        Err(reasons) => return Ok(CaseTest::LeftOut(reason_of(source, &reasons))),
    };

    let signature = source.module.blocks.first().and_then(|block| BlockSignature::of(block, source.options));
    if suite.zip(signature).is_some_and(|(suite, signature)| suite.declares(&signature)) {
        return Ok(CaseTest::LeftOut("the suite has a test with the same declarations".to_owned()));
    }
    let refusal = match check {
        Some(check) => check.refusal(&test)?,
        None => None,
    };
    let (Some(check), Some(refusal)) = (check, refusal) else { return Ok(CaseTest::Written(Box::new(test))) };

    // If DXC refuses one API, it may still accept the other.
    let rules = source.expect.iter().filter_map(|expectation| find(&expectation.rules));
    for rules in rules {
        let Ok(test) = offload_test(&Subject::new(Arc::clone(source), rules)) else { continue };
        if check.refusal(&test)?.is_none() {
            return Ok(CaseTest::Written(Box::new(test)));
        }
    }
    Ok(CaseTest::LeftOut(refusal.to_owned()))
}

/// The kind of the first reason, without the names of the case's members.
fn reason_of(source: &Source, reasons: &[NotExported]) -> String {
    let Some(NotExported { reason, .. }) = reasons.first() else {
        let reason = match (source.expect.is_empty(), source.module.blocks.is_empty()) {
            (true, _) => "it expects no offsets",
            (false, true) => "it declares no block",
            (false, false) => "DXC uses none of its rule sets for its block",
        };
        return reason.to_owned();
    };
    match reason {
        ExportObstacle::NotReadable { reason, .. } => format!("a member {reason}"),
        ExportObstacle::TooLarge(_) => format!("it has more than {MAX_BYTES} bytes"),
        ExportObstacle::NothingToRead(_) => "it has nothing to read".to_owned(),
        ExportObstacle::Contradicted { .. } => "our rules contradict its numbers".to_owned(),
        other => other.to_string(),
    }
}

/// The folder of a test, named like the suite's own folders.
fn group_of(block: BlockKind) -> &'static str {
    match block {
        BlockKind::StructuredElement => "StructuredBuffer",
        BlockKind::ConstantBuffer => "ConstantBufferT",
        // No test uses the other kinds.
        _ => "CBuffer",
    }
}

/// The written tests and the omitted cases.
#[derive(Debug, Default)]
pub(super) struct FolderSummary {
    /// Number of tests in each folder.
    pub(super) written: BTreeMap<&'static str, usize>,
    /// Cases without a test by kind of reason, each kind with an example.
    pub(super) left_out: BTreeMap<String, CasesWithoutTest>,
    /// The checkout that cases were compared with.
    pub(super) suite: Option<SuiteTree>,
    /// The name of the compiler that accepted each test.
    pub(super) checked_with: Option<String>,
}

/// Cases without a test for one kind of reason.
#[derive(Debug)]
pub(super) struct CasesWithoutTest {
    pub(super) count: usize,
    /// The first of them.
    pub(super) example: String,
}

impl FolderSummary {
    pub(super) fn tests(&self) -> usize {
        self.written.values().sum()
    }

    pub(super) fn leave_out(&mut self, case: &str, kind: String) {
        let cases =
            self.left_out.entry(kind).or_insert_with(|| CasesWithoutTest { count: 0, example: case.to_owned() });
        cases.count += 1;
    }
}

pub(super) fn readme(summary: &FolderSummary) -> String {
    let groups = summary.written.iter().map(|(group, count)| format!("| `{group}` | {count} |\n"));
    let left_out = summary
        .left_out
        .iter()
        .map(|(reason, cases)| format!("| {} | {reason} | `{}` |\n", cases.count, cases.example));
    format!(
        "# Tests of memory layouts for LLVM's offload test suite

Written by layoutproof {version} from its cases, one test for each. Copy the folders into `test/Feature` of
llvm/offload-test-suite; lit runs them like the existing tests.

{intro}

| folder | tests |
|---|---:|
{groups}
## How a test works

The buffer is filled with words that encode their offset: `0xC0DE0024` is the data at byte 36. The shader reads each
member and writes the result to `output`, and the pipeline compares that with `expected`. A wrong word shows directly
which byte was read instead. The comments at the end of a test name the case, the source of its numbers (a compiler in a
version with its options, or a clause of a document), and the member of each word of `output`. layoutproof computes
none of the numbers. Only members of four bytes are tested.

Tests without `DirectX` or `Vulkan` after `REQUIRES` run on both: their options for Vulkan do not affect Direct3D.

## Cases without a test

{suite}

| cases | why | for example |
|---:|---|---|
{left_out}",
        version = env!("CARGO_PKG_VERSION"),
        intro = checked_text(summary),
        groups = groups.collect::<String>(),
        suite = suite_text(summary),
        left_out = left_out.collect::<String>(),
    )
}

fn checked_text(summary: &FolderSummary) -> String {
    match &summary.checked_with {
        Some(compiler) => format!(
            "Each was compiled with `{compiler}` by the options of its `RUN` line; none was run on a device by the suite's own tools."
        ),
        None => "None was compiled or run by the suite's own tools; `--check dxc` compiles each.".to_owned(),
    }
}

fn suite_text(summary: &FolderSummary) -> String {
    match &summary.suite {
        Some(suite) => format!(
            "The suite was searched: {tests}, with {blocks} in constant and structured buffers ({unread} cannot be read by \
             layoutproof). A case is left out if one of them declares members of the same types, in the same order, at the \
             same bytes under D3D's rules, whatever they are called.",
            tests = counted(suite.tests as u64, "test"),
            blocks = counted(suite.blocks() as u64, "different block"),
            unread = counted(suite.unread as u64, "shader"),
        ),
        None => "The suite was not searched for tests of the same declarations; `--suite DIR` names a checkout of it."
            .to_owned(),
    }
}

pub(super) fn summary_text(summary: &FolderSummary, folder: &Path) -> String {
    let groups = summary.written.iter().map(|(group, count)| format!("{count:>8} {group}\n"));
    let groups = groups.collect::<Vec<_>>().concat();
    let left_out = summary.left_out.iter();
    let left_out = left_out.map(|(reason, cases)| format!("{:>8} {reason} ({})\n", cases.count, cases.example));
    let left_out = left_out.collect::<Vec<_>>().concat();
    let without = summary.left_out.values().map(|cases| cases.count).sum::<usize>();
    format!(
        "{} written to {}\n{groups}{} without a test\n{left_out}",
        counted(summary.tests() as u64, "test"),
        folder.display(),
        counted(without as u64, "case"),
    )
}

/// The options that the suite adds for Vulkan.
const FOR_VULKAN: [&str; 2] = ["-spirv", "-fspv-target-env=vulkan1.3"];

/// A build of DXC that compiles exported tests.
pub(super) struct CompileCheck {
    compiler: Compiler,
}

impl CompileCheck {
    /// The compiler of this name; `None` if it was not found.
    pub(super) fn with(name: &str) -> anyhow::Result<Option<Self>> {
        if !name.starts_with("dxc") || !Compiler::known().any(|known| known.name == name) {
            bail!("--check needs a build of DXC, as `layoutproof doctor compilers` lists them: `{name}` is not one");
        }
        let search = Compiler::named(name, MachineTools::find()?.folder());
        Ok(search.compiler.ok().map(|compiler| Self { compiler }))
    }

    /// What the compiler does instead of accepting the test, for Direct3D or for Vulkan.
    pub(super) fn refusal(&self, test: &OffloadTest) -> anyhow::Result<Option<&'static str>> {
        let (direct_x, vulkan) = match test.apis {
            OffloadApis::DirectX => (true, false),
            OffloadApis::Vulkan => (false, true),
            OffloadApis::Both => (true, true),
        };
        let command_lines = [direct_x.then_some(&[][..]), vulkan.then_some(&FOR_VULKAN[..])];

        for added in command_lines.into_iter().flatten() {
            let options = test.options.iter().map(String::as_str);
            let arguments: Vec<&str> =
                added.iter().copied().chain(options).chain(["-Fo", "out.o", "source.hlsl"]).collect();
            let command = TypedCommand { arguments: &arguments, file: "source.hlsl", text: &test.hlsl, outputs: &[] };
            match command.run(&self.compiler)?.end {
                TypedEnd::Accepted => {}
                TypedEnd::Refused => return Ok(Some("DXC refuses it")),
                TypedEnd::Broken(_) => return Ok(Some("DXC crashes on it")),
            }
        }
        Ok(None)
    }
}
