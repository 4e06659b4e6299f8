//! Finds the rule sets that explain where a translator's code reads.

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_events::{RecordValue, Row};
use layoutproof_layout::{LaidOut, Leaf, Quantity, RuleSet, join, table};
use layoutproof_probes::{AddressSpace, length_in};
use layoutproof_readers::toolchain::{AppliedRules, TextLanguage, Toolchain};

use crate::check::jobs::CheckProbe;
use crate::check::produce::shader_module::ShaderModule;
use crate::check::relaid::{Gaps, Relaid, Rewriting};
use crate::check::struct_packing::{STRUCT_PACKING, StructPacking, unpacked};
use crate::check::subject::Subject;

/// The places of a space's leaves and the lengths of its arrays.
type Places = BTreeMap<(AddressSpace, Quantity, String), Place>;

#[derive(Default)]
struct Place {
    /// Probes with other ranges have other lengths.
    numbers: BTreeSet<u32>,
    /// True if a leaf is after the range of a probe, or shares bytes with another one, so that what is written is lost.
    can_be_lost: bool,
}

/// For each address space in which a row differs, the names of the rules that have every number of the code and the device
/// in that space, if the members of the module follow one another without the offsets of the module.
pub(super) fn rules_behind(
    subject: &Subject,
    toolchain: &Toolchain,
    modules: &[ShaderModule],
    probes: &[CheckProbe],
    rows: &[Row],
) -> BTreeMap<AddressSpace, BTreeSet<String>> {
    let mut of_space: BTreeMap<AddressSpace, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        if let Some(access) = row.access {
            of_space.entry(access.space).or_default().push(row);
        }
    }
    let is_wrong = |row: &&Row| row.differs() || row.witnesses.observed.is_none();
    of_space.retain(|_, rows| rows.iter().any(is_wrong));

    let mut found: BTreeMap<AddressSpace, BTreeSet<String>> = BTreeMap::new();
    for (name, ways) in candidates(subject, toolchain) {
        let mut places = Places::new();
        for moves in &ways {
            add_places(modules, probes, &**moves, &mut places);
        }
        for (space, rows) in &of_space {
            if rows.iter().all(|row| is_at(row, *space, &places)) {
                found.entry(*space).or_default().insert(name.to_owned());
            }
        }
    }
    found
}

/// A block as a translator may place it, from a module's layout and leaves.
type Moves<'a> = dyn Fn(&ShaderModule) -> Option<Moved> + 'a;

/// The names of rules, and what they do. A translator may load and store in different ways.
fn candidates<'a>(subject: &'a Subject, toolchain: &Toolchain) -> Vec<(&'static str, Vec<Box<Moves<'a>>>)> {
    if toolchain.follows == AppliedRules::Packing {
        let moves = move |module: &ShaderModule| {
            let unpacked = unpacked(subject, &module.layout)?;
            let packing = StructPacking::new(unpacked.result.as_ref().ok()?, &module.plan.leaves, subject.rules);
            Some(Moved::of(&module.plan.leaves, |leaf| packing.offset(leaf), packing.tail()))
        };
        return vec![(STRUCT_PACKING, vec![Box::new(moves) as Box<Moves<'a>>])];
    }

    let language = toolchain.text_language();
    // slangc and Tint read declarations and write no padding.
    let reads_modules = toolchain.reads_modules();
    let gaps = match language {
        Some(TextLanguage::Msl) if reads_modules => Gaps::Bytes,
        Some(TextLanguage::Hlsl) => Gaps::Words,
        Some(TextLanguage::Glsl | TextLanguage::Wgsl | TextLanguage::Msl) | None => Gaps::Nothing,
    };
    let splits_two_rows = language == Some(TextLanguage::Hlsl);
    // naga writes matrices by columns.
    let of_order = |by_columns| Rewriting { in_declared_order: !reads_modules, by_columns, gaps, splits_two_rows };
    let rewritings = [false, true].map(of_order);
    let way = |rules: &'static RuleSet, rewriting: Rewriting| {
        let moves = move |module: &ShaderModule| {
            let original: &LaidOut = module.layout.result.as_ref().ok()?;
            let relaid = Relaid::new(original, &module.plan.leaves, rules, rewriting)?;
            Some(Moved::of(&module.plan.leaves, |leaf| relaid.offset(leaf), relaid.tail()))
        };
        Box::new(moves) as Box<Moves<'a>>
    };
    let rules = table().iter().filter(|rules| rules.is_bare());
    rules.map(|rules| (rules.name, rewritings.map(|rewriting| way(rules, rewriting)).into())).collect()
}

/// The offsets of a block's leaves, and the array without a length that ends it: its member, offset and stride.
struct Moved {
    offsets: Vec<Option<u32>>,
    /// Bytes of several leaves.
    shared: BTreeSet<u32>,
    tail: Option<(Option<String>, u32, u32)>,
}

impl Moved {
    fn of(leaves: &[Leaf], offset: impl Fn(&Leaf) -> Option<u32>, tail: Option<(Option<String>, u32, u32)>) -> Self {
        let offsets: Vec<Option<u32>> = leaves.iter().map(offset).collect();
        let mut owners: BTreeMap<u32, u32> = BTreeMap::new();
        for (leaf, offset) in leaves.iter().zip(&offsets) {
            let bytes = offset.map_or(0..0, |offset| offset..offset + leaf.component.size);
            bytes.for_each(|byte| *owners.entry(byte).or_default() += 1);
        }
        owners.retain(|_, count| *count > 1);
        Self { offsets, shared: owners.into_keys().collect(), tail }
    }

    fn is_shared(&self, leaf: &Leaf, offset: Option<u32>) -> bool {
        offset.is_some_and(|offset| self.shared.range(offset..offset + leaf.component.size).next().is_some())
    }
}

fn add_places(modules: &[ShaderModule], probes: &[CheckProbe], moves: &Moves<'_>, places: &mut Places) {
    let moved: Vec<Option<Moved>> = modules.iter().map(moves).collect();
    for CheckProbe { module, probe, .. } in probes {
        let (ShaderModule { layout, plan, .. }, Some(moved)) = (&modules[*module], &moved[*module]) else { continue };
        let space = probe.entry.space;
        let range = match layout.result.as_ref().ok().and_then(|root| root.size.finite()) {
            Some(size) if space == AddressSpace::PushConstant => size as usize,
            _ => probe.image.owners.len(),
        };
        for (leaf, offset) in plan.leaves.iter().zip(&moved.offsets) {
            let place = places.entry((space, Quantity::Offset, join(&layout.name, &leaf.path))).or_default();
            place.numbers.extend(*offset);
            let end = offset.map(|offset| (offset + leaf.component.size) as usize);
            place.can_be_lost |= end.is_some_and(|end| end > range) || moved.is_shared(leaf, *offset);
        }
        if let Some((member, offset, stride)) = &moved.tail {
            let path = member.as_ref().map_or_else(|| layout.name.clone(), |name| join(&layout.name, name));
            let length = u32::try_from(range).ok().and_then(|range| length_in(range, *offset, *stride));
            places.entry((space, Quantity::ArrayLength, path)).or_default().numbers.extend(length);
        }
    }
}

/// True if the code and the device took the row's number from its place.
fn is_at(row: &Row, space: AddressSpace, places: &Places) -> bool {
    let Some(place) = places.get(&(space, row.what, row.path.clone())) else { return !row.differs() };
    let is_there = |value: &RecordValue| value.number().is_some_and(|number| place.numbers.contains(&number));
    let answers = [&row.witnesses.compiled, &row.witnesses.observed];
    let has_answer = row.witnesses.observed.is_some() || place.can_be_lost;
    has_answer && answers.into_iter().flatten().all(is_there)
}
