//! Translates our own SPIR-V with naga into the text of another language.
//!
//! The drivers of translators call this. The words are our generators', which are harmless, so naga reads them in
//! this process.

use layoutproof_device::word_bytes;
use naga::back::{glsl, msl, wgsl};
use naga::front::spv;
use naga::proc::BoundsCheckPolicies;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{Module, ShaderStage, TypeInner};

use crate::caught;
use crate::naga_hlsl::write_hlsl;
use crate::naga_offsets::chain;
use crate::toolchain::TextLanguage;

/// The buffers of MSL for immediates and for the lengths of arrays, beyond the bindings of our modules.
const IMMEDIATES: u8 = 30;
const SIZES: u8 = 29;

/// Why there is no text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotTranslated {
    /// naga's answer.
    Refused(String),
    Panicked,
}

/// The text that naga writes for the compute shader `entry` of a module.
///
/// # Errors
/// naga does not read the module, or does not write it.
pub fn translated(words: &[u32], entry: &str, text: TextLanguage) -> Result<String, NotTranslated> {
    caught(|| translate(words, entry, text)).unwrap_or(Err(NotTranslated::Panicked))
}

fn translate(words: &[u32], entry: &str, text: TextLanguage) -> Result<String, NotTranslated> {
    let options = spv::Options { adjust_coordinate_space: false, ..spv::Options::default() };
    let module = spv::parse_u8_slice(&word_bytes(words), &options)
        .map_err(|error| refused("does not read the module", &error))?;
    let info = Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(&module)
        .map_err(|error| refused("refuses the module", error.as_inner()))?;
    match text {
        TextLanguage::Glsl => glsl_of(&module, &info, entry),
        TextLanguage::Hlsl => {
            write_hlsl(&module, &info, entry).map_err(|error| NotTranslated::Refused(error.to_string()))
        }
        TextLanguage::Msl => msl_of(&module, &info, entry),
        TextLanguage::Wgsl => wgsl::write_string(&module, &info, wgsl::WriterFlags::empty())
            .map_err(|error| refused("writes no WGSL", &error)),
    }
}

/// GLSL for desktops, in which each binding has its own number; they are all in set 0.
fn glsl_of(module: &Module, info: &ModuleInfo, entry: &str) -> Result<String, NotTranslated> {
    let bindings = module.global_variables.iter().filter_map(|(_, variable)| variable.binding.as_ref());
    let binding_map = bindings.filter_map(|place| Some((*place, u8::try_from(place.binding).ok()?))).collect();
    let options = glsl::Options { version: glsl::Version::Desktop(450), binding_map, ..glsl::Options::default() };
    let pipeline =
        glsl::PipelineOptions { shader_stage: ShaderStage::Compute, entry_point: entry.to_owned(), multiview: None };
    let mut text = String::new();
    let no_glsl = |error| refused("writes no GLSL", &error);
    glsl::Writer::new(&mut text, module, info, &options, &pipeline, BoundsCheckPolicies::default())
        .map_err(no_glsl)?
        .write()
        .map_err(no_glsl)?;
    Ok(text)
}

fn msl_of(module: &Module, info: &ModuleInfo, entry: &str) -> Result<String, NotTranslated> {
    let resources = module.global_variables.iter().filter_map(|(_, variable)| {
        let place = variable.binding?;
        let number = Some(u8::try_from(place.binding).ok()?);
        let inner = match module.types[variable.ty].inner {
            TypeInner::BindingArray { base, .. } => &module.types[base].inner,
            ref inner => inner,
        };
        let target = msl::BindTarget { mutable: true, ..msl::BindTarget::default() };
        let target = match inner {
            TypeInner::Image { .. } => msl::BindTarget { texture: number, ..target },
            TypeInner::Sampler { .. } => {
                msl::BindTarget { sampler: number.map(msl::BindSamplerTarget::Resource), ..target }
            }
            _ => msl::BindTarget { buffer: number, ..target },
        };
        Some((place, target))
    });
    let resources = msl::EntryPointResources {
        resources: resources.collect(),
        immediates_buffer: Some(IMMEDIATES),
        sizes_buffer: Some(SIZES),
    };
    let per_entry_point_map = [(entry.to_owned(), resources)].into();
    let options = msl::Options { lang_version: (3, 1), per_entry_point_map, ..msl::Options::default() };
    let pipeline = msl::PipelineOptions {
        entry_point: Some((ShaderStage::Compute, entry.to_owned())),
        ..msl::PipelineOptions::default()
    };
    let (text, _) =
        msl::write_string(module, info, &options, &pipeline).map_err(|error| refused("writes no MSL", &error))?;
    Ok(text)
}

fn refused(what: &str, error: &dyn std::error::Error) -> NotTranslated {
    NotTranslated::Refused(format!("naga {what}: {}", chain(error)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naga_offsets::wgsl_module;

    const SOURCE: &str = "struct B { @size(64) a: f32, b: f32 }
        @group(0) @binding(0) var<uniform> block: B;
        @group(0) @binding(1) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(1) fn probe() { out[0] = bitcast<u32>(block.b); }";

    #[test]
    fn each_language_has_the_entry_point_and_its_bindings() {
        let words = wgsl_module(SOURCE).unwrap();
        for (language, parts) in [
            (TextLanguage::Glsl, ["layout(std140, binding = 0) uniform", "void main()"]),
            (TextLanguage::Hlsl, ["register(b0)", "void probe("]),
            (TextLanguage::Msl, ["[[buffer(0)]]", "kernel void probe("]),
            (TextLanguage::Wgsl, ["@group(0) @binding(0)", "fn probe("]),
        ] {
            let text = translated(&words, "probe", language).unwrap();
            assert!(parts.iter().all(|part| text.contains(part)), "{language:?}: {text}");
        }
    }

    #[test]
    fn what_naga_does_not_read_is_refused() {
        let refusal = translated(&[0; 8], "probe", TextLanguage::Wgsl);
        assert!(
            matches!(refusal, Err(NotTranslated::Refused(words)) if words.starts_with("naga does not read the module"))
        );
    }
}
