//! `export --folder`: each file is a test that LLVM's offload test suite can read, as far as this
//! can be checked without its tools, and cases without a test are counted.
//!
//! The YAML keys are those of `lib/Support/Pipeline.cpp` of llvm/offload-test-suite, of August
//! 2026, whose parser refuses others.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use saphyr::{LoadableYamlNode, Yaml};

use super::folder::Folder;

/// Time limit; without optimisation, writing all tests takes seconds.
const LIMIT: Duration = Duration::from_secs(120);

const EXPORT: &str = "dev export --format offload-test --folder tests";

/// The allowed keys of a mapping, and the required ones among them.
struct MappingKeys {
    required: &'static [&'static str],
    optional: &'static [&'static str],
}

const PIPELINE: MappingKeys =
    MappingKeys { required: &["Shaders", "Buffers", "DescriptorSets", "Results"], optional: &[] };
const SHADER: MappingKeys = MappingKeys { required: &["Stage", "Entry"], optional: &[] };
const BUFFER: MappingKeys = MappingKeys { required: &["Name", "Format", "Data"], optional: &["Stride"] };
const RESULT: MappingKeys = MappingKeys { required: &["Result", "Rule", "Actual", "Expected"], optional: &[] };
const RESOURCE: MappingKeys =
    MappingKeys { required: &["Name", "Kind", "DirectXBinding", "VulkanBinding"], optional: &[] };

/// Asserts that a mapping has these keys, and returns it.
#[track_caller]
fn mapping<'a, 'y>(value: &'a Yaml<'y>, keys: &MappingKeys, file: &str) -> &'a Yaml<'y> {
    let entries = value.as_mapping().unwrap_or_else(|| panic!("{file}: no mapping: {value:?}"));
    let found: BTreeSet<&str> = entries.keys().map(|key| key.as_str().unwrap()).collect();
    let missing: Vec<_> = keys.required.iter().filter(|key| !found.contains(**key)).collect();
    let known = |key: &&&str| keys.required.contains(*key) || keys.optional.contains(*key);
    let unknown: Vec<_> = found.iter().filter(|key| !known(key)).collect();
    assert!(missing.is_empty() && unknown.is_empty(), "{file}: missing {missing:?}, unknown {unknown:?}");
    value
}

fn list<'a, 'y>(value: &'a Yaml<'y>, key: &str) -> &'a [Yaml<'y>] {
    value[key].as_sequence().unwrap_or_else(|| panic!("`{key}` is no list: {value:?}"))
}

/// The words of a buffer.
fn data(buffer: &Yaml<'_>) -> Vec<u32> {
    list(buffer, "Data").iter().map(|word| u32::try_from(word.as_integer().unwrap()).unwrap()).collect()
}

/// The part of a test between two lines.
#[track_caller]
fn part<'a>(text: &'a str, first: &str, behind: &str, file: &str) -> &'a str {
    let (_, rest) = text.split_once(first).unwrap_or_else(|| panic!("{file} has no `{first}`"));
    rest.split_once(behind).unwrap_or_else(|| panic!("{file} has no `{behind}`")).0
}

/// Checks that the parts of a test are consistent with each other.
fn assert_is_test(text: &str, file: &str) {
    let hlsl = part(text, "#--- source.hlsl\n", "//--- pipeline.yaml", file);
    let yaml = part(text, "//--- pipeline.yaml\n", "#--- end\n", file);
    let comments = text.split_once("#--- end\n").unwrap().1;
    let documents = Yaml::load_from_str(yaml).unwrap_or_else(|error| panic!("{file}: {error}"));
    let [pipeline] = &documents[..] else { panic!("{file}: {} documents", documents.len()) };
    mapping(pipeline, &PIPELINE, file);

    let [shader] = list(pipeline, "Shaders") else { panic!("{file}: one shader") };
    let entry = mapping(shader, &SHADER, file)["Entry"].as_str().unwrap();
    assert!(hlsl.contains(&format!("void {entry}()")), "{file}: no entry point `{entry}`");
    assert!(comments.contains(&format!(" -E {entry} ")), "{file}: RUN does not name `{entry}`");

    let buffers = list(pipeline, "Buffers");
    let named = |name: &str| {
        let own = buffers.iter().find(|buffer| buffer["Name"].as_str() == Some(name));
        own.unwrap_or_else(|| panic!("{file}: no buffer `{name}`"))
    };
    for buffer in buffers {
        mapping(buffer, &BUFFER, file);
        assert_eq!(buffer["Format"].as_str(), Some("Hex32"), "{file}");
        let stride = buffer.as_mapping_get("Stride").and_then(Yaml::as_integer).unwrap_or(4);
        let bytes = i64::try_from(4 * data(buffer).len()).unwrap();
        assert!(bytes > 0 && bytes % stride == 0, "{file}: {bytes} bytes are no multiple of {stride}");
    }

    let [result] = list(pipeline, "Results") else { panic!("{file}: one result") };
    mapping(result, &RESULT, file);
    let [actual, expected] = ["Actual", "Expected"].map(|key| data(named(result[key].as_str().unwrap())));
    assert_eq!(actual.len(), expected.len(), "{file}: what is compared has one length");

    let [set] = list(pipeline, "DescriptorSets") else { panic!("{file}: one set") };
    let resources = list(set, "Resources");
    let bindings: BTreeSet<i64> = resources
        .iter()
        .map(|resource| {
            named(mapping(resource, &RESOURCE, file)["Name"].as_str().unwrap());
            resource["VulkanBinding"]["Binding"].as_integer().unwrap()
        })
        .collect();
    assert_eq!(bindings.len(), resources.len(), "{file}: no binding has two resources");

    assert_expected_bytes(&data(named("block")), &expected, comments, file);
}

/// Each expected word is the nonce, or a word of the uploaded block at the offset that the word
/// encodes.
fn assert_expected_bytes(block: &[u32], expected: &[u32], comments: &str, file: &str) {
    for (index, word) in expected.iter().enumerate().skip(1) {
        let offset = usize::try_from(word & 0xFFFF).unwrap();
        assert_eq!(block.get(offset / 4), Some(word), "{file}: word {index} is not at byte {offset} of the block");
        assert!(comments.contains(&format!("#   output word {index}: ")), "{file}: no comment explains word {index}");
    }
    assert!(expected.len() > 1, "{file} compares nothing");
}

/// The tests below a folder.
fn tests(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(tests(&path));
        } else if path.extension().is_some_and(|extension| extension == "test") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The number at the start of the line that contains `words`.
#[track_caller]
fn counted(text: &str, words: &str) -> usize {
    let line = text.lines().find(|line| line.contains(words)).unwrap_or_else(|| panic!("no `{words}` in\n{text}"));
    line.split_whitespace().next().unwrap().parse().unwrap()
}

#[test]
fn every_case_is_a_readable_test_or_is_counted() {
    let folder = Folder::with(&[]).within(LIMIT);
    let answer = folder.run(EXPORT).exits(0);
    let found = tests(&folder.path("tests"));
    for path in &found {
        let text = fs::read_to_string(path).unwrap();
        assert_is_test(&text, &path.display().to_string());
    }

    assert!(found.len() > 150, "{} tests", found.len());
    assert_eq!(counted(&answer.out, "written to tests"), found.len());
    let reasons = answer.out.lines().skip_while(|line| !line.contains("without a test")).skip(1);
    let left_out: usize = reasons.map(|line| line.split_whitespace().next().unwrap().parse::<usize>().unwrap()).sum();
    assert_eq!(counted(&answer.out, "without a test"), left_out);

    let readme = folder.read("tests/README.md");
    for part in
        ["| `CBuffer` |", "| `StructuredBuffer` |", "The suite was not searched", "a member no number of 4 bytes"]
    {
        assert!(readme.contains(part), "the README lacks `{part}`:\n{readme}");
    }
}

#[test]
fn tests_that_hold_for_both_apis_name_none() {
    let folder = Folder::with(&[]).within(LIMIT);
    folder.run(&format!("{EXPORT} vectors/three_component_vector_would_straddle")).exits(0);
    let text = folder.read("tests/CBuffer/vectors/three_component_vector_would_straddle.test");
    let run = text.lines().find(|line| line.contains("%dxc_target")).unwrap();
    assert_eq!(
        run,
        "# RUN: %dxc_target -T cs_6_0 -HV 2021 -E read_uniform -Zpc -fvk-use-dx-layout -Fo %t.o %t/source.hlsl"
    );
    assert!(!text.contains("REQUIRES"), "{text}");
    for rules in ["hlsl-cbuffer", "dx-cbuffer"] {
        assert!(text.contains(&format!("under rule set {rules}; the numbers are those of dxc 1.7.2308")), "{text}");
    }
}

#[test]
fn what_the_suite_declares_is_left_out() {
    let suite = "#--- source.hlsl\ncbuffer Other { float2 x; float3 y; float z; };\nvoid main() {}\n#--- end\n";
    let folder = Folder::with(&[]).within(LIMIT);
    fs::create_dir_all(folder.path("suite/test")).unwrap();
    folder.write("suite/test/own.test", suite.as_bytes());
    let answer = folder.run(&format!("{EXPORT} vectors/three_component --suite suite")).exits(0);
    answer.prints("1 the suite has a test with the same declarations (vectors/three_component_vector_would_straddle)");
    assert!(!folder.path("tests/CBuffer/vectors/three_component_vector_would_straddle.test").exists());
    folder.run("dev export --format offload-test --folder other --suite tests/README.md").exits(2);
}

#[test]
fn folders_that_are_not_empty_and_other_formats_are_refused() {
    let folder = Folder::with(&[]).within(LIMIT);
    fs::create_dir_all(folder.path("tests")).unwrap();
    folder.write("tests/mine", b"");
    folder.run(EXPORT).exits(2).warns("error: tests is not empty");
    folder
        .run("dev export --format amber --folder out")
        .exits(2)
        .warns("error: --folder writes tests of the format offload-test only");
    folder.run("dev export --format offload-test --folder out no/such/case").exits(4);
    folder
        .run("dev export --format offload-test --folder out --check glslang")
        .exits(2)
        .warns("error: --check needs a build of DXC");
    folder.run("dev export --format offload-test").exits(2);
}
