//! HLSL and Slang: our own front end reads their declarations, and rule sets lay them out.

use layoutproof_bindings::Declarations;
use layoutproof_frontend::DeclareOptions;
use layoutproof_frontend::module::Module;
use layoutproof_layout::Span;
use layoutproof_source::diagnostics::Diagnostic;
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::SourceMap;

use super::{Purpose, ReadOptions, TextFrontEnd, TextReading, for_others};

/// HLSL is compiled with DXC, and for Vulkan with either compiler.
pub(super) static HLSL: TextFrontEnd = TextFrontEnd {
    language: ShaderLanguage::Hlsl,
    reads: TextReading::Declarations { read, ships: &["native:dxc-dxil", "native:dxc-spirv", "native:slang-vulkan"] },
};

pub(super) static SLANG: TextFrontEnd = TextFrontEnd {
    language: ShaderLanguage::Slang,
    reads: TextReading::Declarations {
        read,
        ships: &["native:slang-d3d12", "native:slang-vulkan", "native:slang-webgpu", "native:slang-metal"],
    },
};

fn read(span: Span, options: &ReadOptions<'_>, sources: &mut SourceMap) -> Result<Declarations, Vec<Diagnostic>> {
    let ReadOptions { layout, declare, .. } = options;
    let with_views = DeclareOptions { views: true, ..(*declare).clone() };
    match options.purpose {
        Purpose::Layouts => Declarations::of_file(span, *layout, declare, sources),
        Purpose::Comparison => Declarations::of_file(span, *layout, &with_views, sources),
        Purpose::Display => {
            let is_empty = sources.text(span).trim().is_empty();
            let read = if is_empty { Declarations::of_bound_file } else { Declarations::of_program };
            let mut found = read(span, *layout, &with_views, sources)?;
            let Module { blocks, parameters, views, entry_points, warnings, .. } = &mut found.module;
            if blocks.is_empty() && parameters.is_empty() && views.is_empty() && entry_points.is_empty() {
                warnings.push(for_others(span));
            }
            Ok(found)
        }
        Purpose::Bindings | Purpose::OpenGlBindings => Declarations::of_bound_file(span, *layout, &with_views, sources),
        Purpose::Reflection => Declarations::of_program(span, *layout, declare, sources),
    }
}
