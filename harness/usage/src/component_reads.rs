//! Finds how code reads the components of members, by the members' names.

use std::collections::BTreeMap;

use layoutproof_layout::{ComponentReads, Components, Scalar, Type};

use layoutproof_frontend::module::Module;
use layoutproof_frontend::module::code::{BinaryOperator, Expression, Literal, Statement};

/// The functions of HLSL and Slang that take the bits of a number as another kind of number.
const RECASTS: [&str; 7] = ["asfloat", "asfloat16", "asint", "asint16", "asuint", "asuint16", "bit_cast"];

/// All components of a vector.
const ALL: Components = 0b1111;

/// What the functions of a module read of members.
pub fn component_reads(module: &Module) -> ComponentReads {
    let mut reads = ComponentReads::default();
    for code in module.functions.iter().filter_map(|function| function.code.as_ref()) {
        let mut reader = Reader { reads: &mut reads, locals: BTreeMap::new() };
        for plane in &code.clip_planes {
            reader.read(plane, u32::MAX);
        }
        reader.statements(&code.body);
    }
    if module.functions.iter().any(|function| function.code.is_none()) {
        reads.read_all();
    }
    reads
}

struct Reader<'a> {
    reads: &'a mut ComponentReads,
    /// Local variables that are copies of members, by slot.
    locals: BTreeMap<usize, (String, Components)>,
}

impl Reader<'_> {
    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Expression(value) | Statement::Return(Some(value)) => self.read(value, u32::MAX),
            Statement::Local { slot, ty, initial: Some(value) } => {
                // An integer may be a float of the block, converted.
                let may_be_copy = match ty {
                    Some(Type::Scalar(scalar)) => *scalar == Scalar::Float32,
                    Some(Type::Vector { .. } | Type::Struct(_)) => true,
                    _ => false,
                };
                match part(&self.locals, value).filter(|_| may_be_copy) {
                    Some(part) => {
                        self.objects(value);
                        self.locals.insert(*slot, part);
                    }
                    None => self.read(value, u32::MAX),
                }
            }
            Statement::Block(inner) => self.statements(inner),
            Statement::If { condition, then, otherwise } => {
                self.read(condition, u32::MAX);
                self.statements(then);
                self.statements(otherwise);
            }
            Statement::Loop { before, condition, step, body, .. } => {
                self.statements(before);
                condition.iter().chain(step).for_each(|value| self.read(value, u32::MAX));
                self.statements(body);
            }
            Statement::Switch { value, cases } => {
                self.read(value, u32::MAX);
                for case in cases {
                    self.statements(&case.body);
                }
            }
            Statement::Local { initial: None, .. }
            | Statement::Return(None)
            | Statement::Break
            | Statement::Continue
            | Statement::Discard => {}
        }
    }

    /// Reads these bits of a value.
    fn read(&mut self, value: &Expression, bits: u32) {
        if let Some((name, components)) = part(&self.locals, value) {
            self.reads.add(&name, components, bits);
            return self.objects(value);
        }
        match value {
            Expression::Call(call) => {
                let name = call.name.split('<').next().unwrap_or_default();
                let recast = match call.arguments.as_slice() {
                    [only] if RECASTS.contains(&name) => part(&self.locals, only),
                    _ => None,
                };
                if let (Some((name, components)), [only]) = (recast, call.arguments.as_slice()) {
                    self.reads.add_recast(&name, components);
                    return self.objects(only);
                }
                call.object.iter().chain(&call.arguments).for_each(|value| self.read(value, u32::MAX));
            }
            Expression::Binary(operator, left, right) => {
                let (of_left, of_right) = match (operator, constant(left), constant(right)) {
                    (BinaryOperator::BitAnd, None, Some(mask)) => (mask, 0),
                    (BinaryOperator::BitAnd, Some(mask), None) => (0, mask),
                    (BinaryOperator::ShiftRight, None, Some(distance)) => {
                        (u32::MAX.checked_shl(distance).unwrap_or(u32::MAX), 0)
                    }
                    _ => (u32::MAX, u32::MAX),
                };
                self.read(left, of_left);
                self.read(right, of_right);
            }
            // Code that writes to a buffer counts as reading.
            Expression::Assign { target, value, .. } => {
                self.read(target, u32::MAX);
                self.read(value, u32::MAX);
            }
            Expression::Member(value, _)
            | Expression::Unary(_, value)
            | Expression::Cast(_, value)
            | Expression::Step { target: value, .. } => self.read(value, u32::MAX),
            Expression::Index(object, index) => {
                self.read(object, u32::MAX);
                self.read(index, u32::MAX);
            }
            Expression::Select(values) => {
                for value in values.iter() {
                    self.read(value, u32::MAX);
                }
            }
            Expression::Construct(_, values) | Expression::List(values) | Expression::Sequence(values) => {
                for value in values {
                    self.read(value, u32::MAX);
                }
            }
            Expression::Constant(_)
            | Expression::Local(_)
            | Expression::This
            | Expression::Global(_)
            | Expression::Opaque => {}
        }
    }

    /// Reads what leads to a part: its indices, and the call that returns its struct.
    fn objects(&mut self, value: &Expression) {
        match value {
            Expression::Member(object, _) => self.objects(object),
            Expression::Index(object, index) => {
                self.objects(object);
                self.read(index, u32::MAX);
            }
            Expression::Local(_) | Expression::This | Expression::Global(_) => {}
            other => self.read(other, u32::MAX),
        }
    }
}

/// The member that a value is or is part of, with its components; `None` for other values.
fn part(locals: &BTreeMap<usize, (String, Components)>, value: &Expression) -> Option<(String, Components)> {
    match value {
        Expression::Member(object, name) => match swizzled(name) {
            Some(chosen) => part(locals, object).map(|(name, all)| (name, if all == ALL { chosen } else { all })),
            None => Some((name.clone(), ALL)),
        },
        Expression::Index(object, _) => part(locals, object),
        Expression::Global(name) => Some((name.rsplit("::").next().unwrap_or(name).to_owned(), ALL)),
        Expression::Local(slot) => locals.get(slot).cloned(),
        _ => None,
    }
}

/// The components that a swizzle chooses.
fn swizzled(name: &str) -> Option<Components> {
    let component = |letter| "xyzw".find(letter).or_else(|| "rgba".find(letter)).map(|index| 1 << index);
    let chosen: Option<Vec<Components>> = name.chars().map(component).collect();
    chosen.filter(|chosen| chosen.len() <= 4).map(|chosen| chosen.into_iter().fold(0, |sum, one| sum | one))
}

fn constant(value: &Expression) -> Option<u32> {
    match value {
        Expression::Constant(Literal::Integer { value, .. }) => u32::try_from(*value).ok(),
        _ => None,
    }
}
