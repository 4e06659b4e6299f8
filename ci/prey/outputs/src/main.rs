//! Writes each shader of a list in every language of naga, and prints a hash of each text: `outputs LIST`. With the output of
//! an earlier call, it prints the lines that differ, and ends when 60 shaders have one: `outputs LIST EARLIER`, or
//! `outputs LIST EARLIER LANGUAGE` for one language.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::catch_unwind;

use naga::back::{glsl, hlsl, msl, spv, wgsl};
use naga::front;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{Module, ShaderStage};

type Write = fn(&Module, &ModuleInfo) -> String;

const WRITERS: [(&str, Write); 5] =
    [("spirv", spirv_words), ("hlsl", hlsl_text), ("glsl", glsl_texts), ("msl", msl_text), ("wgsl", wgsl_text)];

const ENOUGH: usize = 60;

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let files = std::env::args().skip(1).take(2);
    let files: Vec<String> = files.map(|file| std::fs::read_to_string(file).expect("a text file")).collect();
    let only = std::env::args().nth(3);
    let writers: Vec<(&str, Write)> =
        WRITERS.into_iter().filter(|(language, _)| only.as_ref().is_none_or(|only| only == language)).collect();
    let earlier: HashSet<&str> = files.get(1).into_iter().flat_map(|file| file.lines()).collect();
    let mut differing = 0;
    for path in files[0].lines() {
        let lines = lines(path, &writers);
        let new: Vec<&String> = lines.iter().filter(|line| !earlier.contains(line.as_str())).collect();
        new.iter().for_each(|line| println!("{line}"));
        differing += usize::from(!new.is_empty());
        if !earlier.is_empty() && differing == ENOUGH {
            break;
        }
    }
}

/// For each language, the path of the shader, the language and the hash.
fn lines(path: &str, writers: &[(&str, Write)]) -> Vec<String> {
    let text = std::fs::read_to_string(path).expect("a shader");
    let module = catch_unwind(|| read(path, &text));
    let line = |&(language, write): &(&str, Write)| {
        let written = match &module {
            Ok(Ok((module, info))) => catch_unwind(|| write(module, info)).unwrap_or_else(|_| "panic".to_owned()),
            Ok(Err(error)) => error.clone(),
            Err(_) => "panic".to_owned(),
        };
        let mut hasher = DefaultHasher::new();
        written.hash(&mut hasher);
        format!("{path} {language} {:x}", hasher.finish())
    };
    writers.iter().map(line).collect()
}

fn read(path: &str, text: &str) -> Result<(Module, ModuleInfo), String> {
    let stages = [(".comp", ShaderStage::Compute), (".vert", ShaderStage::Vertex), (".frag", ShaderStage::Fragment)];
    let stage = stages.into_iter().find(|(suffix, _)| path.ends_with(suffix));
    let module = match stage {
        Some((_, stage)) => {
            front::glsl::Frontend::default().parse(&stage.into(), text).map_err(|error| format!("{error:?}"))?
        }
        None => front::wgsl::parse_str(text).map_err(|error| error.emit_to_string(text))?,
    };
    let info = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module);
    let info = info.map_err(|error| format!("{error:?}"))?;
    Ok((module, info))
}

fn spirv_words(module: &Module, info: &ModuleInfo) -> String {
    format!(
        "{:?}",
        spv::write_vec(module, info, &spv::Options { lang_version: (1, 3), ..spv::Options::default() }, None)
    )
}

fn hlsl_text(module: &Module, info: &ModuleInfo) -> String {
    let options = hlsl::Options {
        shader_model: hlsl::ShaderModel::V6_2,
        fake_missing_bindings: true,
        ..hlsl::Options::default()
    };
    let mut text = String::new();
    let written = hlsl::Writer::new(&mut text, &options, &hlsl::PipelineOptions::default()).write(module, info, None);
    format!("{text}{:?}", written.err())
}

/// For each entry point: GLSL has one in a text.
fn glsl_texts(module: &Module, info: &ModuleInfo) -> String {
    let options = glsl::Options { version: glsl::Version::Desktop(450), ..glsl::Options::default() };
    let mut all = String::new();
    for entry in &module.entry_points {
        let pipeline =
            glsl::PipelineOptions { shader_stage: entry.stage, entry_point: entry.name.clone(), multiview: None };
        let mut text = String::new();
        let written =
            glsl::Writer::new(&mut text, module, info, &options, &pipeline, naga::proc::BoundsCheckPolicies::default())
                .and_then(|mut writer| writer.write());
        let immediates = written.map(|written| format!("{:?}", written.immediates_items));
        all += &format!("{text}{immediates:?}");
    }
    all
}

fn msl_text(module: &Module, info: &ModuleInfo) -> String {
    let options = msl::Options { fake_missing_bindings: true, ..msl::Options::default() };
    format!("{:?}", msl::write_string(module, info, &options, &msl::PipelineOptions::default()).map(|(text, _)| text))
}

fn wgsl_text(module: &Module, info: &ModuleInfo) -> String {
    format!("{:?}", wgsl::write_string(module, info, wgsl::WriterFlags::all()))
}
