//! Decodes the place at which a leaf was read or written, from the answers of all dispatches of a
//! probe.
//!
//! A leaf consists of units that each name their own offset: 32-bit words, or bytes or bools under
//! the planes' codes. The leaf's place is that of its first unit, provided that the others follow
//! it.

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_layout::Leaf;

use super::checked_answer::{CheckedAnswer, half_of, signed, word_at};
use super::observation::{Observation, Observed, ProbeProblem};
use super::stray_value::{stray_unit, stray_word};
use crate::image::encoding::{Half, Ink, Plane, Salt, WordCode, assemble};
use crate::image::{BEFORE_WORD, DecodedWord, Owner, REFILL_WORD, decode, decode_halves, may_be_data};
use crate::{AnswerPlace, AnswerSlot, ProbeJob, ProbePlan, words};

/// The dispatches of one probe with their answers.
pub(super) struct ProbeAnswers<'a> {
    pub(super) plan: &'a ProbePlan,
    pub(super) probe: &'a ProbeJob,
    pub(super) views: &'a [CheckedAnswer<'a>],
}

/// The places of values, keyed by the offset that they name. They range from the memory before the
/// bound range to the memory after it.
type Places = BTreeMap<u32, Vec<i64>>;

/// The place at which a leaf was read or written.
#[derive(Clone, Debug, Default)]
struct LeafAnswer {
    /// The byte; `None` if the answer does not identify one.
    offset: Option<u32>,
    /// A description of the answer, unless it is simply the leaf's own offset.
    note: Option<String>,
}

impl LeafAnswer {
    fn at(offset: u32) -> Self {
        Self { offset: Some(offset), note: None }
    }

    fn nowhere(note: impl Into<String>) -> Self {
        Self { offset: None, note: Some(note.into()) }
    }
}

/// The answer for one unit of a leaf.
struct UnitAnswer {
    said: DecodedWord,
    /// The word itself, for units of 32 bits.
    word: Option<u32>,
    /// What a value is that names no place.
    stray: Option<String>,
}

impl UnitAnswer {
    fn known(said: DecodedWord) -> Self {
        Self { said, word: None, stray: None }
    }
}

impl<'a> ProbeAnswers<'a> {
    pub(super) fn read(&self, observed: &mut Observed) {
        for slot in &self.probe.wiring.slots {
            if slot.form.is_length() {
                observed.observations.push(self.observation(slot, self.length(slot)));
                continue;
            }

            let leaf = &self.plan.leaves[slot.leaf as usize];
            let answers = slot.places.iter().map(|place| self.units_read(leaf, *place));
            let answers: Vec<_> = answers.map(|units| (self.found(leaf, &units), units)).collect();
            if answers.iter().flat_map(|(_, units)| units).any(|unit| unit.said == DecodedWord::Refill) {
                observed.problems.push(ProbeProblem::NotStored { path: leaf.path.clone() });
            }

            // With several lanes, report the first wrong one.
            let wrong = answers.iter().find(|(answer, _)| answer.note.is_some());
            let found = wrong.or(answers.first()).map_or_else(LeafAnswer::default, |(found, _)| found.clone());
            observed.observations.push(self.observation(slot, found));
        }
    }

    pub(super) fn write(&self, observed: &mut Observed) {
        let Some((view, (_, block))) = self.views.first().and_then(|view| Some((view, view.block?))) else { return };
        let half = half_of(self.probe, view.run);

        let mut places: BTreeMap<Option<WordCode>, Places> = BTreeMap::new();
        for leaf in &self.plan.leaves {
            let code = WordCode::of(leaf.component);
            places.entry(code).or_insert_with(|| self.places(code));
        }

        for slot in &self.probe.wiring.slots {
            let leaf = &self.plan.leaves[slot.leaf as usize];
            let found = self.written(leaf, &places[&WordCode::of(leaf.component)]);
            if found.offset.is_none() {
                let at = view.run.salt.turn(word_at(&block.bytes, leaf.offset as usize & !3));
                let path = leaf.path.clone();
                observed.problems.push(ProbeProblem::NotWritten { path, offset: leaf.offset, found: at, half });
            }
            observed.observations.push(self.observation(slot, found));
        }
    }

    /// Returns the element count.
    fn length(&self, slot: &AnswerSlot) -> LeafAnswer {
        let ([AnswerPlace::Word(word)], [view, ..]) = (&slot.places[..], self.views) else {
            return LeafAnswer::default();
        };
        match word_at(&view.output.bytes, *word as usize * 4) {
            REFILL_WORD => LeafAnswer::nowhere("no length was stored"),
            length => LeafAnswer::at(length),
        }
    }

    /// Returns the dispatches with the ink of `code`.
    fn views_of(&self, code: Option<WordCode>) -> impl Iterator<Item = &'a CheckedAnswer<'a>> {
        self.views.iter().filter(move |view| view.run.ink.code() == code)
    }

    /// Decodes each unit of a leaf with its answer at `place`.
    fn units_read(&self, leaf: &Leaf, place: AnswerPlace) -> Vec<UnitAnswer> {
        let code = WordCode::of(leaf.component);
        // In a block, only as many bytes as the leaf has belong to the answer.
        let narrow = u32::MAX >> (8 * 4_u32.saturating_sub(leaf.component.size));
        let answer = |view: &CheckedAnswer<'_>, word: u32| match (place, view.copy) {
            (AnswerPlace::Word(first), _) => word_at(&view.output.bytes, (first + word) as usize * 4),
            (AnswerPlace::Copy(offset), Some((_, copy))) => match word_at(&copy.bytes, (offset + 4 * word) as usize) {
                value if value & narrow == REFILL_WORD & narrow => REFILL_WORD,
                value => value & narrow,
            },
            (AnswerPlace::Copy(_), None) => REFILL_WORD,
        };

        let Some(code) = code else {
            let said = |word: u32| {
                let halves = self.views_of(None).map(|view| (view.run.ink, view.run.salt.turn(answer(view, word))));
                let WordHalves { low, high } =
                    halves.fold(WordHalves::default(), |found, (ink, word)| found.with(ink, word));
                let said = decode_halves(low, high);
                let stray = match said {
                    DecodedWord::Unknown(_) => Some(stray_word(low, self.views)),
                    _ => None,
                };
                UnitAnswer { said, word: Some(low), stray }
            };
            return (0..words(leaf.component)).map(said).collect();
        };

        let answers: Vec<(Plane, u32)> = self
            .views_of(Some(code))
            .filter_map(|view| match view.run.ink {
                Ink::Words(_) => None,
                Ink::Plane(it) => Some((it, answer(view, 0))),
            })
            .collect();
        let units = (0..leaf.component.size).step_by(code.unit() as usize);
        units.map(|byte| self.unit_in_planes(code, byte, &answers)).collect()
    }

    /// Decodes the unit at `byte` of a leaf from all planes together.
    fn unit_in_planes(&self, code: WordCode, byte: u32, answers: &[(Plane, u32)]) -> UnitAnswer {
        let bytes: Vec<(Plane, [u8; 4])> =
            answers.iter().map(|(plane, answer)| (*plane, (answer >> (8 * byte)).to_le_bytes())).collect();
        let unit = code.unit() as usize;
        let units: Vec<(Plane, &[u8])> = bytes.iter().map(|(plane, bytes)| (*plane, &bytes[..unit])).collect();
        if let Some((offset, data)) = assemble(units.iter().copied()) {
            let guard = self.probe.image.owners.get(offset as usize).is_none_or(|owner| *owner == Owner::Guard);
            return UnitAnswer::known(match (data, guard) {
                (true, _) => DecodedWord::Data(offset),
                (false, true) => DecodedWord::Guard(offset),
                (false, false) => DecodedWord::Padding(offset),
            });
        }

        // Together the planes name no offset, so the value is not from the block. It may still be a
        // known fill.
        let first = answers.first().map_or(0, |(_, answer)| *answer);
        let said = match decode(first) {
            DecodedWord::Refill => DecodedWord::Refill,
            _ if answers.iter().all(|(_, answer)| *answer == 0) => DecodedWord::Zero,
            _ if BEFORE_WORD.to_le_bytes()[..2].contains(&first.to_le_bytes()[0]) => DecodedWord::Before,
            _ => DecodedWord::Unknown(first),
        };
        match said {
            DecodedWord::Unknown(_) => {
                UnitAnswer { stray: Some(stray_unit(code, &units, self.views)), ..UnitAnswer::known(said) }
            }
            _ => UnitAnswer::known(said),
        }
    }

    /// Finds the place at which a leaf was read, from its units.
    fn found(&self, leaf: &Leaf, units: &[UnitAnswer]) -> LeafAnswer {
        let unit = unit_of(leaf);
        let first = units.first().and_then(|unit| offset_of(unit.said));
        let expected = (0..).step_by(unit as usize).map(|distance| first.map(|first| first + distance));
        let stray = units.iter().zip(expected).find(|(unit, expected)| offset_of(unit.said) != *expected);

        let shown = |UnitAnswer { said, word, stray }: &UnitAnswer| {
            let word = word.map_or(String::new(), |word| format!("{word:#010X}, "));
            let owner = match said {
                DecodedWord::Data(offset) if *offset != leaf.offset => self.owner(*offset),
                _ => String::new(),
            };
            let said = stray.clone().unwrap_or_else(|| said.to_string());
            format!("{word}{said}{owner}")
        };

        match (units, stray) {
            ([UnitAnswer { said: DecodedWord::Data(offset), .. }, ..], None) if *offset == leaf.offset => {
                LeafAnswer::at(*offset)
            }
            ([start, ..], None) => LeafAnswer { offset: first, note: Some(format!("read {}", shown(start))) },
            ([start, ..], Some((other, _))) => {
                LeafAnswer::nowhere(format!("read {} and then {}", shown(start), shown(other)))
            }
            ([], _) => LeafAnswer::default(),
        }
    }

    /// Finds the place to which a leaf was written.
    fn written(&self, leaf: &Leaf, places: &Places) -> LeafAnswer {
        let at = |offset: u32| places.get(&offset).map_or(&[][..], |places| places);
        let own = i64::from(leaf.offset);

        let first = at(leaf.offset);
        let Some(place) = first.iter().copied().find(|place| *place == own).or(first.first().copied()) else {
            return LeafAnswer::nowhere("written nowhere");
        };

        let offset = u32::try_from(place).ok();
        let owner = offset.map_or(String::new(), |at| self.owner(at));
        let rest = units_of(leaf).map(|unit| unit - leaf.offset);
        let mut split = rest.filter(|distance| !at(leaf.offset + distance).contains(&(place + i64::from(*distance))));

        match split.next() {
            Some(lost) => {
                LeafAnswer::nowhere(format!("written to byte {place}{owner}, but not from its byte {lost} on"))
            }
            None if place == own => LeafAnswer { offset, note: None },
            None => LeafAnswer { offset, note: Some(format!("written to byte {place}{owner}")) },
        }
    }

    /// Finds the values of probed leaves of one code in the memory around the block.
    fn places(&self, code: Option<WordCode>) -> Places {
        let memories: Vec<WrittenMemory> = self
            .views_of(code)
            .filter_map(|view| {
                let (_, after) = view.block?;
                let bytes = [&after.before[..], &after.bytes, &after.after].concat();
                Some(WrittenMemory { ink: view.run.ink, salt: view.run.salt, bytes })
            })
            .collect();
        let before = self.views.iter().find_map(|view| view.block).map_or(0, |(_, after)| after.before.len());
        let probed: BTreeSet<u32> = self.plan.leaves.iter().flat_map(units_of).collect();

        let mut places = Places::new();
        let length = memories.first().map_or(0, |memory| memory.bytes.len());
        // Most bytes of a large block are padding, so words that cannot be values are skipped
        // early.
        let may_be_value = |place: &usize| match &memories[0] {
            WrittenMemory { ink: Ink::Words(_), bytes, .. } => may_be_data(&bytes[*place..]),
            WrittenMemory { ink: Ink::Plane(_), .. } => true,
        };

        for place in (0..length).filter(may_be_value) {
            if let Some(offset) = named(&memories, place).filter(|offset| probed.contains(offset)) {
                places.entry(offset).or_default().push(signed(place) - signed(before));
            }
        }
        places
    }

    fn observation(&self, slot: &AnswerSlot, answer: LeafAnswer) -> Observation {
        let LeafAnswer { offset, note } = answer;
        let entry = &self.probe.entry;
        let (space, direction, range) = (entry.space, entry.direction, self.probe.range);
        Observation { leaf: slot.leaf, space, direction, form: slot.form, range, offset, note }
    }

    /// Names the owner of a byte of the block, as the rest of a sentence.
    fn owner(&self, offset: u32) -> String {
        let owner = self.probe.image.owners.get(offset as usize);
        let named = |path: &String| format!(", which is `{path}`");
        match owner {
            Some(Owner::Leaf(index)) => {
                self.plan.leaves.get(*index as usize).map_or(String::new(), |leaf| named(&leaf.path))
            }
            Some(Owner::NotProbed) => self.probe.block.leaf_path_at(offset).map_or(String::new(), |path| named(&path)),
            Some(Owner::Padding) => ", which is padding".into(),
            Some(Owner::Guard) => ", after the block".into(),
            None => String::new(),
        }
    }
}

/// Returns the number of bytes that name an offset together.
fn unit_of(leaf: &Leaf) -> u32 {
    WordCode::of(leaf.component).map_or(4, WordCode::unit)
}

/// Returns the offset of each unit of a leaf.
fn units_of(leaf: &Leaf) -> impl Iterator<Item = u32> + use<> {
    (leaf.offset..leaf.offset.saturating_add(leaf.component.size)).step_by(unit_of(leaf) as usize)
}

/// Returns the byte that an answer names.
fn offset_of(said: DecodedWord) -> Option<u32> {
    match said {
        DecodedWord::Data(offset) | DecodedWord::Padding(offset) | DecodedWord::Guard(offset) => Some(offset),
        _ => None,
    }
}

/// The words at one place in both images, or in the only one.
#[derive(Clone, Copy, Debug, Default)]
struct WordHalves {
    low: u32,
    high: Option<u32>,
}

impl WordHalves {
    /// Adds the word of another image.
    fn with(self, ink: Ink, word: u32) -> Self {
        match ink {
            Ink::Words(Half::High) => Self { high: Some(word), ..self },
            Ink::Words(Half::Low) => Self { low: word, ..self },
            Ink::Plane(_) => self,
        }
    }
}

/// The memory around a block after a dispatch that wrote it.
struct WrittenMemory {
    ink: Ink,
    salt: Salt,
    bytes: Vec<u8>,
}

/// Returns the offset that the value at `place` names, from all dispatches of one code.
fn named(memories: &[WrittenMemory], place: usize) -> Option<u32> {
    let planes = memories.iter().filter_map(|memory| match memory.ink {
        Ink::Words(_) => None,
        Ink::Plane(it) => Some((it, memory.bytes.get(place..place + it.code.unit() as usize)?)),
    });
    if !matches!(memories, [WrittenMemory { ink: Ink::Words(_), .. }, ..]) {
        return assemble(planes).map(|(offset, _)| offset);
    }

    let word = |memory: &WrittenMemory| {
        let word = u32::from_le_bytes(*memory.bytes.get(place..)?.first_chunk()?);
        Some(memory.salt.turn(word))
    };
    let halves = |found: WordHalves, memory: &WrittenMemory| Some(found.with(memory.ink, word(memory)?));
    let WordHalves { low, high } = memories.iter().try_fold(WordHalves::default(), halves)?;
    match decode_halves(low, high) {
        DecodedWord::Data(offset) => Some(offset),
        _ => None,
    }
}
