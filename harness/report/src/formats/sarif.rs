//! SARIF 2.1.0 (OASIS), which code hosts and editors show at the lines of the source.

use serde_json::{Value, json};

use crate::github::{self, Annotation};
use crate::reporter::{Destination, FinishedRun, Reporter};

/// The file of `run --sarif`.
#[derive(Clone, Copy, Debug)]
pub struct Sarif;

impl Reporter for Sarif {
    fn destination(&self) -> Destination {
        Destination::FileOfOption { name: "sarif", help: "Write SARIF, for code scanning and editors" }
    }

    fn text(&self, run: &FinishedRun<'_>) -> String {
        sarif("run", &github::of_run(run))
    }
}

/// One run of a command, with a result for each problem. Problems without a file are notifications of the tool, because
/// a result needs a place.
pub(crate) fn sarif(command: &str, found: &[Annotation<'_>]) -> String {
    let (placed, others): (Vec<_>, Vec<_>) = found.iter().partition(|annotation| annotation.file.is_some());
    let has_errors = found.iter().any(|annotation| annotation.is_error);
    let notifications: Vec<Value> =
        others.iter().map(|it| json!({ "level": level(it), "message": { "text": it.text } })).collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "layoutproof",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": [{ "id": command, "shortDescription": { "text": rule(command) } }],
            } },
            "invocations": [{ "executionSuccessful": !has_errors, "toolExecutionNotifications": notifications }],
            "results": placed.iter().map(|it| result(command, it)).collect::<Vec<_>>(),
        }],
    });
    log.to_string() + "\n"
}

fn rule(command: &str) -> &'static str {
    match command {
        "check" => "A host struct has the offsets of the block that it fills",
        "accesses" => "A shader accesses the members of its blocks where they are",
        _ => "Compilers and devices have each value where the layout has it",
    }
}

fn level(annotation: &Annotation<'_>) -> &'static str {
    if annotation.is_error { "error" } else { "note" }
}

fn result(command: &str, annotation: &Annotation<'_>) -> Value {
    let title = if annotation.title.is_empty() { String::new() } else { format!("{}: ", annotation.title) };
    let mut place = json!({ "artifactLocation": { "uri": uri(annotation.file.unwrap_or_default()) } });
    if let Some(line) = annotation.line {
        place["region"] = json!({ "startLine": line });
    }
    json!({
        "ruleId": command,
        "level": level(annotation),
        "message": { "text": format!("{title}{}", annotation.text) },
        "locations": [{ "physicalLocation": place }],
    })
}

/// A path as a reference (RFC 3986, 4.2), relative where the path is.
fn uri(path: &str) -> String {
    let one = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    path.replace('\\', "/").bytes().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_with_a_file_are_results() {
        let problem = |file| Annotation {
            is_error: true,
            file,
            line: Some(7),
            title: "S vulkan".to_owned(),
            text: "`b` is at 12".to_owned(),
        };
        let headline = Annotation::headline("layoutproof check", true, "1 differs".to_owned());
        let log: Value = serde_json::from_str(&sarif("check", &[headline, problem(Some("a dir\\b#.hlsl"))])).unwrap();
        let run = &log["runs"][0];
        assert_eq!((&log["version"], &run["invocations"][0]["executionSuccessful"]), (&json!("2.1.0"), &json!(false)));
        assert_eq!(run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"], "1 differs");
        let [result] = run["results"].as_array().unwrap().as_slice() else { panic!("one result in {run}") };
        assert_eq!(result["message"]["text"], "S vulkan: `b` is at 12");
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "a%20dir/b%23.hlsl");
        assert_eq!(place["region"]["startLine"], 7);
        assert_eq!(run["tool"]["driver"]["rules"][0]["id"], result["ruleId"]);
    }
}
