//! The outcome of each check in the records of a run.

use serde_json::Value;

/// Case, outcome and reason (empty if the check has none).
pub(crate) type Ended = (String, String, String);

/// The outcome of each check in the records.
pub(crate) fn outcomes(records: &str) -> Vec<Ended> {
    let lines = records.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let word = |line: &Value, key: &str| line[key].as_str().unwrap_or("").to_owned();
    let checks = lines.filter(|line| line["type"] == "check");
    checks.map(|line| (word(&line, "case"), word(&line, "outcome"), word(&line, "skip_reason"))).collect()
}
