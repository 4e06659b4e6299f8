//! Numbers as sums: a constant, and constants times symbols. A symbol is a number that does not follow from the module.

use rspirv::spirv::{BuiltIn, Word};
use rustc_hash::FxHashMap;

use super::trace::{CellKey, MemoryId};

/// Sums with more terms are not followed.
const MOST_TERMS: usize = 12;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SymbolId(u32);

impl SymbolId {
    pub(crate) fn new(number: u32) -> Self {
        Self(number)
    }

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// `base` plus each factor times its symbol. Terms are in the order of their symbols, and no factor is 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Sum {
    pub(crate) base: i64,
    pub(crate) terms: Vec<(SymbolId, i64)>,
}

impl Sum {
    pub(crate) fn constant(base: i64) -> Self {
        Self { base, terms: Vec::new() }
    }

    pub(crate) fn symbol(symbol: SymbolId) -> Self {
        Self { base: 0, terms: vec![(symbol, 1)] }
    }

    pub(crate) fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.base)
    }

    /// `None` if a number or the sum gets too large.
    pub(crate) fn plus(&self, other: &Self) -> Option<Self> {
        let base = self.base.checked_add(other.base)?;
        let mut terms = self.terms.clone();
        for (symbol, factor) in &other.terms {
            match terms.binary_search_by_key(symbol, |(own, _)| *own) {
                Ok(index) => {
                    terms[index].1 = terms[index].1.checked_add(*factor)?;
                    if terms[index].1 == 0 {
                        terms.remove(index);
                    }
                }
                Err(index) => terms.insert(index, (*symbol, *factor)),
            }
        }
        (terms.len() <= MOST_TERMS).then_some(Self { base, terms })
    }

    pub(crate) fn minus(&self, other: &Self) -> Option<Self> {
        self.plus(&other.times(-1)?)
    }

    pub(crate) fn times(&self, factor: i64) -> Option<Self> {
        if factor == 0 {
            return Some(Self::default());
        }
        let base = self.base.checked_mul(factor)?;
        let terms = self.terms.iter().map(|(symbol, own)| Some((*symbol, own.checked_mul(factor)?)));
        Some(Self { base, terms: terms.collect::<Option<_>>()? })
    }

    /// The sum divided by `divisor`, if that divides each of its numbers.
    pub(crate) fn divided_by(&self, divisor: i64) -> Option<Self> {
        let divided = |number: i64| (number.checked_rem(divisor)? == 0).then(|| number / divisor);
        let terms = self.terms.iter().map(|(symbol, factor)| Some((*symbol, divided(*factor)?)));
        Some(Self { base: divided(self.base)?, terms: terms.collect::<Option<_>>()? })
    }

    /// The sum without what `divisor` divides.
    pub(crate) fn rest_of(&self, divisor: i64) -> Self {
        let is_rest = |number: i64| number.checked_rem(divisor).is_some_and(|rest| rest != 0);
        let terms = self.terms.iter().filter(|(_, factor)| is_rest(*factor)).copied().collect();
        Self { base: self.base.checked_rem_euclid(divisor).unwrap_or(self.base), terms }
    }

    /// The largest power of two, up to 2^62, that divides all factors. The low bits below it are those of `base`.
    pub(crate) fn known_low_bits(&self) -> i64 {
        let divisor = self.terms.iter().fold(0, |divisor, (_, factor)| gcd(divisor, *factor));
        if divisor == 0 { 1 << 62 } else { 1 << divisor.trailing_zeros().min(62) }
    }

    /// The sum after an operation on its bits that leaves all bits as they are whose value is not known. `None` if the
    /// constant reaches such bits.
    pub(crate) fn with_bits(&self, operation: BitOperation, constant: i64) -> Option<Self> {
        let changed = if operation == BitOperation::And { !constant } else { constant };
        if !self.terms.is_empty() && !(0..self.known_low_bits()).contains(&changed) {
            return None;
        }
        let low = if self.terms.is_empty() { self.base } else { self.base.rem_euclid(self.known_low_bits()) };
        let base = self.base.checked_add(operation.of(low, constant) - low)?;
        Some(Self { base, terms: self.terms.clone() })
    }

    /// The bits that the sum may have, if `most` bounds its symbols and its parts have no bit in common.
    pub(crate) fn possible_bits(&self, most: impl Fn(SymbolId) -> Option<i64>) -> Option<i64> {
        let start = Some(self.base).filter(|base| *base >= 0)?;
        self.terms.iter().try_fold(start, |bits, (symbol, factor)| {
            let factor = u64::try_from(*factor).ok().filter(|factor| factor.is_power_of_two())?;
            let below = u64::try_from(most(*symbol)?).ok()?.checked_add(1)?.checked_next_power_of_two()?;
            let own = i64::try_from((below - 1).checked_mul(factor)?).ok()?;
            (bits & own == 0).then_some(bits | own)
        })
    }

    pub(crate) fn factor(&self, symbol: SymbolId) -> i64 {
        self.terms.iter().find(|(own, _)| *own == symbol).map_or(0, |(_, factor)| *factor)
    }

    pub(crate) fn without(&self, symbol: SymbolId) -> Self {
        Self { base: self.base, terms: self.terms.iter().filter(|(own, _)| *own != symbol).copied().collect() }
    }

    /// The greatest number that divides all values of the sum; 0 for the constant 0.
    pub(crate) fn divisor(&self) -> i64 {
        self.terms.iter().fold(self.base.saturating_abs(), |divisor, (_, factor)| gcd(divisor, *factor))
    }
}

/// An operation on bits with a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BitOperation {
    And,
    Or,
    Xor,
}

impl BitOperation {
    pub(crate) fn of(self, number: i64, constant: i64) -> i64 {
        match self {
            Self::And => number & constant,
            Self::Or => number | constant,
            Self::Xor => number ^ constant,
        }
    }
}

pub(crate) fn gcd(mut a: i64, mut b: i64) -> i64 {
    (a, b) = (a.saturating_abs(), b.saturating_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// What makes two symbols the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum SymbolKey {
    /// The result of an instruction that is not followed, or a part of it.
    Result(Word, u32),
    Builtin(BuiltIn, u32),
    /// The content of memory at this byte.
    Content(MemoryId, Sum),
    /// The content of a cell before it is known.
    Cell(CellKey),
    /// The number of steps from the first content of a cell.
    Steps(CellKey),
}

#[derive(Clone, Debug)]
pub(super) struct Symbol {
    /// For people.
    pub(super) name: String,
    /// True if the symbol takes many values one after the other, whatever the host passes: an invocation's number, a
    /// loop's counter.
    pub(super) is_free: bool,
    /// The bounds that follow from the code.
    pub(super) least: Option<i64>,
    pub(super) most: Option<i64>,
    /// True for 64 bits that may be an address.
    pub(super) is_wide: bool,
    pub(super) reach: Option<Reach>,
}

/// The values that a symbol takes in code that nothing decides about: all from 0 to `most`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reach {
    pub(super) most: i64,
    /// False if the host may move all values upwards.
    pub(super) has_zero: bool,
}

#[derive(Debug, Default)]
pub(super) struct Symbols {
    by_key: FxHashMap<SymbolKey, SymbolId>,
    all: Vec<(SymbolKey, Symbol)>,
}

impl Symbols {
    /// The symbol with this key, with properties that `make` gives it at first.
    pub(super) fn symbol(&mut self, key: SymbolKey, make: impl FnOnce() -> Symbol) -> SymbolId {
        if let Some(known) = self.by_key.get(&key) {
            return *known;
        }
        let id = SymbolId(u32::try_from(self.all.len()).unwrap_or(u32::MAX));
        self.all.push((key.clone(), make()));
        self.by_key.insert(key, id);
        id
    }

    pub(super) fn known(&self, key: &SymbolKey) -> Option<SymbolId> {
        self.by_key.get(key).copied()
    }

    pub(super) fn key(&self, id: SymbolId) -> &SymbolKey {
        &self.all[id.0 as usize].0
    }

    pub(super) fn get(&self, id: SymbolId) -> &Symbol {
        &self.all[id.0 as usize].1
    }

    pub(super) fn get_mut(&mut self, id: SymbolId) -> &mut Symbol {
        &mut self.all[id.0 as usize].1
    }

    /// The sum in the words of the module; in brackets unless it is one word.
    pub(super) fn words(&self, sum: &Sum) -> String {
        let mut words = String::new();
        for (symbol, factor) in &sum.terms {
            let name = &self.get(*symbol).name;
            let sign = match (words.is_empty(), *factor < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            let times = if factor.unsigned_abs() == 1 { String::new() } else { format!("{}*", factor.unsigned_abs()) };
            words += &[sign, &times, name].concat();
        }
        match (words.is_empty(), sum.base) {
            (true, base) => base.to_string(),
            (false, 0) if sum.terms.len() == 1 && sum.terms[0].1 == 1 => words,
            (false, 0) => format!("({words})"),
            (false, base) if base < 0 => format!("({words} - {})", base.unsigned_abs()),
            (false, base) => format!("({words} + {base})"),
        }
    }

    pub(super) fn has_free(&self, sum: &Sum) -> bool {
        sum.terms.iter().any(|(symbol, _)| self.get(*symbol).is_free)
    }

    /// An index that the code takes, if nothing decides whether it gets there, and that is outside of an array.
    pub(super) fn reached_outside(&self, sum: &Sum, length: u32) -> Option<i64> {
        let farthest = || {
            sum.terms.iter().try_fold(sum.base, |index, (symbol, factor)| {
                let own = self.get(*symbol);
                let value = own.reach.map(|reach| reach.most).or(own.least)?;
                index.checked_add(value.checked_mul(*factor)?)
            })
        };
        let is_up = sum.terms.iter().all(|(_, factor)| *factor > 0);
        let is_down = sum.terms.iter().all(|(_, factor)| *factor < 0);
        let has_zero = |(symbol, _): &(SymbolId, i64)| self.get(*symbol).reach.is_some_and(|reach| reach.has_zero);
        match (is_up, is_down) {
            _ if sum.terms.is_empty() => None,
            (true, _) if sum.base < 0 && sum.terms.iter().all(has_zero) => Some(sum.base),
            (true, _) => farthest().filter(|index| *index >= i64::from(length)),
            (_, true) => farthest().filter(|index| *index < 0),
            (false, false) => None,
        }
    }

    pub(super) fn least(&self, sum: &Sum) -> Option<i64> {
        sum.terms.iter().try_fold(sum.base, |least, (symbol, factor)| {
            let own = self.get(*symbol).least.filter(|_| *factor > 0)?;
            least.checked_add(own.checked_mul(*factor)?)
        })
    }

    pub(super) fn most(&self, sum: &Sum) -> Option<i64> {
        sum.terms.iter().try_fold(sum.base, |most, (symbol, factor)| {
            let own = self.get(*symbol).most.filter(|_| *factor > 0)?;
            most.checked_add(own.checked_mul(*factor)?)
        })
    }
}
