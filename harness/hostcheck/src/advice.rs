//! Finds the changes of a host struct with which it agrees with a block.
//!
//! Each change is applied to the host struct and compared again, from the first byte to the last, so that what is
//! advised has been tried. Without changes that lead to a struct that agrees, there is no advice.

use std::cmp::Reverse;

use layoutproof_layout::UNSIZED_ELEMENTS;

use super::compare::{CompareOptions, Examination, ShaderBlock, display_path, examine, passed};
use super::comparison::{Comparison, RowState};
use super::flat_struct::{FlatMember, FlatStruct, FlatVectors};
use super::mismatch::{Mismatch, MismatchKind, Remark, StridedThing};
use super::names::{is_filler, is_padding};
use super::program_struct::{LaneClass, ProgramField, ProgramScalar, ProgramShape, ProgramStruct};
use super::repair::{Declaration, DeclaredElement, HostSyntax, Repair, RepairStep};

/// Most changes of one struct. With more, the two declarations have little in common.
const MOST_STEPS: usize = 24;

/// Most scalars of a side. Each trial compares all of them.
const MOST_LANES: usize = 1 << 13;

/// Most scalars of a side for which pairs of changes are tried.
const MOST_LANES_AHEAD: usize = 1 << 10;

/// Size of D3D registers and std140 rows, in bytes, to which C++ programs align.
const REGISTER: u32 = 16;

/// Adds to the mismatches the changes of the host struct that mend them.
pub(super) fn advise(
    comparison: &mut Comparison,
    block: ShaderBlock<'_>,
    host: &ProgramStruct,
    options: CompareOptions<'_>,
) {
    // A library lays out what it writes.
    if comparison.agrees() || host.written_by.is_some() {
        return;
    }
    let trial = Trial { block, options };
    let Some(steps) = trial.steps(host) else { return };
    for (path, step) in trial.with_alternatives(host, steps) {
        let own = comparison.mismatches.iter().position(|mismatch| mismatch.path == path);
        let mended = comparison.mismatches.iter().rposition(|mismatch| !mismatch.repairs.is_empty());
        let index = own.or(mended).unwrap_or(0);
        comparison.mismatches[index].repairs.push(step);
    }
}

/// The host struct with the advised changes, with which it agrees with the block; `None` without advice.
pub fn repaired(block: ShaderBlock<'_>, host: &ProgramStruct, options: CompareOptions<'_>) -> Option<ProgramStruct> {
    let steps = Trial { block, options }.steps(host)?;
    apply(host, steps.iter().map(|(_, step)| &step.repair))
}

#[derive(Clone, Copy)]
struct Trial<'a> {
    block: ShaderBlock<'a>,
    options: CompareOptions<'a>,
}

/// How far a host struct agrees: greater is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Progress {
    agrees: bool,
    /// The byte of the block up to which it agrees.
    up_to: u64,
    /// True if the first mismatch is not one of shape.
    is_of_place: bool,
    agreeing_rows: usize,
    /// How far the first mismatch moved its member: one of two mistakes before it may be mended.
    moved: Reverse<u32>,
}

impl Trial<'_> {
    fn examine(self, host: &ProgramStruct) -> Examination {
        examine(self.block, host, self.options)
    }

    /// The changes after which the host struct agrees, each with the path of the mismatch that it mends.
    fn steps(self, host: &ProgramStruct) -> Option<Vec<(String, RepairStep)>> {
        let mut steps = Vec::new();
        let mut current = host.clone();
        let mut examined = self.examine(&current);
        if examined.shader.lanes.len().max(examined.host.lanes.len()) > MOST_LANES {
            return None;
        }
        let padded = padded_reads(&examined.comparison);
        while steps.len() < MOST_STEPS {
            let reached = progress(&examined);
            for change in self.next_changes(&current, &examined, reached)? {
                steps.push((change.path, RepairStep { repair: change.repair, alternative: None }));
                (current, examined) = (change.repaired, change.examined);
            }
            if examined.comparison.agrees() {
                // The shader must not read padding that the change has put there.
                return (padded_reads(&examined.comparison) <= padded).then_some(steps);
            }
        }
        None
    }

    /// The change that leads furthest beyond `reached`, or two at once if none does alone: a member that became longer
    /// after another one was added is at its place only without both.
    fn next_changes(self, current: &ProgramStruct, examined: &Examination, reached: Progress) -> Option<Vec<Change>> {
        let mut changes = self.changes(current, examined);
        if let Some(best) = furthest(&changes, reached) {
            return Some(vec![changes.swap_remove(best)]);
        }
        if examined.shader.lanes.len().max(examined.host.lanes.len()) > MOST_LANES_AHEAD {
            return None;
        }
        let pairs = changes.into_iter().filter_map(|change| {
            let mut next = self.changes(&change.repaired, &change.examined);
            let best = furthest(&next, reached)?;
            Some((change, next.swap_remove(best)))
        });
        let best = pairs.reduce(|best, other| if other.1.progress > best.1.progress { other } else { best });
        best.map(|(first, second)| vec![first, second])
    }

    /// The changes that may mend the first mismatch.
    fn changes(self, current: &ProgramStruct, examined: &Examination) -> Vec<Change> {
        let Some((first, _)) = first_mismatch(examined) else { return Vec::new() };
        let tried = candidates(examined, first, current).into_iter().filter_map(|repair| {
            let repaired = current.repaired(&repair)?;
            let examined = self.examine(&repaired);
            Some(Change { path: first.path.clone(), progress: progress(&examined), repair, repaired, examined })
        });
        tried.collect()
    }

    /// Adds padding as the alternative of an alignment, and the alignment of a struct as that of padding at its end,
    /// where it leads to a struct that agrees too.
    fn with_alternatives(
        self,
        host: &ProgramStruct,
        mut steps: Vec<(String, RepairStep)>,
    ) -> Vec<(String, RepairStep)> {
        for index in 0..steps.len() {
            let before = apply(host, steps[..index].iter().map(|(_, step)| &step.repair));
            let examined = before.as_ref().map(|before| (before, self.examine(before)));
            let Some((before, examined)) = &examined else { continue };
            let Some((first, _)) = first_mismatch(examined) else { continue };
            let alternative = match (&steps[index].1.repair, &first.kind) {
                (Repair::Align { member, .. }, MismatchKind::OffsetMoved { shader_offset, host_offset }) => {
                    let missing = shader_offset.checked_sub(*host_offset);
                    missing.map(|bytes| Repair::Pad { before: member.clone(), bytes })
                }
                (Repair::PadEnd { .. }, _) => {
                    let others = candidates(examined, first, before);
                    others.into_iter().find(|other| matches!(other, Repair::AlignType { .. }))
                }
                _ => None,
            };
            let Some(alternative) = alternative else { continue };
            let all = steps.iter().enumerate().map(
                |(other, (_, step))| {
                    if other == index { &alternative } else { &step.repair }
                },
            );
            if apply(host, all).is_some_and(|repaired| self.examine(&repaired).comparison.agrees()) {
                steps[index].1.alternative = Some(alternative);
            }
        }
        steps
    }
}

/// A change that was tried.
#[derive(Debug)]
struct Change {
    /// The path of the mismatch that it may mend.
    path: String,
    repair: Repair,
    repaired: ProgramStruct,
    examined: Examination,
    progress: Progress,
}

/// The index of the change that leads furthest beyond `reached`, the first of several that are equally good.
fn furthest(changes: &[Change], reached: Progress) -> Option<usize> {
    let better = (0..changes.len()).filter(|index| changes[*index].progress > reached);
    better.max_by_key(|index| (changes[*index].progress, Reverse(*index)))
}

fn apply<'a>(host: &ProgramStruct, repairs: impl Iterator<Item = &'a Repair>) -> Option<ProgramStruct> {
    let mut repaired = host.clone();
    for repair in repairs {
        repaired = repaired.repaired(repair)?;
    }
    Some(repaired)
}

/// The number of members that the shader reads from the host's padding.
fn padded_reads(comparison: &Comparison) -> usize {
    let is_padded = |remark: &&Remark| {
        matches!(remark, Remark::ReadsPadding { .. } | Remark::EndsInPadding { .. } | Remark::Unread { .. })
    };
    comparison.remarks.iter().filter(is_padded).count()
}

fn progress(examined: &Examination) -> Progress {
    let comparison = &examined.comparison;
    let is_agreeing = |row: &&super::comparison::ComparedRow| row.shader.is_some() && row.state == RowState::Agrees;
    let first = first_mismatch(examined);
    let moved = first.map_or(0, |(first, _)| match first.kind {
        MismatchKind::OffsetMoved { shader_offset, host_offset } => shader_offset.abs_diff(host_offset),
        _ => u32::MAX,
    });
    Progress {
        agrees: comparison.agrees(),
        up_to: first.map_or(u64::MAX, |(_, place)| place),
        is_of_place: first.is_none_or(|(first, _)| !first.kind.is_of_shape()),
        agreeing_rows: comparison.rows.iter().filter(is_agreeing).count(),
        moved: Reverse(moved),
    }
}

/// The mismatch that comes first in the block, and its byte; those of the whole struct's definition come before,
/// those of its size after all members.
fn first_mismatch(examined: &Examination) -> Option<(&Mismatch, u64)> {
    let place_of = |mismatch: &Mismatch| {
        if mismatch.kind.is_of_definition() {
            return 0;
        }
        let member = examined.shader_member(mismatch).map(|index| &examined.shader.members[index]);
        member.map_or(u64::MAX - 1, |member| u64::from(member.offset) + 1)
    };
    let placed = examined.comparison.mismatches.iter().map(|mismatch| (mismatch, place_of(mismatch)));
    placed.min_by_key(|(_, place)| *place)
}

/// The changes that may mend a mismatch, the most likely first.
fn candidates(examined: &Examination, mismatch: &Mismatch, program: &ProgramStruct) -> Vec<Repair> {
    let context = Context { examined, program };
    let member = examined.shader_member(mismatch);
    let host = mismatch.host_path.as_deref().and_then(|path| examined.host_member(path));
    match (&mismatch.kind, member) {
        (MismatchKind::NoContract, _) => vec![Repair::ReprC],
        (MismatchKind::SeveralLayouts { .. }, _) => vec![Repair::OneDefinition],
        (MismatchKind::OffsetMoved { .. }, Some(member)) => {
            host.map(|host| context.moved(member, host)).unwrap_or_default()
        }
        (MismatchKind::SwappedNames { other }, Some(_)) => context.swapped(mismatch, other),
        (MismatchKind::CountDiffers { shader_count, .. }, Some(member)) => {
            let path = mismatch.host_path.clone().unwrap_or_default();
            let counted = Repair::Count { member: path, count: *shader_count };
            let redeclared = host.map(|host| context.redeclared(member, host)).unwrap_or_default();
            std::iter::once(counted).chain(redeclared).collect()
        }
        (MismatchKind::StrideDiffers { of: StridedThing::BufferElement, shader_stride, host_stride }, _) => {
            context.element("", *host_stride, *shader_stride)
        }
        (MismatchKind::StrideDiffers { shader_stride, host_stride, .. }, Some(member))
            if examined.shader.members[member].has_members =>
        {
            let path = mismatch.host_path.clone().unwrap_or_default();
            context.element(&path, *host_stride, *shader_stride)
        }
        (
            MismatchKind::StrideDiffers { .. }
            | MismatchKind::SizeDiffers { .. }
            | MismatchKind::BoolSize { .. }
            | MismatchKind::ClassDiffers { .. }
            | MismatchKind::BitFieldOverMember { .. },
            Some(member),
        ) => host.map(|host| context.redeclared(member, host)).unwrap_or_default(),
        (MismatchKind::MissingInHost { .. } | MismatchKind::HostTooShort { .. }, Some(member)) => {
            context.missing(member, host)
        }
        (MismatchKind::TooSmallForApi { needed, host_size, .. }, _) => context.element("", *host_size, *needed),
        (MismatchKind::ContractBroken { shader_size: Some(shader_size), host_size, .. }, _) => {
            context.element("", *host_size, *shader_size)
        }
        // The other order of a matrix is declared in the shader. Without a member of it there is nothing to declare.
        (
            MismatchKind::MatrixOrder { .. }
            | MismatchKind::BitsDiffer { .. }
            | MismatchKind::ContractBroken { shader_size: None, .. },
            _,
        )
        | (_, None) => Vec::new(),
    }
}

#[derive(Clone, Copy)]
struct Context<'a> {
    examined: &'a Examination,
    program: &'a ProgramStruct,
}

impl Context<'_> {
    fn syntax(self) -> HostSyntax {
        HostSyntax::of(self.program.contract)
    }

    fn host_path(self, index: usize) -> String {
        display_path(&self.examined.host.members[index].path)
    }

    fn moved(self, member: usize, host: usize) -> Vec<Repair> {
        let Examination { shader, host: all, pairs, .. } = self.examined;
        let (own, found) = (&shader.members[member], &all.members[host]);
        let name = self.host_path(host);
        let mut repairs = Vec::new();
        if let Some(passed) = passed(shader, all, pairs, own, found) {
            repairs.push(Repair::Move { member: name.clone(), before: self.host_path(passed) });
        }
        let before = before(all, found);
        if let Some(missing) = own.offset.checked_sub(found.offset).filter(|missing| *missing > 0) {
            let is_register = self.syntax() == HostSyntax::Cpp && is_whole(own) && before.is_some();
            if is_register && own.offset.is_multiple_of(REGISTER) {
                repairs.push(Repair::Align { member: name.clone(), to: REGISTER });
            }
            repairs.push(Repair::Pad { before: name, bytes: missing });
            return repairs;
        }

        if let Some(before) = before {
            match pairs.shader_of(before) {
                // The host has a member that the shader lacks, or has padding.
                None => repairs.push(Repair::Remove { member: self.host_path(before) }),
                Some(own) => repairs.extend(self.redeclared(own, before)),
            }
        }
        repairs.extend(self.redeclared(member, host));
        if self.syntax() == HostSyntax::Cpp {
            repairs.extend([4, 1].map(|to| Repair::Align { member: name.clone(), to }));
        }
        repairs
    }

    fn swapped(self, mismatch: &Mismatch, other: &str) -> Vec<Repair> {
        let pairs = &self.examined.pairs;
        let other = self.examined.shader.members.iter().position(|member| display_path(&member.path) == other);
        let other = other.and_then(|other| pairs.host_of(other)).map(|other| self.host_path(other));
        let exchange = mismatch.host_path.clone().zip(other);
        exchange.map(|(member, other)| Repair::Exchange { member, other }).into_iter().collect()
    }

    /// Changes the size of a struct: that of an array's elements, or for an empty path the host struct itself.
    fn element(self, of: &str, size: u32, wanted: u32) -> Vec<Repair> {
        let name = || {
            let member = self.examined.host_member(of).map(|index| &self.examined.host.members[index].type_name);
            let name = member.filter(|_| !of.is_empty()).unwrap_or(&self.program.name);
            name.split('[').next().unwrap_or_default().trim().to_owned()
        };
        let align = |to| Repair::AlignType { of: of.to_owned(), struct_name: name(), to, syntax: self.syntax() };
        let start = if of.is_empty() { String::new() } else { format!("{of}.") };
        let members = self.examined.host.members.iter().enumerate();
        let own = members.filter(|(_, member)| {
            let path = display_path(&member.path);
            path.strip_prefix(&start).or(path.strip_prefix(&format!("{of}[]."))).is_some_and(|rest| !rest.contains('.'))
        });
        let last = own.filter(|(_, member)| member.is_first_element).max_by_key(|(_, member)| member.offset);
        if let Some(missing) = wanted.checked_sub(size) {
            let pad = |bytes| Repair::PadEnd { of: of.to_owned(), struct_name: name(), bytes };
            if self.syntax() == HostSyntax::Rust {
                // bytemuck's `Pod` refuses padding that the compiler adds.
                let begins = self.examined.host_member(of).map_or(0, |index| self.examined.host.members[index].offset);
                let end = last.map_or(size, |(_, member)| member.end().saturating_sub(begins));
                return vec![pad(wanted.saturating_sub(end.min(size)))];
            }
            let alignments = [REGISTER, 8, 32, 64, 128, 256];
            let to = alignments.into_iter().find(|to| size > 0 && size.next_multiple_of(*to) == wanted);
            return std::iter::once(pad(missing)).chain(to.map(align)).collect();
        }
        let last = last.map(|(index, _)| index);
        let padding = last.filter(|last| is_padding(&self.examined.host.members[*last].path));
        let removed = padding.map(|last| Repair::Remove { member: self.host_path(last) });
        removed.into_iter().chain([4, 8, 1].map(align)).collect()
    }

    /// Declares a member of the host as the shader has it, and the same aligned to a register.
    fn redeclared(self, member: usize, host: usize) -> Vec<Repair> {
        let (own, found) = (&self.examined.shader.members[member], &self.examined.host.members[host]);
        let is_continuation = self.examined.pairs.host_of(member).is_some_and(|paired| {
            paired != host && found.name.starts_with(&format!("{}_", self.examined.host.members[paired].name))
        });
        let declarations = if is_continuation {
            self.last_vector(member, &found.name).map(|last| vec![last])
        } else {
            self.declarations(member, &found.name)
        };
        let Some(declarations) = declarations else { return Vec::new() };
        let aligned = || {
            let mut aligned = declarations.clone();
            aligned[0].alignment = Some(REGISTER);
            aligned
        };
        let is_register = self.syntax() == HostSyntax::Cpp && own.offset.is_multiple_of(REGISTER);
        let both = is_register.then(aligned).into_iter();
        let forms = std::iter::once(declarations.clone()).chain(both);
        forms.map(|declarations| Repair::Declare { member: self.host_path(host), declarations }).collect()
    }

    fn missing(self, member: usize, found: Option<usize>) -> Vec<Repair> {
        let Examination { shader, host: all, pairs, .. } = self.examined;
        // A struct of which the host has nothing is missing as a whole.
        let lacks = |index: &usize| pairs.host_of(*index).is_none();
        let outer = std::iter::successors(shader.members[member].parent, |index| shader.members[*index].parent);
        let member = outer.take_while(lacks).last().unwrap_or(member);
        let own = &shader.members[member];
        let Some(declarations) = self.declarations(member, &own.name) else { return Vec::new() };
        let mut repairs = Vec::new();
        if let Some(found) = found.filter(|found| is_filler(&all.members[*found].name)) {
            let declarations = declarations.clone();
            repairs.push(Repair::Declare { member: self.host_path(found), declarations });
        }
        // The host may have the second of two declarations, which is the last element; otherwise the next change adds it.
        let Some(declaration) = declarations.first() else { return repairs };
        let inside = own.parent.and_then(|parent| pairs.host_of(parent)).map(|outer| self.host_path(outer));
        let later = shader.members.iter().enumerate().filter(|(index, other)| {
            let is_sibling = other.parent == own.parent && other.is_first_element && other.offset > own.offset;
            is_sibling && pairs.host_of(*index).is_some()
        });
        let next = later.min_by_key(|(_, other)| other.offset).and_then(|(index, _)| pairs.host_of(index));
        // The bytes may begin a struct that comes after the missing member.
        let level = own.parent.and_then(|parent| pairs.host_of(parent));
        let parent = |index: &usize| all.members[*index].parent;
        let is_sibling = |index: &usize| {
            found.is_some_and(|found| all.members[*index].offset == all.members[found].offset) && parent(index) == level
        };
        let outer = std::iter::successors(found, parent).find(is_sibling);
        let before = outer.or(found).or(next).map(|index| self.host_path(index));
        let inside = inside.unwrap_or_default();
        let aligned = Declaration { alignment: Some(REGISTER), ..declaration.clone() };
        let is_register = self.syntax() == HostSyntax::Cpp && own.offset.is_multiple_of(REGISTER);
        let forms = std::iter::once(declaration.clone()).chain(is_register.then_some(aligned));
        repairs.extend(forms.map(|declaration| {
            let (before, inside) = (before.clone(), inside.clone());
            Repair::Add { declaration, before, inside }
        }));
        repairs
    }

    /// How the host declares the last vector or element of a member of the shader.
    fn last_vector(self, index: usize, name: &str) -> Option<Declaration> {
        let member = &self.examined.shader.members[index];
        let (size, stride) = (member.end().checked_sub(member.offset)?, member.outer_stride()?);
        let start = member.offset.checked_add(size.checked_div(stride)?.checked_mul(stride)?)?;
        let lanes = self.examined.shader.lanes_in(start, member.end()).filter(|lane| lane.member == index).count();
        let counts = if lanes > 1 { vec![Some(u32::try_from(lanes).ok()?)] } else { Vec::new() };
        let element = DeclaredElement::Scalar(host_scalar(member)?);
        Some(Declaration { syntax: self.syntax(), name: name.to_owned(), element, counts, alignment: None })
    }

    /// How the host declares a member of the shader.
    fn declarations(self, index: usize, name: &str) -> Option<Vec<Declaration>> {
        let shader = &self.examined.shader;
        let member = &shader.members[index];
        let (syntax, name) = (self.syntax(), name.to_owned());
        if member.has_members {
            let counts = member.arrays.iter().map(|array| array.count).collect();
            let type_name = member.type_name.split('[').next().unwrap_or_default().to_owned();
            let element = DeclaredElement::Struct { type_name, shape: struct_shape(shader, index)? };
            return Some(vec![Declaration { syntax, name, element, counts, alignment: None }]);
        }
        let scalar = host_scalar(member)?;
        let lanes = shader.lanes.iter().filter(|lane| lane.member == index).count();
        let mut dimensions: Vec<(Option<u32>, u32)> = member.arrays.iter().map(|it| (it.count, it.stride)).collect();
        dimensions.extend(member.vectors.map(|FlatVectors { count, stride, .. }| (Some(count), stride)));
        let counted = |count: &Option<u32>| count.unwrap_or(UNSIZED_ELEMENTS);
        let elements = dimensions.iter().try_fold(1_u32, |all, (count, _)| all.checked_mul(counted(count)))?;
        let run = u32::try_from(lanes).ok()?.checked_div(elements)?;

        // The innermost vector with the padding of its stride.
        let own = if run > 1 { vec![Some(run)] } else { Vec::new() };
        let mut counts = own.clone();
        let mut size = run.checked_mul(scalar.size)?;
        for (depth, (count, stride)) in dimensions.iter().rev().enumerate() {
            if *stride != size && (depth > 0 || !stride.is_multiple_of(scalar.size)) {
                return None;
            }
            if *stride != size {
                counts = vec![Some(stride / scalar.size)];
            }
            counts.insert(0, *count);
            size = stride.checked_mul(counted(count))?;
        }
        let declaration = |name: String, counts: Vec<Option<u32>>| {
            let element = DeclaredElement::Scalar(scalar);
            Declaration { syntax, name, element, counts, alignment: None }
        };
        let is_in_room = self.room_after(index).is_none_or(|room| size <= room);
        if is_in_room {
            return Some(vec![declaration(name, counts)]);
        }
        // The next member starts in the tail of the last element.
        let [(Some(count), _)] = dimensions.as_slice() else { return None };
        let last = declaration(format!("{name}_last"), own);
        let rest = count.checked_sub(1)?;
        if rest == 0 {
            return Some(vec![declaration(name, last.counts)]);
        }
        counts[0] = Some(rest);
        Some(vec![declaration(name, counts), last])
    }

    /// The bytes from the start of a member to the next one that the shader reads; `None` for the last.
    fn room_after(self, index: usize) -> Option<u32> {
        let shader = &self.examined.shader;
        let member = &shader.members[index];
        let later = shader.lanes.iter().filter(|lane| lane.offset >= member.end() && lane.member != index);
        later.map(|lane| lane.offset - member.offset).min()
    }
}

/// The scalar that a host declares for that of a shader.
fn host_scalar(member: &FlatMember) -> Option<ProgramScalar> {
    let scalar = member.scalar?;
    let class = match scalar.class {
        LaneClass::Bool => LaneClass::Unsigned,
        // C++ has no half.
        LaneClass::Float if scalar.size == 2 => LaneClass::Unsigned,
        LaneClass::Float | LaneClass::Signed | LaneClass::Unsigned => scalar.class,
        LaneClass::Bits | LaneClass::Opaque => return None,
    };
    Some(ProgramScalar { class, size: scalar.size, is_enum: false })
}

/// A struct of the shader with its members at the shader's places.
fn struct_shape(shader: &FlatStruct, index: usize) -> Option<ProgramShape> {
    let outer = &shader.members[index];
    let mut fields = Vec::new();
    let children = shader.members.iter().enumerate();
    for (child, member) in children.filter(|(_, member)| member.parent == Some(index) && member.is_first_element) {
        let offset = member.offset.checked_sub(outer.offset)?;
        let mut shape = match host_scalar(member) {
            Some(scalar) if member.vectors.is_none() && member.arrays.is_empty() => {
                let count = member.size?.checked_div(scalar.size)?;
                let (element, element_name) = (Box::new(ProgramShape::Scalar(scalar)), String::new());
                ProgramShape::Array { element, element_name, count: Some(count), stride: scalar.size }
            }
            None if member.has_members && member.arrays.is_empty() => struct_shape(shader, child)?,
            _ => return None,
        };
        if let ProgramShape::Array { count: Some(1), element, .. } = shape {
            shape = *element;
        }
        let (name, type_name) = (member.name.clone(), member.type_name.clone());
        fields.push(ProgramField { name, type_name, offset, shape, bits: None, alignment: None, place: None });
    }
    let size = outer.arrays.last().map(|array| array.stride).or(outer.size)?;
    Some(ProgramShape::Struct { fields, size })
}

/// The last member of a struct that ends at or before `member`, on its level.
fn before(flat: &FlatStruct, member: &FlatMember) -> Option<usize> {
    let is_before =
        |other: &FlatMember| other.parent == member.parent && other.offset < member.offset && other.is_first_element;
    let before = flat.members.iter().enumerate().filter(|(_, other)| is_before(other));
    before.max_by_key(|(_, other)| (other.offset, other.end())).map(|(index, _)| index)
}

/// True for vectors, matrices, arrays and structs, which programs align to registers.
fn is_whole(member: &FlatMember) -> bool {
    let is_vector = member.scalar.zip(member.size).is_some_and(|(scalar, size)| size > scalar.size);
    member.has_members || !member.arrays.is_empty() || member.vectors.is_some() || is_vector
}
