//! The pages of compilers and drivers: the known differences of each, and which options choose
//! which rule set.

use maud::{Markup, html};

use super::address::{compiler_page, link};
use super::known_differences::{KnownList, Mechanism};
use super::markdown::paragraph;
use super::option_table::option_table;
use super::site_page::{SiteDraft, SiteFrame, SiteSection};
use layoutproof_readers::toolchain::{Toolchain, toolchains};
use layoutproof_report::failure::block::sentence;
use layoutproof_report::html::known_part::link_to;
use layoutproof_show::style::{counted, one_line};

fn toolchains_of(list: &KnownList) -> Vec<&'static Toolchain> {
    let is_of_list = |toolchain: &&Toolchain| list.compiler.as_deref() == Some(toolchain.name_in_cases);
    toolchains().iter().filter(is_of_list).collect()
}

/// The list of compilers, and a page for each list of known differences.
pub(super) fn compiler_pages(lists: &[KnownList], mechanisms: &[Mechanism<'_>]) -> Vec<SiteDraft> {
    let mut pages = vec![index(lists, mechanisms)];
    pages.extend(lists.iter().map(|list| {
        let own: Vec<&Mechanism<'_>> = mechanisms.iter().filter(|it| it.list.name == list.name).collect();
        one_list(list, &own)
    }));
    pages
}

fn index(lists: &[KnownList], mechanisms: &[Mechanism<'_>]) -> SiteDraft {
    let path = SiteSection::Compilers.first_page();
    let of_list = |list: &KnownList| mechanisms.iter().filter(|it| it.list.name == list.name).count() as u64;
    let linked = |list: &KnownList| {
        mechanisms.iter().filter(|it| it.list.name == list.name && it.upstream_link().is_some()).count()
    };

    let content = html! {
        section id="lists" {
            h2 { "Known differences" }
            div.scroll tabindex="0" {
                table.words {
                    thead { tr { th scope="col" { "compiler or driver" } th scope="col" { "known differences" } th scope="col" { "with a report" } } }
                    tbody {
                        @for list in lists {
                            tr {
                                th scope="row" { a href=(link(path, &compiler_page(&list.name))) { (list.title) } }
                                td { (of_list(list)) }
                                td { (linked(list)) }
                            }
                        }
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
        p.legend {
            (counted(mechanisms.len() as u64, "known difference")) ", one for each mechanism. Each has a minimal declaration, "
            "the builds that were seen to differ, and how we know."
        }
    };
    SiteFrame { path, section: SiteSection::Compilers, title: "Compilers and drivers", intro, content }.into_draft()
}

fn one_list(list: &KnownList, mechanisms: &[&Mechanism<'_>]) -> SiteDraft {
    let path = compiler_page(&list.name);
    let toolchains = toolchains_of(list);

    let content = html! {
        section id="differences" {
            h2 { "Known differences" }
            div.scroll tabindex="0" {
                table.words {
                    thead {
                        tr { th scope="col" { "what differs" } th scope="col" { "differs in" } th scope="col" { "gone in" } th scope="col" { "reported" } }
                    }
                    tbody { @for mechanism in mechanisms { (mechanism_row(&path, mechanism)) } }
                }
            }
        }
        @if !toolchains.is_empty() {
            section id="options" {
                h2 { "Which options choose which rule sets" }
                (option_table(&path, &toolchains))
            }
        }
    };
    let intro = html! { div.prose { (paragraph(&list.introduction)) } };
    SiteFrame { path: &path, section: SiteSection::Compilers, title: &list.title, intro, content }.into_draft()
}

fn mechanism_row(path: &str, mechanism: &Mechanism<'_>) -> Markup {
    let builds = mechanism.builds();
    let newest: Vec<&str> = builds.iter().map(|seen| seen.newest).collect();
    let gone: Vec<&str> = builds.iter().filter_map(|seen| seen.gone).collect();

    let joined = |names: &[&str]| if names.is_empty() { "–".to_owned() } else { one_line(&names.join("; ")) };
    html! {
        tr {
            th scope="row" { a href=(link(path, &mechanism.path)) { (sentence(&one_line(mechanism.reason))) } }
            td { (joined(&newest)) }
            td { (joined(&gone)) }
            td { @match mechanism.upstream_link() { Some(address) => { (link_to(address)) }, None => { "–" } } }
        }
    }
}
