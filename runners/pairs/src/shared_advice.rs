//! Advice about a host struct that several targets read: what mends it for one target must not break another.

use std::collections::BTreeMap;
use std::sync::Arc;

use layoutproof_hostcheck::{
    BlockPart, ComparedRow, Comparison, Mismatch, ProgramStruct, Remark, RepairStep, RowSide, ShaderBlock, TargetPlace,
    block_parts, repaired,
};
use layoutproof_layout::ShaderCompiler;
use layoutproof_layout::native::find_native;
use layoutproof_report::host_check::{CheckedPair, target_title};

use crate::pairing::{PairRules, Pairing};
use crate::shader_blocks::TargetBlock;

/// Replaces advice that holds for one target of a block by advice that holds for all of them. Where their layouts
/// exclude each other, the advice is a remark about the shader.
pub(crate) fn share_advice(pairing: &mut Pairing, blocks: &[TargetBlock], rules: PairRules<'_>) {
    let mut groups: BTreeMap<(String, String, String, String), Vec<usize>> = BTreeMap::new();
    for (index, pair) in pairing.check.pairs.iter().enumerate() {
        let key = (pair.shader.clone(), pair.shader_name(), pair.host.clone(), pair.host_file.clone());
        groups.entry(key).or_default().push(index);
    }
    for members in groups.into_values() {
        let is_advised =
            |index: &&usize| pairing.check.pairs[**index].comparison.mismatches.iter().any(|it| !it.repairs.is_empty());
        let advised: Vec<usize> = members.iter().filter(is_advised).copied().collect();
        let target = |index: usize| &pairing.check.pairs[index].target;
        if advised.is_empty() || members.iter().all(|index| target(*index) == target(members[0])) {
            continue;
        }

        let group = Group { pairing, blocks, rules, members: &members };
        let lasting: Vec<usize> = advised.iter().copied().filter(|index| group.holds_for_all(*index)).collect();
        let remark = if lasting.is_empty() { group.remark() } else { None };
        let steps = lasting.first().map(|index| steps_of(&pairing.check.pairs[*index].comparison));
        // What all targets advise for a member mends it for all, even if no struct fits all of them.
        let shared: Vec<Mismatch> = if steps.is_none() { group.shared_mismatches() } else { Vec::new() };
        for index in advised.iter().filter(|index| !lasting.contains(index)) {
            let comparison = Arc::make_mut(&mut pairing.check.pairs[*index].comparison);
            if steps.is_some() || remark.is_some() {
                let is_shared = |own: &Mismatch| shared.iter().any(|other| has_same_repairs(own, other));
                let others = comparison.mismatches.iter_mut().filter(|own| !is_shared(own));
                others.for_each(|mismatch| mismatch.repairs.clear());
            }
            comparison.mismatches[0].repairs.extend(steps.iter().flatten().cloned());
            comparison.remarks.splice(0..0, remark.clone());
        }
    }
}

fn has_same_repairs(one: &Mismatch, other: &Mismatch) -> bool {
    (&one.path, &one.host_path, &one.repairs) == (&other.path, &other.host_path, &other.repairs)
}

fn steps_of(comparison: &Comparison) -> Vec<RepairStep> {
    comparison.mismatches.iter().flat_map(|mismatch| mismatch.repairs.clone()).collect()
}

/// The pairs of one block and one host struct.
struct Group<'a> {
    pairing: &'a Pairing,
    blocks: &'a [TargetBlock],
    rules: PairRules<'a>,
    members: &'a [usize],
}

impl Group<'_> {
    /// True if the host struct, mended as this pair advises, agrees for all targets.
    fn holds_for_all(&self, index: usize) -> bool {
        let host = &self.pairing.partners[index].host;
        let mended = self.with_block(index, |block, part| {
            let renames = block.renames_in(part);
            let shader = ShaderBlock { layout: &block.layout, part, places: &block.places };
            repaired(shader, host, self.rules.comparisons.options(block, &renames))
        });
        let agrees = |host: &ProgramStruct, other: usize| {
            let compare = |block: &TargetBlock, part: &BlockPart<'_>| {
                Some(self.rules.comparisons.compare_once(block, part, host).agrees())
            };
            self.with_block(other, compare) == Some(true)
        };
        mended.is_some_and(|mended| self.members.iter().all(|other| agrees(&mended, *other)))
    }

    /// The mismatches for which all targets advise the same.
    fn shared_mismatches(&self) -> Vec<Mismatch> {
        let of_pair = |index: &usize| &self.pairing.check.pairs[*index].comparison.mismatches;
        let Some((first, others)) = self.members.split_first() else { return Vec::new() };
        let is_in_all = |own: &&Mismatch| {
            !own.repairs.is_empty()
                && others.iter().all(|other| of_pair(other).iter().any(|there| has_same_repairs(own, there)))
        };
        of_pair(first).iter().filter(is_in_all).cloned().collect()
    }

    fn with_block<T>(&self, index: usize, answer: impl FnOnce(&TargetBlock, &BlockPart<'_>) -> Option<T>) -> Option<T> {
        let partner = &self.pairing.partners[index];
        let block = &self.blocks[partner.block];
        let parts = block_parts(&block.layout, block.layout.result.as_ref().ok()?);
        answer(block, parts.get(partner.part)?)
    }

    /// Where the targets first have a member at different bytes, or of different sizes; `None` if no layout excludes
    /// another.
    fn remark(&self) -> Option<Remark> {
        let pairs: Vec<&CheckedPair> = self.members.iter().map(|index| &self.pairing.check.pairs[*index]).collect();
        let sides = |index: usize| pairs[index].comparison.rows.iter().filter_map(|row| row.shader.as_ref());
        let same = |row: &ComparedRow, path: &str| row.shader.as_ref().is_some_and(|side| side.path == path);
        let find = |index: usize, path: &str| {
            pairs[index].comparison.rows.iter().find(|row| same(row, path)).and_then(|row| row.shader.as_ref())
        };
        let differs = |number: fn(&RowSide) -> Option<u32>| {
            sides(0).find(|side| {
                let others = (1..pairs.len()).filter_map(|other| find(other, &side.path));
                others.map(number).any(|other| other != number(side))
            })
        };
        let offset: fn(&RowSide) -> Option<u32> = |side| Some(side.offset);
        let size: fn(&RowSide) -> Option<u32> = |side| side.size;
        let moved = differs(offset).map(|side| (side.path.clone(), false, offset));
        let changed = moved.or_else(|| differs(size).map(|side| (side.path.clone(), true, size)));
        let of_target = |index: usize, bytes| TargetPlace {
            target: target_title(&pairs[index].target, &pairs[index].shader),
            bytes,
        };
        let (path, is_size, places) = match changed {
            Some((path, is_size, number)) => {
                let place = |index: usize| Some(of_target(index, number(find(index, &path)?)?));
                let places = (0..pairs.len()).filter_map(place).collect();
                (path, is_size, places)
            }
            // The elements of a buffer, with all members at the same bytes.
            None => {
                let whole = |index: usize| pairs[index].comparison.shader_size;
                if (1..pairs.len()).all(|other| whole(other) == whole(0)) {
                    return None;
                }
                let places = (0..pairs.len()).filter_map(|index| Some(of_target(index, whole(index)?))).collect();
                (pairs[0].shader_name(), true, places)
            }
        };
        let is_of_dxc = |pair: &&CheckedPair| {
            find_native(&pair.target).is_some_and(|native| native.column.compiler == Some(ShaderCompiler::Dxc))
        };
        let has_dx_layout = pairs.iter().all(is_of_dxc);
        Some(Remark::NoStructForAll { path, is_size, places, has_dx_layout })
    }
}
