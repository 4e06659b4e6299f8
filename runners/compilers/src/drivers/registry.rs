//! The list of all drivers, and which one belongs to a toolchain.

use layoutproof_core::inspect::toolchain::Toolchain;
use layoutproof_core::random::declaration::TypeSpace;

use super::CompilerDriver;
use super::clang::ClangDriver;
use super::dxc::DxcDriver;
use super::fxc::FxcDriver;
use super::glslang::GlslangDriver;
use super::naga::NagaDriver;
use super::naga_hlsl::NagaHlslDriver;
use super::slang::SlangDriver;
use super::tint::TintDriver;

/// All drivers, in the order in which their compilers are listed.
pub(crate) static DRIVERS: [&dyn CompilerDriver; 8] =
    [&DxcDriver, &FxcDriver, &SlangDriver, &GlslangDriver, &ClangDriver, &TintDriver, &NagaDriver, &NagaHlslDriver];

/// The driver of the compiler of this name, in any of its builds.
pub(crate) fn driver_named(compiler: &str) -> Option<&'static dyn CompilerDriver> {
    let is_of = |driver: &&&dyn CompilerDriver| {
        driver.name() == compiler || driver.programs().iter().any(|program| program.name == compiler)
    };
    DRIVERS.iter().find(is_of).copied()
}

/// The driver of a toolchain's compiler.
pub(crate) fn driver_of(toolchain: &Toolchain) -> &'static dyn CompilerDriver {
    driver_named(toolchain.compiler).expect("each toolchain's compiler has a driver, which a test checks")
}

/// The random declarations that the toolchain is given, without minimum precision, so that other compilers take much of it.
pub fn type_space(toolchain: &Toolchain) -> TypeSpace {
    driver_of(toolchain).type_space(toolchain)
}

/// All random declarations that the toolchain is given: those of [`type_space`], and those with minimum precision where the
/// compiler knows it.
pub fn full_type_space(toolchain: &Toolchain) -> TypeSpace {
    let plain = type_space(toolchain);
    if driver_of(toolchain).takes_minimum_precision() { plain.with_minimum_precision() } else { plain }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use layoutproof_core::inspect::toolchain::toolchains;

    use super::*;

    #[test]
    fn every_compiler_of_a_toolchain_has_a_driver() {
        for toolchain in toolchains() {
            for compiler in [toolchain.compiler].into_iter().chain(toolchain.second_compiler) {
                assert!(driver_named(compiler).is_some(), "nothing drives `{compiler}` of {toolchain}");
            }
            full_type_space(toolchain);
        }
    }

    #[test]
    fn every_program_is_looked_for_once() {
        let names: Vec<&str> =
            DRIVERS.iter().flat_map(|driver| driver.programs()).map(|program| program.name).collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    }
}
