//! The page of `check --html`: each block next to its host struct, as a two-sided table and as byte maps
//! of both sides.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::byte_map::{ByteMap, leave_out_repetitions};
use super::byte_pieces::BytePieces;
use super::components::{self, Sign, legend_of, plain_code, tabs, with_code};
use super::page_frame::PageFrame;
use super::pair_diff::pair_diff;
use crate::host_check::{
    CheckedPair, Finding, HostCheck, HostProposal, PairOutcome, PairProof, also_of_pairs, also_of_unmatched, headline,
    layout_advice, map_entries, pair_findings, stray_text, target_title, unmatched_findings, unread_findings,
};

use layoutproof_hostcheck::SideMember;
use layoutproof_show::style::{counted, one_line};
use layoutproof_source::shader_language::ShaderLanguage;

/// Most leaves to list per device that read another member.
const TOLD_STRAYS: usize = 40;

/// Pairs in the order of the page.
const BY_URGENCY: [PairOutcome; 3] = [PairOutcome::Differ, PairOutcome::Known, PairOutcome::Agree];

/// The page. `command` repeats the check.
pub fn check_page(check: &HostCheck, command: &str) -> String {
    let findings = pair_findings(check);
    let of_outcome = |outcome: PairOutcome| {
        let has_outcome = move |finding: &&Finding| check.pairs[finding.first()].outcome() == outcome;
        findings.iter().filter(has_outcome).collect::<Vec<_>>()
    };
    let content = html! {
        @for outcome in BY_URGENCY {
            @let findings = of_outcome(outcome);
            @if !findings.is_empty() {
                section {
                    h2 { (heading(outcome)) }
                    @for finding in findings { (card(check, finding)) }
                }
            }
        }
        (without_host(check))
        @for advice in layout_advice(check) { p { (with_code(&advice)) } }
        @if !check.unread.is_empty() {
            section {
                h2 { "Not read" }
                ul {
                    @for finding in unread_findings(check) {
                        li.bad {
                            (one_line(&finding.sentence()))
                            @if let Some(also) = finding.also() { "; also " (one_line(&also)) }
                        }
                    }
                }
            }
        }
        @if !check.complaints.is_empty() {
            section {
                h2 { "Entries that no longer hold" }
                ul { @for complaint in &check.complaints { li.bad { (one_line(complaint)) } } }
            }
        }
        @if !check.lock_changes.is_empty() {
            section {
                h2 { "Changes since layoutproof.lock" }
                ul { @for change in &check.lock_changes { li.bad { (one_line(change)) } } }
            }
        }
    };
    PageFrame { title: &headline(check), intro: intro(check, command), content }.into_text()
}

fn heading(outcome: PairOutcome) -> &'static str {
    match outcome {
        PairOutcome::Differ => "They differ",
        PairOutcome::Known => "Known differences",
        PairOutcome::Agree => "They agree",
    }
}

fn intro(check: &HostCheck, command: &str) -> Markup {
    let count = |outcome| check.pairs.iter().filter(|pair| pair.outcome() == outcome).count() as u64;
    html! {
        ul.totals {
            li { span.badge { (counted(check.pairs.len() as u64, "pair")) } }
            @for outcome in BY_URGENCY.into_iter().filter(|outcome| count(*outcome) > 0) {
                li { span class=(format!("badge {}", outcome.as_str())) { (count(outcome)) " " (outcome.as_str()) } }
            }
            @if !check.unmatched.is_empty() {
                li { span.badge.skipped { (counted(check.unmatched.len() as u64, "block")) " without a host struct" } }
            }
        }
        dl.facts { dt { "command" } dd { (components::command(&one_line(command))) } }
    }
}

/// A result of one or several pairs, shown at the first. What agrees is a line that unfolds.
fn card(check: &HostCheck, finding: &Finding) -> Markup {
    let pair = &check.pairs[finding.first()];
    let outcome = pair.outcome();
    let files = format!("{} and {}", one_line(&pair.shader), one_line(&pair.host_file));
    let also = also_of_pairs(check, finding);
    if outcome == PairOutcome::Agree {
        return html! {
            details.lights {
                summary { (names(pair)) " " span.count { (files) ", " (counted(pair.comparison.members.into(), "member")) } }
                @if let Some(also) = also { p.dim { "also " (one_line(&also)) } }
                (parts(pair))
                (remarks(pair))
            }
        };
    }
    html! {
        article.card.lights {
            h3 { span class=(format!("badge {}", outcome.as_str())) { (outcome.as_str()) } " " span { (names(pair)) } }
            p.dim { (files) @if let Some(also) = also { br; "also " (one_line(&also)) } }
            @for reason in &pair.known { p { "Known: " (with_code(&one_line(reason))) } }
            (parts(pair))
            (remarks(pair))
        }
    }
}

/// The block, its host struct if that has another name, and the target.
fn names(pair: &CheckedPair) -> Markup {
    let block = pair.shader_name();
    html! {
        code { (one_line(&block)) }
        @if pair.host != block { " and " code { (one_line(&pair.host)) } }
        " · " (one_line(&target_title(&pair.target, &pair.shader)))
    }
}

fn remarks(pair: &CheckedPair) -> Markup {
    html! {
        @for alternative in &pair.alternatives { (proposal(alternative)) }
        @for remark in &pair.comparison.remarks { p.note { "Note: " (with_code(&one_line(&remark.to_string()))) } }
    }
}

/// A host struct that may be meant.
fn proposal(proposal: &HostProposal) -> Markup {
    html! {
        div.dim {
            "maybe " code { (one_line(&proposal.host)) } ": " (proposal.evidence())
            @if let Some(difference) = &proposal.difference { "; it would differ: " (with_code(&one_line(difference))) }
        }
    }
}

fn parts(pair: &CheckedPair) -> Markup {
    let mut parts = vec![("Members", pair_diff(pair)), ("Bytes", both_sides(pair))];
    if !pair.proofs.is_empty() {
        parts.push(("Devices", html! { @for proof in &pair.proofs { (proof_part(proof)) } }));
    }
    tabs("Parts of this comparison", &parts)
}

fn both_sides(pair: &CheckedPair) -> Markup {
    let (comparison, name) = (&pair.comparison, pair.shader_name());
    let shader =
        Side { owner: &name, role: "shader", size: comparison.shader_size, members: &comparison.shader_members };
    let host =
        Side { owner: &pair.host, role: "host", size: Some(comparison.host_size), members: &comparison.host_members };
    let sides = [shader, host];
    // A member of both sides has one colour.
    let mut names = Vec::new();
    let mut maps: Vec<ByteMap<'_>> = sides.iter().map(|side| side.map(&mut names)).collect();
    leave_out_repetitions(&mut maps);
    html! {
        div.maps { @for (side, map) in sides.iter().zip(&maps) { (side.figure(map)) } }
        (legend_of(&[
            (Sign::Member, "a member; a row is 16 bytes"),
            (Sign::Padding, "padding"),
            (Sign::Moved, "first member that moved"),
            (Sign::Follows, "members after it"),
        ]))
    }
}

struct Side<'a> {
    /// Name of the block or struct.
    owner: &'a str,
    /// `shader` or `host`.
    role: &'static str,
    /// In bytes; `None` if unbounded.
    size: Option<u32>,
    members: &'a [SideMember],
}

impl<'a> Side<'a> {
    fn map(&self, names: &mut Vec<&'a str>) -> ByteMap<'a> {
        ByteMap {
            label: format!("Byte map of {} in the {}", one_line(self.owner), self.role),
            pieces: BytePieces::of_side(self.size, self.members, names),
            layers: Vec::new(),
            registers: false,
            language: ShaderLanguage::Hlsl,
            left_out: BTreeSet::new(),
        }
    }

    fn figure(&self, map: &ByteMap<'_>) -> Markup {
        let size = self.size.map_or_else(|| "runtime-sized".to_owned(), |size| format!("{size} bytes"));
        html! {
            figure {
                figcaption { (self.role) ": " code { (one_line(self.owner)) } " · " (size) }
                (map.inline())
            }
        }
    }
}

/// The result of reading the block on a device.
fn proof_part(proof: &PairProof) -> Markup {
    let PairProof { device, runner, producer, result } = proof;
    html! {
        p {
            (one_line(&format!("{device} via {}, shader of {producer}: ", runner.title())))
            @match result {
                Err(reason) => { "not run: " (one_line(&reason.to_string())) },
                Ok(arrivals) => {
                    (counted(arrivals.arrived.into(), "scalar")) " arrived"
                    @if !arrivals.strays.is_empty() { span.bad { ", " (arrivals.strays.len()) " did not" } }
                    @if arrivals.unread > 0 { ", " (arrivals.unread) " not read" }
                },
            }
        }
        @if let Ok(arrivals) = result {
            @if !arrivals.strays.is_empty() {
                ul {
                    @for stray in arrivals.strays.iter().take(TOLD_STRAYS) { li.bad { (with_code(&stray_text(stray))) } }
                    @if arrivals.strays.len() > TOLD_STRAYS { li { "and " (arrivals.strays.len() - TOLD_STRAYS) " more" } }
                }
            }
        }
    }
}

/// The blocks that were not compared, with the host structs that may be meant.
fn without_host(check: &HostCheck) -> Markup {
    let entries: String = map_entries(check).iter().map(ToString::to_string).collect();
    html! {
        @if !check.unmatched.is_empty() {
            section {
                h2 { "Blocks without a host struct" }
                ul {
                    @for finding in unmatched_findings(check) {
                        @let unmatched = &check.unmatched[finding.first()];
                        @let place = unmatched.place.as_ref().map_or_else(|| unmatched.shader.clone(), ToString::to_string);
                        li {
                            code { (one_line(&unmatched.block)) } " · " (one_line(&target_title(&unmatched.target, &unmatched.shader))) " · " (one_line(&place))
                            ": " span class=[(check.is_strict || unmatched.reason.is_error()).then_some("bad")] { (with_code(&one_line(&unmatched.reason.to_string()))) }
                            @if let Some(also) = also_of_unmatched(check, &finding) { span.dim { ", also " (one_line(&also)) } }
                            @for found in &unmatched.proposals { (proposal(found)) }
                        }
                    }
                }
                @if !entries.is_empty() { (plain_code("for layoutproof.toml, if these are meant", entries.trim())) }
            }
        }
    }
}
