//! Cases as tests of other suites: the files that users get, and the assembler's and validator's
//! results for the SPIR-V in them. Without SPIRV-Tools that part is ignored, not passed.

use std::fs;
use std::process::Command;
use std::sync::Arc;

use expect_test::expect_file;
use layoutproof_core::case::Case;
use layoutproof_core::check::{Source, Subject};
use layoutproof_exports::{amber, offload_test};
use layoutproof_layout::find;
use layoutproof_source::sources::SourceMap;
use libtest_mimic::{Arguments, Failed, Trial};

#[derive(Clone, Copy)]
struct CaseText<'a> {
    id: &'a str,
    text: &'a str,
}

const TAIL: CaseText<'_> = CaseText {
    id: "arrays/scalar_packs_behind_the_last_element",
    text: include_str!("../../../cases/arrays/scalar_packs_behind_the_last_element.toml"),
};

const ELEMENTS: CaseText<'_> = CaseText {
    id: "structured/writable_buffers_are_laid_out_alike",
    text: include_str!("../../../cases/structured/writable_buffers_are_laid_out_alike.toml"),
};

fn main() {
    let arguments = Arguments::from_args();
    let absent = ["spirv-as", "spirv-val"].iter().any(|tool| Command::new(tool).arg("--version").output().is_err());
    let trials = vec![
        Trial::test("export::files_for_people", files_for_people),
        Trial::test("export::what_has_no_words_is_refused", what_has_no_words_is_refused),
        Trial::test("export::a_case_that_our_rules_contradict_is_refused", a_case_that_our_rules_contradict_is_refused),
        Trial::test("export::assembly_is_valid", assembly_is_valid).with_ignored_flag(absent),
    ];
    libtest_mimic::run(&arguments, trials).exit();
}

fn subject(case: CaseText<'_>, rules: &str) -> Result<Subject, Failed> {
    let CaseText { id, text } = case;
    let mut sources = SourceMap::default();
    let file = sources.add(id, text);
    let case = Case::read(id, file, &mut sources).map_err(|found| format!("{found:?}"))?;
    let source = Source::of_case(&case, &mut sources).map_err(|found| format!("{found:?}"))?;
    Ok(Subject::new(Arc::new(source.ok_or("it declares nothing")?), find(rules).ok_or("no such rule set")?))
}

fn files_for_people() -> Result<(), Failed> {
    expect_file!["golden/export.amber"].assert_eq(&amber(&subject(TAIL, "std140")?)?);
    expect_file!["golden/export.test"].assert_eq(&offload_test(&subject(TAIL, "hlsl-cbuffer")?)?.text);
    expect_file!["golden/export_elements.test"].assert_eq(&offload_test(&subject(ELEMENTS, "hlsl-structured")?)?.text);
    Ok(())
}

fn what_has_no_words_is_refused() -> Result<(), Failed> {
    let CaseText { id, text } = TAIL;
    let halves = text.replace("float", "half");
    let error =
        amber(&subject(CaseText { id, text: &halves }, "std140")?).expect_err("halves are no words").to_string();
    assert_eq!(error, format!("{id} under std140: `a.x`: no number of 4 bytes"));
    let error = offload_test(&subject(TAIL, "std140")?).expect_err("no option of DXC").to_string();
    assert!(error.contains("DXC takes std140 for no such block"), "{error}");
    Ok(())
}

/// Only the case's numbers are expected, so a case with a different number must not produce a test.
fn a_case_that_our_rules_contradict_is_refused() -> Result<(), Failed> {
    let CaseText { id, text } = TAIL;
    let wrong = text.replace("\"S.c\" = 48", "\"S.c\" = 52");
    let error = amber(&subject(CaseText { id, text: &wrong }, "std140")?).expect_err("they differ").to_string();
    assert!(error.ends_with("the case has `c` at 52, our rules have it at 48"), "{error}");
    Ok(())
}

fn assembly_is_valid() -> Result<(), Failed> {
    for (case, rules, flags) in [
        (TAIL, "std140", &["--target-env", "vulkan1.1"][..]),
        (TAIL, "scalar", &["--target-env", "vulkan1.1", "--scalar-block-layout"][..]),
        (ELEMENTS, "std430", &["--target-env", "vulkan1.1"][..]),
    ] {
        let script = amber(&subject(case, rules)?)?;
        let behind = script.split_once("TARGET_ENV spv1.3\n").ok_or("no shader")?.1;
        let assembly = behind.split_once("\nEND\n").ok_or("a shader without an end")?.0;
        let folder = std::env::temp_dir().join(format!("layoutproof-export-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        let (source, module) = (folder.join("probe.spvasm"), folder.join("probe.spv"));
        fs::write(&source, assembly)?;
        let mut spirv_as = Command::new("spirv-as");
        let assembled = spirv_as.args(["--target-env", "spv1.3"]).arg(&source).arg("-o").arg(&module).output()?;
        let validated = Command::new("spirv-val").args(flags).arg(&module).output()?;
        fs::remove_dir_all(&folder)?;
        for output in [assembled, validated] {
            if !output.status.success() {
                return Err(format!("{rules}: {}", String::from_utf8_lossy(&output.stderr)).into());
            }
        }
    }
    Ok(())
}
