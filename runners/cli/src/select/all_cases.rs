//! Reads cases with all of their expectations, and the settings that probe them in every form. Used
//! by the commands that evaluate the cases themselves: `list --coverage`, `freeze` and `regress`.

use std::path::PathBuf;
use std::sync::Arc;

use layoutproof_core::case::Case;
use layoutproof_core::check::{Settings, Source, Subject};
use layoutproof_layout::{ElementChoice, find};
use layoutproof_source::sources::SourceMap;

use crate::select::inputs::Cases;
use crate::select::refused_input::RefusedInput;

/// The cases that match the filters, or all, except those whose declarations must be refused. Also
/// reads the cases of `added`.
///
/// # Errors
/// A path cannot be read, or a case has problems.
pub(crate) fn sources(added: &[PathBuf], filters: &[String]) -> anyhow::Result<Vec<Arc<Source>>> {
    read_sources(added, filters, |_, _| None)
}

/// Like [`sources`], but includes the cases whose declarations must be refused, as unparsed text.
///
/// # Errors
/// See [`sources`].
pub(crate) fn sources_with_refused(added: &[PathBuf], filters: &[String]) -> anyhow::Result<Vec<Arc<Source>>> {
    read_sources(added, filters, |case, sources| Some(Source::unread(case, sources)))
}

fn read_sources(
    added: &[PathBuf],
    filters: &[String],
    refused: impl Fn(&Case, &SourceMap) -> Option<Source>,
) -> anyhow::Result<Vec<Arc<Source>>> {
    let cases = Cases::load(added)?;
    let mut sources = SourceMap::default();
    let mut diagnostics = Vec::new();
    let mut read = Vec::new();

    for case in cases.read(&cases.matching(filters), &mut sources, &mut diagnostics) {
        match Source::of_case(&case, &mut sources) {
            Ok(source) => read.extend(source.or_else(|| refused(&case, &sources)).map(Arc::new)),
            Err(found) => diagnostics.extend(found),
        }
    }

    if diagnostics.is_empty() { Ok(read) } else { Err(RefusedInput { diagnostics, sources }.into()) }
}

/// The cases, each under the rule sets that it has expectations for.
pub(crate) fn subjects(cases: &[Arc<Source>]) -> impl Iterator<Item = Subject> {
    let expected = cases.iter().flat_map(|source| source.expect.iter().map(move |it| (source, find(&it.rules))));
    expected.filter_map(|(source, rules)| Some(Subject::new(Arc::clone(source), rules?)))
}

/// Settings without a fault: every form of access, the usual spaces and stages, and a sample of
/// array elements.
pub(crate) fn all_forms() -> Settings {
    Settings::usual(ElementChoice::Sample)
}
