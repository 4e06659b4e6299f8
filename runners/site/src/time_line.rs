//! The builds in which a known bug is and is not, as a time line.

use maud::{Markup, html};

use super::known_differences::Mechanism;
use layoutproof_core::results::known::{DXC_BUILDS, NamedBuild};
use layoutproof_show::style::one_line;

/// Whether a build has a bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BuildState {
    Differs,
    Right,
    /// Not tried, or without such output.
    Unknown,
}

impl BuildState {
    const fn class(self) -> &'static str {
        match self {
            Self::Differs => "differs",
            Self::Right => "right",
            Self::Unknown => "unknown",
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Self::Differs => "has it",
            Self::Right => "is right",
            Self::Unknown => "not known",
        }
    }
}

/// The one build that has all of these bugs, if no other is known of any.
pub(super) fn only_build<'a>(mechanisms: impl Iterator<Item = &'a Mechanism<'a>>) -> Option<String> {
    let mut all: Vec<(NamedBuild, BuildState)> = Vec::new();
    for (build, state) in mechanisms.flat_map(builds) {
        if !all.iter().any(|(known, other)| known.version() == build.version() && *other == state) {
            all.push((build, state));
        }
    }
    match &all[..] {
        [(build, BuildState::Differs)] => Some(one_line(&build.to_string())),
        _ => None,
    }
}

/// The builds above the time lines of a list.
pub(super) fn time_line_head(mechanism: &Mechanism<'_>) -> Markup {
    html! {
        ol.time-line.head aria-hidden="true" { @for (build, _) in builds(mechanism) { li { (one_line(build.version())) } } }
    }
}

pub(super) fn time_line_legend() -> Markup {
    html! {
        ul.legend.time-line-legend {
            @for state in [BuildState::Differs, BuildState::Right, BuildState::Unknown] {
                li { span class=(state.class()) {} (state.words()) }
            }
        }
    }
}

/// The time line of a bug: a mark for each build, with the version below it.
pub(super) fn time_line(mechanism: &Mechanism<'_>) -> Markup {
    let builds = builds(mechanism);
    html! {
        @if !builds.is_empty() {
            ol.time-line {
                @for (build, state) in &builds {
                    li class=(state.class()) title=(format!("{build} {}", state.words())) {
                        (one_line(build.version())) span.hidden { " " (state.words()) }
                    }
                }
            }
        }
    }
}

fn builds(mechanism: &Mechanism<'_>) -> Vec<(NamedBuild, BuildState)> {
    if mechanism.list.compiler.as_deref() == Some("dxc") {
        let states = DXC_BUILDS.iter().enumerate();
        return states.map(|(at, (_, name))| (NamedBuild::of(name), dxc_state(mechanism, at))).collect();
    }
    let mut builds: Vec<(NamedBuild, BuildState)> = Vec::new();
    for seen in mechanism.builds() {
        let both = [Some((seen.newest, BuildState::Differs)), seen.gone.map(|gone| (gone, BuildState::Right))];
        for (named, state) in both.into_iter().flatten() {
            if !builds.iter().any(|(known, _)| *known == named.first) {
                builds.push((named.first.clone(), state));
            }
        }
    }
    builds
}

/// The state in the build with this index. An entry is about the builds whose toolchains it names, up to the newest one
/// with the difference.
fn dxc_state(mechanism: &Mechanism<'_>, build: usize) -> BuildState {
    let place = |named: &NamedBuild| DXC_BUILDS.iter().position(|(_, name)| NamedBuild::of(name) == *named);
    let mut state = BuildState::Unknown;
    for entry in &mechanism.entries {
        let newest = entry.seen.as_ref().and_then(|seen| place(&seen.first));
        let gone = entry.gone.as_ref().and_then(|gone| place(&gone.first));
        let mut own = mechanism.toolchains().filter(|toolchain| toolchain.compiler == DXC_BUILDS[build].0);
        if newest.is_some_and(|newest| build <= newest) && own.any(|toolchain| mechanism.concerns(entry, toolchain)) {
            return BuildState::Differs;
        }
        if gone.is_some_and(|gone| gone <= build) {
            state = BuildState::Right;
        }
    }
    state
}
