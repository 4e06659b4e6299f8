//! The pages of compilers and drivers: the known bugs of each, and which options choose which rule
//! set.

use layoutproof_layout::find;
use layoutproof_layout::native::{Native, find_native};
use layoutproof_readers::toolchain::{AppliedRules, Toolchain, toolchains};
use layoutproof_report::failure::block::sentence;
use layoutproof_show::style::{counted, grouped, one_line};
use maud::{Markup, html};

use super::address::{compiler_page, link, rule_link};
use super::case_page::CaseFacts;
use super::known_differences::{KnownList, Mechanism, report_link};
use super::markdown::paragraph;
use super::site_page::{SiteDraft, SiteFrame, SiteNavigation, SiteSection};
use super::time_line::{only_build, time_line, time_line_head, time_line_legend};

/// A known bug with the case that shows it best.
#[derive(Clone, Copy)]
pub(super) struct ListedBug<'a> {
    pub mechanism: &'a Mechanism<'a>,
    pub case: Option<&'a CaseFacts>,
}

impl ListedBug<'_> {
    /// True if no build is known to be right.
    fn is_open(&self) -> bool {
        let builds = self.mechanism.builds();
        builds.is_empty() || builds.iter().any(|seen| seen.gone.is_none())
    }
}

fn toolchains_of(list: &KnownList) -> Vec<&'static Toolchain> {
    let is_of_list = |toolchain: &&Toolchain| list.compiler.as_deref() == Some(toolchain.name_in_cases);
    toolchains().iter().filter(is_of_list).collect()
}

/// The list of compilers, and a page for each list of known bugs.
pub(super) fn compiler_pages(
    lists: &[KnownList],
    bugs: &[ListedBug<'_>],
    navigation: SiteNavigation,
) -> Vec<SiteDraft> {
    let own = |list: &KnownList| -> Vec<ListedBug<'_>> {
        bugs.iter().filter(|bug| bug.mechanism.list.name == list.name).copied().collect()
    };
    let mut pages = vec![index(lists, bugs.len(), own)];
    pages.extend(lists.iter().map(|list| one_list(list, &own(list), navigation)));
    pages
}

fn index<'a>(lists: &[KnownList], bugs: usize, own: impl Fn(&KnownList) -> Vec<ListedBug<'a>>) -> SiteDraft {
    let path = SiteSection::Compilers.first_page();
    let mut lists: Vec<(&KnownList, Vec<ListedBug<'_>>)> = lists.iter().map(|list| (list, own(list))).collect();
    lists.sort_by_key(|(_, bugs)| std::cmp::Reverse(bugs.len()));

    let content = html! {
        div.cards {
            @for (list, bugs) in &lists {
                @let open = bugs.iter().filter(|bug| bug.is_open()).count();
                @let reported = bugs.iter().filter(|bug| bug.mechanism.upstream_link().is_some()).count();
                a.card href=(link(path, &compiler_page(&list.name))) {
                    b { (list.title) }
                    p {
                        (counted(open as u64, "known bug"))
                        @if open < bugs.len() { ", " (grouped((bugs.len() - open) as u64)) " more gone in newer builds" }
                        @if reported > 0 { " · " (grouped(reported as u64)) " reported" }
                    }
                }
            }
        }
        section id="options" {
            h2 { "Which options choose which rule sets" }
            (option_table(path, &toolchains().iter().collect::<Vec<_>>()))
        }
    };

    let intro = html! {
        p.lead {
            (counted(bugs as u64, "known bug")) " of compilers and drivers. Each has a minimal declaration, the builds that have "
            "it, and its source."
        }
    };
    SiteFrame { path, section: SiteSection::Compilers, title: "Compilers and drivers", intro, content }.into_draft()
}

fn one_list(list: &KnownList, bugs: &[ListedBug<'_>], navigation: SiteNavigation) -> SiteDraft {
    let path = compiler_page(&list.name);
    let toolchains = toolchains_of(list);
    let (open, gone): (Vec<&ListedBug<'_>>, Vec<&ListedBug<'_>>) = bugs.iter().partition(|bug| bug.is_open());
    let only_build = only_build(bugs.iter().map(|bug| bug.mechanism));
    let has_time_lines = only_build.is_none();
    let listed = |bugs: &[&ListedBug<'_>]| {
        html! {
            @if let Some(first) = bugs.first().filter(|bug| bug.mechanism.list.compiler.as_deref() == Some("dxc")) {
                div.bugs-head { (time_line_head(first.mechanism)) }
            }
            ol.bugs { @for bug in bugs { (bug_row(&path, bug, has_time_lines, navigation)) } }
        }
    };

    let content = html! {
        section id="bugs" {
            h2 { "Known bugs" }
            @if open.is_empty() { p { "None in the newest build that was tried." } }
            @if let Some(build) = &only_build { p { "All of them were seen in " (build) "; no later build was tried." } }
            @if has_time_lines { (time_line_legend()) }
            (listed(&open))
        }
        @if !gone.is_empty() {
            section id="gone" {
                h2 { "Gone in newer builds" }
                (listed(&gone))
            }
        }
        @if !toolchains.is_empty() {
            section id="options" {
                h2 { "Which options choose which rule sets" }
                (option_table(&path, &toolchains))
            }
        }
    };
    let intro = html! {
        details.fold { summary { "How these were found" } div.prose { (paragraph(&list.introduction)) } }
    };
    SiteFrame { path: &path, section: SiteSection::Compilers, title: &list.title, intro, content }
        .found_by("known bugs options layout rules")
}

fn bug_row(path: &str, bug: &ListedBug<'_>, has_time_lines: bool, navigation: SiteNavigation) -> Markup {
    let mechanism = bug.mechanism;
    html! {
        li {
            div {
                a.title href=(link(path, &mechanism.path)) { (mechanism.title) }
                p.note {
                    code { (mechanism.id) } " "
                    @for column in mechanism.columns() { span.badge { (column) } " " }
                    @if let Some(address) = mechanism.upstream_link() { (report_link(address)) }
                }
                @if let Some(workaround) = mechanism.workaround() {
                    p.note { "Workaround: " (sentence(&one_line(workaround))) }
                }
            }
            @if has_time_lines { (time_line(mechanism)) } @else { span {} }
            div.open { @if let Some(explored) = bug.case.and_then(|case| case.explored.as_ref()) { (explored.link(path, navigation)) } }
        }
    }
}

/// A kind of block: its key in the test vectors, its words, and the rule set that a compiler uses for it.
type Kind = (&'static str, &'static str, fn(&Native) -> Option<&'static str>);

pub(super) const KINDS: [Kind; 11] = [
    ("constants", "constant buffers", |native| native.constants),
    ("parameter_blocks", "parameter blocks", |native| native.parameter_blocks),
    ("texture_buffers", "texture buffers", |native| native.texture_buffers),
    ("structured", "structured buffers", |native| native.structured),
    ("byte_address", "byte-address buffers", |native| native.byte_address),
    ("push_constants", "push constants", |native| native.push_constants),
    ("shader_records", "shader records", |native| native.shader_records),
    ("entry_uniforms", "uniform entry parameters", |native| native.entry_uniforms),
    ("pointees", "pointees", |native| native.pointees),
    ("uniform_blocks", "uniform blocks", |native| native.uniform_blocks),
    ("storage_blocks", "storage blocks", |native| native.storage_blocks),
];

/// The kinds of blocks for which a compiler uses the rule set with this name.
pub(super) fn kinds_of(native: &Native, rules: &str) -> Vec<&'static str> {
    KINDS.iter().filter(|(.., of)| of(native) == Some(rules)).map(|(_, words, _)| *words).collect()
}

pub(super) fn option_table(path: &str, toolchains: &[&Toolchain]) -> Markup {
    html! {
        div.scroll tabindex="0" {
            table.words {
                thead { tr { th scope="col" { "target and compiler" } th scope="col" { "options" } th scope="col" { "rule sets" } } }
                tbody {
                    @for toolchain in toolchains {
                        tr {
                            th scope="row" { (title(toolchain)) }
                            td { (options(toolchain)) }
                            td { (rule_sets(path, toolchain)) }
                        }
                    }
                }
            }
        }
    }
}

/// The column in which people look for it.
fn title(toolchain: &Toolchain) -> String {
    toolchain.column().map_or_else(|| toolchain.name.to_owned(), |column| column.to_string())
}

fn options(toolchain: &Toolchain) -> Markup {
    let native = match toolchain.follows {
        AppliedRules::Native(name) => find_native(name),
        AppliedRules::RawLoadsByRows(_)
        | AppliedRules::Named(..)
        | AppliedRules::Decorations
        | AppliedRules::Packing => None,
    };
    html! {
        @match native {
            Some(native) => { code { (native.summary) } },
            None => { code { (toolchain.compiler) @for flag in toolchain.flags { " " (flag) } } },
        }
    }
}

/// Each rule set with the kinds of blocks that use it.
fn rule_sets(path: &str, toolchain: &Toolchain) -> Markup {
    match toolchain.follows {
        AppliedRules::Native(name) => {
            find_native(name).map(|native| native_rule_sets(path, native)).unwrap_or_default()
        }
        AppliedRules::RawLoadsByRows(name) => html! {
            @if let Some(rules) = find_native(name).and_then(|native| native.byte_address) { (rule_link(path, rules)) }
            ": matrices by rows in byte-address buffers"
        },
        AppliedRules::Named(names, _) => html! {
            @for (index, name) in names.iter().enumerate() { @if index > 0 { ", " } (rule_link(path, name)) }
            ", as the source declares"
        },
        AppliedRules::Decorations => html! { "those of the module that it translates" },
        AppliedRules::Packing => html! { "the rule set of the check" },
    }
}

fn native_rule_sets(path: &str, native: &Native) -> Markup {
    let mut names: Vec<&str> = Vec::new();
    for name in KINDS.iter().filter_map(|(.., of)| of(native)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    html! {
        @for name in names.into_iter().filter(|name| find(name).is_some()) {
            div { (rule_link(path, name)) ": " (kinds_of(native, name).join(", ")) }
        }
    }
}
