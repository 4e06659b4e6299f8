//! Checks `harness/ARCHITECTURE.md` against the code: the functions of the main route, the packages with
//! their sizes, and all paths.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The most steps of the main route, and the most lines of one of its functions: two screens.
const MOST_STEPS: usize = 15;
const MOST_LINES: usize = 100;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn page() -> String {
    fs::read_to_string(root().join("harness/ARCHITECTURE.md")).unwrap()
}

/// The rows of the first table below a heading, each as its cells.
fn table(page: &str, heading: &str) -> Vec<Vec<String>> {
    let (_, section) = page.split_once(&format!("\n## {heading}\n")).unwrap();
    let rows = section.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
    let rows = rows.take_while(|line| line.starts_with('|'));
    rows.map(|row| row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()).collect()
}

/// The words in backticks.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// A function's text without its signature's start; `None` if no line begins it.
fn function<'a>(source: &'a str, name: &str) -> Option<&'a str> {
    let is_start = |line: &str| {
        let (_, rest) = line.split_once("fn ").unwrap_or_default();
        rest.strip_prefix(name).is_some_and(|rest| rest.starts_with(['(', '<']))
    };
    let mut start = 0;
    for line in source.split_inclusive('\n') {
        if is_start(line) {
            let indent = &line[..line.len() - line.trim_start().len()];
            let text = &source[start..];
            let end = text.find(&format!("\n{indent}}}\n"))?;
            return Some(&text[..end]);
        }
        start += line.len();
    }
    None
}

#[test]
fn the_main_route_is_short_and_its_functions_exist() {
    let page = page();
    let route = table(&page, "The main route");
    assert!((1..=MOST_STEPS).contains(&route.len()), "{} steps", route.len());

    let run = fs::read_to_string(root().join("runners/cli/src/commands/run.rs")).unwrap();
    let carry_out = function(&run, "carry_out").unwrap();
    let mut last = 0;
    for step in &route {
        let files = quoted(&step[2]).into_iter().filter(|place| Path::new(place).extension().is_some());
        let sources: Vec<String> = files.map(|file| fs::read_to_string(root().join(file)).unwrap()).collect();
        for name in quoted(&step[1]) {
            let last_part = name.rsplit("::").next().unwrap();
            if last_part.chars().all(|letter| letter.is_uppercase() || letter == '_') {
                let constant = format!("const {last_part}:");
                assert!(sources.iter().any(|source| source.contains(&constant)), "{name} is not in {}", step[2]);
                continue;
            }
            let text = sources.iter().find_map(|source| function(source, last_part));
            let text = text.unwrap_or_else(|| panic!("`{name}` is not in {}", step[2]));
            assert!(text.lines().count() <= MOST_LINES, "`{name}` has {} lines", text.lines().count());
            // Those that `carry_out` calls by this name must stand in its order.
            if let Some(place) = carry_out.find(&format!("{name}(")) {
                assert!(place >= last, "`{name}` runs before the step above it");
                last = place;
            }
        }
    }
}

/// The lines of a package's Rust files, without `tests` folders and `tests.rs`.
fn lines(folder: &Path) -> usize {
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && name != "tests" {
            count += lines(&path);
        } else if path.extension().is_some_and(|suffix| suffix == "rs") && name != "tests.rs" {
            count += fs::read_to_string(&path).unwrap().lines().count();
        }
    }
    count
}

#[test]
fn every_package_has_a_row_with_its_size() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let members = manifest.lines().find(|line| line.starts_with("members")).unwrap();
    let members = members.split('"').skip(1).step_by(2);
    let folders: BTreeMap<&str, PathBuf> = members
        .map(|member| match member {
            "." => ("built-in", root().join("runners/built_in")),
            "harness" => ("core", root().join("harness")),
            other => (other.rsplit('/').next().unwrap(), root().join(other)),
        })
        .collect();

    let page = page();
    let mut listed: Vec<String> = Vec::new();
    for row in table(&page, "Crates") {
        let names: Vec<&str> = quoted(&row[0]).into_iter().filter(|name| !name.contains('/')).collect();
        let sizes: Vec<&str> = row[1].split(", ").collect();
        assert_eq!(names.len(), sizes.len(), "{}", row[0]);
        for (name, size) in names.iter().zip(sizes) {
            listed.push((*name).to_owned());
            let folder = folders.get(name).unwrap_or_else(|| panic!("no package `{name}`"));
            let source = if *name == "built-in" { folder.clone() } else { folder.join("src") };
            let found = lines(&source);
            let said: usize = size.replace(',', "").parse().unwrap();
            // Wide enough that only a change of the cut needs a change of the page.
            assert!(said.abs_diff(found) <= found / 4, "`{name}` has {found} lines, not {said}");
        }
    }
    listed.sort_unstable();
    assert_eq!(listed, folders.keys().copied().collect::<Vec<_>>());
}

#[test]
fn every_path_exists() {
    let page = page();
    let starts = ["harness/", "runners/", "ci/", "cases/", "shaders/", ".github/"];
    for word in quoted(&page) {
        let is_path = starts.iter().any(|start| word.starts_with(start)) && !word.contains(' ');
        // `runners/NAME` is a new folder's name.
        if !is_path || word.contains("NAME") {
            continue;
        }
        let paths = match word.split_once('{').zip(word.split_once('}')) {
            Some(((start, list), (_, end))) => {
                let (list, _) = list.split_once('}').unwrap();
                list.split(',').map(|part| format!("{start}{part}{end}")).collect()
            }
            None => vec![word.to_owned()],
        };
        for path in paths {
            assert!(root().join(&path).exists(), "{path}");
        }
    }
}
