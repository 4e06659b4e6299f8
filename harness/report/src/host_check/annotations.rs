//! The problems of a check at the host struct's line if it is known, else at the shader's: annotations for GitHub Actions,
//! and SARIF.

use super::findings::{also_of_pairs, also_of_unmatched, differing_findings, unmatched_findings, unread_findings};
use super::headline::{could_not_read, headline, is_failing};
use super::other_layouts::layout_advice;
use super::text::mismatch_places;
use super::{CheckedPair, HostCheck, target_title};
use crate::formats::sarif::sarif;
use crate::github::{Annotation, of_open, shown};
use crate::source_root::SourceRoot;
use layoutproof_hostcheck::Mismatch;
use layoutproof_show::style::{Style, one_line};

/// The headline, then an annotation for each problem: at most ten.
pub fn annotations(check: &HostCheck, root: &SourceRoot) -> String {
    shown(&problems(check), Some(root))
}

/// SARIF with a result for each problem.
pub fn sarif_log(check: &HostCheck, root: &SourceRoot) -> String {
    sarif("check", &problems(check), !could_not_read(check), Some(root))
}

fn problems(check: &HostCheck) -> Vec<Annotation<'_>> {
    let mut found = vec![Annotation::headline("layoutproof check", is_failing(check), headline(check))];
    let advice = layout_advice(check).into_iter();
    found.extend(advice.map(|advice| Annotation { is_error: false, ..Annotation::without_place("advice", advice) }));
    let mut strays = Vec::new();
    for finding in differing_findings(check) {
        let pair = &check.pairs[finding.first()];
        let also = also_of_pairs(check, &finding);
        found.extend(pair.mismatches().into_iter().map(|mismatch| of_mismatch(pair, mismatch, also.as_deref())));
        // If there are mismatches, wrong reads on a device follow from them.
        if pair.comparison.agrees() {
            let text = format!("{}: a device reads another member of {}", pair.shader_name(), pair.host);
            let text = with_also(&one_line(&text), also.as_deref());
            strays.push(at((&pair.shader, None), "other-member-read", text));
        }
    }
    found.append(&mut strays);

    for finding in unmatched_findings(check) {
        let unmatched = &check.unmatched[finding.first()];
        if !check.is_strict && !unmatched.reason.is_error() {
            continue;
        }
        let place = unmatched.place.as_ref();
        let place = place.map_or((unmatched.shader.as_str(), None), |place| (place.file.as_str(), place.line));
        let text = one_line(&format!("{}: {}", unmatched.block, unmatched.reason));
        let text = with_also(&text, also_of_unmatched(check, &finding).as_deref());
        found.push(at(place, "no-host-struct", text));
    }
    found.extend(unread_findings(check).into_iter().map(|unread| {
        let text = with_also(&one_line(&unread.sentence()), unread.also().as_deref());
        at(unread.files[0].place(), "unread-input", text)
    }));
    if check.is_strict {
        found.extend(check.account.unseen_entries().map(of_open));
    }
    let complaints = check.all_complaints().map(|complaint| one_line(complaint));
    found.extend(complaints.map(|complaint| Annotation::without_place("no-longer-holds", complaint)));
    found
}

fn at<'a>((file, line): (&'a str, Option<u32>), rule: &'static str, text: String) -> Annotation<'a> {
    Annotation { file: Some(file), line, ..Annotation::without_place(rule, text) }
}

fn of_mismatch<'a>(pair: &'a CheckedPair, mismatch: &'a Mismatch, also: Option<&str>) -> Annotation<'a> {
    let place = mismatch.host_at.as_ref().or(mismatch.shader_at.as_ref());
    let place = place.map_or((pair.shader.as_str(), None), |place| (place.file.as_str(), place.line));
    let places = mismatch_places(pair, mismatch, Style::PLAIN);
    let fix = if mismatch.hint().is_empty() { String::new() } else { format!("\nfix: {}", one_line(&mismatch.hint())) };
    let text = format!("{}{fix}\nat: {}", one_line(&mismatch.with_followers()), one_line(&places));
    Annotation {
        title: format!("{} {} {}", pair.shader_name(), target_title(&pair.target, &pair.shader), pair.host),
        ..at(place, mismatch.kind.name(), with_also(&text, also))
    }
}

fn with_also(text: &str, also: Option<&str>) -> String {
    also.map_or_else(|| text.to_owned(), |also| format!("{text}\nalso {}", one_line(also)))
}
