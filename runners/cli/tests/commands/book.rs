//! The README and the book: the program must accept their command lines and print the output shown
//! below them.
//!
//! A block of code whose first line is "```hlsl scene.hlsl" is a file. In a block "```console" each
//! line that begins with `$ layoutproof` is a command. The lines up to the next command are its
//! standard output, in which `...` matches any number of lines. For a command without output, only
//! its arguments are checked. A block with `needs=ID` is run if the machine has this device, one
//! with `needs=c++` if it has a C++ compiler; its lines begin with `$ c++`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::folder::Folder;

/// Time limit of a page's command; the longest runs a case on one device.
const LIMIT: Duration = Duration::from_secs(120);

/// A block of code in a page.
struct CodeBlock {
    /// The text after the first fence.
    info: String,
    lines: Vec<String>,
    /// Line of the page, from 1.
    line: usize,
}

/// A command with its output.
struct Example {
    words: String,
    output: Vec<String>,
    line: usize,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The README and each page of the book.
fn pages() -> Vec<PathBuf> {
    let book = std::fs::read_dir(root().join("harness/book")).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> = book.filter(|path| path.extension().is_some_and(|suffix| suffix == "md")).collect();
    pages.push(root().join("README.md"));
    pages.sort();
    pages
}

fn blocks(page: &Path) -> Vec<CodeBlock> {
    let text = std::fs::read_to_string(page).unwrap();
    let mut blocks: Vec<CodeBlock> = Vec::new();
    let mut inside = false;
    for (index, line) in text.lines().enumerate() {
        match line.strip_prefix("```") {
            Some(info) if !inside => {
                blocks.push(CodeBlock { info: info.to_owned(), lines: Vec::new(), line: index + 1 });
                inside = true;
            }
            Some(_) => inside = false,
            None if inside => blocks.last_mut().unwrap().lines.push(line.to_owned()),
            None => {}
        }
    }
    assert!(!inside, "{}: a block of code does not end", page.display());
    blocks
}

/// The commands of this program in a console block.
fn examples(block: &CodeBlock) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut takes_output = false;
    for (index, line) in block.lines.iter().enumerate() {
        let goes_on = index > 0 && block.lines[index - 1].ends_with(" \\");
        if goes_on && takes_output {
            let example = examples.last_mut().unwrap();
            example.words = format!("{} {}", example.words.trim_end_matches(['\\', ' ']), words_of(line));
            continue;
        }
        // The prompt may begin with a machine's name.
        let command = line.split_once("$ ").filter(|(host, _)| !host.contains(' '));
        if let Some((_, command)) = command {
            takes_output = command.starts_with("layoutproof");
            if takes_output {
                examples.push(Example { words: words_of(command), output: Vec::new(), line: block.line + index + 1 });
            }
        } else if takes_output {
            examples.last_mut().unwrap().output.push(line.clone());
        }
    }
    examples
}

/// A command line without its remark, with single spaces.
fn words_of(line: &str) -> String {
    let words = line.split(" #").next().unwrap_or(line);
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Replaces each quoted word of a command line by one word, because folders split at spaces.
fn without_quoted_words(words: &str) -> String {
    words.split('"').enumerate().map(|(index, part)| if index % 2 == 0 { part } else { "quoted" }).collect()
}

/// The arguments after the program's name, without redirections.
fn arguments(words: &str) -> String {
    let words = words.split(" > ").next().unwrap_or(words).split(" < ").next().unwrap_or(words);
    words.strip_prefix("layoutproof").unwrap_or(words).trim().to_owned()
}

/// True if `printed` matches `expected`, in which `...` matches any number of lines.
fn is_printed(expected: &[String], printed: &[&str]) -> bool {
    let Some((first, rest)) = expected.split_first() else { return printed.is_empty() };
    if first == "..." {
        return (0..=printed.len()).any(|skipped| is_printed(rest, &printed[skipped..]));
    }
    let Some((line, others)) = printed.split_first() else { return false };
    without_time(line) == without_time(first) && is_printed(rest, others)
}

/// A line without the time at the end of a run's summary: `ok   2 checks agree   0.2 s`.
fn without_time(line: &str) -> &str {
    let line = line.trim_end();
    let time = line.strip_suffix(" s").and_then(|line| line.rsplit_once("   "));
    time.filter(|(_, time)| time.parse::<f64>().is_ok()).map_or(line, |(rest, _)| rest)
}

/// Runs the `c++` lines of a block in its folder.
fn compile(block: &CodeBlock, folder: &Path) {
    for words in block.lines.iter().filter_map(|line| line.strip_prefix("$ c++ ")) {
        let status = Command::new("c++").args(words.split(' ')).current_dir(folder).status().unwrap();
        assert!(status.success(), "c++ {words}: {status}");
    }
}

/// True if this machine has the device or the C++ compiler that a block needs.
fn has_what_it_needs(block: &CodeBlock) -> bool {
    let Some((_, id)) = block.info.split_once("needs=") else { return true };
    if id == "c++" {
        return Command::new("c++").arg("--version").output().is_ok_and(|answer| answer.status.success());
    }
    let listing = Folder::with(&[]).within(LIMIT).run("doctor devices --format json");
    listing.json()["devices"].as_array().unwrap().iter().any(|device| device["id"] == id)
}

#[test]
fn what_the_pages_quote_is_what_is_printed() {
    let mut compared = 0;
    for page in pages() {
        let folder = Folder::with(&[]).within(LIMIT);
        for block in blocks(&page) {
            if let Some((_, name)) = block.info.split_once(' ').filter(|(_, name)| name.contains('.')) {
                folder.write(name, (block.lines.join("\n") + "\n").as_bytes());
            }
            let quoted: Vec<Example> = if block.info.starts_with("console") { examples(&block) } else { Vec::new() };
            let quoted: Vec<Example> = quoted.into_iter().filter(|example| !example.output.is_empty()).collect();
            if quoted.is_empty() || !has_what_it_needs(&block) {
                continue;
            }
            compile(&block, &folder.path(""));

            for example in quoted {
                let answer = folder.run(&arguments(&example.words));
                let printed: Vec<&str> = answer.out.lines().collect();
                let place = format!("{}:{}", page.display(), example.line);
                assert!(is_printed(&example.output, &printed), "{place}: `{}` prints\n{answer}", example.words);
                compared += 1;
            }
        }
    }
    assert!(compared >= 2, "{compared} outputs were compared");
}

/// With `--help` appended, a command line succeeds only if the program understands the words before
/// it.
#[test]
fn every_command_line_of_the_pages_is_understood() {
    let folder = Folder::with(&[]).within(LIMIT);
    let mut understood = 0;
    for page in pages() {
        for block in blocks(&page).iter().filter(|block| block.info.starts_with("console")) {
            for example in examples(block) {
                let words = without_quoted_words(&arguments(&example.words));
                let answer = folder.run(format!("{words} --help").trim());
                let place = format!("{}:{}", page.display(), example.line);
                assert_eq!(answer.code(), 0, "{place}: `{}`\n{answer}", example.words);
                understood += 1;
            }
        }
    }
    assert!(understood >= 30, "{understood} command lines");
}

/// Scripts and pages that a page names exist.
#[test]
fn links_lead_to_files() {
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if !link.starts_with("http") {
                let target = page.parent().unwrap().join(link.split('#').next().unwrap());
                assert!(target.exists(), "{} links to {link}", page.display());
            }
        }
    }
}

#[test]
fn dots_stand_for_lines() {
    let expected = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    assert!(is_printed(&expected(&["a", "...", "c"]), &["a", "b", "b", "c"]));
    assert!(is_printed(&expected(&["...", "c", "..."]), &["c"]));
    assert!(!is_printed(&expected(&["a", "...", "c"]), &["a", "b"]));
    assert!(!is_printed(&expected(&["a"]), &["a", "b"]));
    assert!(is_printed(&expected(&["ok   1 check   0.2 s"]), &["ok   1 check   61.3 s"]));
}
