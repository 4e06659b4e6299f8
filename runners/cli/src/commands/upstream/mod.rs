//! `layoutproof upstream`: writes the text of an issue for a compiler's tracker, about a known
//! difference that the newest build shows at that moment.

mod builds;
mod issue_text;
mod listing;
mod reduced_sources;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use layoutproof_core::results::summary::Exit;
use layoutproof_executor::interrupt;
use layoutproof_site::{Mechanism, mechanisms};

use self::builds::BuildsAtHand;
use self::issue_text::{IssueText, issue_text};
use self::reduced_sources::{NamedSource, reduced_sources};
use crate::commands::site::known_lists::known_lists;
use crate::output::{print, warn};
use crate::records::output_files::check_folder;

/// `layoutproof upstream`.
#[derive(Debug, Args)]
pub struct UpstreamArgs {
    /// The known difference: its name as this command lists it, a part that no other name has, or the place of its entry
    /// (ci/known/dxc.toml:57). Without it, all are listed.
    pub id: Option<String>,
    /// Write the text to a file in this folder; without ID, the texts of all known differences that have a reduced source.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Time limit in seconds of a compiler for one source.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub time_limit: u64,
}

/// Lists the known differences, or writes the texts of some.
///
/// # Errors
/// The name matches no or several differences, no compiler can show the difference, or the folder
/// cannot be written.
pub(crate) fn upstream(args: &UpstreamArgs) -> anyhow::Result<Exit> {
    let lists = known_lists()?;
    let known = mechanisms(&lists);
    let sources = reduced_sources()?;

    let asked: Vec<&NamedSource> = match &args.id {
        None if args.out.is_none() => {
            print(&listing::listing(&known, &sources));
            return Ok(Exit::Agree);
        }
        None => sources.iter().collect(),
        Some(id) => {
            let difference = find(&known, id)?;
            if let Some(gone) = listing::gone_in(difference) {
                warn(&format!("error: `{}` is gone in {gone}: there is nothing to report\n", difference.id));
                return Ok(Exit::Differ);
            }
            sources_of(difference, &sources)?
        }
    };

    args.out.as_deref().map_or(Ok(()), check_folder)?;
    interrupt::end_without_traces()?;
    let builds = BuildsAtHand::find(Duration::from_secs(args.time_limit))?;
    let mut exits = Vec::new();
    for source in asked {
        let difference = known.iter().find(|difference| source.reduced.known.contains(&difference.id));
        let difference = difference.with_context(|| format!("{} is about no known difference", source.name))?;
        exits.push(write(source, difference, &builds, args.out.as_deref())?);
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
        IssueText::Written(text) => text,
        IssueText::NotShown(sentence) => {
            warn(&format!("error: {sentence}\n"));
            return Ok(Exit::Differ);
        }
        IssueText::Missing(sentence) => {
            warn(&format!("error: {sentence}\n"));
            return Ok(Exit::Missing);
        }
    };

    match out {
        None => print(&text),
        Some(folder) => {
            let path = folder.join(format!("{}.md", source.name));
            fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
            fs::write(&path, text).with_context(|| format!("writing {}", path.display()))?;
            print(&format!("{}\n", path.display()));
        }
    }
    Ok(Exit::Agree)
}

/// Finds the known difference that the user means.
fn find<'a, 'k>(known: &'a [Mechanism<'k>], word: &str) -> anyhow::Result<&'a Mechanism<'k>> {
    let is_place = |difference: &&Mechanism<'_>| {
        difference.entries.iter().any(|entry| format!("{}:{}", entry.file, entry.line) == word)
    };
    let exact = known.iter().find(|difference| difference.id == word).or_else(|| known.iter().find(is_place));
    if let Some(exact) = exact {
        return Ok(exact);
    }

    let similar: Vec<&Mechanism<'_>> = known.iter().filter(|difference| difference.id.contains(word)).collect();
    match similar.as_slice() {
        [] => bail!("no known difference is called `{word}`; `layoutproof upstream` lists them"),
        [one] => Ok(one),
        several => {
            let names: Vec<&str> = several.iter().map(|difference| difference.id.as_str()).collect();
            bail!("several known differences match:\n  {}", names.join("\n  "))
        }
    }
}

/// The reduced sources of a known difference.
fn sources_of<'a>(difference: &Mechanism<'_>, sources: &'a [NamedSource]) -> anyhow::Result<Vec<&'a NamedSource>> {
    let own: Vec<&NamedSource> =
        sources.iter().filter(|source| source.reduced.known.contains(&difference.id)).collect();
    if own.is_empty() && listing::is_about_devices(difference) {
        bail!("`{}` is about devices or their drivers; this command reports compilers only", difference.id);
    }
    if own.is_empty() {
        bail!("`{}` has no reduced source yet; ci/upstream/README.md says how to add one", difference.id);
    }
    Ok(own)
}
