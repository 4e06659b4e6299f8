//! The site's explorer answers like the command, for the declarations of every case, as HLSL and as
//! Slang.

use std::collections::BTreeMap;
use std::time::Duration;

use layoutproof_built_in::CASES;
use layoutproof_core::case::Case;
use layoutproof_layout::scalar::SixteenBit;
use layoutproof_layout::shape::MatrixOrder;
use layoutproof_layout::table;
use layoutproof_source::sources::SourceMap;
use layoutproof_web::{CopiedText, EXPLORED_FILE_STEM, ExploreMatrix, ExploreRequest, copied_text, explore};
use rayon::prelude::*;

use super::folder::Folder;

/// Texts that declare their own offsets. The command reads GLSL with glslang if that is installed.
const LAID_OUT: [(&str, &str); 3] = [
    ("wgsl", "struct S { a: vec3<f32>, b: f32, c: array<vec2<f32>, 3> }\n@group(0) @binding(0) var<storage> s: S;\n"),
    ("wgsl", "@group(0) @binding(0) var<uniform> s: mat3x3<f32>;\nfn f() -> f32 { return s.x; }\n"),
    ("wgsl", "struct S {\n"),
];

/// The declarations of every case in both languages.
fn requests() -> Vec<ExploreRequest> {
    let mut sources = SourceMap::default();
    let mut requests = Vec::new();
    for built_in in CASES {
        let file = sources.add(built_in.name, built_in.text);
        let case = Case::read(built_in.name, file, &mut sources).expect("built-in cases are read by other tests");
        for language in ["hlsl", "slang"] {
            requests.push(ExploreRequest {
                language: language.to_owned(),
                text: sources.text(case.declare).to_owned(),
                columns: table().iter().map(|rules| rules.name.to_owned()).collect(),
                defines: case.defines.iter().map(|(name, value)| format!("{name}={value}")).collect(),
                entry: case.invocation.entry.clone().unwrap_or_default(),
                matrix: match case.options.matrix {
                    MatrixOrder::Column => ExploreMatrix::Column,
                    MatrixOrder::Row => ExploreMatrix::Row,
                },
                wide_half: case.options.sixteen_bit == SixteenBit::Off,
                ..ExploreRequest::default()
            });
        }
    }
    requests
}

/// The command's flags for such a request.
fn flags(request: &ExploreRequest) -> String {
    let mut flags: Vec<String> = request.defines.iter().map(|define| format!(" -D {define}")).collect();
    if !request.entry.is_empty() {
        flags.push(format!(" --entry {}", request.entry));
    }
    if request.matrix == ExploreMatrix::Row {
        flags.push(" --matrix row".to_owned());
    }
    // The explorer shows its choice, so it assumes nothing.
    flags.push(format!(" --16bit {}", if request.wide_half { "off" } else { "on" }));
    flags.concat()
}

/// Number of texts per command: enough to amortise its start, few enough to keep every core busy.
const TEXTS_OF_COMMAND: usize = 48;

/// Texts that one command can read, because they need the same flags.
struct ComparedTexts {
    flags: String,
    requests: Vec<ExploreRequest>,
}

impl ComparedTexts {
    /// All texts, grouped by the flags that they need.
    fn all() -> Vec<Self> {
        let mut by_flags: BTreeMap<String, Vec<ExploreRequest>> = BTreeMap::new();
        for request in requests() {
            by_flags.entry(flags(&request)).or_default().push(request);
        }

        let mut groups = Vec::new();
        for (flags, requests) in by_flags {
            for requests in requests.chunks(TEXTS_OF_COMMAND) {
                groups.push(Self { flags: flags.clone(), requests: requests.to_vec() });
            }
        }
        groups
    }

    /// Compares the command's output with the explorer's; returns the number of texts that were
    /// laid out.
    fn compare(&self) -> usize {
        let Self { flags, requests } = self;
        let folder = Folder::with(&[]).within(Duration::from_secs(120));
        let name = |(index, request): (usize, &ExploreRequest)| format!("{index}.{}", request.language);
        let names: Vec<String> = requests.iter().enumerate().map(name).collect();
        for (name, request) in names.iter().zip(requests) {
            folder.write(name, request.text.as_bytes());
        }

        let rules: Vec<&str> = table().iter().map(|rules| rules.name).collect();
        let words = format!("show {} --rules {} --format json --padding{flags}", names.join(" "), rules.join(","));
        let answer = folder.run(&words);
        let lines: Vec<&str> = answer.out.lines().collect();
        assert_eq!(lines.len(), requests.len(), "{words}: {answer}");

        let mut laid_out = 0;
        for ((line, name), request) in lines.into_iter().zip(&names).zip(requests) {
            let explorer = copied_text(request, CopiedText::Json).expect("there is always JSON");
            let explored_name = format!("{EXPLORED_FILE_STEM}.{}", request.language);
            assert_eq!(
                unnamed(&explorer, &explored_name),
                unnamed(line, name),
                "{}: {}",
                request.language,
                request.text
            );
            laid_out += usize::from(line.contains("\"layouts\":"));
        }
        laid_out
    }
}

/// A line of JSON without the name of the text, which the explorer does not know.
fn unnamed(json: &str, name: &str) -> String {
    let source = format!("\"source\":\"{name}\"");
    assert_eq!(json.matches(&source).count(), 1, "{source}: {json}");
    let file = format!("\"file\":\"{name}\"");
    json.trim_end().replace(&source, "\"source\":null").replace(&file, "\"file\":null")
}

#[test]
fn the_explorer_and_the_command_say_the_same_about_every_case() {
    let laid_out: usize = ComparedTexts::all().par_iter().map(ComparedTexts::compare).sum();
    // Most cases contain HLSL that Slang accepts too.
    assert!(laid_out > CASES.len(), "{laid_out} texts were laid out, of {} cases", CASES.len());
}

#[test]
fn the_byte_maps_are_those_of_the_command() {
    let is_plain = |request: &ExploreRequest| flags(request) == " --16bit on";
    let sample: Vec<ExploreRequest> = requests().into_iter().step_by(29).filter(is_plain).collect();
    assert!(sample.len() > 20);
    sample.par_iter().for_each(compare_byte_maps);
}

fn compare_byte_maps(request: &ExploreRequest) {
    let name = format!("sample.{}", request.language);
    let folder = Folder::with(&[(&name, &request.text)]);
    let shipping = ExploreRequest { columns: Vec::new(), ..request.clone() };
    let answer = explore(&shipping);
    let page = unclosed(&folder.run(&format!("show {name} --format html")).out);
    assert_eq!(!page.is_empty(), answer.is_read, "{}: {}", request.text, answer.rendered);

    // The page draws each layout again for every other reference that its reader may choose.
    for part in answer.maps.split_inclusive("</figure>").filter(|part| part.contains("<figure>")) {
        let map = unclosed(&part[part.find("<figure>").unwrap_or_default()..]);
        assert!(page.contains(&map), "{}: {map}", request.text);
    }

    if answer.is_read {
        let picture = copied_text(&shipping, CopiedText::Svg).expect("it is laid out");
        assert_eq!(picture, folder.run(&format!("show {name} --format svg")).out, "{}", request.text);
    }
}

/// A page with its empty elements written in the same way.
fn unclosed(html: &str) -> String {
    ["path", "use", "rect"].iter().fold(html.to_owned(), |html, name| html.replace(&format!("></{name}>"), "/>"))
}

#[test]
fn texts_that_say_their_own_offsets_are_read_alike() {
    for (language, text) in LAID_OUT {
        let name = format!("own.{language}");
        let folder = Folder::with(&[(&name, text)]);
        let request =
            ExploreRequest { language: language.to_owned(), text: text.to_owned(), ..ExploreRequest::default() };
        let answer = folder.run(&format!("show {name} --format json --padding"));
        let explorer = copied_text(&request, CopiedText::Json).expect("there is always JSON");
        let explored_name = format!("{EXPLORED_FILE_STEM}.{language}");
        assert_eq!(unnamed(&explorer, &explored_name), unnamed(&answer.out, &name), "{text}");
    }
}
