//! Parses the instructions of one function of a listing. `machine` executes them.

use std::collections::HashMap;

use crate::llvm::lexer::{LlvmToken, tokens};
use crate::llvm::primitive::Primitive;

/// Most tokens of a line, which limits the nesting of types and operands; calls have about 50.
const MAX_TOKENS: usize = 256;

/// An LLVM type.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum DxilType {
    Void,
    Primitive(Primitive),
    /// `%dx.types.Handle`.
    Named(String),
    Array(u32, Box<DxilType>),
    Pointer(Box<DxilType>),
}

impl DxilType {
    /// The type as a scalar type.
    fn primitive(&self) -> Option<Primitive> {
        match self {
            Self::Primitive(primitive) => Some(*primitive),
            Self::Void | Self::Named(_) | Self::Array(..) | Self::Pointer(_) => None,
        }
    }
}

/// An operand of an instruction.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum DxilOperand {
    /// Result of another instruction: the index of its name in the function's list.
    Local(usize),
    /// A constant's bits.
    Bits(u64),
    Undefined,
    /// `{ i32 1, i32 1, i32 0, i8 1 }`.
    Parts(Vec<DxilOperand>),
}

/// An operand with its type.
pub(super) type DxilArgument = (DxilType, DxilOperand);

/// The operation of an instruction.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum DxilAction {
    /// A call of a DXIL operation: its full name and its arguments.
    Call(String, Vec<DxilArgument>),
    /// A part of an aggregate.
    Extract(DxilOperand, usize),
    /// `bitcast`, `zext`, `fpext` ...
    Cast(String, (Primitive, DxilOperand), Primitive),
    /// `add`, `fmul` ...
    Binary(String, Primitive, [DxilOperand; 2]),
    /// `icmp ne`, `fcmp oeq`.
    Compare(String, Primitive, [DxilOperand; 2]),
    Select([DxilOperand; 3]),
    /// Private memory of this many scalars.
    Allocate(u32),
    /// The element of a pointer that an index selects.
    Element(DxilOperand, DxilOperand),
    Load(DxilOperand),
    Store(DxilOperand, DxilOperand),
    Return,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DxilInstruction {
    /// Index of the result's name in the function's list, if there is a result.
    pub(super) result: Option<usize>,
    pub(super) action: DxilAction,
}

/// A function.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct DxilFunction {
    /// The names of all results and operands, without duplicates.
    pub(super) names: Vec<String>,
    pub(super) instructions: Vec<DxilInstruction>,
}

/// Parses the function `name`.
///
/// # Errors
/// No such function, or the first line that cannot be parsed.
pub(super) fn function(listing: &str, name: &str) -> Result<DxilFunction, String> {
    let head = format!("define void @{name}(");
    let body = listing.lines().skip_while(|line| !line.starts_with(&head));
    let mut lines = body.skip(1).take_while(|line| !line.starts_with('}')).peekable();
    if lines.peek().is_none() {
        return Err(format!("the listing has no function `{name}`"));
    }

    let mut read = DxilFunction::default();
    let mut places = HashMap::new();
    for line in lines {
        let tokens = tokens(line)?;
        if tokens.len() > MAX_TOKENS {
            return Err(format!("a line of more than {MAX_TOKENS} tokens"));
        }
        if !tokens.is_empty() {
            let names = LocalNames { names: &mut read.names, places: &mut places };
            let instruction = LineReader { tokens: &tokens, names }.instruction();
            read.instructions.push(instruction.map_err(|reason| format!("{reason}: `{}`", line.trim()))?);
        }
    }

    Ok(read)
}

/// The names that the reader has seen so far in a function.
struct LocalNames<'f, 'a> {
    names: &'f mut Vec<String>,
    places: &'f mut HashMap<&'a str, usize>,
}

impl<'a> LocalNames<'_, 'a> {
    /// The index of a name in the list. A new name is added at the end.
    fn place(&mut self, name: &'a str) -> usize {
        *self.places.entry(name).or_insert_with(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        })
    }
}

/// Reads the tokens of one line from left to right.
struct LineReader<'t, 'a> {
    tokens: &'t [LlvmToken<'a>],
    names: LocalNames<'t, 'a>,
}

impl<'a> LineReader<'_, 'a> {
    fn next(&mut self) -> Option<LlvmToken<'a>> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(*first)
    }

    fn accept(&mut self, token: LlvmToken<'_>) -> bool {
        let found = self.tokens.first() == Some(&token);
        if found {
            self.tokens = &self.tokens[1..];
        }
        found
    }

    fn expect(&mut self, sign: char) -> Result<(), String> {
        if self.accept(LlvmToken::Punctuation(sign)) { Ok(()) } else { Err(format!("no `{sign}`")) }
    }

    fn word(&mut self) -> Result<&'a str, String> {
        match self.next() {
            Some(LlvmToken::Word(word)) => Ok(word),
            other => Err(format!("expected a word, found {other:?}")),
        }
    }

    fn instruction(mut self) -> Result<DxilInstruction, String> {
        let result = match self.tokens {
            [LlvmToken::Local(name), LlvmToken::Punctuation('='), ..] => {
                self.tokens = &self.tokens[2..];
                Some(self.names.place(name))
            }
            _ => None,
        };
        Ok(DxilInstruction { result, action: self.action()? })
    }

    fn action(&mut self) -> Result<DxilAction, String> {
        let word = self.word()?;
        match word {
            "call" => self.call(),
            "extractvalue" => {
                let (_, from) = self.typed()?;
                self.expect(',')?;
                Ok(DxilAction::Extract(from, self.count()?))
            }
            "select" => {
                let [(_, condition), (_, yes), (_, no)] = [self.typed()?, self.next_typed()?, self.next_typed()?];
                Ok(DxilAction::Select([condition, yes, no]))
            }
            "icmp" | "fcmp" => {
                self.skip_flags();
                let condition = format!("{word} {}", self.word()?);
                let (ty, operands) = self.two()?;
                Ok(DxilAction::Compare(condition, ty, operands))
            }
            "alloca" => match self.ty()? {
                DxilType::Array(count, element) if element.primitive().is_some() => Ok(DxilAction::Allocate(count)),
                ty if ty.primitive().is_some() => Ok(DxilAction::Allocate(1)),
                _ => Err("private memory that does not hold scalars".to_owned()),
            },
            "getelementptr" => self.element(),
            "load" => {
                self.ty()?;
                Ok(DxilAction::Load(self.next_typed()?.1))
            }
            "store" => Ok(DxilAction::Store(self.typed()?.1, self.next_typed()?.1)),
            "ret" => Ok(DxilAction::Return),
            "br" | "switch" | "phi" => Err("control flow".to_owned()),
            _ if self.is_cast() => {
                let (ty, operand) = self.typed()?;
                self.word()?;
                Ok(DxilAction::Cast(word.to_owned(), (scalar(&ty)?, operand), scalar(&self.ty()?)?))
            }
            _ => {
                self.skip_flags();
                let (ty, operands) = self.two()?;
                Ok(DxilAction::Binary(word.to_owned(), ty, operands))
            }
        }
    }

    /// True if a `to` follows.
    fn is_cast(&self) -> bool {
        self.tokens.contains(&LlvmToken::Word("to"))
    }

    /// `nuw`, `exact`, `fast`.
    fn skip_flags(&mut self) {
        while let Some(LlvmToken::Word("nuw" | "nsw" | "exact" | "fast")) = self.tokens.first() {
            self.tokens = &self.tokens[1..];
        }
    }

    fn call(&mut self) -> Result<DxilAction, String> {
        self.ty()?;
        let Some(LlvmToken::Global(name)) = self.next() else { return Err("a call without a function".to_owned()) };
        self.expect('(')?;
        let mut arguments = Vec::new();
        while !self.accept(LlvmToken::Punctuation(')')) {
            arguments.push(self.typed()?);
            self.accept(LlvmToken::Punctuation(','));
        }
        Ok(DxilAction::Call(name.to_owned(), arguments))
    }

    /// `getelementptr inbounds [3 x float], [3 x float]* %5, i32 0, i32 %i`.
    fn element(&mut self) -> Result<DxilAction, String> {
        self.accept(LlvmToken::Word("inbounds"));
        self.ty()?;
        let (_, pointer) = self.next_typed()?;
        let first = self.next_typed()?.1;

        // A pointer to a scalar has one index, a pointer to an array two, the first of them zero.
        if self.tokens.is_empty() {
            return Ok(DxilAction::Element(pointer, first));
        }
        match first {
            DxilOperand::Bits(0) => Ok(DxilAction::Element(pointer, self.next_typed()?.1)),
            DxilOperand::Bits(_) | DxilOperand::Local(_) | DxilOperand::Undefined | DxilOperand::Parts(_) => {
                Err("an array of arrays in private memory".to_owned())
            }
        }
    }

    /// `i32 %1, 2`.
    fn two(&mut self) -> Result<(Primitive, [DxilOperand; 2]), String> {
        let (ty, first) = self.typed()?;
        self.expect(',')?;
        let second = self.operand(&ty)?;
        Ok((scalar(&ty)?, [first, second]))
    }

    fn next_typed(&mut self) -> Result<DxilArgument, String> {
        self.expect(',')?;
        self.typed()
    }

    fn typed(&mut self) -> Result<DxilArgument, String> {
        let ty = self.ty()?;
        let operand = self.operand(&ty)?;
        Ok((ty, operand))
    }

    fn ty(&mut self) -> Result<DxilType, String> {
        let mut ty = match self.next() {
            Some(LlvmToken::Word("void")) => DxilType::Void,
            Some(LlvmToken::Word(word)) => {
                DxilType::Primitive(Primitive::named(word).ok_or_else(|| format!("`{word}` is no type"))?)
            }
            Some(LlvmToken::Local(name)) => DxilType::Named(name.to_owned()),
            Some(LlvmToken::Punctuation('[')) => {
                let count = self.count()?;
                self.word()?;
                let element = self.ty()?;
                self.expect(']')?;
                DxilType::Array(u32::try_from(count).map_err(|error| error.to_string())?, Box::new(element))
            }
            other => return Err(format!("expected a type, found {other:?}")),
        };

        while self.accept(LlvmToken::Punctuation('*')) {
            ty = DxilType::Pointer(Box::new(ty));
        }
        Ok(ty)
    }

    fn count(&mut self) -> Result<usize, String> {
        match self.next() {
            Some(LlvmToken::Integer(digits)) => {
                digits.parse().map_err(|_| format!("`{digits}` is not a number of elements"))
            }
            other => Err(format!("expected a number, found {other:?}")),
        }
    }

    fn operand(&mut self, ty: &DxilType) -> Result<DxilOperand, String> {
        match self.next() {
            Some(LlvmToken::Local(name)) => Ok(DxilOperand::Local(self.names.place(name))),
            Some(LlvmToken::Word("undef")) => Ok(DxilOperand::Undefined),
            Some(LlvmToken::Word("true")) => Ok(DxilOperand::Bits(1)),
            Some(LlvmToken::Word("false" | "zeroinitializer" | "null")) => Ok(DxilOperand::Bits(0)),
            Some(LlvmToken::Integer(digits)) => Ok(DxilOperand::Bits(scalar(ty)?.integer(digits)?)),
            Some(LlvmToken::Float(text)) => Ok(DxilOperand::Bits(scalar(ty)?.float(text)?)),
            Some(LlvmToken::Punctuation('{')) => {
                let mut parts = Vec::new();
                while !self.accept(LlvmToken::Punctuation('}')) {
                    match self.typed()?.1 {
                        // LLVM does not allow this, and a part that names an aggregate could double
                        // it with each line.
                        DxilOperand::Local(place) => {
                            return Err(format!("a constant that is made of %{}", self.names.names[place]));
                        }
                        part @ (DxilOperand::Bits(_) | DxilOperand::Undefined | DxilOperand::Parts(_)) => {
                            parts.push(part);
                        }
                    }
                    self.accept(LlvmToken::Punctuation(','));
                }
                Ok(DxilOperand::Parts(parts))
            }
            other => Err(format!("expected an operand, found {other:?}")),
        }
    }
}

fn scalar(ty: &DxilType) -> Result<Primitive, String> {
    ty.primitive().ok_or_else(|| "expected a scalar type".to_owned())
}
