//! Says how large fused groups may be: what a module costs a driver beside its loads, and how fast that grows with the module.
//!
//! Source: measured, see `runners/README.md`.

use super::FusedSpace;
use crate::probe::Form;

/// The sizes in which a device is given fused cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// Cases of a module, at least 1.
    pub cases: usize,
    /// How leaves are loaded.
    pub form: Form,
    /// Loads of a module whose cases are read in several forms.
    pub loads: usize,
    /// The same where the cases are parts of a long block. Short blocks have many offsets in common, which a driver loads
    /// once, and those of a long block have none.
    pub loads_of_long_block: usize,
}

impl Tuning {
    /// Leaves through each form of a module in which every case has a region of its own.
    pub fn accesses(device: &str) -> usize {
        match device {
            // Long functions of stores compile no more slowly for their length.
            "swiftshader" => 128,
            _ => 64,
        }
    }

    /// The tuning of a device, by its id.
    pub fn of(device: &str, space: FusedSpace) -> Self {
        match (device, space) {
            // A pipeline costs as much as some hundred loads from a uniform buffer.
            ("lavapipe", FusedSpace::Uniform) => {
                Self { cases: 32, form: Form::Leaf, loads: 800, loads_of_long_block: 200 }
            }
            // Loads from a storage buffer are not merged where blocks have an offset in common, and each makes two blocks of code.
            ("lavapipe", FusedSpace::Storage) => {
                Self { cases: 4, form: Form::Leaf, loads: 100, loads_of_long_block: 100 }
            }
            // A pipeline costs little, every access chain much, and a whole block no more chains than a scalar.
            ("swiftshader", FusedSpace::Uniform | FusedSpace::Storage) => {
                Self { cases: 8, form: Form::Whole, loads: 400, loads_of_long_block: 400 }
            }
            // Unknown drivers: few enough that a failure is found quickly.
            (_, FusedSpace::Uniform | FusedSpace::Storage) => {
                Self { cases: 16, form: Form::Leaf, loads: 400, loads_of_long_block: 200 }
            }
        }
    }
}
