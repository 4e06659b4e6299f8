//! Which declarations go to which compiler.

use layoutproof::random::declaration::TypeSpace;
use layoutproof::toolchain::{Language, Output, Toolchain};

/// The declarations that the toolchain is given.
pub(super) fn of(toolchain: &Toolchain) -> TypeSpace {
    match (toolchain.language, toolchain.output) {
        (Language::Hlsl, Output::Dxil) => TypeSpace::dxc_dxil(),
        (Language::Hlsl, Output::Spirv) => TypeSpace::dxc_spirv(),
        (Language::Slang, Output::Dxil) => TypeSpace::slang(),
        (Language::Slang, Output::Spirv) => TypeSpace::slang_spirv(),
        (Language::OldHlsl, Output::Dxil | Output::Spirv | Output::SpirvOfDxbc)
        | (Language::Hlsl | Language::Slang, Output::SpirvOfDxbc) => TypeSpace::fxc(),
        (Language::Hlsl | Language::OldHlsl | Language::Slang, Output::Wgsl) => {
            let both = TypeSpace::slang().common(&TypeSpace::wgsl());
            both.expect("both have constant buffers, matrices by columns and 16-bit types")
        }
    }
}

/// The type spaces of these toolchains, each once.
pub(super) fn distinct(toolchains: &[&'static Toolchain]) -> Vec<TypeSpace> {
    let mut spaces: Vec<TypeSpace> = Vec::new();
    for space in toolchains.iter().map(|toolchain| of(toolchain)) {
        if !spaces.contains(&space) {
            spaces.push(space);
        }
    }
    spaces
}
