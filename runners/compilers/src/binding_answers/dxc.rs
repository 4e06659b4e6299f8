//! Compares the convention `dxc` with DXC: with the table of resource bindings in DXIL, and with
//! the decorations in SPIR-V.

use std::collections::BTreeSet;
use std::path::Path;

use layoutproof_bindings::{Binding, BoundModule, Target};
use layoutproof_core::random::{ProgramDialect, RandomProgram};
use layoutproof_device::words_of;
use layoutproof_layout::shape::Count;
use layoutproof_layout::{LayoutUnit, Span};
use layoutproof_readers::dxil::{ListedBinding, resource_bindings};
use layoutproof_readers::spirv::bound_variables;

use super::compared::{BoundRow, placed, same};
use super::{BindingAgreement, BindingCompiler, BindingDisagreement, request};
use crate::compiler::{Compiler, CompilerAnswer};
use crate::d3d::{D3dCompiler, D3dObject, D3dOutcome, D3dSource};

/// DXC's answer: rows, or the text of its refusal.
type Said = Result<BTreeSet<BoundRow>, String>;

pub(super) fn compare(
    dxc: &BindingCompiler,
    target: Target,
    program: &RandomProgram,
) -> Result<BindingAgreement, BindingDisagreement> {
    let theirs = match target {
        Target::D3d12 => listed(dxc, program),
        Target::Vulkan => decorated(dxc, program),
        Target::Webgpu | Target::Metal => Err(format!("DXC has no target {target}")),
    };
    agree(target, program, theirs.map_err(BindingDisagreement::Broken)?).map_err(BindingDisagreement::Differs)
}

/// Returns the registers that DXC assigns with these arguments in `folder`, or its refusal.
pub(super) fn registers(
    dxc: &BindingCompiler,
    folder: &Path,
    arguments: &[&str],
) -> Result<Result<Vec<Binding>, String>, String> {
    let binding = |listed: ListedBinding| Binding {
        path: path(&listed.name),
        unit: listed.unit,
        space: listed.space,
        index: listed.index,
        count: listed.count,
        span: Span::default(),
    };
    match dxc.ask(folder, arguments) {
        CompilerAnswer::Broken(how) => Err(how),
        CompilerAnswer::Refused(finished) => Ok(Err(finished.stderr)),
        CompilerAnswer::Accepted(finished) => {
            Ok(Ok(resource_bindings(&finished.stdout)?.into_iter().map(binding).collect()))
        }
    }
}

/// Compares every program with a DXC under Wine, on D3D12. One Wine process compiles all of them.
pub(super) fn compare_on_windows(
    dxc: &Compiler,
    programs: &[RandomProgram],
) -> Result<Vec<Result<BindingAgreement, BindingDisagreement>>, String> {
    let source = |program: &RandomProgram| D3dSource {
        text: program.text(),
        profile: profile(program).to_owned(),
        entry: "main".to_owned(),
        options: Vec::new(),
    };
    let sources: Vec<D3dSource> = programs.iter().map(source).collect();
    let mut compiler = D3dCompiler::new(dxc.clone()).map_err(|error| error.to_string())?;
    let answers = compiler.compile(&sources);
    let said = |compiled| match compiled {
        D3dOutcome::Made(D3dObject { listing, .. }) => rows_of(&listing).map(Ok),
        D3dOutcome::Refused(said) => Ok(Err(said)),
        D3dOutcome::Broken(how) => Err(how),
    };
    let one = |(program, compiled)| {
        let theirs = said(compiled).map_err(BindingDisagreement::Broken)?;
        agree(Target::D3d12, program, theirs).map_err(BindingDisagreement::Differs)
    };
    Ok(programs.iter().zip(answers).map(one).collect())
}

/// Compares both sides; an error describes the difference.
fn agree(target: Target, program: &RandomProgram, theirs: Said) -> Result<BindingAgreement, String> {
    let ours = placed(&program.text(), &request(ProgramDialect::Dxc, target))?;
    match (ours, theirs) {
        (Ok(bound), Ok(rows)) => same(&chosen(&bound, &rows, target), &rows).map(|()| BindingAgreement::Placed),
        // DXC may stop at its first error; layoutproof reports all errors.
        (Err(messages), Err(said)) if messages.iter().any(|message| said.contains(message.as_str())) => {
            Ok(BindingAgreement::Refused)
        }
        (Err(messages), Err(said)) => Err(format!("layoutproof refuses with {messages:?}, DXC with:\n{said}")),
        (Ok(_), Err(said)) => Err(format!("only DXC refuses:\n{said}")),
        (Err(messages), Ok(_)) => Err(format!("only layoutproof refuses: {messages:?}")),
    }
}

/// Our rows. DXC assigns Vulkan bindings to unused resources too, but leaves those resources out of
/// the module.
fn chosen(bound: &BoundModule, theirs: &BTreeSet<BoundRow>, target: Target) -> BTreeSet<BoundRow> {
    let rows = bound.bindings.iter().map(BoundRow::of);
    rows.filter(|row| target != Target::Vulkan || theirs.iter().any(|their| their.name == row.name)).collect()
}

/// The profile for the program's stage.
fn profile(program: &RandomProgram) -> &'static str {
    if program.is_hull { "hs_6_6" } else { "cs_6_6" }
}

fn listed(dxc: &BindingCompiler, program: &RandomProgram) -> Result<Said, String> {
    let folder = written(&program.text())?;
    match dxc.ask(folder.path(), &["-T", profile(program), "-E", "main", "program.hlsl"]) {
        CompilerAnswer::Broken(how) => Err(how),
        CompilerAnswer::Refused(finished) => Ok(Err(finished.stderr)),
        CompilerAnswer::Accepted(finished) => Ok(Ok(rows_of(&finished.stdout)?)),
    }
}

fn rows_of(listing: &str) -> Result<BTreeSet<BoundRow>, String> {
    let row = |listed: ListedBinding| BoundRow {
        name: path(&listed.name),
        unit: listed.unit,
        space: listed.space,
        index: listed.index,
        count: listed.count,
    };
    Ok(resource_bindings(listing)?.into_iter().map(row).collect())
}

fn decorated(dxc: &BindingCompiler, program: &RandomProgram) -> Result<Said, String> {
    let folder = written(&program.text())?;
    let arguments = ["-T", profile(program), "-E", "main", "-spirv", "-Fo", "program.spv", "program.hlsl"];
    match dxc.ask(folder.path(), &arguments) {
        CompilerAnswer::Broken(how) => Err(how),
        CompilerAnswer::Refused(finished) => Ok(Err(finished.stderr)),
        CompilerAnswer::Accepted(_) => {
            let words = words(&folder.path().join("program.spv"))?;
            let variables = bound_variables(&words).map_err(|bad| bad.reason)?;
            let rows = variables.into_iter().map(|variable| BoundRow {
                name: path(&variable.name),
                unit: LayoutUnit::Binding,
                space: variable.set,
                index: variable.binding,
                count: Count::Finite(1),
            });
            Ok(Ok(rows.collect()))
        }
    }
}

/// Converts DXC's `s.B.3` to `s.B[3]`.
fn path(name: &str) -> String {
    let mut path = String::new();
    for (at, part) in name.split('.').enumerate() {
        match part.parse::<u32>() {
            Ok(_) => path.extend(["[", part, "]"]),
            Err(_) if at == 0 => path.push_str(part),
            Err(_) => path.extend([".", part]),
        }
    }
    path
}

fn written(text: &str) -> Result<tempfile::TempDir, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    std::fs::write(folder.path().join("program.hlsl"), text).map_err(|error| error.to_string())?;
    Ok(folder)
}

fn words(file: &Path) -> Result<Vec<u32>, String> {
    let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
    Ok(words_of(&bytes))
}
