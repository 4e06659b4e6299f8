//! Turns the words of the command line into the subjects of a run, or collects every problem in
//! them.

use layoutproof_readers::toolchain::Toolchain;

use crate::args::RunArgs;
use crate::select::inputs::{Cases, InputWord, check_filter, hashes};
use crate::select::refused_input::RefusedInput;
use crate::select::rule_set::rule_choices;
use crate::select::run_part::RunPart;
use crate::select::selection::Selection;
use crate::select::user_choice::UserChoice;

/// Reads and lays out everything that the words name.
///
/// # Errors
/// [`RefusedInput`] with every problem, or an error if something cannot be read.
pub(crate) fn select(args: &RunArgs, toolchains: &[&'static Toolchain]) -> anyhow::Result<Selection> {
    select_part(args, RunPart::of(&args.part)?, toolchains)
}

/// Like [`select`], for one part of the run; cases of other parts are not read.
///
/// # Errors
/// See [`select`].
pub(crate) fn select_part(
    args: &RunArgs,
    part: RunPart,
    toolchains: &[&'static Toolchain],
) -> anyhow::Result<Selection> {
    let RunArgs { inputs, rules, declare, placement, .. } = args;
    let words: Vec<InputWord> = inputs.iter().map(|word| InputWord::of(word, declare.lang)).collect();
    let only_modules = !words.is_empty() && words.iter().all(InputWord::fixes_offsets);
    let names = if only_modules { &[] } else { rules.as_slice() };
    let choice = UserChoice { rules: rule_choices(names)?, placement, toolchains };

    let mut selection = Selection::default();
    let mut cases = Cases::load(&declare.cases)?;
    let mut ids = Vec::new();
    let mut problems = Vec::new();

    for word in words {
        match word {
            InputWord::Shader(file) => {
                file.check_rules(rules)?;
                selection.read_file(&file, &choice, declare, &mut problems)?;
            }
            InputWord::CaseFile(path) => ids.push(cases.add_file(&path)?),
            InputWord::Filter(filter) => {
                check_filter(&filter)?;
                ids.extend(cases.matching(&[filter]));
            }
        }
    }

    if inputs.is_empty() {
        ids = cases.matching(&[]);
    }
    ids.sort();
    ids.dedup();
    part.check(ids.iter().map(String::as_str).chain(selection.ids()))?;

    // Computed before filtering, so that it is the same for every shard.
    selection.texts = hashes(selection.sources.files()) + &cases.hashes(&ids);
    ids.retain(|id| part.takes_case(id));
    selection.subjects.retain(|subject| part.takes_case(&subject.source.id));
    selection.placed.retain(|placed| part.takes_case(&placed.source.id));
    selection.part = part;

    for case in cases.read(&ids, &mut selection.sources, &mut problems) {
        selection.add_case(&case, &choice, &mut problems);
    }

    if problems.is_empty() {
        Ok(selection)
    } else {
        problems.sort_by_key(|problem| (problem.span().file, problem.span().start));
        Err(RefusedInput { diagnostics: problems, sources: selection.sources }.into())
    }
}
