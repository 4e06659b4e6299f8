//! The type spaces of a run of `fuzz`, from which declarations are drawn.

use layoutproof_compilers::drivers::{full_type_space, type_space};
use layoutproof_random::declaration::TypeSpace;
use layoutproof_readers::toolchain::Toolchain;

/// The distinct type spaces of these toolchains, with and without minimum precision.
pub(super) fn distinct(toolchains: &[&'static Toolchain]) -> Vec<TypeSpace> {
    let mut spaces: Vec<TypeSpace> = Vec::new();
    for space in toolchains.iter().flat_map(|toolchain| [type_space(toolchain), full_type_space(toolchain)]) {
        if !spaces.contains(&space) {
            spaces.push(space);
        }
    }
    spaces
}
