//! Lists the accesses of a trace, and finds what is wrong with them.
//!
//! A fault is certain: an index that reaches a bad place whatever the host passes, or types that cannot both be right.
//! Views with one kind of scalar alone, such as `uint data[]`, look at bytes whatever they are, so they disagree with
//! nothing.

use std::collections::{BTreeMap, BTreeSet};

use rspirv::spirv::Word;

use super::alignments::alignment_of;
use super::place::{Layouts, Leaf, Place, Step};
use super::trace::{MemoryId, Origin, Touch, Trace};
use super::value::{Sum, SymbolId, SymbolKey};
use super::{Access, ByteExpr, Fault, FaultKind, ModuleAccesses, Stride, View, ViewKind};
use crate::spirv::types::{MatrixLayout, SpirvType};

/// Scalars of a value that are compared with the declared type.
const MOST_SCALARS: usize = 256;

/// The memory and the type over it.
type ViewKey = (MemoryId, Word);

/// The accesses of a trace, its views and its faults.
pub(super) fn listed(trace: &Trace<'_>) -> ModuleAccesses {
    let mut listing = Listing { trace, keys: Vec::new(), faults: Vec::new() };
    for (index, memory) in (0..).zip(&trace.memories) {
        if let (Origin::Variable(_), Some(declared)) = (memory.origin, memory.declared) {
            listing.keys.push((MemoryId(index), declared));
        }
    }
    let accesses: Vec<Access> = trace.touches.iter().map(|touch| listing.access(touch)).collect();
    for (index, touch) in (0..).zip(&trace.touches) {
        if let Ok(place) = &touch.target {
            for kind in listing.faults_of(touch, place) {
                listing.add_fault(kind, Some(index), place, touch);
            }
        }
    }
    listing.compare_views();
    let views = listing.views();
    let entries = trace.code.entries.iter().map(|entry| entry.name.clone()).collect();
    ModuleAccesses { views, accesses, faults: listing.faults, entries }
}

struct Listing<'a, 'b> {
    trace: &'a Trace<'b>,
    keys: Vec<ViewKey>,
    faults: Vec<Fault>,
}

impl<'a, 'b> Listing<'a, 'b> {
    fn layouts(&self) -> &'a Layouts<'b> {
        &self.trace.layouts
    }

    fn key(&self, place: &Place) -> ViewKey {
        (place.memory, self.layouts().block(place.root))
    }

    fn access(&mut self, touch: &Touch) -> Access {
        let layouts = self.layouts();
        let (view, at, member, size) = match &touch.target {
            Ok(place) => {
                let key = self.key(place);
                let index = self.keys.iter().position(|known| *known == key).unwrap_or_else(|| {
                    self.keys.push(key);
                    self.keys.len() - 1
                });
                let at = match &place.at {
                    Ok(sum) => self.bytes(sum),
                    Err(why) => ByteExpr::Unknown(*why),
                };
                let size = touch.ty.and_then(|_| layouts.size_at(place));
                (u32::try_from(index).ok(), at, layouts.path(&place.steps), size)
            }
            Err(why) => (None, ByteExpr::Unknown(*why), String::new(), None),
        };
        Access {
            kind: touch.kind,
            view,
            at,
            size,
            member,
            type_name: touch.ty.map_or_else(String::new, |ty| layouts.type_name(ty)),
            promised: touch.promised,
            place: touch.place.clone(),
            entries: touch.entries.clone(),
        }
    }

    fn bytes(&self, sum: &Sum) -> ByteExpr {
        let stride = |(symbol, bytes): &(SymbolId, i64)| Stride {
            bytes: *bytes,
            index: self.trace.symbols.get(*symbol).name.clone(),
        };
        match sum.as_constant() {
            Some(bytes) => ByteExpr::Constant(bytes),
            None => ByteExpr::Strided { base: sum.base, strides: sum.terms.iter().map(stride).collect() },
        }
    }

    fn view_name(&self, (memory, root): ViewKey) -> String {
        let memory = self.trace.memory_of(memory);
        let ty = self.layouts().type_name(root);
        match (memory.origin, memory.name.as_str()) {
            (Origin::Pointee(_), address) => format!("{ty}({address})"),
            (Origin::Variable(_), "") => ty,
            (Origin::Variable(_), name) if Some(root) == memory.declared => name.to_owned(),
            (Origin::Variable(_), name) => format!("{name} as {ty}"),
        }
    }

    fn views(&self) -> Vec<View> {
        let mut touched: BTreeMap<ViewKey, BTreeSet<String>> = BTreeMap::new();
        for place in self.trace.touches.iter().filter_map(|touch| touch.target.as_ref().ok()) {
            let is_named = |step: &&Step| matches!(step, Step::Member(..) | Step::Element(_));
            let named: Vec<Step> = place.steps.iter().take_while(is_named).map(|step| step.without_index()).collect();
            touched.entry(self.key(place)).or_default().insert(self.layouts().path(&named));
        }
        let view = |key: &ViewKey| {
            let memory = self.trace.memory_of(key.0);
            let seen = touched.get(key);
            // A part of what is touched is touched, and so is what a touched part belongs to.
            let is_seen = |member: &String| {
                seen.is_some_and(|seen| seen.contains("") || prefixes(member).any(|part| seen.contains(part)))
            };
            View {
                name: self.view_name(*key),
                kind: memory.kind,
                set: memory.set,
                binding: memory.binding,
                untouched: self.layouts().members(key.1).into_iter().filter(|member| !is_seen(member)).collect(),
            }
        };
        self.keys.iter().map(view).collect()
    }

    fn add_fault(&mut self, kind: FaultKind, access: Option<u32>, place: &Place, touch: &Touch) {
        let fault = Fault {
            kind,
            access,
            view: self.view_name(self.key(place)),
            member: self.layouts().path(&place.steps),
            place: touch.place.clone(),
        };
        // A member that one line reads part by part has one fault there.
        let is_same = |known: &&Fault| {
            known.kind == fault.kind
                && known.view == fault.view
                && known.place == fault.place
                && (known.place.is_some() || known.member == fault.member)
        };
        if !self.faults.iter().any(|known| is_same(&known)) {
            self.faults.push(fault);
        }
    }

    fn faults_of(&self, touch: &Touch, place: &Place) -> Vec<FaultKind> {
        let mut found = Vec::new();
        if let Some(beyond) = place.beyond {
            found.push(FaultKind::BeyondEnd { least: beyond.least, length: beyond.length });
        } else {
            found.extend(self.reached_outside(touch, place));
        }
        if let Some((stride, element)) = place.overlap {
            found.push(FaultKind::Stride { stride: stride.into(), element });
        }
        found.extend(self.broken_promise(touch, place));
        found.extend(self.small_step(place));
        found.extend(self.other_content(touch, place));
        found
    }

    /// An index that some invocation takes, or that a loop reaches, in code that nothing else decides about.
    fn reached_outside(&self, touch: &Touch, place: &Place) -> Option<FaultKind> {
        let (outside, symbols) = place.reached.as_ref()?;
        let counters = self.trace.certain.counters_at(touch.start)?;
        let is_counter = |symbol: &&SymbolId| matches!(self.trace.symbols.key(**symbol), SymbolKey::Steps(_));
        // A counter has its values within its loop.
        let is_certain = symbols.iter().filter(is_counter).all(|counter| counters.contains(counter));
        let same = |other: &&Touch| other.start == touch.start && other.kind == touch.kind;
        let is_only_place = self.trace.touches.iter().filter(same).count() == 1;
        (is_certain && is_only_place).then_some(FaultKind::Reaches { index: outside.least, length: outside.length })
    }

    /// The promise of an alignment that an address cannot keep, if the start of its memory is aligned.
    fn broken_promise(&self, touch: &Touch, place: &Place) -> Option<FaultKind> {
        let promised = touch.promised?;
        if self.trace.memory_of(place.memory).kind != ViewKind::Pointee {
            return None;
        }
        let at = place.at.as_ref().ok()?;
        let free = self.trace.step_alignment(at);
        let given = at.terms.iter().filter(|(symbol, _)| !self.trace.symbols.get(*symbol).is_free);
        let given = given.map(|(_, factor)| alignment_of(*factor)).fold(u32::MAX, u32::min);
        // Numbers that the host passes may make up for a constant that is a multiple of their steps, but not for another
        // one, and not for steps of the code.
        let base = Some(alignment_of(at.base)).filter(|base| given >= promised || *base < given);
        let kept = base.map_or(free, |base| free.min(base));
        (kept < promised).then_some(FaultKind::Alignment { promised, kept })
    }

    /// A step through memory that is smaller than the struct with which the code reads it.
    fn small_step(&self, place: &Place) -> Option<FaultKind> {
        let root_at = place.root_at.as_ref().ok()?;
        if self.trace.memory_of(place.memory).kind != ViewKind::Pointee || !self.is_structured(place.root) {
            return None;
        }
        let element = self.layouts().size(place.root, None)?;
        let is_free = |(symbol, _): &&(SymbolId, i64)| self.trace.symbols.get(*symbol).is_free;
        let (_, stride) = root_at.terms.iter().filter(is_free).min_by_key(|(_, factor)| factor.saturating_abs())?;
        let is_small = stride.unsigned_abs() < u64::from(element);
        is_small.then_some(FaultKind::Stride { stride: *stride, element })
    }

    /// True for a type with members of its own meaning: a struct that has more than one kind of scalar or more than one
    /// member.
    fn is_structured(&self, ty: Word) -> bool {
        match self.layouts().types.get(ty) {
            SpirvType::Struct(members) => match members.as_slice() {
                [only] => self.is_structured(only.ty),
                [] => false,
                _ => true,
            },
            SpirvType::Array { element, .. } | SpirvType::RuntimeArray { element, .. } => self.is_structured(*element),
            _ => false,
        }
    }

    /// What the declared type of a memory has at the bytes of an access through another type.
    fn other_content(&self, touch: &Touch, place: &Place) -> Vec<FaultKind> {
        let memory = self.trace.memory_of(place.memory);
        let (Some(declared), Some(ty), Ok(at)) = (memory.declared, touch.ty, &place.at) else { return Vec::new() };
        let root = self.layouts().block(place.root);
        if root == declared || !self.is_structured(root) || !self.is_structured(declared) {
            return Vec::new();
        }
        let mut found = Vec::new();
        let declared_name = self.layouts().type_name(declared);
        for (offset, scalar, row_major) in self.scalars(ty, place.matrix) {
            let Some(base) = at.base.checked_add(offset.into()).and_then(|base| u32::try_from(base).ok()) else {
                break;
            };
            let leaf = self.layouts().leaf(declared, None, base);
            // The steps of the index must lead through the elements of one array.
            let is_element = at.terms.iter().all(|(_, factor)| {
                let next = u32::try_from(i64::from(base).saturating_add(*factor)).ok();
                let next = next.map(|next| self.layouts().leaf(declared, None, next));
                matches!((&leaf, next), (Leaf::Scalar { path, .. }, Some(Leaf::Scalar { path: next, .. })) if *path == next)
            });
            if !is_element {
                continue;
            }
            match leaf {
                Leaf::Padding => found.push(FaultKind::Padding { at: base, declared: declared_name.clone() }),
                Leaf::Scalar { path, ty: own, row_major: own_order, start } => {
                    let is_float = |ty: Word| matches!(self.layouts().types.get(ty), SpirvType::Float { .. });
                    let widths = [scalar, own].map(|ty| self.layouts().width(ty));
                    let other_kind = is_float(scalar) != is_float(own) && widths[0] == widths[1];
                    let is_across = start != base && widths[0] >= widths[1];
                    if let (Some(accessed), Some(own_order)) = (row_major, own_order)
                        && accessed != own_order
                    {
                        let declared_is_row_major = own_order;
                        found.push(FaultKind::OtherOrder { at: base, declared: path, declared_is_row_major });
                    } else if other_kind || is_across {
                        found.push(FaultKind::OtherType {
                            at: base,
                            declared: path,
                            declared_type: self.layouts().type_name(own),
                            accessed: self.layouts().type_name(scalar),
                        });
                    }
                }
                Leaf::Beyond | Leaf::Opaque => {}
            }
            // One fault says it.
            if !found.is_empty() {
                break;
            }
        }
        found
    }

    /// The scalars of a value with their bytes from its start, and the order of the matrix that they are in.
    fn scalars(&self, ty: Word, matrix: Option<MatrixLayout>) -> Vec<(u32, Word, Option<bool>)> {
        let mut found = Vec::new();
        self.add_scalars(ty, matrix, 0, &mut found);
        found
    }

    fn add_scalars(&self, ty: Word, matrix: Option<MatrixLayout>, at: u32, found: &mut Vec<(u32, Word, Option<bool>)>) {
        if found.len() >= MOST_SCALARS {
            return;
        }
        match self.layouts().types.get(ty) {
            SpirvType::Int { .. } | SpirvType::Float { .. } => found.push((at, ty, None)),
            SpirvType::Vector { component, length } => {
                let width = self.layouts().width(*component).unwrap_or(0);
                found.extend(
                    (0..*length).map(|index| (at.saturating_add(index.saturating_mul(width)), *component, None)),
                );
            }
            SpirvType::Matrix { column, .. } => {
                if let (SpirvType::Vector { component, .. }, Some(matrix)) = (self.layouts().types.get(*column), matrix)
                {
                    found.push((at, *component, Some(matrix.row_major)));
                }
            }
            // The first element stands for all.
            SpirvType::Array { element, .. } | SpirvType::RuntimeArray { element, .. } => {
                self.add_scalars(*element, matrix, at, found);
            }
            SpirvType::Struct(members) => {
                for member in members {
                    if let Some(offset) = member.offset {
                        self.add_scalars(member.ty, member.matrix, at.saturating_add(offset), found);
                    }
                }
            }
            _ => {}
        }
    }

    /// Compares the types over one memory that one entry point uses.
    fn compare_views(&mut self) {
        let mut entries: BTreeMap<ViewKey, (BTreeSet<u32>, usize)> = BTreeMap::new();
        for (index, touch) in self.trace.touches.iter().enumerate() {
            let Ok(place) = &touch.target else { continue };
            // A view that starts elsewhere has other bytes.
            if place.root_at.as_ref().is_ok_and(|at| at.as_constant() == Some(0)) {
                let (all, _) = entries.entry(self.key(place)).or_insert_with(|| (BTreeSet::new(), index));
                all.extend(&touch.entries);
            }
        }
        let used: Vec<(ViewKey, (BTreeSet<u32>, usize))> = entries.into_iter().collect();
        for (number, (one, (of_one, _))) in used.iter().enumerate() {
            for (other, (of_other, first)) in &used[number + 1..] {
                let is_shared = !of_one.is_disjoint(of_other) && one.1 != other.1 && self.is_same_memory(*one, *other);
                if is_shared && let Some(kind) = self.disagreement(*one, *other) {
                    let touch = &self.trace.touches[*first];
                    let fault = Fault {
                        kind,
                        access: None,
                        view: self.view_name(*other),
                        member: String::new(),
                        place: touch.place.clone(),
                    };
                    self.faults.push(fault);
                }
            }
        }
    }

    fn is_same_memory(&self, one: ViewKey, other: ViewKey) -> bool {
        if one.0 == other.0 {
            // Reading a memory otherwise than it is declared is a fault of the access.
            return self.trace.memory_of(one.0).declared.is_none();
        }
        let [one, other] = [one.0, other.0].map(|memory| self.trace.memory_of(memory));
        let is_bound = one.binding.is_some() && one.kind == other.kind;
        is_bound && (one.set, one.binding) == (other.set, other.binding)
    }

    /// A member that two types have at different places, or elements that they have at different distances.
    ///
    /// Members of structs with different names are no fault: code that chooses between formats of its data has a view
    /// for each.
    fn disagreement(&self, one: ViewKey, other: ViewKey) -> Option<FaultKind> {
        if !self.is_structured(one.1) || !self.is_structured(other.1) {
            return None;
        }
        let [places, others] = [one.1, other.1].map(|root| {
            let mut places = BTreeMap::new();
            self.add_named_places(root, "", &mut places);
            places
        });
        // The fault names the place in the second view.
        let differing = others.into_iter().find_map(|(what, at)| {
            let other_at = *places.get(&what)?;
            (other_at != at).then_some((what, at, other_at))
        });
        let (NamedPlace { of, member, is_stride }, at, other_at) = differing?;
        let member = if of.is_empty() { member } else { format!("{of}.{member}") };
        Some(FaultKind::Views { other: self.view_name(one), member, is_stride, at, other_at })
    }

    /// Adds the members of a type and of the structs in it, with their bytes from the start of the struct.
    fn add_named_places(&self, ty: Word, of: &str, found: &mut BTreeMap<NamedPlace, u32>) {
        let SpirvType::Struct(members) = self.layouts().types.get(ty) else { return };
        for member in members {
            let (Some(name), Some(offset)) = (&member.name, member.offset) else { continue };
            let place = |is_stride| NamedPlace { of: of.to_owned(), member: name.clone(), is_stride };
            found.entry(place(false)).or_insert(offset);
            let mut inner = member.ty;
            while let SpirvType::Array { element, stride, .. } | SpirvType::RuntimeArray { element, stride } =
                self.layouts().types.get(inner)
            {
                inner = *element;
                if let (SpirvType::Struct(_), Some(stride)) = (self.layouts().types.get(inner), stride) {
                    let ty = self.layouts().type_name(inner);
                    found.entry(NamedPlace { of: ty, member: String::new(), is_stride: true }).or_insert(*stride);
                }
            }
            if let SpirvType::Struct(_) = self.layouts().types.get(inner) {
                let name = self.layouts().type_name(inner);
                // Structs of one name are read once, so this ends.
                if !found.keys().any(|known| known.of == name && !known.is_stride) {
                    self.add_named_places(inner, &name, found);
                }
            }
        }
    }
}

/// A member of a struct, which is empty for the view itself; or the distance of the struct's elements.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct NamedPlace {
    of: String,
    member: String,
    is_stride: bool,
}

/// A path, and those of all that it is a part of: `a[].b`, `a[]`, `a`.
fn prefixes(path: &str) -> impl Iterator<Item = &str> {
    let ends = path.char_indices().filter(|(_, letter)| matches!(letter, '.' | '[')).map(|(end, _)| end);
    ends.chain([path.len()]).map(|end| &path[..end])
}
