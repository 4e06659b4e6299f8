//! SARIF 2.1.0 (OASIS), which code hosts and editors show at the lines of the source.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::github::{self, Annotation};
use crate::reporter::{Destination, FinishedRun, Reporter};
use crate::source_root::SourceRoot;

/// The file of `run --sarif`.
#[derive(Clone, Copy, Debug)]
pub struct Sarif;

impl Reporter for Sarif {
    fn destination(&self) -> Destination {
        Destination::FileOfOption { name: "sarif", help: "Write SARIF, for code scanning and editors" }
    }

    fn text(&self, run: &FinishedRun<'_>) -> String {
        let is_done =
            run.shortfalls().next().is_none() && run.end.account.as_ref().is_none_or(|account| account.is_complete());
        sarif("run", &github::of_run(run), is_done, run.root)
    }
}

/// One run of a command, with a result for each problem. Problems without a file are notifications of the tool, because
/// a result needs a place. `is_done` is false if the command could not do all of its work: differences are no fault of the
/// tool, and readers drop the results of a run with such a fault (SARIF 2.1.0, 3.20.14 and appendix I).
pub(crate) fn sarif(command: &str, found: &[Annotation<'_>], is_done: bool, root: Option<&SourceRoot>) -> String {
    let (placed, others): (Vec<_>, Vec<_>) = found.iter().partition(|annotation| annotation.file.is_some());
    let notification = |it: &&Annotation<'_>| {
        let level = match (it.is_error, is_done) {
            (true, false) => "error",
            (true, true) => "warning",
            (false, _) => "note",
        };
        json!({ "level": level, "message": { "text": it.text } })
    };
    let ids: BTreeSet<&str> = placed.iter().map(|annotation| annotation.rule).collect();
    let rules = ids.into_iter().map(|id| json!({ "id": id, "shortDescription": { "text": description(command, id) } }));
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "layoutproof",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.collect::<Vec<_>>(),
            } },
            "invocations": [{
                "executionSuccessful": is_done,
                "toolExecutionNotifications": others.iter().map(notification).collect::<Vec<_>>(),
            }],
            "results": placed.iter().map(|it| result(it, root)).collect::<Vec<_>>(),
        }],
    });
    log.to_string() + "\n"
}

/// A rule as a sentence.
fn description(command: &str, rule: &str) -> String {
    let sentence = match rule {
        "unread-input" => "An input could not be read",
        "not-compared" => "Something that the inputs have was not compared",
        "no-result" => "A compiler or device gave no result",
        "no-host-struct" => "A block has no host struct",
        "other-member-read" => "A device reads another member of the host struct",
        _ => {
            let about = match command {
                "check" => "A host struct has the offsets of the block that it fills",
                "accesses" => "A shader accesses the members of its blocks where they are",
                _ => "Compilers and devices have each value where the layout has it",
            };
            return format!("{about}: {}", rule.replace('-', " "));
        }
    };
    sentence.to_owned()
}

fn result(annotation: &Annotation<'_>, root: Option<&SourceRoot>) -> Value {
    let title = if annotation.title.is_empty() { String::new() } else { format!("{}: ", annotation.title) };
    let file = annotation.file.unwrap_or_default();
    let path = root.map_or_else(|| file.to_owned(), |root| root.path(file));
    let mut place = json!({ "artifactLocation": { "uri": uri(&path) } });
    if let Some(line) = annotation.line {
        place["region"] = json!({ "startLine": line });
    }
    json!({
        "ruleId": annotation.rule,
        "level": if annotation.is_error { "error" } else { "note" },
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
            rule: "offset-moved",
            file,
            line: Some(7),
            title: "S vulkan".to_owned(),
            text: "`b` is at 12".to_owned(),
        };
        let headline = Annotation::headline("layoutproof check", true, "1 differs".to_owned());
        let found = [headline, problem(Some("a dir\\b#.hlsl"))];
        let log = |is_done| serde_json::from_str::<Value>(&sarif("check", &found, is_done, None)).unwrap();
        let invocation = |is_done| {
            let invocation = log(is_done)["runs"][0]["invocations"][0].clone();
            let headline = &invocation["toolExecutionNotifications"][0];
            assert_eq!(headline["message"]["text"], "1 differs");
            (invocation["executionSuccessful"].clone(), headline["level"].clone())
        };
        assert_eq!(invocation(true), (json!(true), json!("warning")));
        assert_eq!(invocation(false), (json!(false), json!("error")));
        let log = log(true);
        let run = &log["runs"][0];
        assert_eq!(log["version"], "2.1.0");
        let [result] = run["results"].as_array().unwrap().as_slice() else { panic!("one result in {run}") };
        assert_eq!(result["message"]["text"], "S vulkan: `b` is at 12");
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "a%20dir/b%23.hlsl");
        assert_eq!(place["region"]["startLine"], 7);
        assert_eq!(run["tool"]["driver"]["rules"][0]["id"], result["ruleId"]);
    }
}
