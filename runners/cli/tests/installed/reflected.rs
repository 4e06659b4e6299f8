//! Slang that our own reader refuses, as `layoutproof check` reads it through slangc's reflection.
//!
//! Expected offsets: slangc 2026.14.1, `-target spirv -reflection-json`: `lights` at 16 with a stride of
//! 16, `exposure` at 80. GCC lays out the host.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use libtest_mimic::{Failed, Trial};
use serde_json::Value;

use crate::fuzz::Here;

/// The length needs all of the language.
const SHADER: &str = "struct Max<let A : int, let B : int> { static const int value = A > B ? A : B; }
struct Light { float3 position; float intensity; }
struct Scene { float4 ambient; Light lights[Max<1, 4>.value]; float exposure; }
ConstantBuffer<Scene> scene;
";

const HOST: &str = "struct Light { float position[3], intensity; };
struct Scene { float ambient[4]; Light lights[4]; float exposure; } s;
";

pub(crate) fn trials() -> Vec<Trial> {
    let has_gcc = Command::new("g++").arg("--version").output().is_ok();
    let no_gcc = (!has_gcc).then(|| "g++ is not there".to_owned());
    let lacking = Here::look().lacks_compiler("slangc").or(no_gcc);
    vec![crate::trial("reflected::lengths_that_only_slangc_evaluates", lacking, lengths_that_only_slangc_evaluates)]
}

fn lengths_that_only_slangc_evaluates() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    fs::write(folder.join("a.slang"), SHADER)?;
    build(folder, HOST)?;
    let output = check(folder)?;
    let said = String::from_utf8_lossy(&output.stderr);
    let (start, reason) =
        ("note: a.slang is read by slangc ", ", because layoutproof refuses it: a.slang:3:50: expected `]`");
    assert!(said.starts_with(start) && said.contains(reason), "{said}");
    assert_eq!(pair(&output)?, ["native:slang-vulkan", "agree", ""]);

    build(folder, &HOST.replace("lights[4]", "lights[3]"))?;
    assert_eq!(pair(&check(folder)?)?, ["native:slang-vulkan", "differ", "count-differs"]);

    // slangc's reflection ignores the attribute, and its code does not.
    fs::write(folder.join("a.slang"), SHADER.replace("float exposure", "[[vk::offset(96)]] float exposure"))?;
    let output = check(folder)?;
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

fn build(folder: &Path, host: &str) -> Result<(), Failed> {
    fs::write(folder.join("host.cpp"), host)?;
    let status = Command::new("g++").args(["-g", "-c", "host.cpp", "-o", "host.o"]).current_dir(folder).status()?;
    if status.success() { Ok(()) } else { Err(status.to_string().into()) }
}

fn check(folder: &Path) -> Result<Output, Failed> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_layoutproof"));
    Ok(command.args(["check", "a.slang", "host.o", "--format", "json"]).current_dir(folder).output()?)
}

/// Target, outcome and first mismatch of the only pair.
fn pair(output: &Output) -> Result<[String; 3], Failed> {
    let answer: Value = serde_json::from_slice(&output.stdout)?;
    let pair = &answer["pairs"][0];
    let texts = [&pair["target"], &pair["outcome"], &pair["mismatches"][0]["kind"]];
    Ok(texts.map(|text| text.as_str().unwrap_or_default().to_owned()))
}
