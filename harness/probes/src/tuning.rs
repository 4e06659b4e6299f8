//! Limits the size of fused groups per device. The limits depend on a module's fixed cost in the
//! driver and on how fast the cost grows with its size.
//!
//! Source: measured, see `runners/README.md`.

use super::FusedSpace;
use crate::Form;

/// The sizes of fused groups for a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// Cases in a module, at least 1.
    pub cases: usize,
    /// The form for loading leaves.
    pub form: Form,
    /// Loads in a module whose cases are read in several forms.
    pub loads: usize,
    /// The same for cases that are parts of a long block. Short blocks have many offsets in common,
    /// which a driver loads once; parts of a long block have none in common.
    pub loads_of_long_block: usize,
}

impl Tuning {
    /// Returns the leaves per form of a module in which every case has its own region.
    pub fn accesses(device: &str) -> usize {
        match device {
            // Long functions of stores take no longer to compile.
            "swiftshader" => 128,
            _ => 64,
        }
    }

    /// Returns the tuning of the device with this id.
    pub fn of(device: &str, space: FusedSpace) -> Self {
        match (device, space) {
            // A pipeline costs as much as some hundred loads from a uniform buffer.
            ("lavapipe", FusedSpace::Uniform) => {
                Self { cases: 32, form: Form::Leaf, loads: 800, loads_of_long_block: 200 }
            }
            // Loads from a storage buffer at the same offset in several blocks are not merged, and
            // each makes two blocks of code.
            ("lavapipe", FusedSpace::Storage) => {
                Self { cases: 4, form: Form::Leaf, loads: 100, loads_of_long_block: 100 }
            }
            // A pipeline costs little and every access chain much, but a whole block needs no more
            // chains than a scalar.
            ("swiftshader", FusedSpace::Uniform | FusedSpace::Storage) => {
                Self { cases: 8, form: Form::Whole, loads: 400, loads_of_long_block: 400 }
            }
            // For unknown drivers, keep the groups small enough to find a failure quickly.
            (_, FusedSpace::Uniform | FusedSpace::Storage) => {
                Self { cases: 16, form: Form::Leaf, loads: 400, loads_of_long_block: 200 }
            }
        }
    }
}
