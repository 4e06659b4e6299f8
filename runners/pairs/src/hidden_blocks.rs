//! The blocks of a shader that conditions of its preprocessor hide, with the macros that show them.

use std::collections::BTreeSet;

use layoutproof_events::{AccountEntry, AccountState, FoundKind, NotCompared};
use layoutproof_inputs::refused_input::{advice_on, reading_errors};
use layoutproof_inputs::shared_suffixes::language_of_file;
use layoutproof_show::style::counted;
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::SourceMap;
use layoutproof_source::text_limits::glsl_tokens;

use crate::shader_blocks::{ShaderJob, TargetBlock, read_without_compilers};

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

/// What conditions of a shader's preprocessor hide.
#[derive(Debug, Default)]
pub struct HiddenBlocks {
    /// Sentences with the macros that show blocks, and the names of these.
    pub notes: Vec<HiddenNote>,
    /// The blocks, as not asked for.
    pub others: Vec<AccountEntry>,
}

/// A sentence about the blocks behind one set of conditions.
#[derive(Clone, Debug)]
pub struct HiddenNote {
    pub names: Vec<String>,
    pub text: String,
}

impl HiddenNote {
    /// True if other shaders have all of its blocks: a build compiles such a file once for each of its stages.
    pub fn is_shown_elsewhere(&self, blocks: &BTreeSet<&str>) -> bool {
        self.names.iter().all(|name| blocks.contains(name.as_str()))
    }
}

/// The declarations of blocks behind the same conditions.
#[derive(Clone, Debug, Default)]
struct HidingSet {
    /// The macros that the conditions need.
    macros: BTreeSet<String>,
    /// The names after the words that begin blocks, as far as a name is there.
    names: BTreeSet<String>,
}

/// The blocks that a shader has with macros that neither it nor the user defines. `read` are those that it has without them.
///
/// # Errors
/// The file can no longer be read.
pub fn hidden_blocks(job: &ShaderJob, read: &[TargetBlock], sources: &SourceMap) -> anyhow::Result<HiddenBlocks> {
    let mut known: BTreeSet<String> = read.iter().map(|block| block.layout.name.clone()).collect();
    let file = job.path.display().to_string();
    let mut hidden_blocks = HiddenBlocks::default();
    // The macros that the file lacked when it could not be read. It lacks the same with the other sets.
    let mut lacking: Option<BTreeSet<String>> = None;
    for set in hiding_sets(job, sources) {
        let shown = match &lacking {
            None => read_with(job, &set)?,
            Some(missing) => Shown {
                names: set.names.clone(),
                missing: missing.clone(),
                problem: Some("; the file cannot be read with that either".to_owned()),
            },
        };
        if shown.problem.is_some() {
            lacking = Some(shown.missing.clone());
        }
        let hidden: Vec<String> = shown.names.difference(&known).cloned().collect();
        if hidden.is_empty() {
            continue;
        }
        let asked = set.macros.iter().map(|name| format!("-D {name}=1"));
        let missing = shown.missing.iter().map(|name| format!("-D {name}=VALUE"));
        let option = asked.chain(missing).collect::<Vec<_>>().join(" ");
        let count = counted(hidden.len() as u64, "more block");
        let why = shown.problem.unwrap_or_default();
        let text = format!("{file} has {count} with {option}: `{}`{why}", hidden.join("`, `"));
        hidden_blocks.notes.push(HiddenNote { names: hidden.clone(), text });
        for name in &hidden {
            let state = AccountState::not_compared(NotCompared::NotAsked { option: option.clone() });
            let (kind, name, file) = (FoundKind::Block, name.clone(), file.clone());
            hidden_blocks.others.push(AccountEntry { kind, name, file, line: None, target: None, state });
        }
        known.extend(hidden);
    }
    Ok(hidden_blocks)
}

/// What a shader has with the macros of a set.
struct Shown {
    names: BTreeSet<String>,
    /// The macros that it needs besides. Their values are not known.
    missing: BTreeSet<String>,
    /// The end of a sentence that says why it cannot be read with all of them; the names are then those of its text.
    problem: Option<String>,
}

/// Reads a shader with the macros of a set, and once more with those that it then lacks.
fn read_with(job: &ShaderJob, set: &HidingSet) -> anyhow::Result<Shown> {
    let read = |missing: &BTreeSet<String>| {
        let mut with_macros = job.clone();
        with_macros.declare.define.extend(set.macros.union(missing).map(|name| format!("{name}=1")));
        read_without_compilers(&with_macros, &mut SourceMap::default())
    };
    let mut missing: BTreeSet<String> = BTreeSet::new();
    let mut found = read(&missing)?;
    if let Err(problems) = &found {
        missing = advice_on(problems).macros;
        if !missing.is_empty() {
            found = read(&missing)?;
        }
    }
    let problem = match found {
        Ok(read) => {
            let names = read.blocks.iter().map(|block| block.layout.name.clone()).collect();
            return Ok(Shown { names, missing, problem: None });
        }
        Err(problems) => reading_errors(&problems).next().map(|first| first.message.clone()),
    };
    // Without an error, the conditions hide something else.
    let names = if problem.is_some() { set.names.clone() } else { BTreeSet::new() };
    Ok(Shown {
        names,
        missing,
        problem: problem.map(|problem| format!("; the file cannot be read with that: {problem}")),
    })
}

/// The sets of macros that conditions around declarations of blocks need.
fn hiding_sets(job: &ShaderJob, sources: &SourceMap) -> Vec<HidingSet> {
    if language_of_file(job.declare.lang, &job.path).is_none_or(|language| language == ShaderLanguage::Wgsl) {
        return Vec::new();
    }
    let texts: Vec<Vec<&str>> = sources.files().iter().map(|file| glsl_tokens(&file.text).collect()).collect();
    let mut defined: BTreeSet<&str> =
        job.declare.define.iter().filter_map(|word| word.split(['=', '(']).next()).collect();
    let mut block_words: BTreeSet<&str> = BLOCK_WORDS.into();
    let directives = || texts.iter().flatten().filter_map(|token| token.strip_prefix('#'));
    for mut definition in directives().filter_map(|directive| words_of(directive, "define")) {
        let Some(name) = definition.next() else { continue };
        defined.insert(name);
        // `#define BUFFER_OR_UNIFORM buffer`, for one text with both.
        block_words.extend(definition.any(|word| BLOCK_WORDS.contains(&word)).then_some(name));
    }

    let mut sets: Vec<HidingSet> = Vec::new();
    for tokens in &texts {
        let mut open: Vec<Condition> = Vec::new();
        for (index, token) in tokens.iter().enumerate() {
            let Some(directive) = token.strip_prefix('#') else {
                let macros: BTreeSet<String> = open.iter().flat_map(|condition| condition.needed.clone()).collect();
                if block_words.contains(token) && !macros.is_empty() {
                    let position = sets.iter().position(|set| set.macros == macros).unwrap_or(sets.len());
                    if position == sets.len() {
                        sets.push(HidingSet { macros, names: BTreeSet::new() });
                    }
                    sets[position].names.extend(name_of_block(&tokens[index + 1..]));
                }
                continue;
            };
            let condition = ["ifdef", "ifndef", "if", "elif"].iter().find_map(|word| words_of(directive, word));
            let is_elif = words_of(directive, "elif").is_some();
            if is_elif || words_of(directive, "endif").is_some() {
                open.pop();
            }
            if let Some(words) = condition {
                let is_negated = words_of(directive, "ifndef").is_some();
                open.push(Condition::of(words, is_negated, &defined));
            } else if words_of(directive, "else").is_some()
                && let Some(condition) = open.last_mut()
            {
                condition.needed = std::mem::take(&mut condition.needed_for_else);
            }
        }
    }
    sets.sort_by_key(|set| set.macros.len());
    sets.truncate(MOST_SETS);
    sets
}

/// The macros that a condition needs.
struct Condition {
    needed: BTreeSet<String>,
    /// Those that the text after `#else` needs.
    needed_for_else: BTreeSet<String>,
}

impl Condition {
    /// The condition with these words, as in `#if defined(A) && !defined(B)`.
    fn of<'t>(words: impl Iterator<Item = &'t str>, is_negated: bool, defined: &BTreeSet<&str>) -> Self {
        let (mut needed, mut needed_for_else) = (BTreeSet::new(), BTreeSet::new());
        let mut is_next_negated = is_negated;
        for word in words {
            let is_name = word.starts_with(|first: char| first.is_alphabetic() || first == '_');
            if is_name && word != "defined" {
                let side = if is_next_negated { &mut needed_for_else } else { &mut needed };
                if !defined.contains(word) {
                    side.insert(word.to_owned());
                }
                is_next_negated = is_negated;
            } else {
                is_next_negated |= word == "!";
            }
        }
        // Without one of several macros, the text after `#else` may be another one's.
        if needed_for_else.len() > 1 || !needed.is_empty() {
            needed_for_else.clear();
        }
        Self { needed, needed_for_else }
    }
}

/// The name of a block whose members follow it, as in `buffer Lights {` and `cbuffer Frame : register(b0) {`.
fn name_of_block(after: &[&str]) -> Option<String> {
    let [name, next, ..] = after else { return None };
    let is_name = name.starts_with(|first: char| first.is_alphabetic() || first == '_');
    (is_name && ["{", ":"].contains(next)).then(|| (*name).to_owned())
}

/// The words of a directive with this name.
fn words_of<'t>(directive: &'t str, name: &str) -> Option<impl Iterator<Item = &'t str>> {
    let mut words = glsl_tokens(directive);
    (words.next()? == name).then_some(words)
}
