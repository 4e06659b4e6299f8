//! `layoutproof upstream`, the old name of `bugs` and `bugs ID --issue`, for one more release.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::bail;
use clap::Args;
use layoutproof_core::results::summary::Exit;
use layoutproof_site::{Mechanism, mechanisms};

use crate::commands::bugs::{issues, old_listing, reduced_sources::reduced_sources};
use crate::commands::site::known_lists::known_lists;
use crate::output::{print, warn};

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
pub(crate) fn upstream(args: &UpstreamArgs) -> anyhow::Result<Exit> {
    warn("note: `upstream` is now `layoutproof bugs`, and `bugs ID --issue` for a text; the old name will go\n");
    let lists = known_lists()?;
    let known = mechanisms(&lists);
    let limit = Duration::from_secs(args.time_limit);
    match &args.id {
        None if args.out.is_none() => {
            print(&old_listing::listing(&known, &reduced_sources()?));
            Ok(Exit::Agree)
        }
        None => issues::write_all(&known, limit, args.out.as_deref()),
        Some(id) => issues::write_one(find(&known, id)?, &known, limit, args.out.as_deref()),
    }
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
