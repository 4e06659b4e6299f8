//! The blocks of a shader that conditions of its preprocessor hide, with the macros that show them.

use std::collections::BTreeSet;

use layoutproof_events::{AccountEntry, AccountState, FoundKind, NotCompared};
use layoutproof_show::style::counted;
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::SourceMap;
use layoutproof_source::text_limits::glsl_tokens;

use crate::shader_blocks::{ShaderBlocks, ShaderJob, read_without_compilers};

/// Most sets of macros to try for a shader. Each reads it again.
const MOST_SETS: usize = 4;

/// Words with which declarations of blocks begin.
const BLOCK_WORDS: [&str; 8] = [
    "cbuffer",
    "tbuffer",
    "uniform",
    "buffer",
    "ConstantBuffer",
    "ParameterBlock",
    "StructuredBuffer",
    "RWStructuredBuffer",
];

/// Adds the blocks that a shader has with macros that neither it nor the user defines, as not asked for.
///
/// # Errors
/// The file can no longer be read.
pub fn note_hidden_blocks(job: &ShaderJob, read: &mut ShaderBlocks, sources: &SourceMap) -> anyhow::Result<()> {
    let mut known: BTreeSet<String> = read.blocks.iter().map(|block| block.layout.name.clone()).collect();
    let file = job.path.display().to_string();
    for set in hiding_sets(job, sources) {
        let mut with_macros = job.clone();
        with_macros.declare.define.extend(set.iter().map(|name| format!("{name}=1")));
        let Ok(found) = read_without_compilers(&with_macros, &mut SourceMap::default())? else { continue };
        let names: BTreeSet<String> = found.blocks.iter().map(|block| block.layout.name.clone()).collect();
        let hidden: Vec<String> = names.difference(&known).cloned().collect();
        if hidden.is_empty() {
            continue;
        }
        let option = set.iter().map(|name| format!("-D {name}=1")).collect::<Vec<_>>().join(" ");
        let count = counted(hidden.len() as u64, "more block");
        read.notes.push(format!("{file} has {count} with {option}: `{}`", hidden.join("`, `")));
        for name in &hidden {
            let state = AccountState::not_compared(NotCompared::NotAsked { option: option.clone() });
            let (kind, name, file) = (FoundKind::Block, name.clone(), file.clone());
            read.others.push(AccountEntry { kind, name, file, line: None, target: None, state });
        }
        known.extend(hidden);
    }
    Ok(())
}

/// The sets of macros that conditions around declarations of blocks need.
fn hiding_sets(job: &ShaderJob, sources: &SourceMap) -> Vec<BTreeSet<String>> {
    if ShaderLanguage::of(job.declare.lang, &job.path).is_none_or(|language| language == ShaderLanguage::Wgsl) {
        return Vec::new();
    }
    let texts: Vec<Vec<&str>> = sources.files().iter().map(|file| glsl_tokens(&file.text).collect()).collect();
    let mut defined: BTreeSet<&str> =
        job.declare.define.iter().filter_map(|word| word.split(['=', '(']).next()).collect();
    let directives = || texts.iter().flatten().filter_map(|token| token.strip_prefix('#'));
    defined.extend(directives().filter_map(|directive| words_of(directive, "define")?.next()));

    let mut sets: Vec<BTreeSet<String>> = Vec::new();
    for tokens in &texts {
        let mut open: Vec<BTreeSet<String>> = Vec::new();
        for token in tokens {
            let Some(directive) = token.strip_prefix('#') else {
                let set: BTreeSet<String> = open.iter().flatten().cloned().collect();
                let is_hidden = BLOCK_WORDS.contains(token) && !set.is_empty() && !sets.contains(&set);
                if is_hidden {
                    sets.push(set);
                }
                continue;
            };
            let condition = ["ifdef", "if", "elif"].iter().find_map(|word| words_of(directive, word));
            let is_else = words_of(directive, "else").is_some() || words_of(directive, "elif").is_some();
            let is_end = words_of(directive, "endif").is_some();
            if is_else || is_end {
                open.pop();
            }
            if let Some(condition) = condition {
                let is_name = |word: &&str| word.starts_with(|first: char| first.is_alphabetic() || first == '_');
                let names = condition.filter(|word| is_name(word) && *word != "defined" && !defined.contains(word));
                open.push(names.map(str::to_owned).collect());
            } else if !is_end && (is_else || words_of(directive, "ifndef").is_some()) {
                // Without the macro: nothing to define.
                open.push(BTreeSet::new());
            }
        }
    }
    sets.sort_by_key(BTreeSet::len);
    sets.truncate(MOST_SETS);
    sets
}

/// The words of a directive with this name.
fn words_of<'t>(directive: &'t str, name: &str) -> Option<impl Iterator<Item = &'t str>> {
    let mut words = glsl_tokens(directive);
    (words.next()? == name).then_some(words)
}
