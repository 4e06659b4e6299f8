//! Parses records files for comparisons.

use std::collections::BTreeMap;

use serde_json::Value;

/// The outcome of one check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CheckEnd {
    /// Id of its case.
    pub(crate) case: String,
    /// `agree`, `differ`, `broken` ...
    pub(crate) outcome: String,
}

/// Parses a complete records file: one header, each check once, one end whose totals match the
/// checks.
///
/// # Errors
/// The problem with the file.
pub(crate) fn read(text: &str) -> Result<BTreeMap<String, CheckEnd>, String> {
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).map_err(|error| error.to_string()));
    let lines: Vec<Value> = lines.collect::<Result<_, _>>()?;
    let count = |kind: &str| lines.iter().filter(|line| line["type"] == kind).count();
    if (count("run"), count("end")) != (1, 1) {
        return Err(format!("{} headers and {} ends in the records", count("run"), count("end")));
    }

    let mut checks = BTreeMap::new();
    for line in lines.iter().filter(|line| line["type"] == "check") {
        let word = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
        let name = ["case", "rules", "producer", "device", "runner"].map(word).join("::");
        let end = CheckEnd { case: word("case"), outcome: word("outcome") };
        if checks.insert(name.clone(), end).is_some() {
            return Err(format!("two records of {name}"));
        }
    }

    let end = lines.iter().find(|line| line["type"] == "end").ok_or("no end")?;
    for outcome in ["agree", "differ", "known", "stale", "skipped", "broken"] {
        let found = checks.values().filter(|check| check.outcome == outcome).count();
        if end[outcome].as_u64() != u64::try_from(found).ok() {
            return Err(format!("the end counts {} {outcome}, the records are {found}", end[outcome]));
        }
    }
    Ok(checks)
}

/// The file without what differs between runs: wall times, the use of the cache, and the faults that a repeat hides. A
/// line that is not a record is not changed.
pub(crate) fn redacted(text: &str) -> String {
    let redacted = text.lines().map(|line| match serde_json::from_str::<Value>(line) {
        Ok(Value::Object(mut record)) => {
            record.retain(|key, _| !["ms", "cached", "cache", "faults"].contains(&key.as_str()));
            Value::Object(record).to_string()
        }
        Ok(_) | Err(_) => line.to_owned(),
    });
    redacted.collect::<Vec<_>>().join("\n")
}
