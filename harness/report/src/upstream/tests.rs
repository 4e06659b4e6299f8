//! The numbers are those of the case
//! `matrices::single_vector_is_read_from_the_start_of_its_register`, from DXC 1.7.2308 (`-T cs_6_6
//! -enable-16bit-types`): listing and loads.

use layoutproof_layout::{find, lay_out};

use super::*;
use layoutproof_core::case::expect::problems;
use layoutproof_core::case::{Case, Expectation};
use layoutproof_frontend::{DeclareOptions, declare};
use layoutproof_source::sources::SourceMap;

const DECLARE: &str = "cbuffer S { float a; float2x1 m; float b; };\n";

fn row(path: &str, what: Quantity, numbers: [Option<u32>; 4]) -> DifferenceRow {
    let [computed, reported, compiled, observed] = numbers;
    DifferenceRow { path: path.to_owned(), what, expected: None, computed, reported, compiled, observed }
}

fn difference() -> UpstreamDifference {
    let authority = Authority {
        compiler: Some("dxc".to_owned()),
        version: Some("1.7.2308".to_owned()),
        flags: Some("-T cs_6_6 -enable-16bit-types".to_owned()),
        from: Some("listing".to_owned()),
        ..Authority::default()
    };
    UpstreamDifference {
        summary: "a float2x1 after a scalar is listed at 4 and read at 0".to_owned(),
        declare: DECLARE.to_owned(),
        source: format!(
            "{DECLARE}RWBuffer<float> o;\n[numthreads(1, 1, 1)] void main() {{ o[0] = m[1][0] + a + b; }}\n"
        ),
        language: ShaderLanguage::Hlsl,
        options: LayoutOptions::default(),
        rules: "hlsl-cbuffer".to_owned(),
        authority,
        command_line: "dxc -T cs_6_6 -enable-16bit-types -E main b.hlsl".to_owned(),
        others: vec![("DXIL on the CPU".to_owned(), "0.1.0".to_owned())],
        rows: vec![
            row("S.a", Quantity::Offset, [Some(0), Some(0), Some(0), Some(0)]),
            row("S.m", Quantity::Offset, [Some(4), Some(4), Some(0), Some(0)]),
            row("S.m[1][0]", Quantity::Offset, [Some(8), Some(8), Some(4), Some(4)]),
            row("S.b", Quantity::Offset, [Some(12), Some(12), Some(12), Some(12)]),
            row("S", Quantity::Size, [Some(16), Some(16), None, None]),
        ],
        is_complete: true,
    }
}

/// Reads a case file back: the case, and the numbers of its two tables.
fn read_back(text: &str) -> (Case, SourceMap) {
    let mut sources = SourceMap::default();
    let file = sources.add("found.toml", text);
    let case = Case::read("found", file, &mut sources);
    (case.unwrap_or_else(|problems| panic!("{problems:?}\n{text}")), sources)
}

/// The numbers of a table in the order of their paths.
fn numbers(expectation: &Expectation) -> Vec<(String, u32)> {
    let mut numbers: Vec<_> = expectation.entries.iter().map(|entry| (entry.path.clone(), entry.value)).collect();
    numbers.sort();
    numbers
}

#[test]
fn the_case_is_read_with_the_numbers_of_its_authority() {
    let difference = difference();
    let (case, mut sources) = read_back(&case_file(&difference));
    assert_eq!(case.summary, difference.summary);
    let [expect] = &case.expect[..] else { panic!("one table") };
    assert_eq!((expect.rules.as_str(), &expect.authority), ("hlsl-cbuffer", &difference.authority));
    let listed = [("S", 16), ("S.a", 0), ("S.b", 12), ("S.m", 4), ("S.m[1][0]", 8)];
    assert_eq!(numbers(expect), listed.map(|(path, number)| (path.to_owned(), number)));
    let [accessed] = &case.accessed[..] else { panic!("one table") };
    assert_eq!(accessed.authority.from.as_deref(), Some("loads"));
    let loaded = [("S.m", 0), ("S.m[1][0]", 4)];
    assert_eq!(numbers(accessed), loaded.map(|(path, number)| (path.to_owned(), number)));
    let module = declare(&mut sources, case.declare, &DeclareOptions::default()).unwrap();
    let rules = find("hlsl-cbuffer").unwrap();
    let layouts: Vec<_> = module.blocks.iter().map(|block| lay_out(block, rules, case.options)).collect();
    assert_eq!(problems("found", expect, &layouts), [], "complete, and every path is declared");
}

#[test]
fn our_own_numbers_are_never_expected() {
    let mut difference = difference();
    difference.rows = vec![
        row("S.a", Quantity::Offset, [Some(77), Some(0), None, None]),
        row("S.b", Quantity::Offset, [Some(77), None, Some(12), Some(77)]),
        row("S", Quantity::Size, [Some(77), None, None, Some(77)]),
    ];
    let text = case_file(&difference);
    assert!(!text.contains("77"), "{text}");
    let (case, _) = read_back(&text);
    assert_eq!(numbers(&case.expect[0]), [("S.a".to_owned(), 0), ("S.b".to_owned(), 12)]);
    assert_eq!(case.accessed, []);
}

#[test]
fn options_and_awkward_texts_survive() {
    let mut difference = difference();
    difference.options =
        LayoutOptions { matrix: MatrixOrder::Row, sixteen_bit: SixteenBit::Off, ..LayoutOptions::default() };
    difference.rules = "std140@dxc".to_owned();
    difference.is_complete = false;
    difference.summary = "a \"quoted\" word, a \\ and\na line".to_owned();
    difference.declare = "// \\ and \"\"\" in a comment\ncbuffer S { float p; };\n".to_owned();
    let (case, sources) = read_back(&case_file(&difference));
    assert_eq!(case.options, difference.options);
    assert_eq!(case.expect[0].rules, "std140@dxc");
    assert!(case.expect[0].partial);
    assert_eq!(case.summary, "a \"quoted\" word, a \\ and / a line");
    let span = case.declare;
    let text = &sources.file(span.file).text[span.start as usize..span.end as usize];
    assert_eq!(text.trim(), difference.declare.trim());
}

#[test]
fn the_report_says_what_to_type_and_what_differs() {
    let wanted = "\
# a float2x1 after a scalar is listed at 4 and read at 0

Seen with dxc 1.7.2308. Numbers are bytes.
`computed` is what layoutproof computes under its rule set `hlsl-cbuffer`.

## Source

```hlsl
cbuffer S { float a; float2x1 m; float b; };
RWBuffer<float> o;
[numthreads(1, 1, 1)] void main() { o[0] = m[1][0] + a + b; }
```

## Command line

```
dxc -T cs_6_6 -enable-16bit-types -E main b.hlsl
```

## Numbers

| path | what | computed | reported | compiled | observed | |
|---|---|---:|---:|---:|---:|---|
| `S.m` | offset | 4 | 4 | 0 | 0 | differs |
| `S.m[1][0]` | offset | 8 | 8 | 4 | 4 | differs |
| `S.a` | offset | 0 | 0 | 0 | 0 |  |
| `S.b` | offset | 12 | 12 | 12 | 12 |  |
| `S` | size | 16 | 16 | - | - |  |

## Versions

- dxc: 1.7.2308
- DXIL on the CPU: 0.1.0
";
    assert_eq!(markdown(&difference()), wanted);
}

#[test]
fn a_source_is_fenced_as_its_language_and_what_is_built_in_has_no_command_line() {
    let text =
        markdown(&UpstreamDifference { language: ShaderLanguage::Glsl, command_line: String::new(), ..difference() });
    assert!(text.contains("\n```glsl\ncbuffer S {") && !text.contains("## Command line"), "{text}");
}
