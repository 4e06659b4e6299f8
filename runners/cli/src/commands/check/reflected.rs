//! Asks slangc for the blocks of a Slang file that our own reader refuses.
//!
//! Our reader evaluates only a part of the language: a length such as `Max<1, 4>.value` needs all of it.
//! slangc's reflection has the same offsets, without the declarations' places and, where the size does
//! not tell, without the order of matrices. It ignores what [`UNREFLECTED`] lists, which slangc's code
//! honours.

use std::path::Path;

use layoutproof_compilers::user_files::ask_for_reflection;
use layoutproof_layout::{BlockLayout, MatrixOrder};
use layoutproof_readers::reflection::reflected_blocks;
use layoutproof_readers::toolchain::{AppliedRules, toolchains};

use super::shader_blocks::ShaderJob;
use crate::select::shader_file::reader_process::limited;
use crate::select::shader_file::{TIME_LIMIT, find_compiler};

/// Words of declarations that slangc 2026.14.1 lays out in its code and not in its reflection:
/// `[[vk::offset(64)]]`, `StructuredBuffer<T, Std140DataLayout>`.
pub(super) const UNREFLECTED: [&str; 2] = ["vk::offset", "DataLayout"];

/// The blocks of a file, as a compiler describes them.
#[derive(Debug)]
pub(super) struct ReflectedFile {
    pub blocks: Vec<BlockLayout>,
    /// The compiler with its version.
    pub compiler: String,
}

/// The blocks of a file under a rule set that says what slangc does for a target. `None` if slangc is not
/// here, refuses the file too, or the rule set is another one.
///
/// # Errors
/// The folder of tools is misnamed, or the file has no absolute path.
pub(super) fn reflected(job: &ShaderJob, rules: &str) -> anyhow::Result<Option<ReflectedFile>> {
    let target = match rules {
        "native:slang-d3d12" => "hlsl",
        "native:slang-webgpu" => "wgsl",
        "native:slang-metal" => "metal",
        _ if rules.starts_with("native:slang-vulkan") => "spirv",
        _ => return Ok(None),
    };
    let Ok(slangc) = find_compiler("slangc")? else { return Ok(None) };

    let order = job.declare.layout_options().matrix;
    let order_option = match order {
        MatrixOrder::Row => "-matrix-layout-row-major",
        MatrixOrder::Column => "-matrix-layout-column-major",
    };
    let is_followed = |followed: AppliedRules| matches!(followed, AppliedRules::Native(name) if name == rules);
    let toolchain = toolchains().iter().find(|toolchain| is_followed(toolchain.follows));
    let flags = toolchain.map_or(&[][..], |toolchain| toolchain.flags);
    let mut arguments: Vec<String> = std::iter::once(&order_option).chain(flags).map(|&flag| flag.to_owned()).collect();
    arguments.extend(job.declare.define.iter().map(|define| format!("-D{define}")));
    for folder in &job.declare.include {
        arguments.extend(["-I".to_owned(), absolute(Path::new(folder))?]);
    }
    if let (Some(profile), "hlsl") = (&job.profile, target) {
        arguments.extend(["-profile".to_owned(), profile.clone()]);
    }
    arguments.push(absolute(&job.path)?);

    let json = ask_for_reflection(&slangc, target, &arguments, limited, TIME_LIMIT);
    let blocks = json.and_then(|json| reflected_blocks(&json, order));
    Ok(blocks.ok().map(|blocks| ReflectedFile { blocks, compiler: format!("slangc {}", slangc.version()) }))
}

/// The path for a compiler in another folder.
fn absolute(path: &Path) -> anyhow::Result<String> {
    Ok(std::path::absolute(path)?.display().to_string())
}
