//! Annotations for GitHub Actions, at the host struct's line if it is known, else at the shader's.

use super::findings::{also_of_pairs, also_of_unmatched, differing_findings, unmatched_findings};
use super::headline::{headline, is_failing};
use super::text::mismatch_places;
use super::{CheckedPair, HostCheck, target_title};
use crate::github::{message, property};
use layoutproof_hostcheck::Mismatch;
use layoutproof_show::style::{Style, one_line};

/// GitHub shows ten annotations of one kind per step and drops the rest.
const MAX_ANNOTATIONS: usize = 10;

/// The headline, then `::error` lines: at most ten of a kind.
pub fn annotations(check: &HostCheck) -> String {
    let level = if is_failing(check) { "error" } else { "notice" };
    let mut lines = vec![format!("::{level} title=layoutproof check::{}\n", message(&headline(check)))];
    let mut strays = Vec::new();
    for finding in differing_findings(check) {
        let pair = &check.pairs[finding.first()];
        let also = also_of_pairs(check, &finding);
        lines.extend(pair.comparison.mismatches.iter().map(|mismatch| line(pair, mismatch, also.as_deref())));
        // If there are mismatches, wrong reads on a device follow from them.
        if pair.comparison.agrees() {
            let text = format!("{}: a device reads another member of {}", pair.shader_name(), pair.host);
            let text = with_also(&one_line(&text), also.as_deref());
            strays.push(format!("::error file={}::{}\n", property(&pair.shader), message(&text)));
        }
    }
    lines.append(&mut strays);

    for finding in unmatched_findings(check) {
        let unmatched = &check.unmatched[finding.first()];
        if !check.is_strict && !unmatched.reason.is_error() {
            continue;
        }
        let place = unmatched.place.as_ref();
        let file = place.map_or(unmatched.shader.as_str(), |place| place.file.as_str());
        let line = place.and_then(|place| place.line).map(|line| format!(",line={line}")).unwrap_or_default();
        let text = one_line(&format!("{}: {}", unmatched.block, unmatched.reason));
        let text = with_also(&text, also_of_unmatched(check, &finding).as_deref());
        lines.push(format!("::error file={}{line}::{}\n", property(file), message(&text)));
    }
    for unread in &check.unread {
        lines.push(format!("::error file={}::{}\n", property(&unread.file), message(&one_line(&unread.reason))));
    }
    lines.extend(check.all_complaints().map(|complaint| format!("::error::{}\n", message(&one_line(complaint)))));
    lines.truncate(MAX_ANNOTATIONS);
    lines.concat()
}

fn line(pair: &CheckedPair, mismatch: &Mismatch, also: Option<&str>) -> String {
    let place = mismatch.host_at.as_ref().or(mismatch.shader_at.as_ref());
    let file = place.map_or(pair.shader.as_str(), |place| place.file.as_str());
    let mut properties = vec![format!("file={}", property(file))];
    properties.extend(place.and_then(|place| place.line).map(|line| format!("line={line}")));
    properties.push(format!(
        "title={}",
        property(&format!("{} {} {}", pair.shader_name(), target_title(&pair.target), pair.host))
    ));
    let places = mismatch_places(pair, mismatch, Style::PLAIN);
    let text = format!(
        "{}\nfix: {}\nat: {}",
        one_line(&mismatch.with_followers()),
        one_line(&mismatch.hint),
        one_line(&places)
    );
    format!("::error {}::{}\n", properties.join(","), message(&with_also(&text, also)))
}

fn with_also(text: &str, also: Option<&str>) -> String {
    also.map_or_else(|| text.to_owned(), |also| format!("{text}\nalso {}", one_line(also)))
}
