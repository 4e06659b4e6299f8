//! The memory that a host has to make for a module that is executed.

use rspirv::spirv::{StorageClass, Word};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use super::ViewKind;
use super::instrument::NotExecutable;
use super::own_images::NoResource;
use super::own_log::LogShape;
use super::trace::{Origin, Trace};
use super::value::SymbolKey;
use crate::spirv::types::{SpirvType, SpirvTypes, SpirvVariable};

/// Memory that the module's interface wants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnBuffer {
    /// Index of the memory, by which the log knows it.
    pub memory: u32,
    pub name: String,
    pub kind: ViewKind,
    pub set: u32,
    pub binding: u32,
    /// Index of an earlier buffer at the same binding, whose memory it is.
    pub shares: Option<usize>,
    /// Descriptors of an array; `None` if the module does not say.
    pub count: Option<u32>,
    /// Bytes up to the end of its last member with a size.
    pub size: u32,
    /// The array without a length at its end: where it starts, and its stride.
    pub unsized_array: Option<(u32, u32)>,
    /// For memory behind an address: the memory that holds the address, and the byte at which it does.
    pub holder: Option<(u32, u32)>,
    /// For memory behind an address: what accesses promise.
    pub alignment: u32,
}

/// A binding of set 0 that no variable has.
pub(super) fn free_binding(types: &SpirvTypes) -> u32 {
    let taken: FxHashSet<u32> =
        types.variables.values().filter(|variable| variable.set == Some(0)).filter_map(|it| it.binding).collect();
    (0..=u32::MAX).find(|binding| !taken.contains(binding)).unwrap_or(u32::MAX)
}

/// The class of variables that have no binding, or the binding.
fn place(variable: &SpirvVariable) -> (Option<StorageClass>, Option<(u32, u32)>) {
    let bound = variable.set.zip(variable.binding);
    (Some(variable.class).filter(|_| bound.is_none()), bound)
}

/// The memory that the host has to make for variables: all but those whose place has another variable that the code uses.
pub(super) fn buffers(trace: &Trace<'_>, used: &FxHashSet<Word>) -> Result<Vec<OwnBuffer>, NotExecutable> {
    let layouts = &trace.layouts;
    let variables = || layouts.types.variables.iter();
    let used_places: FxHashSet<_> = variables().filter(|(id, _)| used.contains(id)).map(|(_, it)| place(it)).collect();
    let mut buffers: Vec<OwnBuffer> = Vec::new();
    for (index, memory) in (0..).zip(&trace.memories) {
        let Origin::Variable(id) = memory.origin else { continue };
        if memory.kind == ViewKind::Workgroup {
            continue;
        }
        let Some(variable) = layouts.types.variables.get(&id) else { continue };
        if !used.contains(&id) && used_places.contains(&place(variable)) {
            continue;
        }
        let block = layouts.block(variable.pointee);
        let name = if memory.name.is_empty() { layouts.type_name(block) } else { memory.name.clone() };
        let mut count = Some(1_u32);
        let mut ty = variable.pointee;
        while ty != block {
            (ty, count) = match *layouts.types.get(ty) {
                SpirvType::Array { element, length, .. } => (element, count.and_then(|own| own.checked_mul(length))),
                SpirvType::RuntimeArray { element, .. } => (element, None),
                _ => break,
            };
        }
        let (size, unsized_array) = layouts.sized_part(block).ok_or_else(|| NotExecutable::NoLayout(name.clone()))?;
        let (set, binding) = (variable.set.unwrap_or(0), variable.binding.unwrap_or(0));
        let is_bound = memory.kind != ViewKind::PushConstant;
        let is_here =
            |other: &OwnBuffer| other.kind != ViewKind::PushConstant && (other.set, other.binding) == (set, binding);
        let shares = buffers.iter().position(is_here).filter(|_| is_bound);
        // One descriptor has one kind.
        if shares.is_some_and(|first| buffers[first].kind != memory.kind) {
            return Err(NotExecutable::Resource(name, NoResource::Shared));
        }
        buffers.push(OwnBuffer {
            memory: index,
            name,
            kind: memory.kind,
            set,
            binding,
            shares,
            count,
            size,
            unsized_array,
            holder: None,
            alignment: 4,
        });
    }
    Ok(buffers)
}

/// The memory behind addresses at constant places of other memory.
pub(super) fn pointees(trace: &Trace<'_>) -> Vec<OwnBuffer> {
    let layouts = &trace.layouts;
    let mut found: Vec<OwnBuffer> = Vec::new();
    for (index, memory) in (0_u32..).zip(&trace.memories) {
        let Origin::Pointee(address) = memory.origin else { continue };
        let SymbolKey::Content(holder, at) = trace.symbols.key(address) else { continue };
        let at = at.as_constant().and_then(|at| u32::try_from(at).ok()).filter(|at| at % 8 == 0);
        let Some(at) = at.filter(|_| found.len() + 1 < LogShape::MOST_POINTEES as usize) else { continue };
        let places = trace.touches.iter().filter_map(|touch| Some((touch, touch.target.as_ref().ok()?)));
        let own: Vec<_> = places.filter(|(_, place)| place.memory.0 == index).collect();
        let roots = own.iter().map(|(_, place)| layouts.block(place.root)).chain(memory.declared);
        let size = roots.filter_map(|root| layouts.sized_part(root)).map(|(size, _)| size).max().unwrap_or(0);
        let promised = own.iter().filter_map(|(touch, _)| touch.promised).max().unwrap_or(4);
        found.push(OwnBuffer {
            memory: index,
            name: memory.name.clone(),
            kind: ViewKind::Pointee,
            set: 0,
            binding: 0,
            shares: None,
            count: Some(1),
            size,
            unsized_array: Some((0, size.max(16))),
            holder: Some((holder.0, at)),
            alignment: promised.clamp(4, 256).next_power_of_two(),
        });
    }
    found
}
