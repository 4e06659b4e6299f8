//! Follows every load, store and atomic operation of DXIL to the bytes of its resource, as
//! [`crate::spirv::accesses`] does for SPIR-V.
//!
//! Values come before their uses but for `phi`, so one pass over a function is enough: a number is a sum of symbols, a
//! handle leads to a row of `; Resource Bindings:`, and members are those of `; Buffer Definitions:`.
//!
//! Source: DirectX Intermediate Language (`DXIL.rst` of `DirectXShaderCompiler`), "DXIL operations"; LLVM 3.7, "Source
//! Level Debugging".

use std::collections::{BTreeSet, HashMap};

use layoutproof_device::ResourceClass;
use layoutproof_layout::{BlockLayout, Component, Count, LaidOut, LaidOutShape, LayoutUnit};

use super::dxil::{
    KIND_CBUFFER, KIND_STRUCTURED, KIND_TBUFFER, NumberedResource, REGISTER, component_size, resource_class,
    vector_overload,
};
use super::instruction::Action;
use super::module::{Function, Metadata, Module, functions};
use super::reader::Operand;
use super::value::IndexUnit;
use crate::container::{ContainerError, listed_blocks};
use crate::dxil::{ListedBinding, resource_bindings};
use crate::spirv::accesses::alignments::alignment_of;
use crate::spirv::accesses::value::{BitOperation, Sum, SymbolId};
use crate::spirv::accesses::{
    Access, AccessKind, ByteExpr, Fault, FaultKind, ModuleAccesses, SourcePlace, Stride, View, ViewKind, Why,
};

/// A raw buffer (`DXIL::ResourceKind`).
const KIND_RAW: u64 = 11;

/// Operations whose result differs from one invocation to the next, whatever the host passes, by SPIR-V's names.
const BUILT_INS: [(&str, &str); 5] = [
    ("threadId", "GlobalInvocationId"),
    ("groupId", "WorkgroupId"),
    ("threadIdInGroup", "LocalInvocationId"),
    ("flattenedThreadIdInGroup", "LocalInvocationIndex"),
    ("dispatchRaysIndex", "LaunchIdKHR"),
];

impl ModuleAccesses {
    /// Follows the accesses in DXC's listing of a container.
    ///
    /// # Errors
    /// The listing cannot be read.
    pub fn of_dxil(listing: &str) -> Result<Self, ContainerError> {
        let module = Module::read(listing)?;
        let functions = functions(listing, &module.types)?;
        // Without reflection, members have no names.
        let blocks = match listed_blocks(listing) {
            Err(ContainerError::Stripped) => Vec::new(),
            read => read?,
        };
        let mut follower = Follower {
            resources: &module.numbered_resources,
            bindings: resource_bindings(listing)?,
            blocks,
            metadata: Metadata::read(listing),
            views: Vec::new(),
            touched: Vec::new(),
            touches_any: false,
            found: Self::default(),
        };
        for name in defined(listing) {
            let Some(function) = functions.get(name) else { continue };
            follower.found.entries.push(source_name(name).to_owned());
            FollowedFunction::new(&mut follower, function).follow();
        }
        Ok(follower.finished())
    }
}

/// The functions of a listing in its order.
fn defined(listing: &str) -> impl Iterator<Item = &str> {
    listing.lines().filter(|line| line.starts_with("define ")).filter_map(|line| {
        let name = line.split_once('@')?.1;
        match name.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next(),
            None => name.split('(').next(),
        }
    })
}

/// `main` of `\01?main@@YAXXZ`.
fn source_name(name: &str) -> &str {
    match name.split_once('?') {
        Some((_, mangled)) => mangled.split('@').next().unwrap_or(mangled),
        None => name,
    }
}

/// The memory of a binding: its view, and how code counts in it.
#[derive(Clone, Debug, PartialEq)]
struct Resource {
    /// Index of the view, or why it is not known.
    view: Result<usize, Why>,
    unit: IndexUnit,
}

#[derive(Clone, Debug)]
enum Known {
    Number(Sum),
    Handle(Resource),
    /// The name of a variable that stands for a resource.
    Variable(String),
    /// The result of a load, by its place among the sites of the function.
    Loaded(usize),
}

struct Follower<'a> {
    resources: &'a [NumberedResource],
    bindings: Vec<ListedBinding>,
    blocks: Vec<BlockLayout>,
    metadata: Metadata<'a>,
    /// The row and the block of each view.
    views: Vec<(usize, Option<usize>)>,
    /// Paths of members that each view's accesses touch; `None` once an access may touch any member.
    touched: Vec<Option<BTreeSet<String>>>,
    /// True once an access may touch any view.
    touches_any: bool,
    found: ModuleAccesses,
}

impl Follower<'_> {
    /// The view of the row that has this register.
    fn view_at(&mut self, class: ResourceClass, space: u32, register: u32) -> Option<usize> {
        let unit = match class {
            ResourceClass::ConstantBuffer => LayoutUnit::ConstantBuffer,
            ResourceClass::ShaderResource => LayoutUnit::ShaderResource,
            ResourceClass::UnorderedAccess => LayoutUnit::UnorderedAccess,
            ResourceClass::Sampler => return None,
        };
        let has = |row: &ListedBinding| {
            let is_before_end = match row.count {
                Count::Finite(count) => register < row.index.saturating_add(count),
                Count::Unbounded => true,
            };
            row.unit == unit && row.space == space && row.index <= register && is_before_end
        };
        let row = self.bindings.iter().position(has)?;
        Some(self.view_of(row))
    }

    fn view_of(&mut self, row: usize) -> usize {
        self.views.iter().position(|(known, _)| *known == row).unwrap_or_else(|| {
            let name = &self.bindings[row].name;
            let block = self.blocks.iter().position(|block| block.name == *name);
            self.views.push((row, block));
            self.touched.push(Some(BTreeSet::new()));
            self.views.len() - 1
        })
    }

    fn layout(&self, view: usize) -> Option<&LaidOut> {
        self.blocks.get(self.views[view].1?)?.result.as_ref().ok()
    }

    /// The place in the source that a node of the debug information states.
    fn place(&self, location: &str) -> Option<SourcePlace> {
        let node = self.metadata.text(location)?;
        let number = |key: &str| field(node, key)?.parse().ok();
        let (line, column) = (number("line")?, number("column"));
        let mut scope = field(node, "scope")?;
        // Blocks lie in blocks, in a function, in a file.
        for _ in 0..64 {
            let outer = self.metadata.text(scope)?;
            if let Some(file) = field(outer, "file") {
                let file = field(self.metadata.text(file)?, "filename")?.to_owned();
                return Some(SourcePlace { file, line, column });
            }
            scope = field(outer, "scope")?;
        }
        None
    }

    fn finished(mut self) -> ModuleAccesses {
        for (row, block) in self.views.clone() {
            let ListedBinding { name, unit, space, index, .. } = &self.bindings[row];
            let kind = if *unit == LayoutUnit::ConstantBuffer { ViewKind::Uniform } else { ViewKind::Storage };
            let seen = self.touched[self.found.views.len()].as_ref().filter(|_| !self.touches_any);
            let mut members = Vec::new();
            if let Some(BlockLayout { result: Ok(layout), stride, .. }) = block.map(|block| &self.blocks[block]) {
                let start = if stride.is_some() { ELEMENT } else { "" };
                add_members(layout, start, &mut members);
            }
            members.retain(|member| seen.is_some_and(|seen| !seen.contains(member)) && !member.is_empty());
            self.found.views.push(View {
                name: name.clone(),
                kind,
                set: Some(*space),
                binding: Some(*index),
                untouched: members,
            });
        }
        self.found
    }
}

/// The value of a field in a node of debug information: `line: 12`.
fn field<'n>(node: &'n str, key: &str) -> Option<&'n str> {
    let start = node.find(&format!("({key}: ")).or_else(|| node.find(&format!(" {key}: ")))? + key.len() + 3;
    let rest = &node[start..];
    match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => rest.split([',', ')']).next(),
    }
}

/// Begins the paths in a structured buffer.
const ELEMENT: &str = "[]";

/// The path of a member of what is at `path`.
fn below(path: &str, member: &str) -> String {
    if path.is_empty() || member.is_empty() { format!("{path}{member}") } else { format!("{path}.{member}") }
}

/// Most members of a block that are listed.
const MOST_MEMBERS: usize = 4096;

/// The members of a type that hold data, as paths: `lights[].color`.
fn add_members(layout: &LaidOut, path: &str, found: &mut Vec<String>) {
    if found.len() >= MOST_MEMBERS {
        return;
    }
    match &layout.shape {
        LaidOutShape::Struct(members) => {
            for member in members {
                add_members(&member.layout, &below(path, &member.name), found);
            }
        }
        LaidOutShape::Array { element, .. } => add_members(element, &format!("{path}[]"), found),
        _ => found.push(path.to_owned()),
    }
}

/// The member at a byte: its path and type, and the bytes from its start. `None` for padding and beyond the end.
///
/// `steps` are the bytes by which numbers move the place. Without them, elements have their indices in the path.
fn member_at<'l>(layout: &'l LaidOut, at: u32, path: &str, steps: &[i64]) -> Option<(String, &'l LaidOut, u32)> {
    if layout.size.finite().is_some_and(|size| at >= size) {
        return None;
    }
    match &layout.shape {
        LaidOutShape::Struct(members) => members.iter().find_map(|member| {
            member_at(&member.layout, at.checked_sub(member.offset)?, &below(path, &member.name), steps)
        }),
        LaidOutShape::Array { element, stride, .. } => {
            let index = if steps.is_empty() { at.checked_div(*stride)?.to_string() } else { String::new() };
            // What moves from element to element moves within none.
            let within = |step: &&i64| step.checked_rem((*stride).into()).is_none_or(|rest| rest != 0);
            let steps: Vec<i64> = steps.iter().filter(within).copied().collect();
            member_at(element, at.checked_rem(*stride)?, &format!("{path}[{index}]"), &steps)
        }
        _ => Some((path.to_owned(), layout, at)),
    }
}

/// The start and the length of the last array whose elements are `stride` bytes apart.
fn last_array(layout: &LaidOut, stride: i64) -> Option<(u32, u32)> {
    match &layout.shape {
        LaidOutShape::Struct(members) => members.iter().rev().find_map(|member| {
            let (start, length) = last_array(&member.layout, stride)?;
            Some((start.checked_add(member.offset)?, length))
        }),
        LaidOutShape::Array { stride: own, count: Count::Finite(length), .. } if i64::from(*own) == stride => {
            Some((0, *length))
        }
        _ => None,
    }
}

/// Where an operation begins.
#[derive(Clone, Debug)]
struct Start {
    /// From the start of the resource; `None` for what is no sum.
    at: Option<Sum>,
    /// From the start of the block or of the element.
    within: Option<Sum>,
    /// The element.
    index: Option<i64>,
}

/// A load whose components are known after the function.
struct LoadSite {
    resource: Resource,
    start: Start,
    component: u64,
    overload: String,
    promised: Option<u32>,
    place: Option<SourcePlace>,
    used: BTreeSet<u64>,
    /// The accesses before it.
    before: usize,
}

struct FollowedFunction<'f, 'a, 'm> {
    follower: &'f mut Follower<'m>,
    function: &'a Function,
    values: HashMap<usize, Known>,
    symbols: Vec<Symbol>,
    definitions: HashMap<usize, &'a Action>,
    sites: Vec<LoadSite>,
    accesses: Vec<(Access, Option<usize>)>,
}

/// A number that is not followed.
struct Symbol {
    name: String,
    /// True if it takes many values one after the other, whatever the host passes.
    is_free: bool,
    most: Option<i64>,
    /// False if it may never be 0.
    has_zero: bool,
}

impl Symbol {
    /// True for a number that counts from 0, and is never negative.
    fn is_count(&self) -> bool {
        self.has_zero && (self.is_free || self.most.is_some())
    }
}

/// What an operation touches.
struct Touched<'t> {
    kind: AccessKind,
    resource: &'t Resource,
    start: &'t Start,
    first: u64,
    count: u64,
    component: u64,
    overload: &'t str,
    promised: Option<u32>,
    place: Option<SourcePlace>,
}

impl<'f, 'a, 'm> FollowedFunction<'f, 'a, 'm> {
    fn new(follower: &'f mut Follower<'m>, function: &'a Function) -> Self {
        let all = function.blocks.iter().flat_map(|block| &block.instructions);
        let definitions = all.filter_map(|own| Some((own.result?, &own.action))).collect();
        let (values, symbols) = (HashMap::new(), Vec::new());
        Self { follower, function, values, symbols, definitions, sites: Vec::new(), accesses: Vec::new() }
    }

    fn follow(mut self) {
        for instruction in self.function.blocks.iter().flat_map(|block| &block.instructions) {
            let place = instruction.location.as_deref().and_then(|location| self.follower.place(location));
            let known = self.known(&instruction.action, instruction.result, place);
            if let Some(result) = instruction.result {
                let known = known.unwrap_or_else(|| Known::Number(self.symbol(self.name(result), false)));
                self.values.insert(result, known);
            }
        }
        self.add_loads();
    }

    /// A loop's counter: its start, and steps of the constant that the loop adds to it.
    fn counter(&mut self, action: &Action, counter: usize) -> Option<Sum> {
        let Action::Phi(incoming) = action else { return None };
        let [(one, _), (other, _)] = incoming.as_slice() else { return None };
        let (start, step) = [(one, other), (other, one)].into_iter().find_map(|(start, next)| {
            let Operand::Local(next) = next else { return None };
            match self.definitions.get(next)? {
                Action::Binary(name, _, [Operand::Local(from), Operand::Bits(step)])
                    if name == "add" && *from == counter =>
                {
                    Some((start, i64::from(u32::try_from(*step).ok()?.cast_signed())))
                }
                _ => None,
            }
        })?;
        let start = self.number(start)?;
        let name = self.name(counter);
        self.symbol(name, true).times(step)?.plus(&start)
    }

    /// The result of an operation on bits with a constant: a sum whose low bits are known, even if the others are not.
    fn with_bits(&mut self, operation: BitOperation, value: &Sum, constant: i64, result: Option<usize>) -> Option<Sum> {
        if let Some(sum) = value.with_bits(operation, constant) {
            return Some(sum);
        }
        let bits = value.possible_bits(|symbol| self.symbols.get(symbol.index())?.most);
        if operation != BitOperation::And && constant >= 0 && bits.is_some_and(|bits| bits & constant == 0) {
            return value.plus(&Sum::constant(constant));
        }
        // A mask clears the bits below its lowest one.
        let cleared = if operation == BitOperation::And { 1 << constant.trailing_zeros().min(62) } else { 1 };
        let step = value.known_low_bits().max(cleared);
        let low = operation.of(value.base, constant).rem_euclid(step);
        let name = self.name(result?);
        let is_mask = operation == BitOperation::And;
        let most = Some(constant / step).filter(|_| is_mask && constant >= 0);
        self.bounded(Symbol { name, is_free: false, most, has_zero: is_mask }).times(step)?.plus(&Sum::constant(low))
    }

    fn name(&self, local: usize) -> String {
        format!("%{}", self.function.names.name(local))
    }

    fn symbol(&mut self, name: String, is_free: bool) -> Sum {
        self.bounded(Symbol { name, is_free, most: None, has_zero: true })
    }

    fn bounded(&mut self, symbol: Symbol) -> Sum {
        let place = self.symbols.iter().position(|known| known.name == symbol.name).unwrap_or_else(|| {
            self.symbols.push(symbol);
            self.symbols.len() - 1
        });
        Sum::symbol(SymbolId::new(u32::try_from(place).unwrap_or(u32::MAX)))
    }

    fn number(&self, operand: &Operand) -> Option<Sum> {
        match operand {
            Operand::Bits(bits) => Some(Sum::constant(i64::from(u32::try_from(*bits).ok()?.cast_signed()))),
            Operand::Local(local) => match self.values.get(local)? {
                Known::Number(sum) => Some(sum.clone()),
                _ => None,
            },
            _ => None,
        }
    }

    /// The variable of a resource, or of an array of them.
    fn variable(&self, operand: &Operand) -> Option<Known> {
        match operand {
            Operand::Global(name) => Some(Known::Variable(name.clone())),
            Operand::Address(address) => self.variable(&address.base),
            Operand::Local(local) => {
                self.values.get(local).filter(|known| matches!(known, Known::Variable(_))).cloned()
            }
            _ => None,
        }
    }

    /// The resource of a handle. One that code selects is not followed, and may be a buffer.
    fn resource(&self, operand: &Operand) -> Resource {
        let known = if let Operand::Local(local) = operand { self.values.get(local) } else { None };
        match known {
            Some(Known::Handle(resource)) => resource.clone(),
            _ => Resource { view: Err(Why::Pointer), unit: IndexUnit::Bytes },
        }
    }

    /// The value of an instruction; `None` for one that becomes a symbol.
    fn known(&mut self, action: &Action, result: Option<usize>, place: Option<SourcePlace>) -> Option<Known> {
        match action {
            Action::Binary(operator, _, [left, right]) => {
                let (left, right) = (self.number(left)?, self.number(right)?);
                let sum = match (operator.as_str(), left.as_constant(), right.as_constant()) {
                    ("add", ..) => left.plus(&right),
                    ("sub", ..) => left.minus(&right),
                    ("mul", _, Some(factor)) => left.times(factor),
                    ("mul", Some(factor), _) => right.times(factor),
                    ("shl", _, Some(bits @ 0..=31)) => left.times(1 << bits),
                    ("and", _, Some(constant)) => self.with_bits(BitOperation::And, &left, constant, result),
                    // DXC writes an addition as `or` where the bits are disjoint.
                    ("or", _, Some(constant)) => self.with_bits(BitOperation::Or, &left, constant, result),
                    ("xor", _, Some(constant)) => self.with_bits(BitOperation::Xor, &left, constant, result),
                    _ => None,
                };
                sum.map(Known::Number)
            }
            Action::Phi(_) => self.counter(action, result?).map(Known::Number),
            Action::Cast(name, (_, from), _) if matches!(name.as_str(), "zext" | "sext" | "trunc") => {
                self.number(from).map(Known::Number)
            }
            Action::Same(Operand::Local(local)) => self.values.get(local).cloned(),
            Action::Load(_, variable) => self.variable(variable),
            Action::Address(address) => self.variable(&address.base),
            Action::Extract(Operand::Local(local), index) => {
                if let Some(Known::Loaded(site)) = self.values.get(local) {
                    let site = &mut self.sites[*site];
                    // The fifth part is a status, but for registers of 16-bit numbers.
                    if *index < 4 || site.component < 4 && site.resource.unit == IndexUnit::Registers {
                        site.used.insert(*index);
                    }
                }
                None
            }
            Action::Call(name, arguments) => self.called(name.strip_prefix("dx.op.")?, arguments, place),
            _ => None,
        }
    }

    fn called(&mut self, name: &str, arguments: &[Operand], place: Option<SourcePlace>) -> Option<Known> {
        let (operation, overload) = name.split_once('.').unwrap_or((name, ""));
        if let Some((_, built_in)) = BUILT_INS.iter().find(|(own, _)| *own == operation) {
            let component = match arguments.get(1) {
                Some(Operand::Bits(index @ 0..=2)) => [".x", ".y", ".z"][usize::try_from(*index).ok()?],
                _ => "",
            };
            return Some(Known::Number(self.symbol(format!("{built_in}{component}"), true)));
        }
        match (operation, arguments) {
            ("createHandle", [_, Operand::Bits(class), Operand::Bits(number), register, _]) => {
                let class = resource_class(*class).ok()?;
                let is_it = |it: &&NumberedResource| it.class == class && u64::from(it.number) == *number;
                let resource = self.follower.resources.iter().find(is_it)?;
                let register = u32::try_from(self.number(register)?.base).ok()?;
                let view = Ok(self.follower.view_at(class, resource.space, register)?);
                Some(Known::Handle(Resource { view, unit: unit_of_numbered(resource) }))
            }
            ("createHandleFromBinding", [_, Operand::Parts(binding), register, ..]) => {
                let [_, _, Operand::Bits(space), Operand::Bits(class)] = binding[..] else { return None };
                let register = u32::try_from(self.number(register)?.base).ok()?;
                let view = self.follower.view_at(resource_class(class).ok()?, u32::try_from(space).ok()?, register)?;
                Some(Known::Handle(Resource { view: Ok(view), unit: IndexUnit::Opaque }))
            }
            ("createHandleFromHeap", _) => {
                Some(Known::Handle(Resource { view: Err(Why::Heap), unit: IndexUnit::Opaque }))
            }
            ("createHandleForLib", [_, Operand::Local(variable)]) => {
                let Some(Known::Variable(variable)) = self.values.get(variable) else { return None };
                let is_it = |it: &&NumberedResource| it.variable.as_ref() == Some(variable);
                let unit = unit_of_numbered(self.follower.resources.iter().find(is_it)?);
                let name = source_name(variable).trim_end_matches("_legacy");
                let row = self.follower.bindings.iter().position(|row| row.name == name)?;
                Some(Known::Handle(Resource { view: Ok(self.follower.view_of(row)), unit }))
            }
            ("annotateHandle", [_, handle, Operand::Parts(properties)]) => {
                let Resource { view, .. } = self.resource(handle);
                let [Operand::Bits(kind), Operand::Bits(size)] = properties[..] else { return None };
                Some(Known::Handle(Resource { view, unit: unit_of(kind & 0xFF, size) }))
            }
            ("cbufferLoadLegacy", [_, handle, row]) => self.load(handle, row, None, overload, None, place),
            ("rawBufferLoad", [_, handle, index, offset, mask, align]) => {
                let loaded = self.load(handle, index, Some(offset), overload, promise(align), place)?;
                if let (Known::Loaded(site), Operand::Bits(mask)) = (&loaded, mask) {
                    self.sites[*site].used = (0..4).filter(|component| mask >> component & 1 == 1).collect();
                }
                Some(loaded)
            }
            ("bufferLoad", [_, handle, index, offset]) => self.load(handle, index, Some(offset), overload, None, place),
            ("rawBufferVectorLoad", [_, handle, index, offset, align]) => {
                let (count, component) = vector_overload(overload).ok()?;
                let resource = self.resource(handle);
                let start = self.start(&resource, index, Some(offset))?;
                self.touch(&Touched {
                    kind: AccessKind::Load,
                    resource: &resource,
                    start: &start,
                    first: 0,
                    count,
                    component,
                    overload: overload.trim_start_matches(|letter: char| letter == 'v' || letter.is_ascii_digit()),
                    promised: promise(align),
                    place,
                });
                None
            }
            ("rawBufferStore", [_, handle, index, offset, _, _, _, _, Operand::Bits(mask), align]) => {
                self.store(handle, [index, offset], overload, *mask, promise(align), place.as_ref())
            }
            ("bufferStore", [_, handle, index, offset, _, _, _, _, Operand::Bits(mask)]) => {
                self.store(handle, [index, offset], overload, *mask, None, place.as_ref())
            }
            ("atomicBinOp", [_, handle, _, index, offset, ..])
            | ("atomicCompareExchange", [_, handle, index, offset, ..]) => {
                let resource = self.resource(handle);
                let start = self.start(&resource, index, Some(offset))?;
                let component = component_size(overload).ok()?;
                let (kind, promised) = (AccessKind::Atomic, None);
                let (resource, start) = (&resource, &start);
                self.touch(&Touched {
                    kind,
                    resource,
                    start,
                    first: 0,
                    count: 1,
                    component,
                    overload,
                    promised,
                    place,
                });
                None
            }
            _ => None,
        }
    }

    /// Where an operation begins; `None` in memory without bytes, such as a texture.
    fn start(&self, resource: &Resource, index: &Operand, offset: Option<&Operand>) -> Option<Start> {
        let index = self.number(index);
        let bytes = |factor: u64| index.as_ref().and_then(|index| index.times(i64::try_from(factor).ok()?));
        let of_block = |at: Option<Sum>| Start { within: at.clone(), at, index: None };
        match resource.unit {
            IndexUnit::Registers => Some(of_block(bytes(REGISTER))),
            IndexUnit::Bytes => Some(of_block(bytes(1))),
            IndexUnit::Elements(stride) => {
                let offset = offset.and_then(|offset| self.number(offset));
                let at = bytes(stride).zip(offset.as_ref()).and_then(|(start, offset)| start.plus(offset));
                Some(Start { at, within: offset, index: index.as_ref().and_then(Sum::as_constant) })
            }
            IndexUnit::Opaque => None,
        }
    }

    fn load(
        &mut self,
        handle: &Operand,
        index: &Operand,
        offset: Option<&Operand>,
        overload: &str,
        promised: Option<u32>,
        place: Option<SourcePlace>,
    ) -> Option<Known> {
        let resource = self.resource(handle);
        let start = self.start(&resource, index, offset)?;
        self.sites.push(LoadSite {
            resource,
            start,
            component: component_size(overload).ok()?,
            overload: overload.to_owned(),
            promised,
            place,
            used: BTreeSet::new(),
            before: self.accesses.len(),
        });
        Some(Known::Loaded(self.sites.len() - 1))
    }

    fn store(
        &mut self,
        handle: &Operand,
        [index, offset]: [&Operand; 2],
        overload: &str,
        mask: u64,
        promised: Option<u32>,
        place: Option<&SourcePlace>,
    ) -> Option<Known> {
        let resource = self.resource(handle);
        let start = self.start(&resource, index, Some(offset))?;
        let component = component_size(overload).ok()?;
        for (first, count) in runs((0..4).filter(|component| mask >> component & 1 == 1)) {
            let (kind, resource, start, place) = (AccessKind::Store, &resource, &start, place.cloned());
            self.touch(&Touched { kind, resource, start, first, count, component, overload, promised, place });
        }
        None
    }

    /// Adds the loads where they are in the code.
    fn add_loads(mut self) {
        let others = std::mem::take(&mut self.accesses);
        let mut others = others.into_iter().enumerate().peekable();
        let mut ordered = Vec::new();
        for site in std::mem::take(&mut self.sites) {
            ordered
                .extend(std::iter::from_fn(|| others.next_if(|(place, _)| *place < site.before)).map(|(_, own)| own));
            for (first, count) in runs(site.used.iter().copied()) {
                self.touch(&Touched {
                    kind: AccessKind::Load,
                    resource: &site.resource,
                    start: &site.start,
                    first,
                    count,
                    component: site.component,
                    overload: &site.overload,
                    promised: site.promised,
                    place: site.place.clone(),
                });
                ordered.append(&mut self.accesses);
            }
        }
        ordered.extend(others.map(|(_, own)| own));
        let entry = u32::try_from(self.follower.found.entries.len() - 1).unwrap_or(u32::MAX);
        for (mut access, fault) in ordered {
            access.entries = BTreeSet::from([entry]);
            let place = u32::try_from(self.follower.found.accesses.len()).ok();
            self.follower.found.accesses.push(access);
            if let Some(fault) = fault {
                self.follower.found.faults[fault].access = place;
            }
        }
    }

    fn touch(&mut self, touched: &Touched<'_>) {
        let Touched { resource, first, count, component, .. } = *touched;
        let first = i64::try_from(first * component).unwrap_or(i64::MAX);
        let at = touched.start.at.as_ref().and_then(|at| at.plus(&Sum::constant(first)));
        let size = u32::try_from(count * component).ok();
        let view = resource.view.ok();
        let layout = view.and_then(|view| self.follower.layout(view));
        // The first element stands for all, if the code may get there.
        let has_zero = |(symbol, _): &(SymbolId, i64)| self.symbols.get(symbol.index()).is_some_and(|it| it.has_zero);
        let within = touched.start.within.as_ref().filter(|within| within.terms.iter().all(has_zero));
        let byte = within.and_then(|within| u32::try_from(within.base.checked_add(first)?).ok());
        let steps: Vec<i64> = within.iter().flat_map(|within| &within.terms).map(|(_, factor)| *factor).collect();
        // The path in a structured buffer begins with its element.
        let (start, start_shown) = match (resource.unit, touched.start.index) {
            (IndexUnit::Elements(_), Some(index)) => (ELEMENT, format!("[{index}]")),
            (IndexUnit::Elements(_), None) => (ELEMENT, ELEMENT.to_owned()),
            _ => ("", String::new()),
        };
        let at_byte = layout.zip(byte);
        let shown = at_byte.and_then(|(layout, byte)| member_at(layout, byte, &start_shown, &steps));
        // Members without their indices, as the declarations have them.
        let found =
            at_byte.and_then(|(layout, byte)| member_at(layout, byte, start, &[0])).map(|(path, leaf, within)| {
                let is_whole = leaf.size.finite() == size && within == 0;
                let name = if is_whole { leaf.type_name.clone() } else { type_name(touched.overload, count) };
                (path, component_of(leaf, within, size), name, other_type(leaf, component, touched.overload))
            });
        let type_of_block = layout.map(|layout| layout.type_name.clone());
        let (member, type_name) = match &found {
            Some((path, part, name, _)) => {
                let path = shown.as_ref().map_or(path, |(path, ..)| path);
                (format!("{path}{part}"), name.clone())
            }
            None => (String::new(), type_name(touched.overload, count)),
        };
        let is_constant = at.as_ref().is_some_and(|at| at.as_constant().is_some());
        let is_element = matches!(resource.unit, IndexUnit::Elements(_));
        let beyond = self.index_beyond(resource.unit, layout, within, byte);
        let fault = match (byte, found.is_some(), type_of_block.is_some()) {
            (Some(_), false, true) if beyond.is_some() => beyond,
            (Some(at), false, true) if is_constant || is_element => {
                let declared = type_of_block.unwrap_or_default();
                Some(FaultKind::Padding { at, declared })
            }
            _ => {
                let other_type = found.as_ref().and_then(|(path, .., other)| Some((path.clone(), other.clone()?)));
                let other_type = byte.zip(other_type).map(|(at, (declared, (declared_type, accessed)))| {
                    FaultKind::OtherType { at, declared, declared_type, accessed }
                });
                let broken = || at.as_ref().and_then(|at| self.broken_promise(touched.promised, resource.unit, at));
                self.other_stride(view, resource.unit).or(other_type).or_else(broken)
            }
        };
        let fault = fault.zip(view).map(|(kind, view)| self.add_fault(kind, view, &member, touched.place.clone()));
        match (resource.view, found) {
            (Ok(view), Some((path, ..))) => {
                self.follower.touched[view].as_mut().map(|seen| seen.insert(path));
            }
            // It is known not to be in a member.
            (Ok(_), None) if byte.is_some() => {}
            (Ok(view), None) => self.follower.touched[view] = None,
            (Err(Why::Heap), None | Some(_)) => {}
            (Err(_), None | Some(_)) => self.follower.touches_any = true,
        }
        let bytes = match (resource.view, &at) {
            (Err(why), _) => ByteExpr::Unknown(why),
            (Ok(_), None) => ByteExpr::Unknown(Why::ManyTerms),
            (Ok(_), Some(at)) => self.bytes(at),
        };
        let access = Access {
            kind: touched.kind,
            view: view.and_then(|view| u32::try_from(view).ok()),
            at: bytes,
            size,
            member,
            type_name,
            promised: touched.promised,
            place: touched.place.clone(),
            entries: BTreeSet::new(),
        };
        self.accesses.push((access, fault));
    }

    /// An index that only grows, and whose least value is after the end of a constant buffer.
    fn index_beyond(
        &self,
        unit: IndexUnit,
        layout: Option<&LaidOut>,
        at: Option<&Sum>,
        byte: Option<u32>,
    ) -> Option<FaultKind> {
        let ((layout, byte), at) = (layout.zip(byte)?, at?);
        let [(symbol, step)] = at.terms.as_slice() else { return None };
        let grows = *step > 0 && self.symbols.get(symbol.index())?.is_count();
        if !grows || unit != IndexUnit::Registers || byte < layout.size.finite()? {
            return None;
        }
        let (start, length) = last_array(layout, *step)?;
        Some(FaultKind::BeyondEnd { least: i64::from(byte.checked_sub(start)?) / step, length })
    }

    /// Elements of another size than that of the declared type.
    fn other_stride(&self, view: Option<usize>, unit: IndexUnit) -> Option<FaultKind> {
        let IndexUnit::Elements(stride) = unit else { return None };
        let element = self.follower.blocks.get(self.follower.views[view?].1?)?.stride?;
        let stride = i64::try_from(stride).ok()?;
        (stride != i64::from(element)).then_some(FaultKind::Stride { stride, element })
    }

    fn view_name(&self, view: usize) -> &str {
        &self.follower.bindings[self.follower.views[view].0].name
    }

    /// The index of a fault. A line that reads a member part by part has one, and so have the elements of a view.
    fn add_fault(&mut self, kind: FaultKind, view: usize, member: &str, place: Option<SourcePlace>) -> usize {
        let fault =
            Fault { kind, access: None, view: self.view_name(view).to_owned(), member: member.to_owned(), place };
        let faults = &mut self.follower.found.faults;
        let is_of_view = matches!(fault.kind, FaultKind::Stride { .. });
        let is_same = |known: &Fault| {
            known.kind == fault.kind && known.view == fault.view && (is_of_view || known.place == fault.place)
        };
        faults.iter().position(is_same).unwrap_or_else(|| {
            faults.push(fault);
            faults.len() - 1
        })
    }

    /// The promise of an alignment that a place in a raw buffer cannot keep, whatever the host passes.
    fn broken_promise(&self, promised: Option<u32>, unit: IndexUnit, at: &Sum) -> Option<FaultKind> {
        let promised = promised.filter(|_| unit == IndexUnit::Bytes)?;
        let steps = |is_free: bool| {
            let has = move |(symbol, _): &&(SymbolId, i64)| {
                self.symbols.get(symbol.index()).is_some_and(|symbol| symbol.is_free == is_free)
            };
            at.terms.iter().filter(has).map(|(_, factor)| alignment_of(*factor)).fold(u32::MAX, u32::min)
        };
        let (free, given) = (steps(true), steps(false));
        // Numbers that the host passes may make up for a constant that is a multiple of their steps, but not for another
        // one, and not for steps of the code.
        let base = Some(alignment_of(at.base)).filter(|base| given >= promised || *base < given);
        let kept = base.map_or(free, |base| free.min(base));
        (kept < promised).then_some(FaultKind::Alignment { promised, kept })
    }

    fn bytes(&self, at: &Sum) -> ByteExpr {
        let stride = |(symbol, bytes): &(SymbolId, i64)| Stride {
            bytes: *bytes,
            index: self.symbols.get(symbol.index()).map(|symbol| symbol.name.clone()).unwrap_or_default(),
        };
        match at.as_constant() {
            Some(bytes) => ByteExpr::Constant(bytes),
            None => ByteExpr::Strided { base: at.base, strides: at.terms.iter().map(stride).collect() },
        }
    }
}

/// The alignment that an operation states.
fn promise(operand: &Operand) -> Option<u32> {
    match operand {
        Operand::Bits(bytes) => u32::try_from(*bytes).ok(),
        _ => None,
    }
}

/// How code counts in a resource of this kind. `cbufferLoadLegacy` counts registers.
fn unit_of(kind: u64, size: u64) -> IndexUnit {
    match kind {
        KIND_RAW => IndexUnit::Bytes,
        KIND_STRUCTURED => IndexUnit::Elements(size),
        KIND_CBUFFER | KIND_TBUFFER => IndexUnit::Registers,
        _ => IndexUnit::Opaque,
    }
}

fn unit_of_numbered(resource: &NumberedResource) -> IndexUnit {
    let size = if let IndexUnit::Elements(size) = resource.unit { size } else { 0 };
    unit_of(if resource.class == ResourceClass::ConstantBuffer { KIND_CBUFFER } else { resource.kind }, size)
}

/// Neighbours in one run: the first, and how many.
fn runs(components: impl Iterator<Item = u64>) -> Vec<(u64, u64)> {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for component in components {
        match runs.last_mut() {
            Some((first, count)) if *first + *count == component => *count += 1,
            _ => runs.push((component, 1)),
        }
    }
    runs
}

/// `float3` of three components `f32`. DXIL does not tell signed integers from unsigned ones.
fn type_name(overload: &str, count: u64) -> String {
    let scalar = match overload {
        "f16" => "half",
        "f32" => "float",
        "f64" => "double",
        "i16" => "uint16_t",
        "i64" => "uint64_t",
        _ => "uint",
    };
    if count == 1 { scalar.to_owned() } else { format!("{scalar}{count}") }
}

/// The declared and the accessed scalar, if one is a float and the other is not. Numbers of another width are parts:
/// DXIL loads a double as two words.
fn other_type(leaf: &LaidOut, component: u64, overload: &str) -> Option<(String, String)> {
    let (LaidOutShape::Scalar(own)
    | LaidOutShape::Vector { component: own, .. }
    | LaidOutShape::Matrix { component: own, .. }) = &leaf.shape
    else {
        return None;
    };
    let accessed = overload.trim_start_matches(|letter: char| letter == 'v' || letter.is_ascii_digit());
    let differs = own.scalar.is_float() != accessed.starts_with('f') && u64::from(own.size) == component;
    differs.then(|| (leaf.type_name.clone(), type_name(accessed, 1)))
}

/// `.y` for one component of a vector.
fn component_of(leaf: &LaidOut, within: u32, size: Option<u32>) -> &'static str {
    match &leaf.shape {
        LaidOutShape::Vector { component: Component { size: own, .. }, .. } if size == Some(*own) => within
            .checked_div(*own)
            .and_then(|index| [".x", ".y", ".z", ".w"].get(index as usize))
            .copied()
            .unwrap_or(""),
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTING: &str = include_str!("accesses.ll");

    fn shown(listing: &str) -> (Vec<String>, Vec<String>) {
        let found = ModuleAccesses::of_dxil(listing).unwrap();
        let view = |access: &Access| found.views[access.view.unwrap() as usize].name.clone();
        let accesses = found.accesses.iter().map(|access| {
            let Access { kind, at, member, type_name, place, .. } = access;
            let line = place.as_ref().map(ToString::to_string).unwrap_or_default();
            format!("{} {}.{member} {type_name} {at} {line}", kind.as_str(), view(access))
        });
        let faults = found.faults.iter().map(|fault| format!("{} {}", fault.member, fault.kind));
        (accesses.collect(), faults.collect())
    }

    /// The bytes, types and lines are those that DXC's SPIR-V for the same text has with `-fvk-use-dx-layout`.
    #[test]
    fn each_operation_has_its_member() {
        let expected = [
            "load Params.step float3 0 a.hlsl:6:30",
            "load Params.scale[1] float 32 a.hlsl:6:37",
            "load particles.[].place float3 20*GlobalInvocationId.x a.hlsl:6:27",
            "store particles.[].place float3 20*GlobalInvocationId.x a.hlsl:6:27",
            "load raw. uint 8 + 4*GlobalInvocationId.x a.hlsl:7:28",
            "store particles.[].kind uint 16 + 20*GlobalInvocationId.x a.hlsl:7:26",
        ];
        assert_eq!(shown(LISTING), (expected.map(str::to_owned).to_vec(), Vec::new()));
        let found = ModuleAccesses::of_dxil(LISTING).unwrap();
        let untouched: Vec<&[String]> = found.views.iter().map(|view| view.untouched.as_slice()).collect();
        assert_eq!(untouched, [&["[].mass".to_owned()][..], &[], &[]]);
    }

    /// Code that selects between two buffers touches one of them.
    #[test]
    fn a_selected_handle_is_open() {
        let select = "  %9 = select i1 true, %dx.types.Handle %particles_UAV_structbuf, %dx.types.Handle %1";
        let code = LISTING.lines().map(|line| if line.starts_with("  %9 = ") { select } else { line });
        let found = ModuleAccesses::of_dxil(&code.collect::<Vec<_>>().join("\n")).unwrap();
        assert_eq!((found.accesses.len(), found.resolved()), (6, 4));
        assert_eq!(found.accesses[2].at, ByteExpr::Unknown(Why::Pointer));
        // It may touch any member.
        assert!(found.views.iter().all(|view| view.untouched.is_empty()));
    }

    /// DXC writes additions as `or`, and clears bits with `and`. What the addresses have follows from the text.
    #[test]
    fn low_bits_that_are_known_break_promises() {
        let found = ModuleAccesses::of_dxil(include_str!("accesses_bits.ll")).unwrap();
        let of_line = |fault: &Fault| (fault.place.as_ref().unwrap().line, fault.kind.clone());
        let kept = |line, kept| (line, FaultKind::Alignment { promised: 4, kept });
        // Lines 11, 14 and 18 promise no more than they have, and 13 has the place of 6.
        let expected = [(6, 2), (7, 2), (8, 2), (9, 1), (10, 2), (12, 1), (15, 1), (17, 2), (19, 2)]
            .map(|(line, of)| kept(line, of));
        let mut faults: Vec<(u32, FaultKind)> = found.faults.iter().map(of_line).collect();
        faults.sort_by_key(|(line, _)| *line);
        assert_eq!(faults, expected);
        // The counter from 2 in steps of 4.
        let counter = found.accesses.iter().find(|access| access.place.as_ref().unwrap().line == 17).unwrap();
        assert!(matches!(&counter.at, ByteExpr::Strided { base: 2, strides } if strides[0].bytes == 4), "{counter:?}");
    }

    /// `or` is an addition where a mask leaves other bits, and else may have no value in the first element.
    #[test]
    fn disjoint_bits_are_added() {
        let at = |constant: &str| {
            let listing = LISTING.replace("%13 = shl i32 %2, 2", "%13 = and i32 %2, 4");
            let listing = listing.replace("%14 = add i32 %13, 8", &format!("%14 = or i32 %13, {constant}"));
            ModuleAccesses::of_dxil(&listing).unwrap().accesses[4].at.to_string()
        };
        assert_eq!(at("8"), "8 + 4*%13");
        assert_eq!(at("11"), "11 + 4*%13");
        assert_eq!(at("12"), "4*%14");
        assert_eq!(at("14"), "2 + 4*%14");
    }

    #[test]
    fn what_no_declaration_has_is_a_fault() {
        for (code, planted, fault) in [
            (
                "i32 %2, i32 16, i32 %16",
                "i32 %2, i32 20, i32 %16",
                "touches byte 20, where the declared type `Particle`",
            ),
            ("%dx.types.Handle %1, i32 2)", "%dx.types.Handle %1, i32 3)", "touches byte 48, where the declared type"),
            ("uint kind;  ", "float kind; ", "touches byte 16 as uint, where `[].kind` is declared as float"),
            ("i32 4620, i32 20", "i32 4620, i32 24", "takes steps of 24 bytes through elements of 20 bytes"),
            ("shl i32 %2, 2", "shl i32 %2, 1", "promises an alignment of 4 bytes, and its address has 2"),
        ] {
            assert!(LISTING.contains(code), "{code}");
            let (_, faults) = shown(&LISTING.replace(code, planted));
            assert!(faults.len() == 1 && faults[0].contains(fault), "{planted}: {faults:?}");
        }
    }

    /// The cbuffer ends with `scale[2]`, from byte 16 on.
    #[test]
    fn every_place_of_an_index_may_be_after_the_end() {
        let faults = |operation: &str| {
            let load = "%7 = call %dx.types.CBufRet.f32";
            let listing = LISTING.replace(load, &format!("%90 = {operation}\n  {load}"));
            shown(&listing.replace("%dx.types.Handle %1, i32 2)", "%dx.types.Handle %1, i32 %90)")).1
        };
        for (operation, least) in [("add i32 %2, 3", Some(2)), ("add i32 %2, 4", Some(3)), ("add i32 %2, 2", None)] {
            let expected = least.map(|least| format!(" has an index of at least {least} in an array of 2 elements"));
            assert_eq!(faults(operation), expected.into_iter().collect::<Vec<_>>(), "{operation}");
        }
        // The number may be negative.
        assert_eq!(faults("add i32 %unknown, 3"), Vec::<String>::new());
    }
}
