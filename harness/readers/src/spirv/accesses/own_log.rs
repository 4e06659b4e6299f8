//! The log in which a rewritten module writes its accesses, and what that says about the static answer.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

pub use super::trace::dependence::Source;

/// The words of the log: the number of entries, numbers of the host, then the entries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogShape {
    limits: Vec<TableLimit>,
    /// The memories behind addresses that the host makes.
    pub(super) pointees: Vec<u32>,
    pub(super) sites: Vec<Site>,
}

/// The length of an array without one, which the host writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct TableLimit {
    memory: u32,
    /// Where the array starts in its buffer, and its stride; `None` for an array of descriptors.
    array: Option<(u32, u32)>,
}

/// The limit of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limit {
    Fixed(u32),
    /// In the log, at this place among the limits.
    Table(u32),
}

/// An instruction that accesses memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Site {
    /// Index of the memory, as that of a buffer.
    pub memory: u32,
    /// What the static answer says, one for each place that it finds.
    pub expected: Vec<Expected>,
    /// The alignment that a memory operand promises.
    pub promised: Option<u32>,
    /// What decides whether code gets there, and where the access is.
    pub depends: BTreeSet<Source>,
}

/// Where an access is by the static answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expected {
    /// Index of the access.
    pub access: u32,
    pub(super) base: i64,
    pub(super) factors: Vec<Factor>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Factor {
    pub(super) number: Number,
    pub(super) bytes: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Number {
    /// A component of the invocation's number in the dispatch.
    Global(u32),
    /// In its workgroup.
    Local(u32),
    Group(u32),
    LocalIndex,
    /// A number that only the run shows.
    Open(String),
}

/// What a run logged of a site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    /// How often the code got there.
    pub count: u32,
    /// How often an index left an array with a length.
    pub beyond: u32,
    /// How often an index or an address left the buffer.
    pub left: u32,
    /// How often its address did not have the alignment that it promises.
    pub misaligned: u32,
    /// The smallest and the largest byte.
    pub least: u32,
    pub most: u32,
    /// The first access that is not where the static answer says.
    pub elsewhere: Option<Entry>,
    /// The number that the static answer leaves open, with its smallest and its largest value.
    pub filled: Option<(String, i64, i64)>,
}

/// What a run logged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadLog {
    /// For each site.
    pub sites: Vec<Observed>,
    /// Accesses for which the log had no room.
    pub lost: u32,
}

impl ReadLog {
    /// True if nothing had to be caught.
    pub fn is_safe(&self) -> bool {
        let is_safe = |site: &Observed| site.beyond == 0 && site.left == 0 && site.misaligned == 0;
        self.lost == 0 && self.sites.iter().all(is_safe)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub offset: u32,
    pub invocation: [u32; 3],
}

/// The dispatch of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dispatch {
    pub groups: [u32; 3],
    pub local_size: [u32; 3],
}

impl Dispatch {
    fn width(self, axis: usize) -> u32 {
        self.groups[axis].saturating_mul(self.local_size[axis]).max(1)
    }

    /// The factors of y and z in the number of an invocation.
    fn factors(self) -> [u32; 2] {
        [self.width(0), self.width(0).wrapping_mul(self.width(1))]
    }

    fn invocation(self, number: u32) -> [u32; 3] {
        let [row, slice] = self.factors();
        [number % row, number / row % self.width(1), number / slice.max(1)]
    }

    fn value(self, number: &Number, [x, y, z]: [u32; 3]) -> Option<i64> {
        let global = [x, y, z];
        let local = |axis: usize| global[axis] % self.local_size[axis].max(1);
        let axis = |part: u32| (part as usize).min(2);
        Some(match number {
            Number::Global(part) => global[axis(*part)].into(),
            Number::Local(part) => local(axis(*part)).into(),
            Number::Group(part) => (global[axis(*part)] / self.local_size[axis(*part)].max(1)).into(),
            Number::LocalIndex => {
                let [width, height, _] = self.local_size;
                i64::from(local(0)) + i64::from(width) * (i64::from(local(1)) + i64::from(height) * i64::from(local(2)))
            }
            Number::Open(_) => return None,
        })
    }
}

impl LogShape {
    pub(super) const COUNT: u32 = 0;
    /// How many entries there is room for.
    pub(super) const ROOM: u32 = 1;
    /// The factors of y and z in the number of an invocation.
    pub(super) const FACTORS: u32 = 2;
    /// The lengths of arrays without one.
    pub(super) const LIMITS: u32 = 4;
    /// The places for limits, which the module's code has before all are known.
    const MOST_LIMITS: u32 = 64;
    /// The word of the first address.
    pub(super) const ADDRESSES: u32 = Self::LIMITS + Self::MOST_LIMITS;
    /// Two for the address, one for the size.
    pub(super) const WORDS_OF_ADDRESS: u32 = 4;
    /// The first is for accesses that are caught.
    pub(super) const MOST_POINTEES: u32 = 16;
    /// The words before the entries.
    pub(super) const HEAD_WORDS: u32 = Self::ADDRESSES + Self::WORDS_OF_ADDRESS * Self::MOST_POINTEES;
    /// The words of an entry: the site with its faults, the byte, the invocation, and an unused one.
    const WORDS_OF_ENTRY: u32 = 4;
    /// Bits of faults.
    pub(super) const BEYOND: u32 = 1 << 31;
    pub(super) const LEFT: u32 = 1 << 30;
    pub(super) const MISALIGNED: u32 = 1 << 29;
    /// Bytes for accesses that are caught.
    pub const SINK: u32 = 4096;

    /// The place of an array's limit. Arrays beyond the last place share it.
    pub(super) fn limit(&mut self, memory: u32, array: Option<(u32, u32)>) -> u32 {
        let limit = TableLimit { memory, array };
        let known = self.limits.iter().position(|known| *known == limit).unwrap_or_else(|| {
            self.limits.push(limit);
            self.limits.len() - 1
        });
        u32::try_from(known).unwrap_or(u32::MAX).min(Self::MOST_LIMITS - 1)
    }

    pub(super) fn add(&mut self, site: Site) -> u32 {
        self.sites.push(site);
        u32::try_from(self.sites.len() - 1).unwrap_or(u32::MAX)
    }

    pub fn sites(&self) -> &[Site] {
        &self.sites
    }

    /// The bytes of the log that hold addresses: that of the bytes for accesses that are caught, then those of memories.
    pub fn addresses(&self) -> impl Iterator<Item = (u32, Option<u32>)> {
        let memories = std::iter::once(None).chain(self.pointees.iter().copied().map(Some));
        (0..).zip(memories).map(|(row, memory)| (4 * (Self::ADDRESSES + Self::WORDS_OF_ADDRESS * row), memory))
    }

    /// The bytes of the log before a run. `size` gives the bytes of a memory behind an address. `length` gives the elements
    /// of an array without a length, by its memory, its start and its stride, or the descriptors of an array.
    pub fn bytes(
        &self,
        dispatch: Dispatch,
        room: u32,
        length: impl Fn(u32, Option<(u32, u32)>) -> u32,
        size: impl Fn(u32) -> u32,
    ) -> Vec<u8> {
        let entries = (room as usize + 1) * Self::WORDS_OF_ENTRY as usize;
        let mut words = vec![0_u32; Self::HEAD_WORDS as usize + entries];
        words[Self::ROOM as usize] = room;
        words[Self::FACTORS as usize..Self::LIMITS as usize].copy_from_slice(&dispatch.factors());
        for (index, limit) in self.limits.iter().enumerate() {
            let at = (Self::LIMITS as usize + index).min((Self::ADDRESSES - 1) as usize);
            let own = length(limit.memory, limit.array);
            let is_shared = index >= Self::MOST_LIMITS as usize;
            words[at] = if is_shared { words[at].min(own) } else { own };
        }
        for (at, memory) in self.addresses() {
            words[at as usize / 4 + 2] = memory.map_or(Self::SINK, &size);
        }
        words.into_iter().flat_map(u32::to_le_bytes).collect()
    }

    /// What a run logged; `None` if the bytes are no log.
    pub fn read(&self, bytes: &[u8], dispatch: Dispatch) -> Option<ReadLog> {
        let words: Vec<u32> =
            bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
        let (count, room) = (*words.first()?, *words.get(Self::ROOM as usize)?);
        let entries = words.get(Self::HEAD_WORDS as usize..)?.chunks_exact(Self::WORDS_OF_ENTRY as usize);
        let mut sites = vec![Observed::default(); self.sites.len()];
        for entry in entries.take(count.min(room) as usize) {
            let bits = Self::BEYOND | Self::LEFT | Self::MISALIGNED;
            let number = (entry[0] & !bits) as usize;
            let (site, own) = self.sites.get(number).zip(sites.get_mut(number))?;
            let has = |bit: u32| u32::from(entry[0] & bit != 0);
            let offset = entry[1];
            own.beyond += has(Self::BEYOND);
            own.left += has(Self::LEFT);
            own.misaligned += has(Self::MISALIGNED);
            own.least = if own.count == 0 { offset } else { own.least.min(offset) };
            own.most = own.most.max(offset);
            own.count += 1;
            let entry = Entry { offset, invocation: dispatch.invocation(entry[2]) };
            site.compare(entry, dispatch, own);
        }
        Some(ReadLog { sites, lost: count.saturating_sub(room) })
    }
}

impl Site {
    /// Compares an access with the static answer.
    fn compare(&self, entry: Entry, dispatch: Dispatch, own: &mut Observed) {
        let is_known = self.expected.is_empty() || self.expected.iter().any(|expected| expected.has(entry, dispatch));
        if !is_known && own.elsewhere.is_none() {
            own.elsewhere = Some(entry);
        }
        if let Some((name, value)) = self.filled(entry, dispatch) {
            own.filled = Some(match own.filled.take() {
                Some((name, least, most)) => (name, least.min(value), most.max(value)),
                None => (name.to_owned(), value, value),
            });
        }
    }

    /// The value of the one number that the static answer leaves open.
    fn filled(&self, entry: Entry, dispatch: Dispatch) -> Option<(&str, i64)> {
        let [only] = self.expected.as_slice() else { return None };
        let mut open = only.factors.iter().filter_map(|factor| match &factor.number {
            Number::Open(name) => Some((name, factor.bytes)),
            _ => None,
        });
        let (name, bytes) = open.next()?;
        let value = only.rest(entry, dispatch)?.checked_div(bytes)?;
        open.next().is_none().then_some((name, value))
    }
}

impl Expected {
    /// The bytes of an access that the numbers of its invocation do not explain.
    fn rest(&self, entry: Entry, dispatch: Dispatch) -> Option<i64> {
        let known = self.factors.iter().filter_map(|factor| {
            dispatch.value(&factor.number, entry.invocation).map(|value| value.wrapping_mul(factor.bytes))
        });
        let at = known.fold(self.base, i64::wrapping_add);
        // Code computes with 32 bits.
        let low = u32::try_from(at & i64::from(u32::MAX)).ok()?;
        Some(entry.offset.wrapping_sub(low).cast_signed().into())
    }

    /// True if an access is at one of these places.
    fn has(&self, entry: Entry, dispatch: Dispatch) -> bool {
        let is_open = |factor: &&Factor| matches!(factor.number, Number::Open(_));
        let step = self.factors.iter().filter(is_open).fold(0, |step, factor| super::value::gcd(step, factor.bytes));
        let Some(rest) = self.rest(entry, dispatch) else { return false };
        match step {
            0 => rest == 0,
            // An offset before the start, or one that 32 bits cut.
            step => rest % step == 0 || rest.rem_euclid(1 << 32) % step == 0,
        }
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.invocation;
        write!(f, "byte {} in invocation ({x}, {y}, {z})", self.offset)
    }
}
