//! How the code of a shader reads the components of members.
//!
//! Readers of code fill it, and comparisons with host programs use it: where a shader takes the bits of a `float` as an
//! integer, the host may have an integer there. Members go by their names, because code copies structs and reads the
//! copies.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Most components of a vector.
const MOST_COMPONENTS: usize = 4;

/// A set of components of a vector: bit 0 is the first.
pub type Components = u8;

/// What code reads, by the names of members. A member that it does not mention is not here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComponentReads(BTreeMap<String, MemberReads>);

/// What code reads of a member that is a scalar, a vector, or an array of these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberReads {
    /// The bits that it reads of each component: those in `x & 0xFFFF`, all in other expressions.
    bits: [u32; MOST_COMPONENTS],
    /// The components whose bits it takes as another kind of number: `floatBitsToUint(x)`, `asfloat(x)`.
    recast: Components,
}

impl ComponentReads {
    /// Adds a read of these bits of components.
    pub fn add(&mut self, member: &str, components: Components, bits: u32) {
        for (index, own) in self.member(member).bits.iter_mut().enumerate() {
            if components & (1 << index) != 0 {
                *own |= bits;
            }
        }
    }

    /// Adds a read of the bits of components as another kind of number.
    pub fn add_recast(&mut self, member: &str, components: Components) {
        self.add(member, components, u32::MAX);
        self.member(member).recast |= components;
    }

    /// Adds the reads of another shader.
    pub fn merge(&mut self, other: &Self) {
        for (name, reads) in &other.0 {
            for (index, bits) in reads.bits.iter().enumerate() {
                self.add(name, 1 << index, *bits);
            }
            self.member(name).recast |= reads.recast;
        }
    }

    /// Counts all components as read: some of the code was not understood.
    pub fn read_all(&mut self) {
        for reads in self.0.values_mut() {
            reads.bits = [u32::MAX; MOST_COMPONENTS];
        }
    }

    /// `None` if the code mentions no member of this name.
    pub fn get(&self, member: &str) -> Option<MemberReads> {
        self.0.get(member).copied()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn member(&mut self, name: &str) -> &mut MemberReads {
        self.0.entry(name.to_owned()).or_default()
    }
}

impl MemberReads {
    /// The bits that code reads of a component, counted from 0; all of those that are not followed.
    pub fn bits_of(self, component: usize) -> u32 {
        self.bits.get(component).copied().unwrap_or(u32::MAX)
    }

    /// True if code takes the bits of a component as another kind of number.
    pub fn is_recast(self, component: usize) -> bool {
        component < MOST_COMPONENTS && self.recast & (1 << component) != 0
    }
}
