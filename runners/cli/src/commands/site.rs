//! `layoutproof report --site`: writes static pages about rule sets, compilers, cases and the records
//! of runs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail, ensure};
use layoutproof_built_in::{CASE_FORMAT, PEERS};
use layoutproof_events::summary::Exit;
use layoutproof_facts::known_lists::reduced_sources;
use layoutproof_facts::page_facts::{case_facts, kept_runs, rule_set_facts, site_records};
use layoutproof_facts::{known_evidence, known_lists, surprises};
use layoutproof_inputs::all_cases;
use layoutproof_inputs::files::{FileKind, read};
use layoutproof_records::output_files::{check_folder, write_below};
use layoutproof_records::recorded_sources::recorded_sources;
use layoutproof_show::counted;
use layoutproof_site::{EXPLORER_FILES, Peer, PeerResults, RuleTableFacts, SiteFacts, site_pages};

use crate::output::print;
use crate::select::selection::Selection;

/// Writes the site to the folder `out`, with the records of these files. `explorer` is the folder that
/// `ci/explorer` wrote; without it the site has no explorer.
pub(crate) fn site(out: &Path, records: &[PathBuf], explorer: Option<&Path>) -> anyhow::Result<Exit> {
    check_out(out)?;
    let files = site_files(records, explorer)?;
    for (path, content) in &files {
        write_below(out, path, content)?;
    }
    let is_page = |path: &str| Path::new(path).extension().is_some_and(|suffix| suffix == "html");
    let html = files.iter().filter(|(path, _)| is_page(path)).count();
    print(&format!("wrote {} to {}\n", counted(html as u64, "page"), out.display()));
    Ok(Exit::Agree)
}

/// All files of the site, by their path.
pub(crate) fn site_files(records: &[PathBuf], explorer: Option<&Path>) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let explorer = explorer.map(explorer_files).transpose()?.unwrap_or_default();
    let records = site_records(records)?;

    let sources = all_cases::sources(&[], &[])?;
    let subjects: Vec<_> = all_cases::subjects(&sources).map(Arc::new).collect();
    let selection = Selection { subjects, ..Selection::default() };
    let recorded = recorded_sources(&selection.subjects, &selection.placed, |_| true);

    let known = known_lists::known_lists()?;
    let mut evidence = known_evidence::known_evidence(&known, &sources)?;
    evidence.extend(known_evidence::kept_evidence(&known)?);
    let surprises = surprises::surprises(&sources, &recorded)?;
    let rules = layoutproof_vectors_writer::rules()?;
    let text = layoutproof_vectors_writer::rules_json(&rules)?;
    let pages = site_pages(&SiteFacts {
        rule_table: &RuleTableFacts { rules, text },
        rules: &rule_set_facts()?,
        opening: surprises::opening(&surprises)?,
        surprises: &surprises,
        evidence: &evidence,
        known: &known,
        issue_titles: &issue_titles()?,
        case_format: CASE_FORMAT,
        cases: &case_facts(&sources, recorded)?,
        kept_runs: &kept_runs(&known)?,
        peers: &peers()?,
        records: &records,
        has_explorer: !explorer.is_empty(),
    });
    let pages = pages.into_iter().map(|page| (page.path, page.text.into_bytes()));
    Ok(pages.chain(explorer).collect())
}

/// The titles of issues by the known difference that they are about.
fn issue_titles() -> anyhow::Result<BTreeMap<String, String>> {
    let sources = reduced_sources()?;
    let titles = sources
        .iter()
        .flat_map(|source| source.reduced.known.iter().map(|known| (known.clone(), source.reduced.title.clone())));
    Ok(titles.collect())
}

/// The libraries that were run through the test vectors.
fn peers() -> anyhow::Result<Vec<Peer>> {
    let PeerResults { schema, peers } = serde_json::from_str(PEERS).context("ci/peers/results.json")?;
    ensure!(schema == 1, "ci/peers/results.json has the schema {schema}, not 1");
    Ok(peers)
}

/// Rejects a folder with content: a page of an older site would stay among the new ones.
fn check_out(out: &Path) -> anyhow::Result<()> {
    if fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_some()) {
        bail!("{} is not empty: name an empty folder, so that nothing else is published with the site", out.display());
    }
    check_folder(out)
}

/// The files of the explorer in `folder`.
///
/// # Errors
/// A file is missing; the error names the script that builds it.
fn explorer_files(folder: &Path) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let file = |name: &'static str| {
        let path = folder.join(name);
        let content = read(&path, FileKind::Shader)
            .with_context(|| format!("no explorer: `ci/explorer --out {}` builds it", folder.display()))?;
        Ok((name.to_owned(), content))
    };
    EXPLORER_FILES.into_iter().map(file).collect()
}
