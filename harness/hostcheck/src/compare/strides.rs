//! Compares the strides of arrays and matrices.

use super::comparer::Comparer;
use crate::flat_struct::{FlatMember, Lane};
use crate::mismatch::{MismatchKind, StridedThing};
use crate::names::is_padding;

impl Comparer<'_> {
    /// Reports different strides if they have consequences: lanes that fail, or host members in the
    /// gaps of the shader's.
    pub(super) fn stride_mismatch(
        &self,
        index: usize,
        member: &FlatMember,
        host: &FlatMember,
        is_failing: bool,
    ) -> Option<MismatchKind> {
        let shader_stride = member.outer_stride()?;
        let host_stride = host_stride(host, member)?;
        let is_same = host_stride == shader_stride || self.has_stride(host, shader_stride);
        if is_same || !(is_failing || self.fills_gaps(index, member, host)) {
            return None;
        }
        let of = if member.arrays.is_empty() { StridedThing::MatrixVector } else { StridedThing::ArrayElement };
        Some(MismatchKind::StrideDiffers { of, shader_stride, host_stride })
    }

    /// True if an element or member of the host's member is `stride` bytes from its start.
    pub(super) fn has_stride(&self, host: &FlatMember, stride: u32) -> bool {
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
    pub(super) fn fills_gaps(&self, index: usize, member: &FlatMember, host: &FlatMember) -> bool {
        let own: Vec<Lane> =
            self.shader.lanes_in(member.offset, member.end()).filter(|lane| lane.member == index).collect();
        let is_dense_copy = host.size == Some(member.size.unwrap_or(0).next_multiple_of(16));
        let in_gap = |lane: &Lane| !own.iter().any(|shader| shader.offset < lane.end() && lane.offset < shader.end());
        let mut lanes = self.host.lanes_in(member.offset, member.end());
        let fills = lanes.any(|lane| {
            let found = &self.host.members[lane.member];
            in_gap(&lane) && found.path.starts_with(&host.path) && !is_padding(&found.path)
        });
        fills && !(is_dense_copy && member.arrays.is_empty())
    }
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
