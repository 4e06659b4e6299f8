//! Writes a folder of tests for LLVM's offload test suite: one for each case that the suite can
//! express and does not have yet.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use layoutproof_core::check::{Source, Subject};
use layoutproof_events::summary::Exit;
use layoutproof_executor::interrupt;
use layoutproof_inputs::all_cases;
use layoutproof_layout::{BlockKind, find};
use layoutproof_records::output_files::check_folder;
use layoutproof_report::export::{
    BlockSignature, ExportObstacle, MAX_BYTES, NotExported, OffloadTest, offload_test, offload_test_of_case,
};

use super::ExportArgs;
use super::compile_check::CompileCheck;
use super::folder_summary::{FolderSummary, readme, summary_text};
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
                write(&folder.join(group).join(format!("{}.test", source.id)), &test.text)?;
            }
            CaseTest::LeftOut(kind) => summary.leave_out(&source.id, kind),
        }
    }

    write(&folder.join("README.md"), &readme(&summary))?;
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

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let writing = || format!("writing {}", path.display());
    path.parent().map_or(Ok(()), fs::create_dir_all).with_context(writing)?;
    fs::write(path, text).with_context(writing)
}
