//! Annotations for GitHub Actions, at the host struct's line if it is known, else at the shader's.

use super::{CheckedPair, HostCheck, PairOutcome};
use crate::github::{message, property};
use layoutproof_hostcheck::Mismatch;
use layoutproof_show::style::one_line;

/// GitHub shows ten annotations of one kind per step and drops the rest.
const MAX_ANNOTATIONS: usize = 10;

/// At most ten `::error` lines.
pub fn annotations(check: &HostCheck) -> String {
    let differing = || check.pairs.iter().filter(|pair| pair.outcome() == PairOutcome::Differ);
    let mismatches =
        differing().flat_map(|pair| pair.comparison.mismatches.iter().map(move |mismatch| line(pair, mismatch)));
    // If there are mismatches, wrong reads on a device follow from them.
    let strays = differing().filter(|pair| pair.comparison.agrees()).map(|pair| {
        let text = format!("{}: a device reads another member of {}", pair.shader_name(), pair.host);
        format!("::error file={}::{}\n", property(&pair.shader), message(&one_line(&text)))
    });
    let unmatched = check.unmatched.iter().filter(|unmatched| check.is_strict || unmatched.reason.is_error());
    let unmatched = unmatched.map(|unmatched| {
        let place = unmatched.place.as_ref();
        let file = place.map_or(unmatched.shader.as_str(), |place| place.file.as_str());
        let line = place.and_then(|place| place.line).map(|line| format!(",line={line}")).unwrap_or_default();
        let text = format!("{}: {}", unmatched.block, unmatched.reason);
        format!("::error file={}{line}::{}\n", property(file), message(&one_line(&text)))
    });
    mismatches.chain(strays).chain(unmatched).take(MAX_ANNOTATIONS).collect()
}

fn line(pair: &CheckedPair, mismatch: &Mismatch) -> String {
    let mut properties = Vec::new();
    if let Some(place) = mismatch.host_at.as_ref().or(mismatch.shader_at.as_ref()) {
        properties.push(format!("file={}", property(&place.file)));
        properties.extend(place.line.map(|line| format!("line={line}")));
    }
    properties.push(format!("title={}", property(&format!("{} {} {}", pair.shader_name(), pair.target, pair.host))));
    let text = format!("{}\nhint: {}", one_line(&mismatch.to_string()), one_line(&mismatch.hint));
    format!("::error {}::{}\n", properties.join(","), message(&text))
}
