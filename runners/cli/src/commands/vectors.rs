//! `layoutproof dev vectors`: writes the cases as test vectors for other programs.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::bail;
use clap::Args;
use layoutproof_core::check::Source;
use layoutproof_events::summary::Exit;
use layoutproof_inputs::all_cases::Cases;
use layoutproof_inputs::refused_input::RefusedInput;
use layoutproof_records::output_files::write_below;
use layoutproof_source::sources::SourceMap;
use layoutproof_vectors_writer::format::Vector;
use layoutproof_vectors_writer::{packages, rules, rules_json, vector, vectors_json};

use crate::output::print;

/// `layoutproof dev vectors`.
#[derive(Debug, Args)]
pub struct VectorsArgs {
    /// Write the packages to this folder, which must be new or empty.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

/// Writes the packages.
///
/// # Errors
/// The folder is not empty or cannot be written, or the rule table contradicts a case.
pub(crate) fn vectors(args: &VectorsArgs) -> anyhow::Result<Exit> {
    let folder = &args.folder;
    if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        bail!("{} is not empty: name an empty folder, so that no old file stays in a package", folder.display());
    }

    let (mut sources, mut diagnostics, mut written) = (SourceMap::default(), Vec::new(), Vec::new());
    let cases = Cases::load(&[])?;
    for case in cases.read(&cases.matching(&[]), &mut sources, &mut diagnostics) {
        match Source::of_case(&case, &mut sources) {
            // The format has no memory without a declared block.
            Ok(Some(source)) if source.module.blocks.iter().any(|block| block.reach.is_in_code()) => {}
            Ok(source) => {
                let source = source.unwrap_or_else(|| Source::unread(&case, &sources));
                written.push(vector(&case, &Arc::new(source))?);
            }
            Err(found) => diagnostics.extend(found),
        }
    }
    if !diagnostics.is_empty() {
        return Err(RefusedInput { diagnostics, sources }.into());
    }

    let (count, numbers) = (written.len(), written.iter().map(Vector::numbers).sum::<usize>());
    let (vectors, rules) = (vectors_json(written)?, rules_json(&rules()?)?);
    for file in packages(&vectors, &rules) {
        write_below(folder, &file.path, file.text)?;
    }
    print(&format!(
        "wrote {count} vectors with {numbers} numbers to {}: packages rust, npm, python; vectors.json has {} kB\n",
        folder.display(),
        vectors.len() / 1000,
    ));
    Ok(Exit::Agree)
}
