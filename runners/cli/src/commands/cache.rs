//! `layoutproof dev cache`: shows or clears the cache of answers from compilers and spirv-val.

use anyhow::Context;
use clap::{Args, Subcommand};
use layoutproof_compilers::cache::{AnswerCache, CacheContent, CacheFolder, KindContent};
use layoutproof_events::SCHEMA;
use layoutproof_events::summary::Exit;
use serde_json::{Value, json};

use crate::args::{Format, FormatArgs};
use crate::output::{print, print_json};

/// `layoutproof dev cache`.
#[derive(Debug, Args)]
pub struct CacheCommandArgs {
    /// What to do.
    #[command(subcommand)]
    pub action: CacheAction,
}

/// What is done with the cache.
#[derive(Debug, Subcommand)]
pub enum CacheAction {
    /// Show where it is and how much it holds.
    Stats(FormatArgs),
    /// Remove all that it holds.
    Clear,
}

/// Prints the size of the cache, or clears it.
pub(crate) fn cache(args: &CacheCommandArgs) -> anyhow::Result<Exit> {
    let cache = AnswerCache::new(CacheFolder::of_user()?);
    match &args.action {
        CacheAction::Stats(FormatArgs { format: Format::Json }) => print_json(&stats_json(&cache)),
        CacheAction::Stats(FormatArgs { format: Format::Text }) => print(&stats_text(&cache)),
        CacheAction::Clear => {
            let removed = cache.clear().with_context(|| format!("clearing {}", cache.path().display()))?;
            print(&format!("removed {} from {}\n", amount(removed.total()), cache.path().display()));
        }
    }
    Ok(Exit::Agree)
}

fn stats_text(cache: &AnswerCache) -> String {
    let content = cache.content();
    let line = |name: &str, amount: String| format!("  {name:<14}{amount}\n");
    let kinds: String = content.kinds.iter().map(|(kind, of_kind)| line(kind, amount(*of_kind))).collect();
    let total = format!("{} of at most {}", amount(content.total()), mebibytes(content.limit));
    format!("{}\n{kinds}{}", cache.path().display(), line("together", total))
}

fn stats_json(cache: &AnswerCache) -> String {
    let CacheContent { kinds, limit } = cache.content();
    let kind = |of_kind: &KindContent| json!({"entries": of_kind.entries, "bytes": of_kind.bytes});
    let kinds: serde_json::Map<String, Value> =
        kinds.iter().map(|(name, of_kind)| ((*name).to_owned(), kind(of_kind))).collect();
    let cache = json!({"path": cache.path().display().to_string(), "limit": limit, "kinds": kinds});
    format!("{}\n", json!({"schema": SCHEMA, "cache": cache}))
}

/// For example `12 entries, 0.1 MiB`.
fn amount(KindContent { entries, bytes }: KindContent) -> String {
    let noun = if entries == 1 { "entry" } else { "entries" };
    format!("{entries} {noun}, {}", mebibytes(bytes))
}

/// Bytes in MiB, with one decimal.
fn mebibytes(bytes: u64) -> String {
    let tenths = bytes.saturating_mul(10) >> 20;
    format!("{}.{} MiB", tenths / 10, tenths % 10)
}
