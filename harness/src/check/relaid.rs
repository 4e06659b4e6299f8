//! The members of a laid-out block at the places that another rule set gives them.
//!
//! A translator that drops the offsets of a module leaves the places to the rules of the language that it writes. This
//! module has those places: the members that a module declares, in the order of their offsets, without bit-fields,
//! pointers and places that the source states, and matrices as arrays of their vectors.

use std::collections::BTreeSet;

use layoutproof_layout::shape::{Count, MatrixOrder, Member, StructType, Type};
use layoutproof_layout::{
    Block, BlockKind, Component, LaidOut, LaidOutMember, LaidOutShape, Leaf, LeafStep, RuleSet, Scalar,
};

/// How a translator writes the declarations of a module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Rewriting {
    /// It reads declarations, and keeps their order.
    pub(super) in_declared_order: bool,
    /// It writes matrices of floats by columns, whatever their order.
    pub(super) by_columns: bool,
    pub(super) gaps: Gaps,
    /// It writes the columns of a matrix of two rows as members, and those of an array of matrices as a struct.
    pub(super) splits_two_rows: bool,
}

/// What a translator writes for the bytes between members, and between the last one and the end of a struct. It counts on
/// the strides of the module, which its text does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Gaps {
    #[default]
    Nothing,
    /// An array of bytes. A three-component vector has no padding if the next member follows at once.
    Bytes,
    /// Words. A word can follow the last element of an array in its stride.
    Words,
}

/// A block as written again.
#[derive(Clone, Debug)]
pub(super) struct Relaid<'a> {
    original: &'a LaidOut,
    /// Each member's name is its index in the original struct, followed by the column of a matrix that is split.
    again: LaidOut,
    rewriting: Rewriting,
}

impl<'a> Relaid<'a> {
    /// Lays out the members that contain a leaf of `leaves` by `rules`, even if the specification does not allow them;
    /// `None` if the rule set has no place for one.
    pub(super) fn new(original: &'a LaidOut, leaves: &[Leaf], rules: &RuleSet, rewriting: Rewriting) -> Option<Self> {
        let writer = Writer { kept: paths_of(leaves), rewriting };
        let element = writer.ty(original, &mut Vec::new())?;
        let is_struct = matches!(element, Type::Struct(_));
        let element: Type = if is_struct { element } else { StructType::new("", [Member::new("", element)]).into() };
        let rules = RuleSet { forbids: &[], ..rules.clone() };
        let mut again = rules.lay_out(&Block::new("", BlockKind::UniformBlock, element)).ok()?;
        if let LaidOutShape::Struct(members) = &mut again.shape
            && !is_struct
        {
            again = members.pop()?.layout;
        }
        Some(Self { original, again, rewriting })
    }

    /// Bytes from the start of the block to a leaf.
    pub(super) fn offset(&self, leaf: &Leaf) -> Option<u32> {
        let (mut original, mut again, mut offset) = (self.original, &self.again, 0);
        let mut split = None;
        for step in &leaf.steps {
            match (&original.shape, step) {
                (LaidOutShape::Struct(members), LeafStep::Member(index)) => {
                    original = &members.get(*index as usize)?.layout;
                    if self.rewriting.splits(original) {
                        split = Some((again, *index));
                        continue;
                    }
                    let member = member_of(again, &index.to_string())?;
                    offset += member.offset;
                    again = &member.layout;
                }
                (LaidOutShape::Array { element, .. }, LeafStep::Element(index)) => {
                    let LaidOutShape::Array { element: next, stride, .. } = &again.shape else { return None };
                    offset += stride.checked_mul(*index)?;
                    (original, again) = (element, next);
                }
                (LaidOutShape::Matrix { component, rows, columns, order, .. }, LeafStep::Cell { row, column }) => {
                    if let Some((holder, index)) = split {
                        offset += member_of(holder, &format!("{index}.{column}"))?.offset + row * component.size;
                        continue;
                    }
                    if let Some(vector) = member_of(again, &column.to_string()) {
                        offset += vector.offset + row * component.size;
                        continue;
                    }
                    let order = self.rewriting.order(*component, *rows, *columns, *order);
                    let (vector, place) = order.vector_and_element(*row, *column);
                    if let LaidOutShape::Array { stride, .. } = &again.shape {
                        offset += stride.checked_mul(vector)?;
                    }
                    offset += place * component.size;
                }
                (LaidOutShape::Vector { component, .. }, LeafStep::Component(index)) => {
                    offset += index * component.size;
                }
                _ => return None,
            }
        }
        Some(offset)
    }

    /// The array without a length that ends the block: its member's name unless it is the block, the bytes before it, and
    /// those from one of its elements to the next.
    pub(super) fn tail(&self) -> Option<(Option<String>, u32, u32)> {
        let is_open = |part: &LaidOut| matches!(part.shape, LaidOutShape::Array { count: Count::Unbounded, .. });
        let (name, offset, array) = match &self.original.shape {
            LaidOutShape::Struct(members) => {
                let last = members.len().checked_sub(1).filter(|last| is_open(&members[*last].layout))?;
                let member = member_of(&self.again, &last.to_string())?;
                (Some(members[last].name.clone()), member.offset, &member.layout)
            }
            _ if is_open(self.original) => (None, 0, &self.again),
            _ => return None,
        };
        let LaidOutShape::Array { stride, .. } = &array.shape else { return None };
        Some((name, offset, *stride))
    }
}

impl Rewriting {
    /// The order in which it writes a matrix.
    fn order(self, component: Component, rows: u32, columns: u32, order: MatrixOrder) -> MatrixOrder {
        let is_matrix = component.scalar.is_float() && rows > 1 && columns > 1;
        if self.by_columns && is_matrix { MatrixOrder::Column } else { order }
    }

    fn splits(self, part: &LaidOut) -> bool {
        self.splits_two_rows
            && matches!(part.shape, LaidOutShape::Matrix { component, rows: 2, columns: 2.., .. } if component.scalar.is_float())
    }
}

/// In bytes.
const LARGEST_GAP: u32 = 1 << 16;

struct Writer {
    /// Paths of the members that the module declares.
    kept: BTreeSet<Vec<u32>>,
    rewriting: Rewriting,
}

impl Writer {
    fn ty(&self, original: &LaidOut, path: &mut Vec<u32>) -> Option<Type> {
        match &original.shape {
            LaidOutShape::Scalar(component) => Some(scalar(*component)?.into()),
            LaidOutShape::Vector { component, length } => Some(vector(scalar(*component)?, *length)),
            LaidOutShape::Matrix { component, columns, .. } if self.rewriting.splits(original) => {
                let column = vector(scalar(*component)?, 2);
                Some(
                    StructType::new("", (0..*columns).map(|place| Member::new(place.to_string(), column.clone())))
                        .into(),
                )
            }
            LaidOutShape::Matrix { component, rows, columns, order, .. } => {
                let order = self.rewriting.order(*component, *rows, *columns, *order);
                let (vectors, length) = order.vectors_and_length(*rows, *columns);
                let vector = vector(scalar(*component)?, length);
                Some(if vectors == 1 { vector } else { Type::array(vector, vectors) })
            }
            LaidOutShape::Array { element, count, .. } => {
                let element = self.ty(element, path)?;
                // Some rule sets have no arrays without a length. Two elements show the stride.
                Some(Type::array(element, if let Count::Finite(count) = count { *count } else { 2 }))
            }
            LaidOutShape::Struct(members) => self.structure(original, members, path),
            LaidOutShape::Pointer { .. } | LaidOutShape::Resource => None,
        }
    }

    fn structure(&self, original: &LaidOut, members: &[LaidOutMember], path: &mut Vec<u32>) -> Option<Type> {
        let mut declared = declared(members, path, &self.kept);
        if self.rewriting.in_declared_order {
            declared.sort_by_key(|(index, _)| *index);
        }
        let (span, _) = self.measure(original, path);
        let ends: Vec<u32> = declared.iter().skip(1).map(|(_, next)| next.offset).chain([span]).collect();
        let mut written = Vec::new();
        let mut before = 0;
        for ((index, member), end) in declared.into_iter().zip(ends) {
            let part = &member.layout;
            path.push(index);
            let (ty, (size, _)) = (self.ty(part, path)?, self.measure(part, path));
            let size = if self.rewriting.gaps == Gaps::Words { self.size_in_hlsl(part, path) } else { size };
            path.pop();
            written.extend(self.gap(member.offset.saturating_sub(before))?);
            before = member.offset.saturating_add(size);
            if self.rewriting.splits(part)
                && let LaidOutShape::Matrix { component, columns, .. } = &part.shape
            {
                let column = vector(scalar(*component)?, 2);
                written.extend((0..*columns).map(|place| Member::new(format!("{index}.{place}"), column.clone())));
                continue;
            }
            let ty = match ty {
                _ if self.rewriting.gaps != Gaps::Bytes => ty,
                Type::Vector { scalar, length: 3 } if before == end && size <= 12 => Type::array(scalar, 3),
                Type::Vector { length: 3, .. } => {
                    before += size / 3;
                    ty
                }
                _ => ty,
            };
            written.push(Member::new(index.to_string(), ty));
        }
        written.extend(self.gap(span.saturating_sub(before))?);
        (!written.is_empty()).then(|| StructType::new("", written).into())
    }

    /// The members in place of a gap; `None` if there would be too many.
    fn gap(&self, bytes: u32) -> Option<Vec<Member>> {
        let filler = |ty: Type| Member::new("gap", ty);
        match self.rewriting.gaps {
            Gaps::Words if bytes > LARGEST_GAP => None,
            Gaps::Words => Some((0..bytes / 4).map(|_| filler(Scalar::Uint32.into())).collect()),
            Gaps::Bytes if bytes > 0 => Some(vec![filler(Type::array(Scalar::Uint8, bytes))]),
            Gaps::Bytes | Gaps::Nothing => Some(Vec::new()),
        }
    }

    /// The bytes without those after the last element of an array.
    fn size_in_hlsl(&self, part: &LaidOut, path: &[u32]) -> u32 {
        let (size, alignment) = self.measure(part, path);
        match &part.shape {
            LaidOutShape::Array { element, count: Count::Finite(1..), stride } => {
                size.saturating_sub(*stride).saturating_add(self.size_in_hlsl(element, path))
            }
            LaidOutShape::Matrix { component, rows: 3, columns, .. } if *columns > 1 && component.scalar.is_float() => {
                size - alignment + 3 * component.size
            }
            _ => size,
        }
    }

    /// The bytes of a type as naga counts them: with the strides of the module, and the alignments of WGSL for matrices and
    /// the ends of structs. And that alignment.
    fn measure(&self, part: &LaidOut, path: &[u32]) -> (u32, u32) {
        let of_vector = |component: Component, length: u32| {
            let components = if length == 3 { 4 } else { length };
            (component.size * length, component.size * components)
        };
        match &part.shape {
            LaidOutShape::Scalar(component) => of_vector(*component, 1),
            LaidOutShape::Vector { component, length } => of_vector(*component, *length),
            LaidOutShape::Matrix { component, rows, columns, order, stride } => {
                let is_matrix = component.scalar.is_float() && *rows > 1 && *columns > 1;
                let order = if is_matrix { MatrixOrder::Column } else { *order };
                let (vectors, length) = order.vectors_and_length(*rows, *columns);
                let (size, alignment) = of_vector(*component, length);
                let size = match vectors {
                    1 => size,
                    _ if is_matrix => alignment * vectors,
                    _ => stride.saturating_mul(vectors),
                };
                (size, alignment)
            }
            LaidOutShape::Array { element, count, stride } => {
                let count = if let Count::Finite(count) = count { *count } else { 1 };
                (stride.saturating_mul(count), self.measure(element, path).1)
            }
            LaidOutShape::Struct(members) => {
                let (mut end, mut most) = (0_u32, 1);
                for (index, member) in declared(members, path, &self.kept) {
                    let (size, alignment) = self.measure(&member.layout, &[path, &[index]].concat());
                    end = member.offset.saturating_add(size);
                    most = most.max(alignment);
                }
                (end.checked_next_multiple_of(most).unwrap_or(end), most)
            }
            LaidOutShape::Pointer { .. } | LaidOutShape::Resource => (0, 1),
        }
    }
}

/// The members of a struct at `path` that a module declares, in the order of their offsets, with their indices.
pub(super) fn declared<'a>(
    members: &'a [LaidOutMember],
    path: &[u32],
    kept: &BTreeSet<Vec<u32>>,
) -> Vec<(u32, &'a LaidOutMember)> {
    let is_kept = |index: u32| kept.contains(&[path, &[index]].concat());
    let mut declared: Vec<_> = (0..).zip(members).filter(|(index, _)| is_kept(*index)).collect();
    declared.sort_by_key(|(_, member)| member.offset);
    declared
}

/// The paths of the members that contain a leaf, which a module declares.
pub(super) fn paths_of(leaves: &[Leaf]) -> BTreeSet<Vec<u32>> {
    leaves.iter().flat_map(|leaf| member_paths(&leaf.steps)).collect()
}

fn member_of<'a>(holder: &'a LaidOut, name: &str) -> Option<&'a LaidOutMember> {
    let LaidOutShape::Struct(members) = &holder.shape else { return None };
    members.iter().find(|member| member.name == name)
}

/// The member indices on the way to a leaf, without elements: every prefix once.
fn member_paths(steps: &[LeafStep]) -> Vec<Vec<u32>> {
    let members = steps.iter().filter_map(|step| if let LeafStep::Member(index) = step { Some(*index) } else { None });
    let path: Vec<u32> = members.collect();
    (1..=path.len()).map(|length| path[..length].to_vec()).collect()
}

/// The number of a module with the bytes of a component.
fn scalar(component: Component) -> Option<Scalar> {
    match (component.scalar.is_float(), component.size) {
        (true, 2) => Some(Scalar::Float16),
        (true, 4) => Some(Scalar::Float32),
        (true, 8) => Some(Scalar::Float64),
        (false, 1) => Some(Scalar::Uint8),
        (false, 2) => Some(Scalar::Uint16),
        (false, 4) => Some(Scalar::Uint32),
        (false, 8) => Some(Scalar::Uint64),
        _ => None,
    }
}

fn vector(scalar: Scalar, length: u32) -> Type {
    if length == 1 { scalar.into() } else { Type::vector(scalar, length) }
}

#[cfg(test)]
mod tests {
    use layoutproof_frontend::{DeclareOptions, declare};
    use layoutproof_layout::{LayoutOptions, Span, find, lay_out};
    use layoutproof_source::sources::SourceMap;

    use super::*;

    /// The leaves that `rules` put elsewhere than `module` does, with their bytes in both.
    fn moved(module: &str, declared: &str, rules: &str, rewriting: Rewriting) -> Vec<String> {
        let mut sources = SourceMap::default();
        let file = sources.add("a.hlsl", declared);
        let span = Span { file, start: 0, end: u32::try_from(declared.len()).unwrap() };
        let declared = declare(&mut sources, span, &DeclareOptions::default()).unwrap();
        let layout = lay_out(&declared.blocks[0], find(module).unwrap(), LayoutOptions::default());
        let leaves = layout.leaves();
        let relaid = Relaid::new(layout.result.as_ref().unwrap(), &leaves, find(rules).unwrap(), rewriting).unwrap();
        let places = leaves.iter().map(|leaf| (leaf, relaid.offset(leaf).unwrap()));
        let moved = places.filter(|(leaf, place)| leaf.offset != *place);
        moved.map(|(leaf, place)| format!("{} {} {place}", leaf.path, leaf.offset)).collect()
    }

    /// WebGPU Shading Language, 14.4.1: an array of f32 has the stride 4, and a vec3f is aligned to 16.
    #[test]
    fn gaps_and_strides_of_a_module_are_lost() {
        let declared = "cbuffer S { float a; float b[2]; float3 c : packoffset(c9); };";
        let declared = declared.replace("float a", "float a : packoffset(c0)").replace("b[2]", "b[2] : packoffset(c4)");
        let all = ["b[0] 64 4", "b[1] 80 8", "c.x 144 16", "c.y 148 20", "c.z 152 24"];
        assert_eq!(moved("hlsl-cbuffer", &declared, "wgsl-storage", Rewriting::default()), all);
    }

    /// Members are written in the order of their offsets, and a matrix of floats by columns.
    #[test]
    fn members_follow_in_the_order_of_the_module() {
        let order = "cbuffer S { float a : packoffset(c1); float2 b : packoffset(c0); };";
        assert_eq!(moved("hlsl-cbuffer", order, "std430", Rewriting::default()), ["a 16 8"]);
        let rows = "cbuffer S { row_major float2x2 m; };";
        let by_columns = Rewriting { by_columns: true, ..Rewriting::default() };
        assert_eq!(moved("std430", rows, "std430", Rewriting::default()), [""; 0]);
        assert_eq!(moved("std430", rows, "std430", by_columns), ["m[0][1] 4 8", "m[1][0] 8 4"]);
    }

    /// Metal Shading Language 3.2, tables 2.3 and 2.4: a `float3` has 16 bytes, a `packed_float3` 12. naga takes
    /// the array for the module's 32 bytes, so it writes nothing between `b` and `c`.
    #[test]
    fn padding_takes_the_place_of_gaps() {
        let keeps_gaps = Rewriting { gaps: Gaps::Bytes, ..Rewriting::default() };
        let array = "cbuffer S { float a; float b[2]; float c; };";
        assert_eq!(moved("std140", array, "metal", keeps_gaps), ["b[1] 32 20", "c 48 24"]);
        assert_eq!(moved("std140", "cbuffer S { float3 a; float b; };", "metal", keeps_gaps), [""; 0]);
        let late = "cbuffer S { float3 a : packoffset(c0.y); float4 b : packoffset(c2); };";
        assert_eq!(
            moved("hlsl-cbuffer", late, "metal", keeps_gaps),
            ["a.x 4 16", "a.y 8 20", "a.z 12 24", "b.x 32 48", "b.y 36 52", "b.z 40 56", "b.w 44 60"]
        );
    }
}
