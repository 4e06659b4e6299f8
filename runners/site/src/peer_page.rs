//! The page about peers: other layout and reflection libraries that were run through the test vectors.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};
use serde::Deserialize;

use super::address::{link, slug};
use super::case_page::case_link;
use super::kept_runs::count;
use super::rule_table_page::RULE_TABLE_PAGE;
use super::site_page::{SiteDraft, SiteFrame, SiteSection};
use super::surprise_page::one_member_per_line;
use layoutproof_report::failure::block::sentence;
use layoutproof_report::html::components::{plain_code, shader_code};
use layoutproof_show::style::{counted, one_line};
use layoutproof_source::shader_language::ShaderLanguage;

/// `ci/peers/results.json`, which `ci/peers/run --save` writes.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct PeerResults {
    /// Version of the format: 1.
    pub schema: u32,
    pub peers: Vec<Peer>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Peer {
    #[serde(rename = "peer")]
    pub name: String,
    pub version: String,
    /// For example `layout library`.
    pub kind: String,
    /// The rule sets that it implements.
    pub rules: Vec<String>,
    /// Number of blocks of which every number is right.
    pub passed: u64,
    pub wrong: Vec<WrongKind>,
    /// Features that its language lacks, with the number of blocks that need each.
    pub not_expressible: BTreeMap<String, u64>,
}

/// Blocks that a library gets wrong in the same way, and the smallest of them.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct WrongKind {
    pub count: u64,
    /// The features that the blocks share.
    pub with: String,
    /// The first wrong number of the smallest block, and the right one.
    pub problem: String,
    /// The case of the smallest block.
    pub id: String,
    pub rules: String,
    /// Its declaration in HLSL.
    pub source: String,
}

impl Peer {
    fn wrong(&self) -> u64 {
        self.wrong.iter().map(|kind| kind.count).sum()
    }

    fn anchor(&self) -> String {
        format!("peer-{}", slug(&self.name))
    }
}

/// The page. The search finds each library.
pub(super) fn peer_page(peers: &[Peer], cases: &BTreeSet<&str>) -> SiteDraft {
    let path = SiteSection::Peers.first_page();
    let all_right = peers.iter().all(|peer| peer.wrong.is_empty());
    let content = html! {
        section id="results" {
            h2 { "Results" }
            (result_table(peers))
        }
        section id="wrong" {
            h2 { "Wrong, each kind with its smallest declaration" }
            @if all_right { p { "Nothing." } }
            div.cards { @for peer in peers { @for kind in &peer.wrong { (wrong_card(path, peer, kind, cases)) } } }
        }
        section id="not-expressible" {
            h2 { "Not expressible" }
            p { "Declarations that a library's language lacks. They are neither right nor wrong." }
            @for peer in peers.iter().filter(|peer| !peer.not_expressible.is_empty()) { (reasons(peer)) }
        }
        section id="run" {
            h2 { "Run them yourself, or add yours" }
            p {
                "An adapter has 20 to 80 lines. The vectors are JSON, with packages for Rust, npm and Python; the rules behind "
                "them are " a href=(link(path, RULE_TABLE_PAGE)) { "one table" } "."
            }
            (plain_code("shell", "ci/peers/run                  # in the repository\nlayoutproof dev vectors DIR   # the vectors alone"))
        }
    };
    let intro = html! {
        p.lead {
            (peers.len()) " layout and reflection libraries, run through our test vectors. A block passes if every number that the "
            "library gives is the one of a compiler or a specification."
        }
    };
    let draft = SiteFrame { path, section: SiteSection::Peers, title: "Peers", intro, content }
        .found_by("layout libraries, reflection libraries, test vectors, passed, wrong, not expressible");
    peers
        .iter()
        .fold(draft, |draft, peer| draft.with_place(&peer.anchor(), &one_line(&peer.name), &one_line(&peer.kind)))
}

fn result_table(peers: &[Peer]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Results by library" {
            table.peers {
                thead {
                    tr {
                        @for head in ["library and rule sets", "passed", "wrong", "not expressible"] { th scope="col" { (head) } }
                    }
                }
                tbody {
                    @for peer in peers {
                        tr id=(peer.anchor()) {
                            th scope="row" {
                                b { (one_line(&peer.name)) } " " (one_line(&peer.version))
                                span.note { (one_line(&peer.kind)) " · " (one_line(&peer.rules.join(", "))) }
                            }
                            td { (count("agree", "", peer.passed)) }
                            td { (count("differ", "", peer.wrong())) }
                            td { (count("skipped", "", peer.not_expressible.values().sum())) }
                        }
                    }
                }
            }
        }
    }
}

fn wrong_card(path: &str, peer: &Peer, kind: &WrongKind, cases: &BTreeSet<&str>) -> Markup {
    html! {
        article.card {
            h3 { span.badge.differ { (counted(kind.count, "block")) } (one_line(&peer.name)) " · " code { (one_line(&kind.rules)) } }
            p { (sentence(&one_line(&kind.problem))) }
            (shader_code("HLSL", &one_member_per_line(kind.source.trim_matches('\n')), ShaderLanguage::Hlsl))
            p.note {
                "Case " @if cases.contains(kind.id.as_str()) { (case_link(path, &kind.id)) } @else { (one_line(&kind.id)) }
                ", with: " (one_line(&kind.with))
            }
        }
    }
}

fn reasons(peer: &Peer) -> Markup {
    html! {
        details {
            summary { (one_line(&peer.name)) " " span.count { (counted(peer.not_expressible.values().sum(), "block")) } }
            ul.columns { @for (reason, blocks) in &peer.not_expressible { li { (one_line(reason)) " " span.dim { (blocks) } } } }
        }
    }
}
