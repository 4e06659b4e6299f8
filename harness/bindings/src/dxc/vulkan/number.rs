//! Numbers the descriptor requests: one number line for each descriptor set, whatever the class.
//!
//! `[[vk::binding]]` comes first, then `register` with its shift, then everything else in order,
//! each at the lowest free number. DXC never checks explicit numbers against each other.

use std::collections::BTreeMap;

use layoutproof_layout::Span;
use layoutproof_layout::shape::Count;

use super::descriptor_request::{DescriptorRequest, VulkanRole};
use crate::options::{BindingOptions, DescriptorPlace};
use crate::slots::SlotLine;
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// Places each request.
///
/// # Errors
/// Variables that `-fvk-bind-register` leaves out, and sets without a free number.
pub(super) fn number(
    wants: &[DescriptorRequest],
    options: &BindingOptions,
) -> Result<Vec<DescriptorPlace>, Vec<Diagnostic>> {
    if !options.registers.is_empty() {
        return listed(wants, options);
    }

    let mut sets: BTreeMap<u32, SlotLine<()>> = BTreeMap::new();
    let mut given: Vec<Option<DescriptorPlace>> = wants.iter().map(|want| by_attribute(want, options)).collect();
    reserve(wants, &given, &mut sets, options);

    let by_register: Vec<Option<DescriptorPlace>> =
        wants.iter().zip(&given).map(|(want, given)| by_register(want, options).filter(|_| given.is_none())).collect();
    reserve(wants, &by_register, &mut sets, options);

    let mut problems = Vec::new();
    for ((want, given), by_register) in wants.iter().zip(&mut given).zip(by_register) {
        *given = given.or(by_register).or(options.globals.filter(|_| want.role == VulkanRole::Globals));
        if given.is_none() {
            *given = free(want, &mut sets, options);
        }
        if given.is_none() {
            let message = format!("no free binding is left for {}", want.paths.join(", "));
            problems.push(Diagnostic::error(Code::BindingNotAllocated, want.span, message));
        }
    }

    if problems.is_empty() { Ok(given.into_iter().flatten().collect()) } else { Err(problems) }
}

fn default_set(options: &BindingOptions) -> u32 {
    options.auto_space.unwrap_or(0)
}

fn by_attribute(want: &DescriptorRequest, options: &BindingOptions) -> Option<DescriptorPlace> {
    let (binding, set) = want.binding?;
    Some(DescriptorPlace { binding, set: set.unwrap_or(default_set(options)) })
}

fn by_register(want: &DescriptorRequest, options: &BindingOptions) -> Option<DescriptorPlace> {
    let (class, number) = want.register?;
    let set = want.space.unwrap_or(default_set(options));
    // A combined sampler moves like its texture, so that both meet.
    let class = if want.role == VulkanRole::Combined { layoutproof_layout::LayoutUnit::ShaderResource } else { class };
    Some(DescriptorPlace { binding: number.saturating_add(options.shift(class, set)), set })
}

/// Returns the count of numbers that a request takes.
fn taken(want: &DescriptorRequest, options: &BindingOptions) -> u32 {
    match want.count {
        Count::Finite(count) if options.flatten => count.saturating_mul(want.kept),
        Count::Finite(_) | Count::Unbounded => want.kept,
    }
}

fn reserve(
    wants: &[DescriptorRequest],
    given: &[Option<DescriptorPlace>],
    sets: &mut BTreeMap<u32, SlotLine<()>>,
    options: &BindingOptions,
) {
    for (want, given) in wants.iter().zip(given) {
        if let Some(DescriptorPlace { binding, set }) = given {
            sets.entry(*set).or_default().reserve(*binding, Count::Finite(taken(want, options)), ());
        }
    }
}

/// Returns the lowest free place. With the option for it, the search begins at the shift.
fn free(
    want: &DescriptorRequest,
    sets: &mut BTreeMap<u32, SlotLine<()>>,
    options: &BindingOptions,
) -> Option<DescriptorPlace> {
    let set = want.space.unwrap_or(default_set(options));
    let start = match want.class {
        Some(class) if options.auto_shift => options.shift(class, set),
        Some(_) | None => 0,
    };

    let (slots, count) = (sets.entry(set).or_default(), Count::Finite(taken(want, options)));
    let binding = slots.first_fit(count, start)?;
    slots.reserve(binding, count, ());
    Some(DescriptorPlace { binding, set })
}

/// Numbers the variables that `-fvk-bind-register` lists. Nothing else gets a number then.
fn listed(wants: &[DescriptorRequest], options: &BindingOptions) -> Result<Vec<DescriptorPlace>, Vec<Diagnostic>> {
    let mut problems = Vec::new();
    let mut given = Vec::new();
    for want in wants {
        match listed_at(want, options) {
            Ok(place) => given.push(place),
            Err(message) => problems.push(Diagnostic::error(Code::BadOption, want.span, message)),
        }
    }
    if problems.is_empty() { Ok(given) } else { Err(problems) }
}

fn listed_at(want: &DescriptorRequest, options: &BindingOptions) -> Result<DescriptorPlace, &'static str> {
    if want.role == VulkanRole::Globals {
        let missing = "-fvk-bind-register requires Globals buffer to be bound with -fvk-bind-globals";
        return options.globals.ok_or(missing);
    }
    if matches!(want.role, VulkanRole::Counter(_)) {
        return Err("-fvk-bind-register for RW/Append/Consume StructuredBuffer unimplemented");
    }

    let annotated = "-fvk-bind-register requires register annotations on all resources";
    let (class, number) = want.register.ok_or(annotated)?;
    let space = want.space.unwrap_or(0);
    let is_it = |entry: &&crate::options::BoundRegister| {
        entry.class == class && entry.register == number && entry.space == space
    };
    let found = options.registers.iter().rev().find(is_it).map(|entry| entry.to);
    found.ok_or("missing -fvk-bind-register for resource")
}

/// If a class is shifted in all spaces, no other shift of it is allowed.
pub(super) fn check_shifts(options: &BindingOptions) -> Result<(), Vec<Diagnostic>> {
    let shared = options.shifts.iter().filter(|shift| shift.space.is_none());
    let mixed = shared.filter(|all| options.shifts.iter().filter(|other| other.class == all.class).count() > 1);
    let problems: Vec<Diagnostic> = mixed
        .take(1)
        .map(|shift| {
            let message = format!("setting all sets via -fvk-{}-shift argument should be used alone", shift.class);
            Diagnostic::error(Code::BadOption, Span::default(), message)
        })
        .collect();
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}
