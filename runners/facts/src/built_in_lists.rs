//! Reads the built-in TOML files of one kind.

use layoutproof_built_in::BuiltInFile;
use layoutproof_inputs::refused_input::RefusedInput;
use layoutproof_layout::FileId;
use layoutproof_source::diagnostics::Diagnostic;
use layoutproof_source::sources::SourceMap;

/// Reads all files of `folder`.
///
/// # Errors
/// A file has problems; only those of the first such file are returned.
pub(crate) fn read_all<T>(
    folder: &str,
    files: &'static [BuiltInFile],
    read: impl Fn(&'static BuiltInFile, FileId, &SourceMap) -> Result<T, Vec<Diagnostic>>,
) -> anyhow::Result<Vec<T>> {
    let mut found = Vec::new();
    let mut sources = SourceMap::default();
    for file in files {
        let id = sources.add(format!("{folder}/{}.toml", file.name), file.text);
        match read(file, id, &sources) {
            Ok(value) => found.push(value),
            Err(diagnostics) => return Err(RefusedInput { diagnostics, sources }.into()),
        }
    }
    Ok(found)
}
