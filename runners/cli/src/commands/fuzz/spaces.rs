//! Which declarations go to which compiler.

use layoutproof_core::inspect::toolchain::{Language, Output, Toolchain};
use layoutproof_core::random::declaration::TypeSpace;

/// The declarations that the toolchain is given: those of its type space, for DXC with minimum precision too.
pub(super) fn of(toolchain: &Toolchain) -> TypeSpace {
    let plain = plain(toolchain);
    match toolchain.language {
        Language::Hlsl => plain.with_minimum_precision(),
        // What FXC does to it, cases show; Clang, Slang, GLSL and WGSL know nothing of it.
        Language::ClangHlsl | Language::OldHlsl | Language::Slang | Language::Glsl | Language::Wgsl => plain,
    }
}

/// The same without minimum precision, so that other compilers take much of it.
fn plain(toolchain: &Toolchain) -> TypeSpace {
    match (toolchain.language, toolchain.output) {
        (Language::Hlsl, Output::Dxil) => TypeSpace::dxc_dxil(),
        (Language::Hlsl, Output::Spirv) => TypeSpace::dxc_spirv(),
        (Language::Slang, Output::Dxil) => TypeSpace::slang(),
        (Language::Slang, Output::Spirv) => TypeSpace::slang_spirv(),
        (Language::ClangHlsl, _) | (_, Output::ClangIr) => TypeSpace::clang(),
        (Language::OldHlsl, Output::Dxil | Output::Spirv | Output::SpirvOfDxbc)
        | (Language::Hlsl | Language::Slang, Output::SpirvOfDxbc) => TypeSpace::fxc(),
        (Language::Hlsl | Language::OldHlsl | Language::Slang, Output::Wgsl) => {
            let both = TypeSpace::slang().common(&TypeSpace::wgsl());
            both.expect("both have constant buffers, matrices by columns and 16-bit types")
        }
        (Language::Glsl, Output::Dxil | Output::Spirv | Output::SpirvOfDxbc | Output::Wgsl) => TypeSpace::glsl(),
        (Language::Wgsl, Output::Dxil | Output::Spirv | Output::SpirvOfDxbc | Output::Wgsl) => TypeSpace::tint(),
    }
}

/// The type spaces of these toolchains, without and with minimum precision, each once.
pub(super) fn distinct(toolchains: &[&'static Toolchain]) -> Vec<TypeSpace> {
    let mut spaces: Vec<TypeSpace> = Vec::new();
    for space in toolchains.iter().flat_map(|toolchain| [plain(toolchain), of(toolchain)]) {
        if !spaces.contains(&space) {
            spaces.push(space);
        }
    }
    spaces
}
