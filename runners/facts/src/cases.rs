//! Collects the facts for the pages of cases: every built-in case, including those whose
//! declarations must be refused.

use std::collections::HashMap;
use std::sync::Arc;

use layoutproof_built_in::CASES;
use layoutproof_core::check::Source;
use layoutproof_events::RecordedSource;
use layoutproof_inputs::all_cases::Cases;
use layoutproof_inputs::refused_input::RefusedInput;
use layoutproof_site::{CaseFacts, ExplorerText};
use layoutproof_source::sources::SourceMap;

/// The cases by id, each with its declarations from `read` and its layouts from `recorded`.
pub fn case_facts(read: &[Arc<Source>], recorded: Vec<RecordedSource>) -> anyhow::Result<Vec<CaseFacts>> {
    let all = Cases::load(&[])?;
    let mut sources = SourceMap::default();
    let mut diagnostics = Vec::new();
    let cases = all.read(&all.matching(&[]), &mut sources, &mut diagnostics);
    if !diagnostics.is_empty() {
        return Err(RefusedInput { diagnostics, sources }.into());
    }

    let texts: HashMap<&str, &str> = CASES.iter().map(|case| (case.name, case.text)).collect();
    let mut layouts: HashMap<String, RecordedSource> =
        recorded.into_iter().map(|source| (source.case.clone(), source)).collect();
    let explored = |id: &str| read.iter().find(|source| source.id == id).and_then(|source| ExplorerText::of(source));
    let facts = cases.into_iter().map(|case| CaseFacts {
        text: texts.get(case.id.as_str()).copied().unwrap_or_default().to_owned(),
        source: layouts.remove(&case.id),
        explored: explored(&case.id),
        id: case.id,
        summary: case.summary,
        bugs: case.bugs,
    });
    Ok(facts.collect())
}
