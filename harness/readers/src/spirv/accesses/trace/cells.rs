//! What cells hold: memory of a function or an invocation, parameters, results and phis.
//!
//! A cell holds all values that code stores there, whatever the order: one value, or the smallest one and steps of their
//! common distance.

use std::collections::BTreeMap;
use std::ops::Bound;

use rspirv::spirv::{Op, Word};

use super::{CellKey, MOST_PARTS, MOST_TARGETS, Target, Trace, Value, composite};
use crate::spirv::accesses::Why;
use crate::spirv::accesses::value::{Sum, Symbol, SymbolId, SymbolKey, gcd};
use crate::spirv::types::SpirvType;

impl Trace<'_> {
    pub(super) fn store_through(&mut self, pointer: Word, value: &Value) {
        if let Value::Pointer(targets) = self.value(pointer) {
            for target in targets.iter() {
                self.store(target, value.clone());
            }
        }
    }

    pub(super) fn store(&mut self, target: &Target, value: Value) {
        match target {
            Target::Local { variable, path: Some(path), .. } => {
                self.add_store(CellKey::Local(*variable, path.clone()), value);
            }
            Target::Local { variable, path: None, .. } => drop(self.blurred.insert(*variable)),
            Target::Memory(_) | Target::Builtin { .. } => {}
        }
    }

    pub(super) fn add_store(&mut self, cell: CellKey, value: Value) {
        let stores = self.stores.entry(cell).or_default();
        // A value beyond these makes the cell open, so more need not be kept.
        if stores.len() <= 64 && !stores.contains(&value) {
            stores.push(value);
        }
    }

    pub(super) fn solved(&mut self) -> BTreeMap<CellKey, Value> {
        let stores = std::mem::take(&mut self.stores);
        let solutions = stores.iter().map(|(key, values)| (key.clone(), self.join(key, values))).collect();
        self.stores = stores;
        solutions
    }

    /// What a cell holds that gets these values.
    pub(super) fn join(&mut self, key: &CellKey, values: &[Value]) -> Value {
        if let [only] = values
            && !self.mentions(only, key)
        {
            return only.clone();
        }
        if values.len() > 64 {
            return Value::Open(Why::ManyPlaces);
        }
        let numbers: Option<Vec<Sum>> = values
            .iter()
            .map(|value| match value {
                Value::Number(sum) => Some(sum.clone()),
                _ => None,
            })
            .collect();
        if let Some(numbers) = numbers {
            return self.join_numbers(key, &numbers).map_or(Value::Open(Why::ManyTerms), Value::Number);
        }
        if values.iter().all(|value| matches!(value, Value::Pointer(_))) {
            return self.join_pointers(key, values);
        }
        let length = values.iter().find_map(|value| match value {
            Value::Composite(parts) => Some(parts.len()),
            _ => None,
        });
        let Some(length) = length.filter(|length| *length <= MOST_PARTS as usize) else {
            return Value::Open(Why::Pointer);
        };
        let parts = (0..length).map(|index| {
            let index = u32::try_from(index).unwrap_or(u32::MAX);
            let mut parts: Vec<Value> = Vec::new();
            for value in values {
                let part = self.extract(value, &[index]);
                if !parts.contains(&part) {
                    parts.push(part);
                }
            }
            self.join(&CellKey::Part(Box::new(key.clone()), index), &parts)
        });
        composite(parts.collect())
    }

    fn mentions(&self, value: &Value, key: &CellKey) -> bool {
        let Value::Number(sum) = value else { return false };
        self.symbols.known(&SymbolKey::Cell(key.clone())).is_some_and(|cell| sum.factor(cell) != 0)
    }

    /// A sum that has all these values: the smallest one, and steps of their common distance.
    fn join_numbers(&mut self, key: &CellKey, values: &[Sum]) -> Option<Sum> {
        let cell = self.symbols.known(&SymbolKey::Cell(key.clone()));
        let steps = self.symbols.known(&SymbolKey::Steps(key.clone()));
        let is_own = |symbol: SymbolId| Some(symbol) == cell || Some(symbol) == steps;
        let mentions_cell = |sum: &&Sum| cell.is_some_and(|cell| sum.factor(cell) != 0);
        let start =
            values.iter().filter(|sum| !mentions_cell(sum)).min_by_key(|sum| (sum.terms.len(), sum.base))?.clone();
        // Each distance, and whether its values follow one after the other.
        let mut distances: Vec<(i64, bool)> = Vec::new();
        let mut is_positive = true;
        for value in values {
            let distance = match cell {
                Some(cell) if value.factor(cell) == 1 => value.without(cell),
                _ => value.minus(&start)?,
            };
            is_positive &= distance.base >= 0;
            distances.extend(Some((distance.base, true)).filter(|(base, _)| *base != 0));
            for (symbol, factor) in &distance.terms {
                let known = self.symbols.get(*symbol);
                is_positive &= *factor > 0 && (known.least >= Some(0) || is_own(*symbol));
                distances.push((*factor, known.is_free && !is_own(*symbol)));
            }
        }
        let step = distances.iter().fold(0, |step, (distance, _)| gcd(step, *distance));
        if step == 0 {
            return Some(start);
        }
        let is_free =
            distances.iter().any(|(distance, free)| *free && distance.trailing_zeros() == step.trailing_zeros());
        let name = self.cell_name(key);
        let own = SymbolKey::Steps(key.clone());
        let least = is_positive.then_some(0);
        let symbol =
            self.symbols.symbol(own, || Symbol { name, is_free, least, most: None, is_wide: false, reach: None });
        let known = self.symbols.get_mut(symbol);
        (known.is_free, known.least) = (is_free, least);
        start.plus(&Sum::symbol(symbol).times(step)?)
    }

    fn cell_name(&self, key: &CellKey) -> String {
        let id = match key {
            CellKey::Local(id, _) | CellKey::Parameter(id) | CellKey::Return(id) | CellKey::Joined(id) => *id,
            CellKey::Part(whole, _) => return self.cell_name(whole),
        };
        self.id_name(id)
    }

    /// The name of a value, or the operation that makes it. glslang adds the types of parameters to the names of functions.
    pub(super) fn id_name(&self, id: Word) -> String {
        let name = self.types().names.get(&id).and_then(|name| name.split('(').next());
        if let Some(name) = name.filter(|name| !name.is_empty()) {
            return name.to_owned();
        }
        match self.operations.get(&id) {
            Some((Op::FunctionCall, [called, ..])) if self.types().names.contains_key(called) => {
                format!("{}(%{id})", self.id_name(*called))
            }
            Some((operation, _)) => format!("{operation:?}(%{id})"),
            None => format!("%{id}"),
        }
    }

    fn join_pointers(&mut self, key: &CellKey, values: &[Value]) -> Value {
        let mut targets: Vec<Target> = Vec::new();
        for value in values {
            let Value::Pointer(more) = value else { return Value::Open(Why::Pointer) };
            for target in more.iter() {
                let same = targets.iter_mut().find(|known| match (known, target) {
                    (Target::Memory(known), Target::Memory(own)) => known.same_but_for_bytes(own),
                    (known, own) => *known == own,
                });
                match (same, target) {
                    (Some(Target::Memory(known)), Target::Memory(own)) if known.at != own.at => {
                        let sums = [known.at.clone(), own.at.clone()];
                        let [Ok(first), Ok(second)] = sums else { continue };
                        let joined = self.join_numbers(key, &[first, second]).ok_or(Why::ManyTerms);
                        // A pointer to the whole starts where it points.
                        known.root_at = if known.steps.is_empty() { joined.clone() } else { Err(Why::ManyTerms) };
                        known.at = joined;
                        known.beyond = known.beyond.filter(|_| own.beyond.is_some());
                        known.reached = None;
                        known.join_steps(own);
                    }
                    (Some(_), _) => {}
                    (None, _) => targets.push(target.clone()),
                }
            }
        }
        if targets.len() > MOST_TARGETS { Value::Open(Why::ManyPlaces) } else { Value::Pointer(targets.into()) }
    }

    /// What is in a variable now: the join of all stores if they are known, else what the last pass found.
    pub(super) fn cell(&mut self, key: CellKey, ty: Word, is_complete: bool) -> Value {
        if is_complete {
            let values = self.stores.get(&key).cloned().unwrap_or_default();
            if !values.is_empty() {
                return self.join(&key, &values);
            }
        }
        if let Some(known) = self.solutions.get(&key) {
            return match known {
                // The symbol is the same in each pass.
                Value::Open(_) => self.unknown_cell(key, ty),
                known => known.clone(),
            };
        }
        self.unknown_cell(key, ty)
    }

    fn unknown_cell(&mut self, key: CellKey, ty: Word) -> Value {
        match *self.types().get(ty) {
            SpirvType::Int { bits, signed } => {
                let name = self.cell_name(&key);
                let own = SymbolKey::Cell(key);
                let symbol = self.symbols.symbol(own, || Symbol {
                    name,
                    is_free: false,
                    least: (!signed).then_some(0),
                    most: None,
                    is_wide: bits == 64,
                    reach: None,
                });
                Value::Number(Sum::symbol(symbol))
            }
            SpirvType::Vector { component, length } if length <= 4 => {
                let part = |index| CellKey::Part(Box::new(key.clone()), index);
                Value::Composite((0..length).map(|index| self.unknown_cell(part(index), component)).collect())
            }
            _ => Value::Open(Why::Pointer),
        }
    }

    pub(super) fn load_local(&mut self, variable: Word, path: &[u32], ty: Word) -> Value {
        if self.blurred.contains(&variable) {
            return Value::Open(Why::Pointer);
        }
        let so_far = self.stores_so_far.get(&variable).copied().unwrap_or(0);
        let is_complete = self.stores_in_code.get(&variable) == Some(&so_far);
        let has = |key: &CellKey| self.stores.contains_key(key) || self.solutions.contains_key(key);
        let own = CellKey::Local(variable, path.to_vec());
        let is_part =
            |key: &CellKey| matches!(key, CellKey::Local(id, parts) if *id == variable && parts.starts_with(path));
        let after = || (Bound::Excluded(&own), Bound::Unbounded);
        let next = [
            self.stores.range(after()).next().map(|(key, _)| key),
            self.solutions.range(after()).next().map(|(key, _)| key),
        ];
        if next.into_iter().flatten().any(is_part)
            && let Some(count) = self.types().part_count(ty).filter(|count| *count <= MOST_PARTS)
        {
            let parts = (0..count).map(|index| {
                let part = self.types().part(ty, index).unwrap_or(0);
                self.load_local(variable, &[path, &[index]].concat(), part)
            });
            return composite(parts.collect());
        }
        let wholes: Vec<usize> =
            (0..=path.len()).filter(|length| has(&CellKey::Local(variable, path[..*length].to_vec()))).collect();
        let mut values: Vec<Value> = Vec::new();
        for length in wholes {
            let whole_ty = if length == path.len() { ty } else { 0 };
            let whole = self.cell(CellKey::Local(variable, path[..length].to_vec()), whole_ty, is_complete);
            let value = self.extract(&whole, &path[length..]);
            if !values.contains(&value) {
                values.push(value);
            }
        }
        match values.as_slice() {
            [] => self.unknown_cell(own, ty),
            [only] => only.clone(),
            many => self.join(&CellKey::Part(Box::new(own), u32::MAX), many),
        }
    }
}
