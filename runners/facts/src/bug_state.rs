//! Whether a known bug is in the compilers of this machine: by the versions in its list, or by
//! compiling its source.

use std::sync::Arc;

use layoutproof_compilers::compiler::Compiler;
use layoutproof_compilers::family::Family;
use layoutproof_core::check::Subject;
use layoutproof_core::results::frozen::decide;
use layoutproof_core::results::frozen::manifest::{dotted_version, version_order};
use layoutproof_core::results::known::KnownFailure;
use layoutproof_executor::launch::Launch;
use layoutproof_executor::pool;
use layoutproof_readers::toolchain::{Compilers, Toolchain, toolchains};
use layoutproof_readers::version::NAGA_VERSION;
use layoutproof_records::decision_rows::differs;
use layoutproof_records::frozen_set::{FrozenSet, release_of};
use layoutproof_site::{Mechanism, capitalized};

use crate::builds::{BuildsAtHand, PastedSource, broken, case_of, rows_of};
use crate::known_lists::NamedSource;

/// Whether a build has a bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BugState {
    Here,
    Fixed,
    NotTried,
}

impl BugState {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Here => "here",
            Self::Fixed => "fixed here",
            Self::NotTried => "not tried",
        }
    }
}

/// A build of this machine with what is known about a bug in it.
#[derive(Clone, Debug)]
pub struct BuildState {
    /// Name and version: `DXC 1.7.2308`.
    pub build: String,
    pub state: BugState,
    /// How this is known.
    pub how: String,
}

/// A known bug with its state on this machine.
#[derive(Debug)]
pub struct Bug<'a> {
    pub difference: &'a Mechanism<'a>,
    pub sources: Vec<&'a NamedSource>,
    pub builds: Vec<BuildState>,
}

impl Bug<'_> {
    /// The state over all builds: a bug is here if one build has it.
    pub fn state(&self) -> BugState {
        self.builds.iter().map(|build| build.state).min().unwrap_or(BugState::NotTried)
    }

    /// What goes wrong: the title of its issue, or the reason in its list.
    pub fn title(&self) -> String {
        let title = self.sources.first().map_or(self.difference.reason, |source| &source.reduced.title);
        capitalized(title)
    }

    /// The targets that it concerns, as people type them. `vulkan` stands for several of its layouts.
    pub fn targets(&self) -> Vec<String> {
        let mut targets: Vec<String> = Vec::new();
        for toolchain in self.difference.toolchains() {
            let target = toolchain.target();
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
        if targets.iter().any(|target| target == "vulkan") {
            targets.retain(|target| !target.starts_with("vulkan/"));
        }
        targets
    }
}

/// The bugs with their states: recorded ones, or with `try_now` what the compilers do now.
pub fn with_states<'a>(
    meant: &[&'a Mechanism<'a>],
    sources: &'a [NamedSource],
    at_hand: &BuildsAtHand,
    try_now: bool,
) -> anyhow::Result<Vec<Bug<'a>>> {
    let builds = known_builds(at_hand)?;
    let mut bugs: Vec<Bug<'a>> = Vec::new();
    for difference in meant {
        let own = sources.iter().filter(|source| source.reduced.is_about(difference.id)).collect();
        bugs.push(Bug { difference, sources: own, builds: recorded_states(difference, &builds) });
    }
    if try_now {
        let mut problem = None;
        let mut tried: Vec<(usize, Vec<BuildState>)> = Vec::new();
        // No task needs a device.
        let launch = Launch::without_workers();
        let work = |index: usize, _: &mut pool::Workers<'_>, done: &mut dyn FnMut(_)| {
            let bug: &Bug<'_> = &bugs[index];
            done((index, tried_states(bug.difference, &bug.sources, (at_hand, &builds))));
        };
        pool::run((0..bugs.len()).collect(), &launch, work, |(index, states)| match states {
            Ok(states) => tried.push((index, states)),
            Err(error) => problem = Some(error),
        });
        if let Some(error) = problem {
            return Err(error);
        }
        for (index, states) in tried {
            bugs[index].builds = states;
        }
    }
    Ok(bugs)
}

/// A compiler of this machine, under the name that lists of known differences use for its version.
struct KnownBuild {
    /// The compiler as it was found; `None` for naga, which is part of the program.
    name: &'static str,
    /// The toolchains that the lists name for this version. One that needs a second compiler is left
    /// out if that one is not here.
    toolchains: Vec<&'static Toolchain>,
    display: String,
    version: String,
    /// True if this version is one that the lists were checked with.
    is_recorded: bool,
}

/// The compilers of this machine that have toolchains.
fn known_builds(builds: &BuildsAtHand) -> anyhow::Result<Vec<KnownBuild>> {
    let mut found = Vec::new();
    let compilers = builds.compilers().compilers();
    let listed = |name: &str| -> Vec<&'static Toolchain> {
        let is_here = |second: &str| compilers.iter().any(|compiler| compiler.name() == second);
        let own = toolchains().iter().filter(|toolchain| toolchain.compiler == name);
        own.filter(|toolchain| toolchain.second_compiler().is_none_or(is_here)).collect()
    };
    for compiler in compilers {
        found.push(known_build(compiler, listed)?);
    }
    let naga = |name| KnownBuild {
        name,
        toolchains: listed(name),
        display: format!("naga {NAGA_VERSION}"),
        version: NAGA_VERSION.to_owned(),
        is_recorded: false,
    };
    found.extend(["naga-d3d12", "naga-glsl"].map(naga));
    Ok(found)
}

fn known_build(compiler: &Compiler, listed: impl Fn(&str) -> Vec<&'static Toolchain>) -> anyhow::Result<KnownBuild> {
    let version = dotted_version(compiler.version());
    let family = Family::of_compiler(compiler.name());
    let recorded = family.map_or(Ok(None), |family| FrozenSet::compiler_of_build(family, &version))?;
    let release = family.and_then(|family| release_of(family, &version));
    let display = format!("{} {}", compiler.name(), release.unwrap_or(&version));
    Ok(KnownBuild {
        name: compiler.name(),
        toolchains: listed(recorded.unwrap_or(compiler.name())),
        display,
        version: release.map_or(version, str::to_owned),
        is_recorded: recorded.is_some(),
    })
}

/// The state by the versions in the list, without running a compiler.
fn recorded_states(difference: &Mechanism<'_>, builds: &[KnownBuild]) -> Vec<BuildState> {
    builds.iter().filter_map(|build| recorded_state(difference, build)).collect()
}

fn recorded_state(difference: &Mechanism<'_>, build: &KnownBuild) -> Option<BuildState> {
    let state = |state, how: String| Some(BuildState { build: build.display.clone(), state, how });
    let own: Vec<&&KnownFailure> =
        difference.entries.iter().filter(|entry| !entry.untried && is_listed(difference, entry, build)).collect();
    let seen = own.iter().filter_map(|entry| entry.seen.as_ref());
    let is_seen = seen.map(|seen| number(seen.first.version())).any(|seen| seen == number(&build.version));
    if !own.is_empty() && own.iter().all(|entry| entry.is_about_devices()) {
        return state(BugState::NotTried, "only a run on its device shows it".to_owned());
    }
    if !own.is_empty() && (build.is_recorded || is_seen) {
        return state(BugState::Here, "recorded".to_owned());
    }

    // A later build of a compiler that the list is about.
    let is_of_list = build.toolchains.iter().any(|toolchain| {
        difference.list.compiler.as_deref() == Some(toolchain.name_in_cases)
            && difference.toolchains().any(|other| other.output == toolchain.output && other.flags == toolchain.flags)
    });
    let gone = difference.entries.iter().all(|entry| entry.gone.is_some());
    let gone = difference.entries.iter().filter(|_| gone).filter_map(|entry| entry.gone.as_ref());
    let newest = gone.filter_map(|gone| Some((number(gone.first.version())?, gone.to_string()))).max();
    match (newest, number(&build.version)) {
        (Some((fixed, name)), Some(own)) if is_of_list && own >= fixed => {
            state(BugState::Fixed, format!("recorded: gone in {name}"))
        }
        _ if own.is_empty() => None,
        _ => state(BugState::NotTried, "this version was not recorded".to_owned()),
    }
}

fn is_listed(difference: &Mechanism<'_>, entry: &KnownFailure, build: &KnownBuild) -> bool {
    build.toolchains.iter().any(|toolchain| difference.concerns(entry, toolchain))
}

/// The parts of a version; `None` if the text has no dotted number.
fn number(text: &str) -> Option<Vec<u64>> {
    let version = dotted_version(text);
    version.contains('.').then(|| version_order(&version))
}

/// The state by what the compilers do now with the bug's reduced source, or with a case of it. What
/// they do not show that way keeps its recorded state.
fn tried_states(
    difference: &Mechanism<'_>,
    sources: &[&NamedSource],
    (at_hand, builds): (&BuildsAtHand, &[KnownBuild]),
) -> anyhow::Result<Vec<BuildState>> {
    let mut states = recorded_states(difference, builds);
    for build in builds {
        let Some(tried) = tried_state(difference, sources, (at_hand, build))? else { continue };
        match states.iter_mut().find(|state| state.build == build.display) {
            Some(state) => *state = tried,
            None if tried.state == BugState::Here => states.push(tried),
            None => {}
        }
    }
    Ok(states)
}

fn tried_state(
    difference: &Mechanism<'_>,
    sources: &[&NamedSource],
    (at_hand, build): (&BuildsAtHand, &KnownBuild),
) -> anyhow::Result<Option<BuildState>> {
    let state = |state, how: String| Some(BuildState { build: build.display.clone(), state, how });
    for source in sources {
        let mut own =
            toolchains().iter().filter(|toolchain| source.reduced.toolchains.iter().any(|name| name == toolchain.name));
        let Some(toolchain) = own.find(|toolchain| toolchain.compiler == build.name) else { continue };
        if at_hand.compiler(toolchain).is_none() {
            continue;
        }
        let answer = at_hand.finding(&PastedSource::of(&source.reduced)?, toolchain)?;
        let finding = format!("just tried: {}", answer.finding);
        return Ok(match answer.shows {
            Some(true) => state(BugState::Here, finding),
            Some(false) => state(BugState::Fixed, finding),
            // It fails for another reason, which says nothing about the bug.
            None => None,
        });
    }

    for entry in &difference.entries {
        if let Some(case) = case_that_shows(difference, entry, (at_hand, build)) {
            return Ok(state(BugState::Here, format!("just tried: shows in case {case}")));
        }
    }
    Ok(None)
}

/// The case of an entry, if the compiler's decisions about it show the bug.
fn case_that_shows(
    difference: &Mechanism<'_>,
    entry: &KnownFailure,
    (at_hand, build): (&BuildsAtHand, &KnownBuild),
) -> Option<String> {
    if entry.is_about_devices() {
        return None;
    }
    let id = entry.case_id().or_else(|| entry.shape.as_ref().and_then(|shape| shape.pinned_by.as_deref()));
    let source = id.and_then(|id| case_of(id).ok())?;
    for listed in build.toolchains.iter().filter(|toolchain| difference.concerns(entry, toolchain)) {
        // The same target of the compiler that is here.
        let mut own = toolchains().iter().filter(|own| own.compiler == build.name);
        let own = own.find(|own| (own.output, own.flags) == (listed.output, listed.flags));
        let Some(toolchain) = own.filter(|toolchain| at_hand.compilers().has(toolchain)) else { continue };

        let answers = decide(&source, toolchain, at_hand.compilers());
        let shows = if entry.is_about_breaks() {
            broken(&answers).is_some()
        } else {
            let rules = source.module.blocks.iter().flat_map(|block| toolchain.rules_for(block));
            let mut rules = rules.filter(|rules| entry.is_about_rules(rules.name));
            rules.any(|rules| rows_of(&answers, &Subject::new(Arc::clone(&source), rules)).iter().any(differs))
        };
        if shows {
            return Some(source.id.clone());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bug that is fixed everywhere it was is not here, and one of an installed build is.
    #[test]
    fn every_state_has_a_word_and_the_worst_one_counts() {
        let states = [BugState::NotTried, BugState::Fixed, BugState::Here];
        assert_eq!(states.iter().min(), Some(&BugState::Here));
        assert_eq!(states.map(BugState::as_str), ["not tried", "fixed here", "here"]);
    }
}
