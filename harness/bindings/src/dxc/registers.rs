//! Assigns registers to claims: explicit registers first, then the lowest gaps, class by class and
//! space by space.
//!
//! Returns the bindings of [`RegisterClaim`]s, or errors in DXC's own words. Sources: wg-hlsl 0024,
//! implicit resource binding; DXC 1.7.2308, which also gives the messages.

use std::collections::BTreeMap;

use layoutproof_layout::LayoutUnit;
use layoutproof_layout::shape::Count;

use super::claim::{ClaimOrigin, RegisterClaim};
use crate::Binding;
use crate::options::BindingOptions;
use crate::slots::SlotLine;
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// The number that means no register in DXC's tables.
const NO_REGISTER: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
pub(super) struct AllocationRules<'a> {
    pub(super) options: &'a BindingOptions,
    /// Overlaps are no errors.
    pub(super) may_overlap: bool,
    /// True for a library, which leaves claims without a register to its linking.
    pub(super) library: bool,
    /// True if DXC's validator checks the module. It does not check a module of `lib_6_x`, which is
    /// still to be linked, nor any module with `-Vd`.
    pub(super) validated: bool,
    /// Unused claims with a register, for `-flegacy-resource-reservation`.
    pub(super) unused: &'a [RegisterClaim],
}

/// The register classes, in the order of DXC's allocation.
const CLASSES: [LayoutUnit; 4] =
    [LayoutUnit::ConstantBuffer, LayoutUnit::Sampler, LayoutUnit::UnorderedAccess, LayoutUnit::ShaderResource];

/// The registers of one class in one space. The owner is the index of a claim.
#[derive(Debug, Default)]
struct RegisterLine {
    slots: SlotLine<usize>,
    unbounded: Option<usize>,
}

#[derive(Debug)]
struct RegisterAllocator<'a> {
    claims: &'a [RegisterClaim],
    rules: AllocationRules<'a>,
    lines: BTreeMap<u32, RegisterLine>,
    given: Vec<Option<(u32, u32)>>,
    problems: Vec<Diagnostic>,
}

/// Places each claim, in the order of the claims.
pub(super) fn allocate(claims: &[RegisterClaim], rules: AllocationRules<'_>) -> Result<Vec<Binding>, Vec<Diagnostic>> {
    let given = vec![None; claims.len()];
    let mut allocator = RegisterAllocator { claims, rules, lines: BTreeMap::new(), given, problems: Vec::new() };
    for class in CLASSES {
        allocator.class(class);
    }
    if allocator.problems.is_empty() { Ok(allocator.bindings()) } else { Err(allocator.problems) }
}

impl RegisterAllocator<'_> {
    fn class(&mut self, class: LayoutUnit) {
        self.lines.clear();
        let is_last = |index: &usize| self.claims[*index].origin == ClaimOrigin::TextureBuffer;
        let mut list: Vec<usize> = (0..self.claims.len()).filter(|index| self.claims[*index].unit == class).collect();
        list.sort_by_key(is_last);

        for index in &list {
            if let Some(register) = written(&self.claims[*index]) {
                self.explicit(*index, register);
            }
        }

        if self.rules.options.legacy_reservation {
            self.reserve_unused(class);
        }
        for index in list {
            if written(&self.claims[index]).is_none() && !self.is_left_to_linking() {
                self.implicit(index);
            }
        }
    }

    fn is_left_to_linking(&self) -> bool {
        self.rules.library && self.rules.options.auto_space.is_none()
    }

    fn explicit(&mut self, index: usize, register: u32) {
        let claim = &self.claims[index];
        let space = claim.space.unwrap_or(0);
        let line = self.lines.entry(space).or_default();
        self.given[index] = Some((space, register));
        if claim.count == Count::Unbounded && !self.rules.may_overlap {
            if let Some(first) = line.unbounded {
                return self.unbounded_twice(first, index, space);
            }
        }
        if let Some(held) = line.slots.last_holder(register, claim.count).filter(|_| self.rules.library) {
            line.slots.reserve(register, claim.count, index);
            return self.overlap_in_library(index, held.owner, register);
        }
        if let Some(held) = line.slots.last_holder(register, claim.count).filter(|_| !self.rules.may_overlap) {
            let (other, unbounded) = (&self.claims[held.owner], unbounded(claim));
            let message = format!(
                "{unbounded}resource {} at register {register} overlaps with resource {} at register {}, space {space}",
                claim.name, other.name, held.first
            );
            let problem = Diagnostic::error(Code::BindingOverlap, claim.span, message);
            return self.problems.push(problem.with_label(other.span, "the other one"));
        }

        line.slots.reserve(register, claim.count, index);
        if claim.count == Count::Unbounded {
            line.unbounded = Some(index);
        }
    }

    /// Entry points of a library may share registers. Only the validator checks all of them
    /// together.
    fn overlap_in_library(&mut self, index: usize, other: usize, register: u32) {
        if !self.rules.validated {
            return;
        }
        let (claim, other) = (&self.claims[index], &self.claims[other]);
        let message = format!(
            "Resource {} with base {register} size {} overlap with other resource with base {} size {} in space {}.",
            claim.name,
            size(claim.count),
            other.register.unwrap_or(0),
            size(other.count),
            claim.space.unwrap_or(0)
        );

        let problem = Diagnostic::error(Code::BindingOverlap, claim.span, message);
        self.problems.push(problem.with_label(other.span, "the other one"));
    }

    /// Reserves the registers of unused resources. Overlaps are not errors here.
    fn reserve_unused(&mut self, class: LayoutUnit) {
        for claim in self.rules.unused.iter().filter(|claim| claim.unit == class) {
            if let Some(register) = written(claim) {
                let line = self.lines.entry(claim.space.unwrap_or(0)).or_default();
                line.slots.reserve(register, claim.count, usize::MAX);
            }
        }
    }

    fn implicit(&mut self, index: usize) {
        let claim = &self.claims[index];
        let space = self.space_of(claim);
        let line = self.lines.entry(space).or_default();
        let register = match claim.count {
            Count::Finite(_) => line.slots.first_fit(claim.count, 0),
            Count::Unbounded => {
                if let Some(first) = line.unbounded {
                    return self.unbounded_twice(first, index, space);
                }
                line.unbounded = Some(index);
                line.slots.behind_all()
            }
        };

        let Some(register) = register else {
            let message = format!("{}resource {} could not be allocated", unbounded(claim), claim.name);
            return self.problems.push(Diagnostic::error(Code::BindingNotAllocated, claim.span, message));
        };
        line.slots.reserve(register, claim.count, index);
        self.given[index] = Some((space, register));
    }

    /// Returns the space of a claim. `-auto-binding-space` moves variables, but neither `$Globals`
    /// nor split-off resources.
    fn space_of(&self, claim: &RegisterClaim) -> u32 {
        match (claim.space, claim.origin) {
            (Some(space), _) => space,
            (None, ClaimOrigin::Globals | ClaimOrigin::SplitOff) => 0,
            (None, ClaimOrigin::Variable | ClaimOrigin::TextureBuffer) => self.rules.options.auto_space.unwrap_or(0),
        }
    }

    fn unbounded_twice(&mut self, first: usize, second: usize, space: u32) {
        let (first, second) = (&self.claims[first], &self.claims[second]);
        let message = format!("more than one unbounded resource ({} and {}) in space {space}", first.name, second.name);
        let problem = Diagnostic::error(Code::UnboundedTwice, second.span, message);
        self.problems.push(problem.with_label(first.span, "the other one"));
    }

    fn bindings(self) -> Vec<Binding> {
        let places = self.claims.iter().zip(&self.given);
        places.map(|(claim, given)| bound(claim, *given)).collect()
    }
}

/// Returns the binding of a claim. A claim that is left to linking has no register, which DXC
/// writes as 2^32 - 1.
fn bound(claim: &RegisterClaim, given: Option<(u32, u32)>) -> Binding {
    let none = match claim.origin {
        ClaimOrigin::Globals | ClaimOrigin::SplitOff => (0, NO_REGISTER),
        ClaimOrigin::Variable | ClaimOrigin::TextureBuffer => (claim.space.unwrap_or(u32::MAX), NO_REGISTER),
    };
    let (space, index) = given.unwrap_or(none);

    let RegisterClaim { path, unit, count, span, .. } = claim.clone();
    Binding { path, unit, space, index, count, span }
}

/// Returns the register in the source of a claim. 2^32 - 1 counts as none.
fn written(claim: &RegisterClaim) -> Option<u32> {
    claim.register.filter(|register| *register != NO_REGISTER)
}

/// Returns a count as DXC's validator prints it. An unbounded count is 2^32 - 1.
fn size(count: Count) -> u32 {
    match count {
        Count::Finite(count) => count,
        Count::Unbounded => u32::MAX,
    }
}

fn unbounded(claim: &RegisterClaim) -> &'static str {
    match claim.count {
        Count::Unbounded => "unbounded ",
        Count::Finite(_) => "",
    }
}
