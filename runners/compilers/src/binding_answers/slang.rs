//! Compares the convention `slang` with slangc's reflection.

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_bindings::{Binding, BindingRequest, Target};
use layoutproof_layout::LayoutUnit;
use layoutproof_layout::shape::Count;
use layoutproof_random::{ProgramDialect, RandomProgram};
use layoutproof_readers::reflection::{ReflectedBinding, parameters};

use super::compared::{BoundRow, placed, same};
use super::{BindingAgreement, BindingCompiler, BindingDisagreement, request};
use crate::compiler::CompilerAnswer;

/// slangc's answer: rows, or the text of its refusal.
type Said = Result<BTreeSet<BoundRow>, String>;

/// Profile of every comparison; with it, parameter blocks have spaces.
pub(super) const PROFILE: &str = "sm_6_6";

pub(super) fn compare(
    slangc: &BindingCompiler,
    target: Target,
    program: &RandomProgram,
) -> Result<BindingAgreement, BindingDisagreement> {
    let text = match target {
        // slangc refuses a body that uses resources missing in WGSL, such as typed buffers, but
        // reflects their bindings.
        Target::Webgpu => RandomProgram { uses: Vec::new(), ..program.clone() }.text(),
        Target::D3d12 | Target::Vulkan | Target::Metal => program.text(),
    };
    let theirs = reflected(slangc, target, &text).map_err(BindingDisagreement::Broken)?;
    agree(&text, &request(ProgramDialect::Slang, target), theirs).map_err(BindingDisagreement::Differs)
}

/// Compares both sides; an error describes the difference.
fn agree(text: &str, request: &BindingRequest, theirs: Said) -> Result<BindingAgreement, String> {
    match (placed(text, request)?, theirs) {
        (Ok(bound), Ok(theirs)) => same(&of_parameters(&bound.bindings), &theirs).map(|()| BindingAgreement::Placed),
        (Err(_), Err(_)) => Ok(BindingAgreement::Refused),
        (Ok(_), Err(said)) => Err(format!("only slangc refuses:\n{said}")),
        (Err(messages), Ok(_)) => Err(format!("only layoutproof refuses: {messages:?}")),
    }
}

/// The rows in slangc's reflection: one for each unit of each global parameter.
fn reflected(slangc: &BindingCompiler, target: Target, text: &str) -> Result<Said, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    std::fs::write(folder.path().join("program.slang"), text).map_err(|error| error.to_string())?;
    let language = match target {
        Target::D3d12 => "hlsl",
        Target::Vulkan => "spirv",
        Target::Webgpu => "wgsl",
        Target::Metal => "metal",
    };
    let arguments = ["program.slang", "-target", language, "-profile", PROFILE, "-no-codegen"];
    let arguments = [&arguments[..], &["-reflection-json", "program.json"]].concat();
    match slangc.ask(folder.path(), &arguments) {
        CompilerAnswer::Broken(how) => Err(how),
        CompilerAnswer::Refused(finished) => Ok(Err(finished.stderr)),
        CompilerAnswer::Accepted(_) => {
            let json =
                std::fs::read_to_string(folder.path().join("program.json")).map_err(|error| error.to_string())?;
            let rows = parameters(&json)?.into_iter().map(|reflected| {
                let ReflectedBinding { name, unit, space, index, count, .. } = reflected;
                let index = index.ok_or_else(|| format!("slangc reflects no place for {name}"))?;
                Ok(BoundRow { name, unit, space, index, count })
            });
            // slangc accepts parameters for which no slot is left, and reports that here.
            Ok(rows.collect())
        }
    }
}

/// Our rows, merged per parameter; the parts of a parameter must be adjacent. The reflection omits
/// the buffers of loose globals and of entry points, and shows only the space of a parameter block.
fn of_parameters(rows: &[Binding]) -> BTreeSet<BoundRow> {
    let blocks: BTreeSet<&str> =
        rows.iter().filter(|row| row.unit == LayoutUnit::Space).map(|row| row.path.as_str()).collect();
    let mut drawn: BTreeMap<(&str, LayoutUnit), Vec<&Binding>> = BTreeMap::new();
    for row in rows.iter().filter(|row| !row.path.starts_with('$')) {
        let name = row.path.split(['.', '[']).next().unwrap_or(&row.path);
        if row.unit == LayoutUnit::Space || !blocks.contains(name) {
            drawn.entry((name, row.unit)).or_default().push(row);
        }
    }
    drawn.into_iter().map(|((name, unit), rows)| together(name, unit, &rows)).collect()
}

fn together(name: &str, unit: LayoutUnit, rows: &[&Binding]) -> BoundRow {
    let first = rows.iter().map(|row| (row.space, row.index)).min().expect("a group has a row");
    let total = rows.iter().try_fold(0_u32, |sum, row| match row.count {
        Count::Finite(count) => Some(sum + count),
        Count::Unbounded => None,
    });
    let count = total.map_or(Count::Unbounded, Count::Finite);
    BoundRow { name: name.to_owned(), unit, space: first.0, index: first.1, count }
}
