//! Evaluates constant expressions with C's integer rules: signed values are exact in 64 bits
//! (overflow is an error), `uint` values wrap at 32 bits.

use std::rc::Rc;

use layoutproof_layout::Span;
use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::Type;

use super::scope::{TypeEntry, TypeId, ValueEntry, ValueId};
use super::unused::TypeKey;
use super::{Elaborator, GenericValue, LookupContext};
use crate::ast::{
    BinaryOperator, EnumDeclaration, EnumeratorSyntax, Expression, NamePath, Operation, TypeExpression, TypeKind,
    UnaryOperator,
};
use crate::elaborate::builtin;
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::top_level::is_like_macro;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Constant {
    pub(super) value: i64,
    /// True if arithmetic wraps at 32 bits.
    unsigned: bool,
}

impl Constant {
    fn signed(value: i64) -> Self {
        Self { value, unsigned: false }
    }

    /// Keeps the low 32 bits.
    fn unsigned(value: i64) -> Self {
        Self { value: value & 0xFFFF_FFFF, unsigned: true }
    }

    fn boolean(value: bool) -> Self {
        Self::signed(i64::from(value))
    }
}

pub(super) type ConstantResult = Result<Constant, Diagnostic>;

impl<'t> Elaborator<'t> {
    /// Evaluates `expression` and reports a problem.
    pub(super) fn integer(&mut self, expression: &Expression<'t>, context: &LookupContext) -> Option<i64> {
        match self.evaluate(expression, context) {
            Ok(constant) => Some(constant.value),
            Err(problem) => self.problems.refuse(problem),
        }
    }

    pub(super) fn evaluate(&mut self, expression: &Expression<'t>, context: &LookupContext) -> ConstantResult {
        // Problems stay on the stack, because `?:`, `&&` and `||` drop those of the operand that they do not select.
        let mut stack: Vec<ConstantResult> = Vec::new();
        for (operation, span) in &expression.operations {
            let mut pop = || stack.pop().unwrap_or_else(|| Err(not_constant(*span)));
            let result = match operation {
                Operation::Integer { value, unsigned } => literal(*value, *unsigned, *span),
                Operation::Boolean(value) => Ok(Constant::boolean(*value)),
                Operation::Name(path) => self.named_constant(path, context),
                Operation::Unary(operator) => pop().and_then(|operand| unary(*operator, operand, *span)),
                Operation::Binary(operator) => {
                    let right = pop();
                    binary(*operator, pop(), right, *span)
                }
                Operation::Select => {
                    let (second, first) = (pop(), pop());
                    pop().and_then(|condition| if condition.value != 0 { first } else { second })
                }
                Operation::Cast(path) => {
                    let operand = pop();
                    operand.and_then(|operand| self.cast(path, operand, context))
                }
                Operation::SizeOf(operand) => {
                    let bytes = operand.as_ref().and_then(|operand| builtin::bytes(operand.text));
                    bytes.map(|bytes| Constant::unsigned(bytes.into())).ok_or_else(|| size_of(*span))
                }
                Operation::Opaque => Err(not_constant(*span)),
            };
            stack.push(result);
        }

        stack.pop().unwrap_or_else(|| Err(not_constant(expression.span)))
    }

    fn cast(&mut self, path: &NamePath<'t>, operand: Constant, context: &LookupContext) -> ConstantResult {
        let [part] = path.parts.as_slice() else { return Err(not_constant(path.span)) };
        match builtin::numeric(part.name.text) {
            Some(Type::Scalar(scalar)) => convert(operand, scalar, path.span),
            Some(_) => Err(not_constant(path.span)),
            None => match self.find_type(path, context).map(|id| self.symbols.ty(id).entry) {
                Some(TypeEntry::Enum(_)) => Ok(operand),
                _ => Err(not_constant(path.span)),
            },
        }
    }

    fn named_constant(&mut self, path: &NamePath<'t>, context: &LookupContext) -> ConstantResult {
        if let Some(GenericValue::Integer(value)) = self.generic(path, context) {
            return Ok(Constant::signed(value));
        }
        match self.find_value(path, context) {
            Some((id, inside)) => self.constant(id, &inside),
            None => Err(self.unknown_constant(path)),
        }
    }

    fn unknown_constant(&self, path: &NamePath<'t>) -> Diagnostic {
        let names: Vec<&str> = path.parts.iter().map(|part| part.name.text).collect();
        let name = names.join("::");
        let problem = Diagnostic::error(Code::UnknownConstant, path.span, format!("no constant is named `{name}`"));
        match self.unread_modules() {
            Some(help) => problem.with_help(help),
            None if is_like_macro(&name) => problem.with_missing_macros(&[&name]),
            None => problem.with_help("constants are enumerators, generic values and `static const` variables"),
        }
    }

    /// Returns the value of a declared constant. Evaluates it once per set of generic arguments.
    pub(super) fn constant(&mut self, id: ValueId, context: &LookupContext) -> ConstantResult {
        let (ty, value) = match self.symbols.value(id).entry {
            ValueEntry::Constant { ty, value } => (ty, value),
            ValueEntry::Enumerator { declaration, index } => return self.enumerator(declaration, index, context),
            ValueEntry::Linked { name } => {
                let message = format!("`{}` gets its value when modules are linked, so it is unknown here", name.text);
                return Err(Diagnostic::error(Code::NotConstant, name.span, message));
            }
            ValueEntry::Specialised { name } => {
                let message = format!("`{}` is a specialization constant, so its value is unknown here", name.text);
                let problem = Diagnostic::error(Code::NotConstant, name.span, message);
                let help = "slangc 2026.14.1 puts every member of a struct with such an array at offset 0, and its \
                            reflection fails; DXC refuses such an array";
                return Err(problem.with_help(help));
            }
        };

        let key = (id, context.key.clone());
        if let Some(known) = self.constants.get(&key) {
            return known.clone();
        }
        let cycle = Diagnostic::error(Code::NotConstant, value.span, "this constant depends on itself");
        self.constants.insert(key.clone(), Err(cycle));
        let result = self.guarded(value.span, |elaborator| {
            let constant = elaborator.evaluate(value, context)?;
            match constant_scalar(ty) {
                Some(scalar) => convert(constant, scalar, value.span),
                None => Ok(constant),
            }
        });

        self.constants.insert(key, result.clone());
        result
    }

    /// Returns the value of an enumerator. Computes all values of the enum at once, in order, without recursion.
    fn enumerator(&mut self, id: TypeId, index: usize, context: &LookupContext) -> ConstantResult {
        let symbol = self.symbols.ty(id);
        let (TypeEntry::Enum(declaration), span) = (symbol.entry, symbol.span) else {
            return Err(not_constant(symbol.span));
        };
        let key = (id, Rc::clone(&context.key));
        if !self.enumerators.contains_key(&key) {
            // The enumerators are names inside the enum, also for an `enum class`.
            let inside = self.symbols.namespace(symbol.scope, declaration.name.text).unwrap_or(symbol.scope);
            let context = LookupContext { scope: inside, ..context.clone() };
            self.guarded(span, |elaborator| {
                elaborator.compute_enumerators(&key, declaration, &context);
                Ok(())
            })?;
        }

        let known = self.enumerators.get(&key).and_then(|values| values.get(index)).cloned();
        known.unwrap_or_else(|| {
            Err(Diagnostic::error(Code::NotConstant, span, "an enumerator depends on one that comes after it"))
        })
    }

    /// Computes the values of all enumerators of an enum. Later ones can refer to earlier ones.
    fn compute_enumerators(&mut self, key: &TypeKey, declaration: &'t EnumDeclaration<'t>, context: &LookupContext) {
        self.enumerators.insert(key.clone(), Vec::new());
        let mut next = Ok(Constant::signed(0));

        for EnumeratorSyntax { name, value } in &declaration.enumerators {
            let result = match value {
                Some(expression) => self.evaluate(expression, context),
                None => next,
            };

            // An overflow matters only if the next enumerator has no explicit value.
            next = result.clone().and_then(|constant| {
                if self.is_slang {
                    return following(constant, declaration.underlying.as_ref(), name.span);
                }
                let overflow = || Diagnostic::error(Code::BadConstant, name.span, "the next enumerator overflows");
                constant.value.checked_add(1).map(|value| Constant { value, ..constant }).ok_or_else(overflow)
            });
            self.enumerators.entry(key.clone()).or_default().push(result);
        }
    }
}

/// Returns the value of the next enumerator. It may wrap: slangc 2026.14.1 only warns (E32006).
fn following(constant: Constant, underlying: Option<&TypeExpression<'_>>, span: Span) -> ConstantResult {
    let next = Constant { value: constant.value.wrapping_add(1), ..constant };
    match underlying.map_or(Some(Scalar::Int32), constant_scalar) {
        // An enum of `bool` has only one value other than 0.
        Some(Scalar::Bool) => Ok(Constant::boolean(constant.value == 0)),
        Some(scalar) => convert(next, scalar, span),
        None => Ok(next),
    }
}

/// Returns the scalar type that a constant is converted to. `None` keeps the value.
fn constant_scalar(ty: &TypeExpression<'_>) -> Option<Scalar> {
    match &ty.kind {
        TypeKind::Path(path) => match path.parts.as_slice() {
            [part] => match builtin::numeric(part.name.text)? {
                Type::Scalar(scalar) => Some(scalar),
                // The initialiser of a vector or matrix may be one number, but it is not an integer constant.
                _ => Some(Scalar::Float32),
            },
            _ => None,
        },
        TypeKind::Struct(_) | TypeKind::Enum(_) => None,
    }
}

/// Creates the error for an expression that is not an integer constant.
fn not_constant(span: Span) -> Diagnostic {
    Diagnostic::error(Code::NotConstant, span, "this is not an integer constant")
}

fn size_of(span: Span) -> Diagnostic {
    Diagnostic::error(Code::NotConstant, span, "`sizeof` is not evaluated here: write the number of bytes")
}

fn overflow(span: Span) -> Diagnostic {
    Diagnostic::error(Code::BadConstant, span, "this constant does not fit in 64 bits")
}

fn literal(value: u64, unsigned: bool, span: Span) -> ConstantResult {
    let value = i64::try_from(value).map_err(|_| overflow(span))?;
    Ok(if unsigned && value <= i64::from(u32::MAX) { Constant::unsigned(value) } else { Constant::signed(value) })
}

fn unary(operator: UnaryOperator, operand: Constant, span: Span) -> ConstantResult {
    let rewrap = |value: i64| if operand.unsigned { Constant::unsigned(value) } else { Constant::signed(value) };
    match operator {
        UnaryOperator::Plus => Ok(operand),
        UnaryOperator::Minus => operand.value.checked_neg().map(rewrap).ok_or_else(|| overflow(span)),
        UnaryOperator::Complement => Ok(rewrap(!operand.value)),
        UnaryOperator::Not => Ok(Constant::boolean(operand.value == 0)),
        UnaryOperator::Part => Err(not_constant(span)),
    }
}

fn binary(operator: BinaryOperator, left: ConstantResult, right: ConstantResult, span: Span) -> ConstantResult {
    let left = left?;
    match operator {
        BinaryOperator::And if left.value == 0 => return Ok(Constant::boolean(false)),
        BinaryOperator::Or if left.value != 0 => return Ok(Constant::boolean(true)),
        _ => {}
    }
    let right = right?;
    let unsigned = left.unsigned || right.unsigned;
    let wrap = |constant: Constant| if unsigned { Constant::unsigned(constant.value).value } else { constant.value };
    let (a, b) = (wrap(left), wrap(right));
    let number = |value: Option<i64>| {
        let value = value.ok_or_else(|| overflow(span))?;
        Ok(if unsigned { Constant::unsigned(value) } else { Constant::signed(value) })
    };

    match operator {
        BinaryOperator::Or => Ok(Constant::boolean(a != 0 || b != 0)),
        BinaryOperator::And => Ok(Constant::boolean(a != 0 && b != 0)),
        BinaryOperator::BitOr => number(Some(a | b)),
        BinaryOperator::BitXor => number(Some(a ^ b)),
        BinaryOperator::BitAnd => number(Some(a & b)),
        BinaryOperator::Equal => Ok(Constant::boolean(a == b)),
        BinaryOperator::NotEqual => Ok(Constant::boolean(a != b)),
        BinaryOperator::Less => Ok(Constant::boolean(a < b)),
        BinaryOperator::Greater => Ok(Constant::boolean(a > b)),
        BinaryOperator::LessEqual => Ok(Constant::boolean(a <= b)),
        BinaryOperator::GreaterEqual => Ok(Constant::boolean(a >= b)),
        BinaryOperator::ShiftLeft => number(a.checked_mul(1_i64.checked_shl(shift(b, span)?).unwrap_or(0))),
        BinaryOperator::ShiftRight => number(a.checked_shr(shift(b, span)?)),
        BinaryOperator::Add => number(a.checked_add(b)),
        BinaryOperator::Subtract => number(a.checked_sub(b)),
        BinaryOperator::Multiply if unsigned => number(Some(a.wrapping_mul(b))),
        BinaryOperator::Multiply => number(a.checked_mul(b)),
        BinaryOperator::Divide | BinaryOperator::Remainder if b == 0 => {
            Err(Diagnostic::error(Code::BadConstant, span, "division by zero"))
        }
        BinaryOperator::Divide => number(a.checked_div(b)),
        BinaryOperator::Remainder => number(a.checked_rem(b)),
        // DXC 1.7.2308 evaluates these only for signed numbers.
        BinaryOperator::Least | BinaryOperator::Greatest if unsigned => Err(not_constant(span)),
        BinaryOperator::Least => number(Some(a.min(b))),
        BinaryOperator::Greatest => number(Some(a.max(b))),
    }
}

/// Checks a shift amount. The limit of 61 bits loses nothing: no longer shift gives a valid length.
fn shift(amount: i64, span: Span) -> Result<u32, Diagnostic> {
    u32::try_from(amount)
        .ok()
        .filter(|bits| *bits < 62)
        .ok_or_else(|| Diagnostic::error(Code::BadConstant, span, format!("cannot shift by {amount} bits")))
}

fn convert(operand: Constant, scalar: Scalar, span: Span) -> ConstantResult {
    let value = operand.value;
    match scalar {
        Scalar::Bool => Ok(Constant::boolean(value != 0)),
        Scalar::Int8 => Ok(Constant::signed(sign_extend(value, 8))),
        Scalar::Int16 | Scalar::Min16Int | Scalar::Min12Int => Ok(Constant::signed(sign_extend(value, 16))),
        Scalar::Int32 => Ok(Constant::signed(sign_extend(value, 32))),
        Scalar::Uint8 => Ok(Constant::unsigned(value & 0xFF)),
        Scalar::Uint16 | Scalar::Min16Uint => Ok(Constant::unsigned(value & 0xFFFF)),
        Scalar::Uint32 => Ok(Constant::unsigned(value)),
        Scalar::Int64 => Ok(Constant::signed(value)),
        Scalar::Uint64 if value >= 0 => Ok(Constant::signed(value)),
        Scalar::Uint64 => Err(overflow(span)),
        _ => Err(not_constant(span)),
    }
}

fn sign_extend(value: i64, bits: u32) -> i64 {
    let unused = 64 - bits;
    (value << unused) >> unused
}
