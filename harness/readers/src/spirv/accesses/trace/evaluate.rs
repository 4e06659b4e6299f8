//! The results of instructions: numbers up to symbols, pointers, and what is in memory.

use std::rc::Rc;

use rspirv::spirv::{BuiltIn, Op, Word};

use super::{CellKey, Origin, Target, Trace, Value, composite};
use crate::spirv::accesses::Why;
use crate::spirv::accesses::code::Instruction;
use crate::spirv::accesses::place::Place;
use crate::spirv::accesses::value::{BitOperation, Reach, Sum, Symbol, SymbolId, SymbolKey, gcd};
use crate::spirv::types::SpirvType;

impl<'a> Trace<'a> {
    pub(super) fn load(&mut self, pointer: Word, ty: Option<Word>, instruction: &Instruction<'_>) -> Value {
        let Value::Pointer(targets) = self.value(pointer) else { return Value::Open(Why::Pointer) };
        let mut values: Vec<Value> = Vec::new();
        for target in targets.iter() {
            let value = match target {
                Target::Memory(place) => {
                    let place = match ty {
                        Some(ty) if place.ty == 0 => place.clone().cast(ty),
                        _ => place.clone(),
                    };
                    self.content(place)
                }
                Target::Local { variable, path: Some(path), ty } => self.load_local(*variable, path, *ty),
                Target::Local { path: None, .. } => Value::Open(Why::Pointer),
                Target::Builtin { builtin, part: Some(part) } => Value::Number(self.builtin(*builtin, *part)),
                Target::Builtin { builtin, part: None } => match ty.map(|ty| self.types().get(ty)) {
                    Some(SpirvType::Vector { length, .. }) if *length <= 4 => {
                        Value::Composite((0..*length).map(|part| Value::Number(self.builtin(*builtin, part))).collect())
                    }
                    Some(SpirvType::Int { .. }) => Value::Number(self.builtin(*builtin, 0)),
                    _ => Value::Open(Why::Pointer),
                },
            };
            if !values.contains(&value) {
                values.push(value);
            }
        }
        match values.as_slice() {
            [only] => only.clone(),
            many => match instruction.result {
                Some(id) => self.join(&CellKey::Joined(id), many),
                None => Value::Open(Why::Pointer),
            },
        }
    }

    /// What is in memory at a place.
    fn content(&mut self, place: Place) -> Value {
        let types = self.types();
        let (bits, signed) = match types.get(place.ty) {
            SpirvType::Int { bits, signed } => (*bits, *signed),
            _ if types.is_address(place.ty) => (64, false),
            _ => return Value::Content(Rc::new(place)),
        };
        let Ok(at) = &place.at else { return Value::Open(Why::Pointer) };
        let key = SymbolKey::Content(place.memory, at.clone());
        let name = self.place_name(&place);
        let symbol = self.symbols.symbol(key, || Symbol {
            name,
            is_free: false,
            least: (!signed).then_some(0),
            most: (bits < 32 && !signed).then(|| (1 << bits) - 1),
            is_wide: bits == 64,
            reach: None,
        });
        match types.get(place.ty) {
            SpirvType::Pointer { pointee, .. } => self.pointer_to(symbol, place.ty, Some(*pointee)),
            SpirvType::UntypedPointer { .. } => self.pointer_to(symbol, place.ty, None),
            _ => Value::Number(Sum::symbol(symbol)),
        }
    }

    fn place_name(&self, place: &Place) -> String {
        let memory = self.memory_of(place.memory);
        let path = self.layouts.path(&place.steps);
        match (memory.origin, memory.name.as_str(), path.as_str()) {
            (Origin::Pointee(_), name, "") => format!("*{name}"),
            // The elements of a buffer.
            (_, name, path) if path.starts_with('[') => format!("{name}{path}"),
            (Origin::Pointee(_), name, path) => format!("{name}->{path}"),
            (Origin::Variable(_), "", path) => path.to_owned(),
            (Origin::Variable(_), name, "") => name.to_owned(),
            (Origin::Variable(_), name, path) => format!("{name}.{path}"),
        }
    }

    fn builtin(&mut self, builtin: BuiltIn, part: u32) -> Sum {
        let size = self.code.local_size.and_then(|sizes| sizes.get(part as usize).copied()).map(i64::from);
        let most = match builtin {
            BuiltIn::LocalInvocationId => size.map(|size| size - 1),
            BuiltIn::LocalInvocationIndex => {
                self.code.local_size.map(|sizes| sizes.iter().map(|size| i64::from(*size)).product::<i64>() - 1)
            }
            _ => None,
        };
        if most == Some(0) {
            return Sum::default();
        }
        let is_free = matches!(
            builtin,
            BuiltIn::GlobalInvocationId
                | BuiltIn::LocalInvocationId
                | BuiltIn::LocalInvocationIndex
                | BuiltIn::WorkgroupId
                | BuiltIn::VertexIndex
                | BuiltIn::InstanceIndex
                | BuiltIn::VertexId
                | BuiltIn::InstanceId
                | BuiltIn::PrimitiveId
                | BuiltIn::SubgroupLocalInvocationId
                | BuiltIn::LaunchIdKHR
        );
        // All invocations of a workgroup run.
        let reach = match builtin {
            BuiltIn::LocalInvocationId | BuiltIn::LocalInvocationIndex => {
                most.map(|most| Reach { most, has_zero: true })
            }
            BuiltIn::GlobalInvocationId => size.map(|size| Reach { most: size - 1, has_zero: false }),
            BuiltIn::WorkgroupId => Some(Reach { most: 0, has_zero: false }),
            _ => None,
        };
        let is_vector = matches!(
            builtin,
            BuiltIn::GlobalInvocationId
                | BuiltIn::LocalInvocationId
                | BuiltIn::WorkgroupId
                | BuiltIn::NumWorkgroups
                | BuiltIn::LaunchIdKHR
                | BuiltIn::LaunchSizeKHR
        );
        let component =
            if is_vector { format!(".{}", ['x', 'y', 'z', 'w'][(part as usize).min(3)]) } else { String::new() };
        let key = SymbolKey::Builtin(builtin, part);
        let symbol = self.symbols.symbol(key, || Symbol {
            name: format!("{builtin:?}{component}"),
            is_free,
            least: Some(0),
            most,
            is_wide: false,
            reach,
        });
        Sum::symbol(symbol)
    }

    /// A part of a composite.
    pub(super) fn extract(&mut self, value: &Value, path: &[u32]) -> Value {
        let Some((first, rest)) = path.split_first() else { return value.clone() };
        match value {
            Value::Composite(parts) => match parts.get(*first as usize) {
                Some(part) => {
                    let part = part.clone();
                    self.extract(&part, rest)
                }
                None => Value::Open(Why::Pointer),
            },
            Value::Content(place) => {
                let part = self.layouts.part(place, &Sum::constant((*first).into()), &self.symbols);
                match part {
                    Some(part) => {
                        let content = self.content(part);
                        self.extract(&content, rest)
                    }
                    None => Value::Open(Why::Pointer),
                }
            }
            Value::Number(_) | Value::Pointer(_) | Value::Open(_) => Value::Open(Why::Pointer),
        }
    }

    fn number(&mut self, id: Word) -> Option<Sum> {
        match self.value(id) {
            Value::Number(sum) => Some(sum),
            _ => None,
        }
    }

    pub(super) fn result(&mut self, instruction: &Instruction<'a>, id: Word, ty: Word) -> Value {
        let op = |index| instruction.operand(index).unwrap_or(0);
        match instruction.op {
            Op::FunctionParameter => {
                let key = CellKey::Parameter(id);
                // Callers come first, so all calls are known.
                match self.stores.get(&key).cloned() {
                    Some(values) => self.join(&key, &values),
                    None => self.opaque(id, 0, ty, false),
                }
            }
            Op::FunctionCall => {
                let called = self.code.functions.iter().find(|function| function.id == op(0));
                for (index, parameter) in called.iter().flat_map(|called| &called.parameters).enumerate() {
                    let value = self.value(op(index + 1));
                    self.add_store(CellKey::Parameter(*parameter), value);
                }
                match self.solutions.get(&CellKey::Return(op(0))) {
                    Some(Value::Open(_)) | None => self.opaque(id, 0, ty, false),
                    Some(known) => known.clone(),
                }
            }
            Op::Variable => {
                let target = Target::Local { variable: id, path: Some(Vec::new()), ty: self.pointee_type(ty) };
                if let Some(initializer) = instruction.operand(1) {
                    let value = self.value(initializer);
                    self.store(&target, value);
                }
                Value::Pointer([target].into())
            }
            Op::Phi => {
                let value = self.phi(instruction, id, ty);
                self.or_opaque(value, id, ty)
            }
            Op::Select => {
                let [yes, no] = [op(1), op(2)].map(|value| self.value(value));
                if yes == no { yes } else { self.join(&CellKey::Joined(id), &[yes, no]) }
            }
            Op::Load => match self.load(op(0), Some(ty), instruction) {
                Value::Open(_) => self.opaque(id, 0, ty, false),
                value => value,
            },
            Op::CopyObject | Op::CopyLogical | Op::UConvert | Op::SConvert | Op::ExpectKHR => {
                let value = self.value(op(0));
                self.or_opaque(value, id, ty)
            }
            Op::AccessChain | Op::InBoundsAccessChain => {
                self.chain(op(0), &ElementStep::None, instruction.operands.get(1..))
            }
            Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {
                let stride = self.type_of(op(0)).and_then(|ty| match self.types().get(ty) {
                    SpirvType::Pointer { stride, .. } => *stride,
                    _ => None,
                });
                let element = self.number(op(1)).zip(stride).and_then(|(index, stride)| index.times(stride.into()));
                let element = element.map_or(ElementStep::Open, ElementStep::Bytes);
                self.chain(op(0), &element, instruction.operands.get(2..))
            }
            Op::UntypedAccessChainKHR | Op::UntypedInBoundsAccessChainKHR => {
                let base = self.value(op(1));
                let base = cast(base, op(0));
                self.chain_from(base, &ElementStep::None, instruction.operands.get(2..))
            }
            Op::ConvertUToPtr | Op::ConvertPtrToU | Op::Bitcast => self.reinterpreted(op(0), id, ty),
            Op::CompositeConstruct => self.constructed(instruction, ty),
            Op::CompositeExtract => {
                let value = self.value(op(0));
                let value = self.extract(&value, instruction.operands.get(1..).unwrap_or_default());
                self.or_opaque(value, id, ty)
            }
            Op::CompositeInsert => {
                let [object, whole] = [op(0), op(1)].map(|value| self.value(value));
                match (whole, instruction.operands.get(2..)) {
                    (Value::Composite(parts), Some([index])) if (*index as usize) < parts.len() => {
                        let mut parts = parts.to_vec();
                        parts[*index as usize] = object;
                        composite(parts)
                    }
                    _ => self.opaque(id, 0, ty, false),
                }
            }
            Op::VectorShuffle => {
                let lengths = [op(0), op(1)].map(|id| self.length_of(id));
                let parts = instruction.operands.get(2..).unwrap_or_default().iter().map(|index| {
                    let (from, index) = if *index < lengths[0] { (op(0), *index) } else { (op(1), index - lengths[0]) };
                    let from = self.value(from);
                    self.extract(&from, &[index])
                });
                let parts: Vec<Value> = parts.collect();
                let is_followed = parts.iter().all(|part| matches!(part, Value::Number(_)));
                if is_followed { composite(parts) } else { self.opaque(id, 0, ty, false) }
            }
            Op::ExtInst if self.code.glsl_sets.contains(&op(0)) => match (op(1), instruction.operands.get(2..)) {
                // UMin, SMin.
                (38 | 39, Some(operands)) => self.chosen(Choice::Min, operands, id),
                // UMax, SMax.
                (41 | 42, Some(operands)) => self.chosen(Choice::Max, operands, id),
                // UClamp, SClamp.
                (44 | 45, Some(operands)) => self.chosen(Choice::Clamp, operands, id),
                _ => self.opaque(id, 0, ty, false),
            },
            Op::BufferPointerEXT => Value::Open(Why::Heap),
            _ => self.arithmetic(instruction, id, ty),
        }
    }

    /// One of several numbers. They are `rest` more than multiples of `step`, and so is the result.
    fn chosen(&mut self, choice: Choice, operands: &[Word], id: Word) -> Value {
        let values: Vec<Value> = operands.iter().map(|operand| self.value(*operand)).collect();
        let number = |value: &Value| match value {
            Value::Number(sum) => Some(sum.clone()),
            _ => None,
        };
        let Some(sums) = values.iter().map(number).collect::<Option<Vec<Sum>>>() else {
            return self.join(&CellKey::Joined(id), &values);
        };
        let bounds = |bound: &dyn Fn(&Sum) -> Option<i64>| -> Vec<Option<i64>> { sums.iter().map(bound).collect() };
        let least = choice.least(&bounds(&|sum| self.symbols.least(sum)));
        let most = choice.most(&bounds(&|sum| self.symbols.most(sum)));
        if let Some(only) = least.filter(|least| most == Some(*least)) {
            return Value::Number(Sum::constant(only));
        }
        let distance = |sum: &Sum| {
            let from_first = sum.base.saturating_sub(sums[0].base);
            sum.terms.iter().fold(from_first.saturating_abs(), |step, (_, factor)| gcd(step, *factor))
        };
        let step = sums.iter().fold(0, |step, sum| gcd(step, distance(sum))).max(1);
        let rest = sums[0].base.rem_euclid(step);
        let is_free_step = |(symbol, factor): &(SymbolId, i64)| {
            self.symbols.get(*symbol).is_free && factor.trailing_zeros() == step.trailing_zeros()
        };
        let is_free = sums.iter().flat_map(|sum| &sum.terms).any(is_free_step);
        let steps = |bound: i64| bound.saturating_sub(rest).div_euclid(step);
        let words = |trace: &Self| {
            let operands: Vec<String> = sums.iter().map(|sum| trace.symbols.words(sum)).collect();
            let call = format!("{}({})", choice.word(), operands.join(", "));
            match (rest, step) {
                (0, 1) => call,
                (0, step) => format!("({call}/{step})"),
                (rest, step) => format!("(({call} - {rest})/{step})"),
            }
        };
        let symbol = self.bounded(id, least.map(steps), most.map(steps), is_free, words);
        let sum = Sum::symbol(symbol).times(step).and_then(|sum| sum.plus(&Sum::constant(rest)));
        sum.map_or(Value::Open(Why::ManyTerms), Value::Number)
    }

    fn or_opaque(&mut self, value: Value, id: Word, ty: Word) -> Value {
        match value {
            Value::Open(_) => self.opaque(id, 0, ty, false),
            value => value,
        }
    }

    fn length_of(&self, vector: Word) -> u32 {
        let ty = self.type_of(vector);
        let known = ty.and_then(|ty| self.types().part_count(ty));
        known
            .or_else(|| match self.constants.get(&vector) {
                Some(Value::Composite(parts)) => u32::try_from(parts.len()).ok(),
                _ => None,
            })
            .unwrap_or(0)
    }

    /// The value of a phi: at once if no incoming value follows later in the code, else as the last pass left it.
    fn phi(&mut self, phi: &Instruction<'_>, id: Word, ty: Word) -> Value {
        let key = CellKey::Joined(id);
        let mut values: Vec<Value> = Vec::new();
        for incoming in phi.operands.chunks_exact(2) {
            if self.values.contains_key(&incoming[0]) || !matches!(self.constant(incoming[0]), Value::Open(_)) {
                let value = self.value(incoming[0]);
                if !values.contains(&value) {
                    values.push(value);
                }
            } else {
                return self.cell(key, ty, false);
            }
        }
        self.join(&key, &values)
    }

    fn chain(&mut self, base: Word, element: &ElementStep, indices: Option<&[Word]>) -> Value {
        let base = self.value(base);
        self.chain_from(base, element, indices)
    }

    /// A pointer into what `base` points to, after a step through elements.
    fn chain_from(&mut self, base: Value, element: &ElementStep, indices: Option<&[Word]>) -> Value {
        let targets = match base {
            Value::Pointer(targets) => targets,
            Value::Open(why) => return Value::Open(why),
            _ => return Value::Open(Why::Pointer),
        };
        let indices: Vec<Option<Sum>> = indices.unwrap_or_default().iter().map(|index| self.number(*index)).collect();
        let mut found = Vec::new();
        for target in targets.iter() {
            let target = match target {
                Target::Memory(place) => {
                    let mut place = place.clone();
                    match element {
                        ElementStep::Bytes(bytes) => {
                            place = place.plus(bytes);
                            if place.steps.is_empty() {
                                place.root_at.clone_from(&place.at);
                            }
                        }
                        ElementStep::Open => place.at = Err(Why::ManyTerms),
                        ElementStep::None => {}
                    }
                    for index in &indices {
                        // A number that is not followed is an index all the same.
                        let index = match index {
                            Some(index) => index.clone(),
                            None => return Value::Open(Why::ManyTerms),
                        };
                        match self.layouts.part(&place, &index, &self.symbols) {
                            Some(part) => place = part,
                            None => return Value::Open(Why::Pointer),
                        }
                    }
                    Target::Memory(place)
                }
                Target::Local { variable, path, ty } => {
                    let (mut path, mut ty) = (path.clone(), *ty);
                    for index in &indices {
                        let constant = index.as_ref().and_then(Sum::as_constant);
                        let constant = constant.and_then(|index| u32::try_from(index).ok());
                        ty = self.types().part(ty, constant.unwrap_or(0)).unwrap_or(0);
                        path = path.zip(constant).map(|(mut path, index)| {
                            path.push(index);
                            path
                        });
                    }
                    Target::Local { variable: *variable, path, ty }
                }
                Target::Builtin { builtin, .. } => match indices.as_slice() {
                    [Some(index)] => {
                        let part = index.as_constant().and_then(|index| u32::try_from(index).ok());
                        Target::Builtin { builtin: *builtin, part }
                    }
                    _ => return Value::Open(Why::Pointer),
                },
            };
            found.push(target);
        }
        Value::Pointer(found.into())
    }

    /// The same bits as another type.
    fn reinterpreted(&mut self, from: Word, id: Word, ty: Word) -> Value {
        let value = self.value(from);
        let types = self.types();
        let is_number = matches!(types.get(ty), SpirvType::Int { bits: 64, .. });
        match (&value, types.is_address(ty)) {
            (Value::Pointer(_), true) => {
                let pointee = self.pointee_type(ty);
                cast(value, pointee)
            }
            (Value::Pointer(targets), false) if is_number => match &targets[..] {
                [Target::Memory(place)] => match (self.memory_of(place.memory).origin, &place.at) {
                    (Origin::Pointee(address), Ok(at)) => {
                        let sum = at.plus(&Sum::symbol(address));
                        sum.map_or_else(|| self.opaque(id, 0, ty, false), Value::Number)
                    }
                    _ => self.opaque(id, 0, ty, false),
                },
                _ => self.opaque(id, 0, ty, false),
            },
            (Value::Number(sum), true) => {
                let sum = sum.clone();
                self.pointer_of(&sum, id, ty)
            }
            // An address in two words.
            (Value::Content(place), to_address) if to_address || is_number => match &place.at {
                Ok(at) => {
                    let key = SymbolKey::Content(place.memory, at.clone());
                    let name = self.place_name(place);
                    let symbol = self.symbols.symbol(key, || Symbol {
                        name,
                        is_free: false,
                        least: Some(0),
                        most: None,
                        is_wide: true,
                        reach: None,
                    });
                    self.symbols.get_mut(symbol).is_wide = true;
                    if to_address { self.pointer_to(symbol, ty, None) } else { Value::Number(Sum::symbol(symbol)) }
                }
                Err(_) => self.opaque(id, 0, ty, false),
            },
            (Value::Number(_), false) if matches!(types.get(ty), SpirvType::Int { .. }) => value,
            (Value::Composite(_), false) if matches!(types.get(ty), SpirvType::Vector { .. }) => {
                let is_same = self.type_of(from).and_then(|from| types.part_count(from)) == types.part_count(ty);
                if is_same { value } else { self.opaque(id, 0, ty, false) }
            }
            _ => self.opaque(id, 0, ty, false),
        }
    }

    /// A pointer to an address that is a number.
    fn pointer_of(&mut self, address: &Sum, id: Word, ty: Word) -> Value {
        let is_base = |(symbol, factor): &&(SymbolId, i64)| *factor == 1 && self.symbols.get(*symbol).is_wide;
        let bases: Vec<SymbolId> = address.terms.iter().filter(is_base).map(|(symbol, _)| *symbol).collect();
        let Some(base) = bases.first().copied() else {
            return self.opaque(id, 0, ty, false);
        };
        let pointee = self.pointee_type(ty);
        let memory = self.pointee(base, None);
        let place = Place::start(memory, pointee).plus(&address.without(base));
        let place = Place { root_at: place.at.clone(), ..place };
        Value::Pointer([Target::Memory(place)].into())
    }

    fn constructed(&mut self, instruction: &Instruction<'_>, ty: Word) -> Value {
        let mut parts = Vec::new();
        let is_vector = matches!(self.types().get(ty), SpirvType::Vector { .. });
        for operand in instruction.operands {
            let value = self.value(*operand);
            let is_part_vector = is_vector
                && self.type_of(*operand).is_some_and(|ty| matches!(self.types().get(ty), SpirvType::Vector { .. }));
            if is_part_vector {
                let length = self.length_of(*operand);
                parts.extend((0..length).map(|index| self.extract(&value, &[index])).collect::<Vec<_>>());
            } else {
                parts.push(value);
            }
        }
        composite(parts)
    }

    fn arithmetic(&mut self, instruction: &Instruction<'a>, id: Word, ty: Word) -> Value {
        let SpirvType::Vector { component, length } = *self.types().get(ty) else {
            let operands: Vec<Option<Sum>> = instruction.operands.iter().map(|operand| self.number(*operand)).collect();
            return match self.computed(instruction.op, &operands, id) {
                Some(sum) => Value::Number(sum),
                None => self.opaque(id, 0, ty, false),
            };
        };
        if length > 4 || !is_followed(instruction.op) {
            return self.opaque(id, 0, ty, false);
        }
        let operands: Vec<Value> = instruction.operands.iter().map(|operand| self.value(*operand)).collect();
        let parts = (0..length).map(|index| {
            let mut numbers = Vec::new();
            for operand in &operands {
                numbers.push(match self.extract(operand, &[index]) {
                    Value::Number(sum) => Some(sum),
                    _ => None,
                });
            }
            match self.computed(instruction.op, &numbers, id) {
                // A symbol of the whole would be the same for each component.
                Some(sum) if self.symbols.known(&SymbolKey::Result(id, 0)).is_none_or(|own| sum.factor(own) == 0) => {
                    Value::Number(sum)
                }
                found => {
                    let is_free = found.is_some_and(|sum| self.symbols.has_free(&sum));
                    self.opaque(id, index + 1, component, is_free)
                }
            }
        });
        composite(parts.collect())
    }

    /// The result of an operation on numbers; `None` if it is not followed.
    ///
    /// A sum stands for its value without the limits of 32 bits: overflow does not change the low bits, which decide
    /// alignments.
    fn computed(&mut self, op: Op, operands: &[Option<Sum>], id: Word) -> Option<Sum> {
        let first = operands.first()?.as_ref();
        let second = operands.get(1).and_then(Option::as_ref);
        let power = |number: &Sum| {
            let bits = u32::try_from(number.as_constant()?).ok()?;
            1_i64.checked_shl(bits).filter(|_| bits < 62)
        };
        match op {
            Op::IAdd => first?.plus(second?),
            Op::ISub => first?.minus(second?),
            Op::SNegate => first?.times(-1),
            Op::IMul => match (first?.as_constant(), second?.as_constant()) {
                (Some(factor), _) => second?.times(factor),
                (_, Some(factor)) => first?.times(factor),
                (None, None) => {
                    let factor = first?.divisor().checked_mul(second?.divisor())?;
                    let is_free = |sum: &Sum| sum.terms.iter().all(|(symbol, _)| self.symbols.get(*symbol).is_free);
                    let is_free = is_free(first?) && is_free(second?);
                    let words = |trace: &Self| parted(trace.binary(first, "*", second), factor);
                    self.small(id, None, is_free, words).times(factor.max(1))
                }
            },
            Op::ShiftLeftLogical => first?.times(power(second?)?),
            Op::ShiftRightLogical | Op::ShiftRightArithmetic => Some(self.quotient(first?, power(second?)?, id)),
            Op::UDiv | Op::SDiv => match second?.as_constant().filter(|divisor| *divisor > 0) {
                Some(divisor) => Some(self.quotient(first?, divisor, id)),
                None => {
                    let is_free = self.symbols.has_free(first?);
                    Some(self.small(id, None, is_free, |trace| trace.binary(first, "/", second)))
                }
            },
            Op::UMod | Op::SMod | Op::SRem => match second?.as_constant().filter(|divisor| *divisor > 0) {
                Some(divisor) => self.remainder(first?, divisor, id),
                None => {
                    let is_free = self.symbols.has_free(first?);
                    Some(self.small(id, None, is_free, |trace| trace.binary(first, "%", second)))
                }
            },
            Op::BitwiseAnd => match (first?.as_constant(), second?.as_constant()) {
                (Some(mask), _) => self.masked(second?, mask, id),
                (_, Some(mask)) => self.masked(first?, mask, id),
                (None, None) => None,
            },
            Op::BitwiseOr => {
                let (first, second) = (first?, second?);
                // The bits of a sum of disjoint parts.
                let is_below = |small: &Sum, large: &Sum| {
                    let is_positive = self.symbols.least(small).is_some_and(|least| least >= 0);
                    let most = self.symbols.most(small).filter(|_| is_positive);
                    let divisor = large.divisor();
                    let aligned = if divisor == 0 { i64::MAX } else { 1 << divisor.trailing_zeros().min(62) };
                    most.is_some_and(|most| most < aligned)
                };
                let most = |symbol: SymbolId| {
                    let symbol = self.symbols.get(symbol);
                    symbol.most.filter(|_| symbol.least.is_some_and(|least| least >= 0))
                };
                let bits = |sum: &Sum| sum.possible_bits(most);
                let is_disjoint = bits(first).zip(bits(second)).is_some_and(|(one, other)| one & other == 0);
                if is_disjoint || is_below(first, second) || is_below(second, first) {
                    return first.plus(second);
                }
                self.with_constant(BitOperation::Or, first, second, id)
            }
            Op::BitwiseXor => self.with_constant(BitOperation::Xor, first?, second?, id),
            _ => None,
        }
    }

    /// The result of an operation on bits with a constant: a sum whose low bits are known, even if the others are not.
    fn with_constant(&mut self, operation: BitOperation, first: &Sum, second: &Sum, id: Word) -> Option<Sum> {
        let (value, constant) = match (first.as_constant(), second.as_constant()) {
            (_, Some(constant)) => (first, constant),
            (Some(constant), None) => (second, constant),
            (None, None) => return None,
        };
        if let Some(sum) = value.with_bits(operation, constant) {
            return Some(sum);
        }
        let step = value.known_low_bits();
        let low = operation.of(value.base, constant).rem_euclid(step);
        let sign = if operation == BitOperation::Xor { "^" } else { "|" };
        let words = |trace: &Self| parted(trace.with_number(value, sign, constant), step);
        self.small(id, None, false, words).times(step)?.plus(&Sum::constant(low))
    }

    /// An operation in the words of the module.
    fn binary(&self, first: Option<&Sum>, operator: &str, second: Option<&Sum>) -> String {
        let words = |sum: Option<&Sum>| sum.map_or_else(String::new, |sum| self.symbols.words(sum));
        format!("({} {operator} {})", words(first), words(second))
    }

    fn with_number(&self, first: &Sum, operator: &str, second: i64) -> String {
        self.binary(Some(first), operator, Some(&Sum::constant(second)))
    }

    fn quotient(&mut self, dividend: &Sum, divisor: i64, id: Word) -> Sum {
        if let Some(quotient) = dividend.divided_by(divisor) {
            return quotient;
        }
        if let Some(constant) = dividend.as_constant().filter(|constant| *constant >= 0) {
            return Sum::constant(constant / divisor);
        }
        let most = self.symbols.most(dividend).map(|most| most / divisor);
        let is_free = self.symbols.has_free(dividend);
        let reach = self.reach(dividend).map(|reach| Reach { most: reach.most / divisor, ..reach });
        let quotient = self.small(id, most, is_free, |trace| trace.with_number(dividend, "/", divisor));
        self.set_reach(&quotient, reach);
        quotient
    }

    fn remainder(&mut self, dividend: &Sum, divisor: i64, id: Word) -> Option<Sum> {
        let rest = dividend.rest_of(divisor);
        if let Some(constant) = rest.as_constant() {
            return Some(Sum::constant(constant));
        }
        if self.symbols.least(&rest).is_some_and(|least| least >= 0)
            && self.symbols.most(&rest).is_some_and(|most| most < divisor)
        {
            return Some(rest);
        }
        let factor = gcd(rest.divisor(), divisor);
        let is_free = self.symbols.has_free(&rest);
        let words = |trace: &Self| parted(trace.with_number(dividend, "%", divisor), factor);
        // The values of a number that the host moves are consecutive.
        let reach = self.reach(&rest).filter(|reach| reach.has_zero || reach.most + 1 >= divisor);
        let reach = reach.map(|reach| Reach { most: reach.most.min(divisor - 1), has_zero: true });
        let remainder = self.small(id, Some((divisor - 1) / factor.max(1)), is_free, words);
        self.set_reach(&remainder, reach);
        remainder.times(factor.max(1))
    }

    /// The values of a number that is one of an invocation's. The values of a loop's counter are those within the loop.
    fn reach(&self, sum: &Sum) -> Option<Reach> {
        let [(symbol, 1)] = sum.terms[..] else { return None };
        let is_counter = matches!(self.symbols.key(symbol), SymbolKey::Steps(_));
        self.symbols.get(symbol).reach.filter(|_| sum.base == 0 && !is_counter)
    }

    fn set_reach(&mut self, sum: &Sum, reach: Option<Reach>) {
        if let [(symbol, 1)] = sum.terms[..] {
            self.symbols.get_mut(symbol).reach = reach;
        }
    }

    fn masked(&mut self, value: &Sum, mask: i64, id: Word) -> Option<Sum> {
        if let Some(constant) = value.as_constant() {
            return Some(Sum::constant(constant & mask));
        }
        if let Some(sum) = value.with_bits(BitOperation::And, mask) {
            return Some(sum);
        }
        match mask {
            0 => Some(Sum::default()),
            low if low > 0 && (low + 1).count_ones() == 1 => self.remainder(value, low + 1, id),
            _ => {
                // Bits that neither have.
                let step =
                    (1_i64 << mask.trailing_zeros().min(62)).max(value.divisor() & value.divisor().wrapping_neg());
                let most = Some(mask).filter(|mask| *mask >= 0).or_else(|| self.symbols.most(value));
                let is_free = self.symbols.has_free(value) && mask < 0;
                let words = |trace: &Self| parted(trace.with_number(value, "&", mask), step);
                self.small(id, most.map(|most| most / step), is_free, words).times(step)
            }
        }
    }
}

/// An operation that has one of its operands as its result.
#[derive(Clone, Copy, Debug)]
enum Choice {
    Min,
    Max,
    /// A number, the least result and the greatest.
    Clamp,
}

impl Choice {
    fn word(self) -> &'static str {
        match self {
            Self::Min => "min",
            Self::Max => "max",
            Self::Clamp => "clamp",
        }
    }

    /// The least result for these least operands.
    fn least(self, operands: &[Option<i64>]) -> Option<i64> {
        match (self, operands) {
            (Self::Min, all) => all.iter().copied().min()?,
            (Self::Max, all) => all.iter().copied().max()?,
            (Self::Clamp, [number, low, high]) => Self::Min.least(&[(*number).max(*low), *high]),
            (Self::Clamp, _) => None,
        }
    }

    /// The greatest result for these greatest operands.
    fn most(self, operands: &[Option<i64>]) -> Option<i64> {
        match (self, operands) {
            (Self::Min, all) => all.iter().copied().flatten().min(),
            (Self::Max, all) => all.iter().copied().collect::<Option<Vec<_>>>()?.into_iter().max(),
            (Self::Clamp, [number, low, high]) => Self::Min.most(&[Self::Max.most(&[*number, *low]), *high]),
            (Self::Clamp, _) => None,
        }
    }
}

/// The words of a number by whose parts a sum counts.
fn parted(words: String, part: i64) -> String {
    if part > 1 { format!("({words}/{part})") } else { words }
}

/// A pointer to the same bytes as another type.
fn cast(pointer: Value, pointee: Word) -> Value {
    match pointer {
        Value::Pointer(targets) => {
            let cast = |target: &Target| match target {
                Target::Memory(place) => Target::Memory(place.clone().cast(pointee)),
                other => other.clone(),
            };
            Value::Pointer(targets.iter().map(cast).collect())
        }
        other => other,
    }
}

/// A step from one element of memory to another.
enum ElementStep {
    None,
    Bytes(Sum),
    /// By a number that is not followed.
    Open,
}

/// Operations that [`Trace::computed`] follows.
fn is_followed(op: Op) -> bool {
    matches!(
        op,
        Op::IAdd
            | Op::ISub
            | Op::SNegate
            | Op::IMul
            | Op::ShiftLeftLogical
            | Op::ShiftRightLogical
            | Op::ShiftRightArithmetic
            | Op::UDiv
            | Op::SDiv
            | Op::UMod
            | Op::SMod
            | Op::SRem
            | Op::BitwiseAnd
            | Op::BitwiseOr
            | Op::BitwiseXor
    )
}
