//! Converts arguments to the options for reading a user's declarations.

use std::path::Path;
use std::sync::Arc;

use layoutproof_frontend::DeclareOptions;

use crate::args::DeclareArgs;
use crate::select::shader_file::included::IncludedFiles;

/// The options for the file at `path`, with a shader profile if one is named.
pub(crate) fn options_of(declare: &DeclareArgs, path: &Path, profile: Option<&str>) -> DeclareOptions {
    let defines = declare.define.iter().map(|define| layoutproof_core::case::file::split_define(define));
    DeclareOptions {
        entry: declare.entry.clone(),
        defines: defines.collect(),
        include_paths: declare.include.clone(),
        files: Arc::new(IncludedFiles::of_shader(path, &declare.include)),
        language: declare.lang.filter(|language| !language.fixes_offsets()),
        profile: profile.map(str::to_owned),
        ..DeclareOptions::default()
    }
}
