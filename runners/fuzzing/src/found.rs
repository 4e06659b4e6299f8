//! Writes a difference down: a case file and a report, with the compiler's input and output next to
//! them. If the compiler gave no number, a case could expect nothing, so the declarations become a
//! shader file instead.

use std::fs;
use std::path::{Path, PathBuf};

use layoutproof_compilers::compiler::Compiler;
use layoutproof_core::case::Authority;
use layoutproof_events::{CheckRecord, Row};
use layoutproof_inputs::files::{FileKind, read_text};
use layoutproof_readers::version::NAGA_VERSION;
use layoutproof_records::output_files::write_below;
use layoutproof_report::upstream;
use layoutproof_report::upstream::{DifferenceRow, case_file, has_numbers, markdown, shader_file};
use layoutproof_source::shader_language::ShaderLanguage;

use crate::Fuzz;
use crate::round::Round;
use crate::shrink::ShrunkDifference;

#[derive(Debug)]
pub struct WrittenDifference {
    pub folder: PathBuf,
    /// The record of running it once more; `None` if the toolchain no longer accepts it.
    pub record: Option<CheckRecord>,
}

/// Runs the difference once more, keeping the compiler's files, and writes the folder.
pub fn write(fuzz: &Fuzz, difference: &ShrunkDifference) -> anyhow::Result<WrittenDifference> {
    let ShrunkDifference { number, toolchain, device, declaration, .. } = difference;
    let folder = fuzz.out.join(format!("{number}-{toolchain}"));
    let compilers = fuzz.compilers.clone().keep(Some(folder.clone()));
    let round = Round::new(fuzz, &[(*number, declaration.clone())]);
    let records = round.records_of(toolchain, device, &compilers);

    // A compiler that follows several rule sets may differ under only one of them.
    let differs = records.iter().find(|(_, record)| record.outcome.kind() == difference.kind.outcome);
    let Some((_, record)) = differs.or(records.first()) else {
        return Ok(WrittenDifference { folder, record: None });
    };

    let artifacts = folder.join(format!("fuzz/{number}/{}", toolchain.option(record.id.rules.as_str())));
    let told = told(fuzz, difference, record, &artifacts);
    if has_numbers(&told) {
        write_below(&folder, "case.toml", case_file(&told))?;
    } else {
        write_below(&folder, shader_name(told.language), shader_file(&told))?;
    }
    write_below(&folder, "report.md", markdown(&told))?;
    Ok(WrittenDifference { folder, record: Some(record.clone()) })
}

/// For compilers of GLSL and WGSL, too, which get the same declarations in their language.
fn shader_name(language: ShaderLanguage) -> &'static str {
    if language == ShaderLanguage::Slang { "declarations.slang" } else { "declarations.hlsl" }
}

fn told(
    fuzz: &Fuzz,
    difference: &ShrunkDifference,
    record: &CheckRecord,
    artifacts: &Path,
) -> upstream::UpstreamDifference {
    let ShrunkDifference { toolchain, declaration, .. } = difference;
    let compiler = fuzz.compilers.compilers().iter().find(|compiler| compiler.name() == toolchain.compiler);
    // The only compiler without a program is the built-in naga.
    let version = compiler.map_or(NAGA_VERSION, Compiler::version);
    let command_line = kept(artifacts, "command");
    let device = fuzz.devices.iter().find(|device| record.id.is_on(device));
    let culprit = difference.kind.culprit.map_or("compiler", |culprit| culprit.as_str());
    let summary = match &difference.reason {
        Some(reason) => format!("{toolchain} breaks on this: {reason}"),
        None => format!("the output of {toolchain} differs from {} ({culprit})", record.id.rules),
    };
    upstream::UpstreamDifference {
        summary,
        declare: declaration.text(),
        source: kept(artifacts, "probe."),
        // The declarations for a translator are HLSL.
        language: toolchain.language().unwrap_or(ShaderLanguage::Hlsl),
        options: declaration.options,
        rules: record.id.rules.to_string(),
        authority: Authority {
            compiler: Some(toolchain.compiler.to_owned()),
            version: Some(version.to_owned()),
            flags: Some(command_line.trim().split_once(' ').map_or("", |(_, flags)| flags).to_owned()),
            from: Some("listing".to_owned()),
            ..Authority::default()
        },
        command_line: command_line.trim().to_owned(),
        others: device.map(|device| (device.name.clone(), device.driver.clone())).into_iter().collect(),
        rows: rows(record),
        is_complete: false,
    }
}

/// The numbers of a record, one row per path. A row that differs takes precedence over other access
/// forms.
fn rows(record: &CheckRecord) -> Vec<DifferenceRow> {
    let mut rows: Vec<&Row> = Vec::new();
    for row in &record.rows {
        match rows.iter_mut().find(|other| (&other.path, other.what) == (&row.path, row.what)) {
            None => rows.push(row),
            Some(kept) if row.differs() && !kept.differs() => *kept = row,
            Some(_) => {}
        }
    }
    rows.into_iter().map(DifferenceRow::from).collect()
}

/// The text of the first kept file whose name has this prefix; empty if the compiler left none.
fn kept(artifacts: &Path, name: &str) -> String {
    let blocks = fs::read_dir(artifacts).into_iter().flatten().flatten();
    let files = blocks.flat_map(|block| fs::read_dir(block.path()).into_iter().flatten().flatten());
    let is_text = |path: &Path| path.extension().is_none_or(|extension| extension != "spv" && extension != "json");
    let mut paths: Vec<PathBuf> = files
        .filter(|file| file.file_name().to_string_lossy().starts_with(name))
        .map(|file| file.path())
        .filter(|path| is_text(path))
        .collect();
    paths.sort();
    paths.first().and_then(|path| read_text(path, FileKind::Shader).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_leaf_the_access_is_told_that_differs() {
        let row = |form: &str, observed: u32| {
            serde_json::json!({
                "path": "S.a", "what": "offset", "space": "storage", "direction": "read", "form": form,
                "expected": null, "computed": 4, "reported": null, "compiled": 4, "observed": observed
            })
        };
        let line = serde_json::json!({
            "schema": 1, "case": "fuzz/1", "rules": "scalar", "producer": "dxc-spirv", "device": "lavapipe",
            "runner": "ash", "proves": "compiler", "outcome": "differ", "culprit": "device", "validation": "valid",
            "skip_reason": null, "ms": 1, "leaves": 1,
            "rows": [row("leaf", 4), row("indexed", 8), row("whole", 4)]
        });
        let record: CheckRecord = serde_json::from_value(line).unwrap();
        assert_eq!(rows(&record).iter().map(|row| row.observed).collect::<Vec<_>>(), [Some(8)]);
    }
}
