//! The page of `check --html`: each block next to its host struct, as tables and as byte maps of
//! both sides.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::byte_map::{ByteMap, leave_out_repetitions};
use super::byte_pieces::BytePieces;
use super::page_frame::PageFrame;
use crate::host_check::{
    CheckedPair, HostCheck, PairOutcome, PairProof, UnmatchedBlock, mismatch_places, place_text, stray_text,
    target_title, whole_diff,
};

use layoutproof_hostcheck::{Mismatch, SideMember};
use layoutproof_show::style::{Style, counted, one_line};
use layoutproof_source::shader_language::ShaderLanguage;

/// Most leaves to list per device that read another member.
const TOLD_STRAYS: usize = 40;

/// Pairs in the order of the page.
const BY_URGENCY: [PairOutcome; 3] = [PairOutcome::Differ, PairOutcome::Known, PairOutcome::Agree];

/// The page. `command` repeats the check.
pub fn check_page(check: &HostCheck, command: &str) -> String {
    let pairs = |outcome: PairOutcome| check.pairs.iter().filter(move |pair| pair.outcome() == outcome);
    let content = html! {
        @for outcome in BY_URGENCY.into_iter().filter(|outcome| pairs(*outcome).next().is_some()) {
            section {
                h2 { (heading(outcome)) }
                @for pair in pairs(outcome) { (pair_card(pair)) }
            }
        }
        (without_host(check))
        @if !check.complaints.is_empty() {
            section {
                h2 { "Known differences that are gone" }
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
    PageFrame { title: "Host structs and shader blocks", intro: intro(check, command), content }.into_text()
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
        p { code { (one_line(command)) } button.copy.js-only type="button" { "copy" } }
        p.legend {
            "A row is 16 bytes. Each member has a colour, padding is hatched, and a thick edge with ≠ marks bytes that differ on the other "
            "side. Point at a member for its numbers."
        }
    }
}

fn pair_card(pair: &CheckedPair) -> Markup {
    let outcome = pair.outcome();
    html! {
        article.card.lights {
            h3 {
                span class=(format!("badge {}", outcome.as_str())) { (outcome.as_str()) } " "
                code { (one_line(&pair.shader_name())) } " · " (one_line(&target_title(&pair.target))) " · " code { (one_line(&pair.host)) }
            }
            p.dim { (one_line(&pair.shader)) " and " (one_line(&pair.host_file)) }
            @if outcome == PairOutcome::Agree {
                details.inner { summary { "Members and byte maps" } (numbers(pair)) (both_sides(pair)) }
            } @else {
                (numbers(pair))
                (both_sides(pair))
            }
            @for reason in &pair.known { p { "Known: " (one_line(reason)) } }
            @for mismatch in &pair.comparison.mismatches { (mismatch_part(pair, mismatch)) }
            @for remark in &pair.comparison.remarks { p.note { "note: " (one_line(&remark.to_string())) } }
            @for proof in &pair.proofs { (proof_part(proof)) }
        }
    }
}

/// The table as on the terminal, with differing lines highlighted.
fn numbers(pair: &CheckedPair) -> Markup {
    let text = whole_diff(pair);
    html! {
        pre tabindex="0" role="region" aria-label="Members of both sides" {
            code {
                @for line in text.lines() {
                    @if line.starts_with("- ") || line.starts_with("+ ") { b.bad { (line) } } @else { (line) }
                    "\n"
                }
            }
        }
    }
}

fn both_sides(pair: &CheckedPair) -> Markup {
    let (comparison, name) = (&pair.comparison, pair.shader_name());
    let shader =
        Side { owner: &name, role: "shader", size: comparison.shader_size, members: &comparison.shader_members };
    let host =
        Side { owner: &pair.host, role: "host", size: Some(comparison.host_size), members: &comparison.host_members };
    let sides = [shader, host];
    let mut maps: Vec<ByteMap<'_>> = sides.iter().map(Side::map).collect();
    leave_out_repetitions(&mut maps);
    html! { div.maps { @for (side, map) in sides.iter().zip(&maps) { (side.figure(map)) } } }
}

/// One side of a pair.
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
    fn map(&self) -> ByteMap<'a> {
        ByteMap {
            label: format!("Byte map of {} in the {}", one_line(self.owner), self.role),
            pieces: BytePieces::of_side(self.size, self.members),
            layers: Vec::new(),
            registers: false,
            language: ShaderLanguage::Hlsl,
            left_out: BTreeSet::new(),
        }
    }

    fn figure(&self, map: &ByteMap<'_>) -> Markup {
        let size = self.size.map_or_else(|| "no end".to_owned(), |size| format!("{size} bytes"));
        html! {
            figure {
                figcaption { (self.role) ": " code { (one_line(self.owner)) } " · " (size) }
                (map.inline())
            }
        }
    }
}

fn mismatch_part(pair: &CheckedPair, mismatch: &Mismatch) -> Markup {
    let places = mismatch_places(pair, mismatch, Style::PLAIN);
    html! {
        p.verdict.bad {
            (one_line(&mismatch.to_string()))
            @if mismatch.followers > 0 { "; also moved: " (counted(mismatch.followers.into(), "member")) }
        }
        dl {
            @if !mismatch.hint.is_empty() { dt { "fix" } dd { (one_line(&mismatch.hint)) } }
            dt { "at" } dd { (one_line(&places)) }
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
                    @for stray in arrivals.strays.iter().take(TOLD_STRAYS) { li.bad { (stray_text(stray)) } }
                    @if arrivals.strays.len() > TOLD_STRAYS { li { "and " (arrivals.strays.len() - TOLD_STRAYS) " more" } }
                }
            }
        }
    }
}

fn without_host(check: &HostCheck) -> Markup {
    let place = |unmatched: &UnmatchedBlock| {
        one_line(&unmatched.place.as_ref().map_or_else(|| unmatched.shader.clone(), place_text))
    };
    html! {
        @if !check.unmatched.is_empty() {
            section {
                h2 { "Blocks without a host struct" }
                ul {
                    @for unmatched in &check.unmatched {
                        li class=[(check.is_strict || unmatched.reason.is_error()).then_some("bad")] {
                            code { (one_line(&unmatched.block)) } " · " (one_line(&target_title(&unmatched.target))) " (" (place(unmatched)) "): "
                            (one_line(&unmatched.reason.to_string()))
                        }
                    }
                }
            }
        }
    }
}
