//! `dev export --format offload-test`: the test of each case is one that LLVM's offload test suite can read, as far as this
//! can be checked without its tools.
//!
//! The YAML keys are those of `lib/Support/Pipeline.cpp` of llvm/offload-test-suite, of August
//! 2026, whose parser refuses others.

use std::collections::BTreeSet;

use layoutproof_exports::{OffloadTest, offload_test_of_case};
use layoutproof_inputs::all_cases::sources;
use saphyr::{LoadableYamlNode, Yaml};

use super::folder::Folder;

const EXPORT: &str = "dev export --format offload-test";

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

#[test]
fn every_case_that_can_be_one_is_a_readable_test() {
    let tests: Vec<OffloadTest> = sources(&[], &[]).unwrap().iter().filter_map(offload_test_of_case).collect();
    for test in &tests {
        assert_is_test(&test.text, test.text.lines().last().unwrap_or_default());
    }
    assert!(tests.len() > 150, "{} tests", tests.len());
}

#[test]
fn tests_that_hold_for_both_apis_name_none() {
    let answer = Folder::with(&[]).run(&format!("{EXPORT} vectors/three_component_vector_would_straddle")).exits(0);
    let text = answer.out;
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
fn a_case_is_needed() {
    let folder = Folder::with(&[]);
    folder.run("dev export --format offload-test").exits(2);
    folder.run(&format!("{EXPORT} no/such/case")).exits(2);
}
