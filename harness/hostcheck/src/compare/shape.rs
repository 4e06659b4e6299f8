//! Compares the shape of a member with that of its namesake, wherever the host has it: components, strides,
//! counts. No other place of the member mends a fault of its shape.

use super::comparer::Comparer;
use super::lanes::LaneAnswer;
use crate::flat_struct::{FlatMember, FlatStruct, FlatVectors, Lane};
use crate::mismatch::{MismatchKind, StridedThing, scalar_noun};
use crate::names::is_padding;
use crate::program_struct::LaneClass;

/// Bytes to which hosts and shaders pad vectors and elements.
const VECTOR_BYTES: u32 = 16;

/// A member of the shader and its namesake in the host, which may be at another byte.
#[derive(Clone, Copy, Debug)]
pub(super) struct Namesakes<'a> {
    pub index: usize,
    pub member: &'a FlatMember,
    pub host: &'a FlatMember,
    /// Bytes by which the host's comes after the shader's.
    pub shift: i64,
}

impl<'a> Namesakes<'a> {
    pub(super) fn new(index: usize, member: &'a FlatMember, host: &'a FlatMember) -> Self {
        Self { index, member, host, shift: i64::from(host.offset) - i64::from(member.offset) }
    }

    /// The host's byte for a byte of the shader.
    fn in_host(&self, offset: u32) -> u32 {
        u32::try_from(i64::from(offset) + self.shift).unwrap_or(0)
    }

    /// The host's bytes after its member that the shader reads as the member's.
    fn rest(&self) -> (u32, u32) {
        (self.host.end(), self.in_host(self.member.end()))
    }
}

impl Comparer<'_> {
    /// The fault in the shape of a member without members.
    pub(super) fn shape_fault(&self, pair: Namesakes<'_>) -> Option<MismatchKind> {
        let Namesakes { member, host, .. } = pair;
        if member.has_members || member.bits.is_some() || host.bits.is_some() {
            return None;
        }
        let failing = self.failing_lane(pair.index, member, pair.shift);
        self.component_fault(pair)
            .or_else(|| self.order_fault(pair))
            .or_else(|| self.stride_fault(pair, failing.is_some()))
            .or_else(|| self.count_fault(pair))
            .or_else(|| self.vector_fault(pair))
            .or_else(|| self.width_fault(pair).filter(|_| failing.is_none() || pair.shift != 0))
            .or_else(|| self.excess_fault(pair))
            .or_else(|| self.lane_fault(pair, failing?))
    }

    /// Bits with another meaning, or a lane that the host has in another member.
    fn lane_fault(&self, pair: Namesakes<'_>, failing: LaneAnswer) -> Option<MismatchKind> {
        let LaneAnswer::OtherClass(lane) = failing else { return None };
        let host_index = self.pairs.host_of(pair.index)?;
        if !self.host.is_within(lane.member, host_index) && pair.host.size < pair.member.size {
            let short = self.short_member(pair);
            if matches!(&short, MismatchKind::SizeDiffers { shader_size, host_size, .. } if host_size < shader_size) {
                return Some(short);
            }
        }
        Some(MismatchKind::ClassDiffers { shader: pair.member.scalar?.class, host: lane.class })
    }

    /// Components of another size, unless both sides have the same bytes in other pieces: a colour as four
    /// bytes, an address as two words.
    fn component_fault(&self, pair: Namesakes<'_>) -> Option<MismatchKind> {
        let (own, host_index) = (pair.member.scalar?, self.pairs.host_of(pair.index)?);
        let lanes_of = |flat: &FlatStruct, member: &FlatMember, index: usize| -> Vec<Lane> {
            let lanes = flat.lanes_in(member.offset, member.end());
            lanes.filter(|lane| flat.is_within(lane.member, index)).collect()
        };
        let (owns, founds) =
            (lanes_of(&self.shader, pair.member, pair.index), lanes_of(&self.host, pair.host, host_index));
        let found = *founds.first()?;
        if founds.iter().any(|lane| lane.size == own.size || lane.class == LaneClass::Bits) {
            return None;
        }
        let bytes_of = |lanes: &[Lane]| -> u64 { lanes.iter().map(|lane| u64::from(lane.size)).sum() };
        let is_raw = |class: LaneClass, size: u32| class.is_integer() || class == LaneClass::Opaque || size == 2;
        let is_same_bytes = bytes_of(&owns) == bytes_of(&founds);
        if is_same_bytes && is_raw(own.class, own.size) && is_raw(found.class, found.size) {
            return None;
        }
        let (shader_size, host_size) = (own.size, found.size);
        if found.class == LaneClass::Bool {
            return Some(MismatchKind::BoolSize { shader_size, host_size });
        }
        let what = pair.host.scalar.map_or_else(|| found.class.noun().to_owned(), scalar_noun);
        Some(MismatchKind::SizeDiffers { shader_size, host_size, what })
    }

    /// A matrix of which the host has the rows as vectors where the shader has the columns, or the other way round. Only the
    /// shape of a matrix that is not square says so.
    fn order_fault(&self, pair: Namesakes<'_>) -> Option<MismatchKind> {
        let own = pair.member.vectors?;
        let host = self.host_vectors(pair)?;
        // Other members may continue it to all vectors of the shader.
        let is_whole = self.continuation(pair).is_none();
        let is_transposed = own.count != own.length && (host.count, host.length) == (own.length, own.count) && is_whole;
        let order = own.order.filter(|_| self.has_row_major);
        is_transposed.then_some(MismatchKind::MatrixOrder { vectors: own.count, length: own.length, order })
    }

    /// The vectors that the host has for a matrix; `None` for numbers in a row, which say nothing of vectors.
    pub(super) fn host_vectors(&self, pair: Namesakes<'_>) -> Option<FlatVectors> {
        self.vectors_in(self.pairs.host_of(pair.index)?, pair.member.arrays.len())
    }

    /// The vectors in a member of the host, in the elements of its outer dimensions.
    fn vectors_in(&self, host: usize, outer: usize) -> Option<FlatVectors> {
        let member = &self.host.members[host];
        let dimensions = member.arrays.get(outer..)?;
        let vectors = |count, length, stride| Some(FlatVectors { count, length, stride, order: None });
        match dimensions {
            [] if member.vectors.is_some() => member.vectors,
            [] if member.has_members => {
                let is_own = |index: &usize| {
                    let inner = &self.host.members[*index];
                    inner.parent == Some(host) && inner.is_first_element
                };
                let parts: Vec<usize> = (0..self.host.members.len()).filter(is_own).collect();
                let start = |index: usize| self.host.members[index].offset;
                match parts.as_slice() {
                    [only] => self.vectors_in(*only, 0),
                    // A union has its numbers under several names.
                    [first, second, ..] if start(*first) == start(*second) => {
                        parts.iter().find_map(|part| self.vectors_in(*part, 0))
                    }
                    [first, second, ..] => {
                        let stride = start(*second).checked_sub(start(*first))?;
                        let length = self.components_in(*first, stride)?;
                        let is_same = |pair: &[usize]| {
                            start(pair[0]).checked_add(stride) == Some(start(pair[1]))
                                && self.components_in(pair[1], stride) == Some(length)
                        };
                        let count = u32::try_from(parts.len()).ok()?;
                        parts.windows(2).all(is_same).then(|| vectors(count, length, stride))?
                    }
                    [] => None,
                }
            }
            [array] => vectors(array.count?, self.components_in(host, array.stride)?, array.stride),
            [array, inner] if member.scalar.is_some_and(|scalar| scalar.size == inner.stride) => {
                vectors(array.count?, inner.count?, array.stride)
            }
            _ => None,
        }
    }

    /// The number of components in the first bytes of a member, if it is that of a vector.
    fn components_in(&self, host: usize, bytes: u32) -> Option<u32> {
        let start = self.host.members[host].offset;
        let lanes = self.host.lanes_in(start, start.checked_add(bytes)?);
        // A union has each component under several names.
        let mut offsets: Vec<u32> =
            lanes.filter(|lane| self.host.is_within(lane.member, host)).map(|lane| lane.offset).collect();
        offsets.dedup();
        u32::try_from(offsets.len()).ok().filter(|count| (2..=4).contains(count))
    }

    /// Different strides, if they have consequences: lanes that fail, or host members in the gaps of the
    /// shader's.
    fn stride_fault(&self, pair: Namesakes<'_>, is_failing: bool) -> Option<MismatchKind> {
        let Namesakes { member, host, .. } = pair;
        let shader_stride = member.outer_stride()?;
        let of_vectors = self.host_vectors(pair).filter(|_| member.arrays.is_empty() && member.vectors.is_some());
        let host_stride = of_vectors.map(|vectors| vectors.stride).or_else(|| host_stride(host, member))?;
        let is_same = host_stride == shader_stride || self.has_stride(host, shader_stride);
        let is_shorter = !member.arrays.is_empty() && host.end() < pair.in_host(self.last_byte(member));
        let has_same_count = member.arrays.first().map(|own| own.count) == host.arrays.first().map(|own| own.count);
        let is_other = is_failing || self.fills_gaps(pair) || (is_shorter && has_same_count);
        if is_same || !is_other {
            return None;
        }
        let of = if member.arrays.is_empty() { StridedThing::MatrixVector } else { StridedThing::ArrayElement };
        Some(MismatchKind::StrideDiffers { of, shader_stride, host_stride })
    }

    /// True if an element or member of the host's member is `stride` bytes from its start.
    fn has_stride(&self, host: &FlatMember, stride: u32) -> bool {
        let second = host.offset.checked_add(stride);
        let is_child = |member: &FlatMember| {
            let parent = member.parent.map(|parent| &self.host.members[parent]);
            parent.is_some_and(|parent| parent.path == host.path) && Some(member.offset) == second
        };
        let own = host.arrays.iter().any(|array| array.stride == stride);
        own || host.vectors.is_some_and(|vectors| vectors.stride == stride)
            || (host.arrays.is_empty() && self.host.members.iter().any(is_child))
    }

    /// True if the host's member has values between the elements or vectors of the shader's.
    fn fills_gaps(&self, pair: Namesakes<'_>) -> bool {
        let Namesakes { index, member, host, .. } = pair;
        let lanes = self.shader.lanes_in(member.offset, member.end()).filter(|lane| lane.member == index);
        let own: Vec<(u32, u32)> = lanes.map(|lane| (pair.in_host(lane.offset), pair.in_host(lane.end()))).collect();
        let is_dense_copy = host.size == Some(member.size.unwrap_or(0).next_multiple_of(16));
        // Both are in the order of their bytes.
        let in_gap = |lane: &Lane| {
            let next = own.partition_point(|(_, end)| *end <= lane.offset);
            own.get(next).is_none_or(|(start, _)| lane.end() <= *start)
        };
        let mut lanes = self.host.lanes_in(host.offset, pair.in_host(member.end()));
        let fills = lanes.any(|lane| {
            let found = &self.host.members[lane.member];
            in_gap(&lane) && found.path.starts_with(&host.path) && !is_padding(&found.path)
        });
        fills && !(is_dense_copy && member.arrays.is_empty())
    }

    /// True if the host has the array's missing elements in separate members named after it:
    /// `weights_last` after `weights`. A host struct needs these if something lies in the tail of
    /// the last element. Their bytes are compared like all others.
    pub(super) fn is_continued(&self, pair: Namesakes<'_>) -> bool {
        let own = format!("{}_", pair.host.path);
        let (start, end) = pair.rest();
        let first = pair.in_host(pair.member.offset);
        let is_own = |lane: Lane| self.host.members[lane.member].path.starts_with(&own);
        let missing = self.shader.lanes_in(pair.member.offset, pair.member.end());
        let mut missing = missing.filter(|lane| self.shader.is_within(lane.member, pair.index));
        let has_each = missing.all(|lane| {
            let (from, to) = (pair.in_host(lane.offset), pair.in_host(lane.end()));
            from < start || self.host.lanes_in(from, to).any(is_own)
        });
        first < start && start < end && self.host.lanes_in(start, end).any(is_own) && has_each
    }

    /// The last of the separate members that continue an array of the host, as far as they lie in the shader's member;
    /// `None` if none does.
    pub(super) fn continuation(&self, pair: Namesakes<'_>) -> Option<FlatMember> {
        let own = format!("{}_", pair.host.path);
        let (start, end) = pair.rest();
        let rest = self.host.lanes_in(start, end);
        let named = rest.take_while(|lane| self.host.members[lane.member].path.starts_with(&own));
        named.last().map(|lane| self.host.members[self.outermost_within(lane.member, pair.member)].clone())
    }

    /// A matrix of which the host has too few vectors: what comes after it is another member.
    fn vector_fault(&self, pair: Namesakes<'_>) -> Option<MismatchKind> {
        let Namesakes { member, host, .. } = pair;
        member.vectors?;
        let needed = self.last_byte(member).checked_sub(member.offset)?;
        let is_short = host.size? < needed && !self.is_continued(pair);
        is_short.then(|| self.short_member(pair))
    }

    /// A member that ends too early in the host, with the members that continue it there.
    pub(super) fn short_member(&self, pair: Namesakes<'_>) -> MismatchKind {
        let end = self.continuation(pair).map_or(pair.host.end(), |last| last.end());
        let (shader_size, host_size) = (pair.member.size.unwrap_or(0), end.saturating_sub(pair.host.offset));
        MismatchKind::SizeDiffers { shader_size, host_size, what: "member".to_owned() }
    }

    /// Another number of components, if it displaces other members or reaches beyond the block: the bytes
    /// of the member itself agree. A vector of 16 bytes for one of three components is padding.
    fn width_fault(&self, pair: Namesakes<'_>) -> Option<MismatchKind> {
        let Namesakes { index, member, host, .. } = pair;
        let host_index = self.pairs.host_of(index)?;
        if member.vectors.is_some() || !member.arrays.is_empty() {
            return None;
        }
        // Without the padding of Metal's `float3`.
        let size_in = |flat: &FlatStruct, member: &FlatMember, index: usize| {
            let own = flat.lanes_in(member.offset, member.end()).filter(|lane| flat.is_within(lane.member, index));
            Some(own.map(Lane::end).max()?.saturating_sub(member.offset))
        };
        let (shader_size, host_size) = (size_in(&self.shader, member, index)?, size_in(&self.host, host, host_index)?);
        let (start, end) = (member.offset + shader_size.min(host_size), member.offset + shader_size.max(host_size));
        let is_wrong = if host_size < shader_size {
            let mut lanes = self.host.lanes_in(pair.in_host(start), pair.in_host(end));
            let is_paired =
                |lane: &Lane| self.with_outer(lane.member).any(|index| self.pairs.shader_of(index).is_some());
            // A member elsewhere would still be followed too closely at the shader's place.
            lanes.any(|lane| if pair.shift == 0 { self.is_displaced_in_shader(lane.member) } else { is_paired(&lane) })
                || self.is_next_moved(pair, i64::from(host_size) - i64::from(shader_size))
        } else if shader_size == 12 && host_size == 16 {
            false
        } else {
            let is_in_the_way = || self.shader.lanes_in(start, end).any(|lane| self.is_displaced_in_host(lane.member));
            let is_at_its_place = pair.shift == 0;
            (is_at_its_place && (is_in_the_way() || self.reaches_beyond_the_block(host_size, start, end)))
                || self.is_next_moved(pair, i64::from(host_size) - i64::from(shader_size))
        };
        (is_wrong && host_size != shader_size).then(|| MismatchKind::SizeDiffers {
            shader_size,
            host_size,
            what: "member".to_owned(),
        })
    }

    /// True if the host has the next member farther away than the shader by these bytes.
    fn is_next_moved(&self, pair: Namesakes<'_>, by: i64) -> bool {
        let Some((own, found)) = self.next_of(pair.index) else { return false };
        let distance = |from: &FlatMember, to: &FlatMember| i64::from(to.offset) - i64::from(from.offset);
        by != 0 && distance(pair.host, found) == distance(pair.member, own) + by
    }

    /// The next member of the shader, with its namesake in the host.
    fn next_of(&self, index: usize) -> Option<(&FlatMember, &FlatMember)> {
        let next = self.next[index]?;
        Some((&self.shader.members[next], &self.host.members[self.pairs.host_of(next)?]))
    }

    /// A member of the host that covers the place of the next one, which therefore comes after it. The padding at the
    /// end of a vector or of the last element is no fault of its shape.
    fn excess_fault(&self, pair: Namesakes<'_>) -> Option<MismatchKind> {
        let Namesakes { index, member, host, .. } = pair;
        let (shader_size, host_size) = (member.size?, host.size?);
        let (own, found) = self.next_of(index)?;
        let is_covered = pair.in_host(own.offset) < host.end() && host.end() <= found.offset;
        let is_too_long = host_size > shader_size.next_multiple_of(VECTOR_BYTES);
        (is_covered && is_too_long).then(|| MismatchKind::SizeDiffers {
            shader_size,
            host_size,
            what: "member".to_owned(),
        })
    }

    /// True if the shader has the host's member, or one around it, at another byte.
    fn is_displaced_in_shader(&self, host: usize) -> bool {
        let mut pairs = self.with_outer(host).filter_map(|index| Some((index, self.pairs.shader_of(index)?)));
        pairs.any(|(host, shader)| self.host.members[host].offset != self.shader.members[shader].offset)
    }

    /// True if the host has the shader's member, or one around it, at another byte.
    fn is_displaced_in_host(&self, shader: usize) -> bool {
        let outer = std::iter::successors(Some(shader), |index| self.shader.members[*index].parent);
        let mut pairs = outer.filter_map(|index| Some((self.pairs.host_of(index)?, index)));
        pairs.any(|(host, shader)| self.host.members[host].offset != self.shader.members[shader].offset)
    }

    /// True if the shader has nothing after the member, and the host's has more than a vector of 16 bytes
    /// would add, or ends outside the buffer, whose size is a multiple of 16 bytes.
    fn reaches_beyond_the_block(&self, host_size: u32, start: u32, end: u32) -> bool {
        let Some(block_end) = self.shader.end else { return false };
        start >= block_end && (host_size != 16 || end > block_end.next_multiple_of(16))
    }

    /// The fault of an array of structs as a whole. Its members are compared one by one.
    pub(super) fn struct_fault(&self, pair: Namesakes<'_>) -> Option<StructFault> {
        let Namesakes { member, host, .. } = pair;
        let (shader, found) = (member.arrays.first()?, host.arrays.first()?);
        // A single element has no distance to another.
        let is_single = (shader.count, found.count) == (Some(1), Some(1));
        let is_broken =
            !is_single && shader.stride != found.stride && member.arrays.len() == host.arrays.len() && host.has_members;
        if is_broken {
            let kind = MismatchKind::StrideDiffers {
                of: StridedThing::ArrayElement,
                shader_stride: shader.stride,
                host_stride: found.stride,
            };
            return Some(StructFault { own: Some(kind).filter(|_| self.first_element_agrees(pair)) });
        }
        self.count_fault(pair).map(|own| StructFault { own: Some(own) })
    }

    /// Another number of elements. An array that other members continue, not to its end, is short.
    fn count_fault(&self, pair: Namesakes<'_>) -> Option<MismatchKind> {
        let (shader, found) = (pair.member.arrays.first()?, pair.host.arrays.first()?);
        let (shader_count, host_count) = (shader.count?, found.count?);
        if shader.stride != found.stride || shader_count == host_count || self.is_continued(pair) {
            return None;
        }
        let is_short = host_count < shader_count && self.continuation(pair).is_some();
        Some(if is_short { self.short_member(pair) } else { MismatchKind::CountDiffers { shader_count, host_count } })
    }

    /// True if the host has everything in the first element of an array of structs at the shader's
    /// places in it.
    fn first_element_agrees(&self, pair: Namesakes<'_>) -> bool {
        let array = pair.index;
        let members =
            (0..self.shader.members.len()).filter(|index| *index != array && self.shader.is_within(*index, array));
        let mut leaves = members.filter(|index| {
            let member = &self.shader.members[*index];
            member.is_first_element && !member.has_members
        });
        leaves.all(|index| {
            let member = &self.shader.members[index];
            let is_in_place = self
                .pairs
                .host_of(index)
                .is_none_or(|host| self.host.members[host].offset == pair.in_host(member.offset));
            is_in_place && self.failing_lane(index, member, pair.shift).is_none()
        })
    }
}

/// The elements after the first of an array of structs are displaced.
pub(super) struct StructFault {
    /// The array's own fault; `None` if a member of its first element has one.
    pub own: Option<MismatchKind>,
}

/// Bytes from one vector or element of the host's member to the next.
fn host_stride(host: &FlatMember, member: &FlatMember) -> Option<u32> {
    let vectors = member.vectors.filter(|_| member.arrays.is_empty());
    let dense = || {
        let count = vectors?.count;
        host.size?.checked_div(count)
    };
    match (vectors, host.arrays.as_slice()) {
        // The stride of `float m[9]` is that of its rows, not of its scalars.
        (Some(_), [_]) if host.scalar.is_some_and(|scalar| host.arrays[0].stride == scalar.size) => dense(),
        (Some(_), []) if host.vectors.is_none() => dense(),
        _ => host.outer_stride(),
    }
}
