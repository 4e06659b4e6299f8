//! Writes the texts of issues, for `bugs --issue`.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};
use layoutproof_core::results::known::NamedBuilds;
use layoutproof_events::summary::Exit;
use layoutproof_executor::interrupt;
use layoutproof_facts::builds::BuildsAtHand;
use layoutproof_facts::issues::driver_issues;
use layoutproof_facts::issues::{IssueText, issue_text};
use layoutproof_facts::known_lists::{NamedSource, reduced_sources};
use layoutproof_records::output_files::{check_folder, write_below};
use layoutproof_site::Mechanism;

use crate::output::{print, warn};

/// Writes the texts of all known differences of compilers that have a reduced source.
pub(crate) fn write_all(known: &[Mechanism<'_>], limit: Duration, out: Option<&Path>) -> anyhow::Result<Exit> {
    write_sources(&reduced_sources()?.iter().collect::<Vec<_>>(), known, limit, out)
}

pub(crate) fn write_one(
    difference: &Mechanism<'_>,
    known: &[Mechanism<'_>],
    limit: Duration,
    out: Option<&Path>,
) -> anyhow::Result<Exit> {
    if let Some(gone) = gone_in(difference) {
        warn(&format!("error: `{}` is gone in {gone}: there is nothing to report\n", difference.id));
        return Ok(Exit::Differ);
    }
    if let Some(issue) = driver_issues()?.iter().find(|issue| issue.known == difference.id) {
        out.map_or(Ok(()), check_folder)?;
        put(issue.name, &issue.markdown(), out)?;
        return Ok(Exit::Agree);
    }
    let sources = reduced_sources()?;
    write_sources(&sources_of(difference, &sources)?, known, limit, out)
}

fn write_sources(
    sources: &[&NamedSource],
    known: &[Mechanism<'_>],
    limit: Duration,
    out: Option<&Path>,
) -> anyhow::Result<Exit> {
    out.map_or(Ok(()), check_folder)?;
    interrupt::end_without_traces()?;
    let builds = BuildsAtHand::find(limit)?;
    let mut exits = Vec::new();
    for source in sources {
        let difference = known.iter().find(|difference| source.reduced.is_about(difference.id));
        let difference = difference.with_context(|| format!("{} is about no known difference", source.name))?;
        exits.push(write(source, difference, &builds, out)?);
    }

    let worst = [Exit::Missing, Exit::Differ].into_iter().find(|exit| exits.contains(exit));
    Ok(worst.unwrap_or(Exit::Agree))
}

/// Writes the text for one known difference, or prints why it has none.
fn write(
    source: &NamedSource,
    difference: &Mechanism<'_>,
    builds: &BuildsAtHand,
    out: Option<&Path>,
) -> anyhow::Result<Exit> {
    if let Some(link) = difference.upstream_link() {
        warn(&format!("note: `{}` is reported already: {link}\n", difference.id));
    }
    if let Some(searched) = difference.entries.iter().find_map(|entry| entry.searched.as_deref()) {
        warn(&format!("note: the tracker was searched: {searched}\n"));
    }

    let text = match issue_text(&source.reduced, difference, builds)? {
        IssueText::Written { text, newer } => {
            if let Some(name) = newer {
                warn(&format!(
                    "note: `{name}`, the newest compiler with this bug, is not here: try it before you send the text\n"
                ));
            }
            text
        }
        IssueText::NotShown(sentence) => {
            warn(&format!("error: {sentence}\n"));
            return Ok(Exit::Differ);
        }
        IssueText::Missing(sentence) => {
            warn(&format!("error: {sentence}\n"));
            return Ok(Exit::Missing);
        }
    };

    put(source.name, &text, out)?;
    Ok(Exit::Agree)
}

/// Prints a text, or writes it to a file of this name.
fn put(name: &str, text: &str, out: Option<&Path>) -> anyhow::Result<()> {
    let Some(folder) = out else {
        print(text);
        return Ok(());
    };
    let path = folder.join(format!("{name}.md"));
    write_below(folder, format!("{name}.md"), text)?;
    print(&format!("{}\n", path.display()));
    Ok(())
}

fn sources_of<'a>(difference: &Mechanism<'_>, sources: &'a [NamedSource]) -> anyhow::Result<Vec<&'a NamedSource>> {
    let own: Vec<&NamedSource> = sources.iter().filter(|source| source.reduced.is_about(difference.id)).collect();
    if own.is_empty() && difference.is_about_devices() {
        bail!(
            "`{}` is about devices or their drivers, and has no text yet; ci/upstream-drivers/README.md says how to add one",
            difference.id
        );
    }
    if own.is_empty() {
        bail!(
            "`{0}` has no reduced source yet, so there is no text for its tracker: `layoutproof bugs {0}` describes it, and \
             ci/upstream/README.md of the repository says how to add a source",
            difference.id
        );
    }
    Ok(own)
}

/// The build without the difference, if every entry names one.
fn gone_in<'a>(difference: &Mechanism<'a>) -> Option<&'a NamedBuilds> {
    let is_gone = difference.entries.iter().all(|entry| entry.gone.is_some());
    is_gone.then(|| difference.entries.iter().find_map(|entry| entry.gone.as_ref())).flatten()
}
