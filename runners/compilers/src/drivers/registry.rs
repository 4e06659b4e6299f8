//! The list of all drivers, and the lookup of a toolchain's driver.

use layoutproof_random::declaration::TypeSpace;
use layoutproof_readers::toolchain::Toolchain;

use super::CompilerDriver;
use super::clang::ClangDriver;
use super::dxc::DxcDriver;
use super::fxc::FxcDriver;
use super::glslang::GlslangDriver;
use super::naga::NagaDriver;
use super::naga_hlsl::NagaHlslDriver;
use super::slang::SlangDriver;
use super::tint::TintDriver;

/// All drivers, in the order of listings.
pub(crate) static DRIVERS: [&dyn CompilerDriver; 8] =
    [&DxcDriver, &FxcDriver, &SlangDriver, &GlslangDriver, &ClangDriver, &TintDriver, &NagaDriver, &NagaHlslDriver];

/// The driver of the compiler with this name, which may be any of its builds.
pub(crate) fn driver_named(compiler: &str) -> Option<&'static dyn CompilerDriver> {
    let is_of = |driver: &&&dyn CompilerDriver| {
        driver.name() == compiler || driver.programs().iter().any(|program| program.name == compiler)
    };
    DRIVERS.iter().find(is_of).copied()
}

pub(crate) fn driver_of(toolchain: &Toolchain) -> &'static dyn CompilerDriver {
    driver_named(toolchain.compiler).expect("each toolchain's compiler has a driver, which a test checks")
}

/// The random declarations for the toolchain, without minimum precision, so that other compilers
/// accept many of them.
pub fn type_space(toolchain: &Toolchain) -> TypeSpace {
    driver_of(toolchain).type_space(toolchain)
}

/// All random declarations for the toolchain: those of [`type_space`], plus those with minimum
/// precision if the compiler supports it.
pub fn full_type_space(toolchain: &Toolchain) -> TypeSpace {
    let plain = type_space(toolchain);
    if driver_of(toolchain).takes_minimum_precision() { plain.with_minimum_precision() } else { plain }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use layoutproof_readers::toolchain::toolchains;

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
