//! The builds in which a known bug is and is not, as a time line.

use maud::{Markup, html};

use super::known_differences::Mechanism;
use layoutproof_show::style::one_line;

/// A build of DXC with which the lists were checked.
struct ListedBuild {
    /// The compiler of its toolchains.
    compiler: &'static str,
    /// Its name in the lists.
    name: &'static str,
}

/// The oldest first. Source: the head of `ci/known/dxc.toml`.
const DXC_BUILDS: [ListedBuild; 4] = [
    ListedBuild { compiler: "dxc-old", name: "DXC of February 2022" },
    ListedBuild { compiler: "dxc", name: "DXC 1.7.2308" },
    ListedBuild { compiler: "dxc-1.9", name: "DXC 1.9.2602.17" },
    ListedBuild { compiler: "dxc-dev", name: "DXC 1.9.0.5517" },
];

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
    let mut all: Vec<(String, BuildState)> = Vec::new();
    for (name, state) in mechanisms.flat_map(builds) {
        if !all.iter().any(|(known, other)| version(known) == version(&name) && *other == state) {
            all.push((name, state));
        }
    }
    match &all[..] {
        [(name, BuildState::Differs)] => Some(one_line(name)),
        _ => None,
    }
}

/// The builds above the time lines of a list.
pub(super) fn time_line_head(mechanism: &Mechanism<'_>) -> Markup {
    html! {
        ol.time-line.head aria-hidden="true" { @for (name, _) in builds(mechanism) { li { (version(&name)) } } }
    }
}

/// What the colours of the time lines mean.
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
                @for (name, state) in &builds {
                    li class=(state.class()) title=(format!("{name} {}", state.words())) {
                        (version(name)) span.hidden { " " (state.words()) }
                    }
                }
            }
        }
    }
}

/// `1.7.2308` of `DXC 1.7.2308`, `2022` of `DXC of February 2022`.
fn version(name: &str) -> String {
    match name.rsplit_once(' ') {
        Some((_, "2022")) => "2022".to_owned(),
        Some((_, version)) => one_line(version),
        None => one_line(name),
    }
}

fn builds(mechanism: &Mechanism<'_>) -> Vec<(String, BuildState)> {
    if mechanism.list.compiler.as_deref() == Some("dxc") {
        return DXC_BUILDS.iter().enumerate().map(|(at, it)| (it.name.to_owned(), dxc_state(mechanism, at))).collect();
    }
    let mut builds: Vec<(String, BuildState)> = Vec::new();
    for seen in mechanism.builds() {
        let both = [Some((seen.newest, BuildState::Differs)), seen.gone.map(|gone| (gone, BuildState::Right))];
        for (names, state) in both.into_iter().flatten() {
            // A second compiler follows the one that the list is about.
            let name = names.split_once(", ").map_or(names, |(first, _)| first);
            if !builds.iter().any(|(known, _)| known == name) {
                builds.push((name.to_owned(), state));
            }
        }
    }
    builds
}

/// The state in the build with this index. An entry is about the builds whose toolchains it names, up to the newest one
/// with the difference.
fn dxc_state(mechanism: &Mechanism<'_>, build: usize) -> BuildState {
    let place = |name: &str| DXC_BUILDS.iter().position(|build| build.name == name);
    let mut state = BuildState::Unknown;
    for entry in &mechanism.entries {
        let newest = entry.seen.as_deref().and_then(place);
        let gone = entry.gone.as_deref().and_then(place);
        let mut own = mechanism.toolchains().filter(|toolchain| toolchain.compiler == DXC_BUILDS[build].compiler);
        if newest.is_some_and(|newest| build <= newest) && own.any(|toolchain| mechanism.concerns(entry, toolchain)) {
            return BuildState::Differs;
        }
        if gone.is_some_and(|gone| gone <= build) {
            state = BuildState::Right;
        }
    }
    state
}
