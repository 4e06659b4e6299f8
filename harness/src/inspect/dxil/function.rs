//! The instructions of one function of a listing: text in, [`Instruction`]s out.

use crate::inspect::llvm::lexer::{Token, tokens};
use crate::inspect::llvm::primitive::Primitive;

/// Most tokens of a line, which bounds how deep types and operands are nested; calls have about 50.
const MAX_TOKENS: usize = 256;

/// An LLVM type.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ty {
    Void,
    Primitive(Primitive),
    /// `%dx.types.Handle`.
    Named(String),
    Array(u32, Box<Ty>),
    Pointer(Box<Ty>),
}

impl Ty {
    /// The scalar that it is.
    fn primitive(&self) -> Option<Primitive> {
        match self {
            Self::Primitive(primitive) => Some(*primitive),
            Self::Void | Self::Named(_) | Self::Array(..) | Self::Pointer(_) => None,
        }
    }
}

/// What an instruction works on.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Operand {
    /// Result of another instruction.
    Local(String),
    /// A constant's bits.
    Bits(u64),
    Undefined,
    /// `{ i32 1, i32 1, i32 0, i8 1 }`.
    Parts(Vec<Operand>),
}

/// An operand with its type.
pub(super) type Typed = (Ty, Operand);

/// What an instruction does.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Action {
    /// A call of a DXIL operation: its full name and its arguments.
    Call(String, Vec<Typed>),
    /// A part of an aggregate.
    Extract(Operand, usize),
    /// `bitcast`, `zext`, `fpext` ...
    Cast(String, (Primitive, Operand), Primitive),
    /// `add`, `fmul` ...
    Binary(String, Primitive, [Operand; 2]),
    /// `icmp ne`, `fcmp oeq`.
    Compare(String, Primitive, [Operand; 2]),
    Select([Operand; 3]),
    /// So many scalars of private memory.
    Allocate(u32),
    /// The place that an index chooses behind a pointer.
    Element(Operand, Operand),
    Load(Operand),
    Store(Operand, Operand),
    Return,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Instruction {
    /// Name of the result, where there is one.
    pub(super) result: Option<String>,
    pub(super) action: Action,
}

/// The instructions of function `name`.
///
/// # Errors
/// No such function, or the first line that is not understood.
pub(super) fn function(listing: &str, name: &str) -> Result<Vec<Instruction>, String> {
    let head = format!("define void @{name}(");
    let body = listing.lines().skip_while(|line| !line.starts_with(&head));
    let mut lines = body.skip(1).take_while(|line| !line.starts_with('}')).peekable();
    if lines.peek().is_none() {
        return Err(format!("the listing has no function `{name}`"));
    }
    let mut instructions = Vec::new();
    for line in lines {
        let tokens = tokens(line)?;
        if tokens.len() > MAX_TOKENS {
            return Err(format!("a line of more than {MAX_TOKENS} tokens"));
        }
        if !tokens.is_empty() {
            let read = Reader { tokens: &tokens }.instruction();
            instructions.push(read.map_err(|reason| format!("{reason}: `{}`", line.trim()))?);
        }
    }
    Ok(instructions)
}

/// Reads the tokens of one line from left to right.
struct Reader<'t, 'a> {
    tokens: &'t [Token<'a>],
}

impl<'a> Reader<'_, 'a> {
    fn next(&mut self) -> Option<Token<'a>> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(*first)
    }

    fn accept(&mut self, token: Token<'_>) -> bool {
        let found = self.tokens.first() == Some(&token);
        if found {
            self.tokens = &self.tokens[1..];
        }
        found
    }

    fn expect(&mut self, sign: char) -> Result<(), String> {
        if self.accept(Token::Punctuation(sign)) { Ok(()) } else { Err(format!("no `{sign}`")) }
    }

    fn word(&mut self) -> Result<&'a str, String> {
        match self.next() {
            Some(Token::Word(word)) => Ok(word),
            other => Err(format!("{other:?} is no word")),
        }
    }

    fn instruction(mut self) -> Result<Instruction, String> {
        let result = match self.tokens {
            [Token::Local(name), Token::Punctuation('='), ..] => {
                self.tokens = &self.tokens[2..];
                Some((*name).to_owned())
            }
            _ => None,
        };
        Ok(Instruction { result, action: self.action()? })
    }

    fn action(&mut self) -> Result<Action, String> {
        let word = self.word()?;
        match word {
            "call" => self.call(),
            "extractvalue" => {
                let (_, from) = self.typed()?;
                self.expect(',')?;
                Ok(Action::Extract(from, self.count()?))
            }
            "select" => {
                let [(_, condition), (_, yes), (_, no)] = [self.typed()?, self.next_typed()?, self.next_typed()?];
                Ok(Action::Select([condition, yes, no]))
            }
            "icmp" | "fcmp" => {
                self.skip_flags();
                let condition = format!("{word} {}", self.word()?);
                let (ty, operands) = self.two()?;
                Ok(Action::Compare(condition, ty, operands))
            }
            "alloca" => match self.ty()? {
                Ty::Array(count, element) if element.primitive().is_some() => Ok(Action::Allocate(count)),
                ty if ty.primitive().is_some() => Ok(Action::Allocate(1)),
                _ => Err("private memory of no scalars".to_owned()),
            },
            "getelementptr" => self.element(),
            "load" => {
                self.ty()?;
                Ok(Action::Load(self.next_typed()?.1))
            }
            "store" => Ok(Action::Store(self.typed()?.1, self.next_typed()?.1)),
            "ret" => Ok(Action::Return),
            "br" | "switch" | "phi" => Err("control flow".to_owned()),
            _ if self.is_cast() => {
                let (ty, operand) = self.typed()?;
                self.word()?;
                Ok(Action::Cast(word.to_owned(), (scalar(&ty)?, operand), scalar(&self.ty()?)?))
            }
            _ => {
                self.skip_flags();
                let (ty, operands) = self.two()?;
                Ok(Action::Binary(word.to_owned(), ty, operands))
            }
        }
    }

    /// Whether a `to` follows.
    fn is_cast(&self) -> bool {
        self.tokens.contains(&Token::Word("to"))
    }

    /// `nuw`, `exact`, `fast`.
    fn skip_flags(&mut self) {
        while let Some(Token::Word("nuw" | "nsw" | "exact" | "fast")) = self.tokens.first() {
            self.tokens = &self.tokens[1..];
        }
    }

    fn call(&mut self) -> Result<Action, String> {
        self.ty()?;
        let Some(Token::Global(name)) = self.next() else { return Err("a call of no function".to_owned()) };
        self.expect('(')?;
        let mut arguments = Vec::new();
        while !self.accept(Token::Punctuation(')')) {
            arguments.push(self.typed()?);
            self.accept(Token::Punctuation(','));
        }
        Ok(Action::Call(name.to_owned(), arguments))
    }

    /// `getelementptr inbounds [3 x float], [3 x float]* %5, i32 0, i32 %i`.
    fn element(&mut self) -> Result<Action, String> {
        self.accept(Token::Word("inbounds"));
        self.ty()?;
        let (_, pointer) = self.next_typed()?;
        let first = self.next_typed()?.1;
        if self.tokens.is_empty() {
            return Ok(Action::Element(pointer, first));
        }
        match first {
            Operand::Bits(0) => Ok(Action::Element(pointer, self.next_typed()?.1)),
            Operand::Bits(_) | Operand::Local(_) | Operand::Undefined | Operand::Parts(_) => {
                Err("an array of arrays in private memory".to_owned())
            }
        }
    }

    /// `i32 %1, 2`.
    fn two(&mut self) -> Result<(Primitive, [Operand; 2]), String> {
        let (ty, first) = self.typed()?;
        self.expect(',')?;
        let second = self.operand(&ty)?;
        Ok((scalar(&ty)?, [first, second]))
    }

    fn next_typed(&mut self) -> Result<Typed, String> {
        self.expect(',')?;
        self.typed()
    }

    fn typed(&mut self) -> Result<Typed, String> {
        let ty = self.ty()?;
        let operand = self.operand(&ty)?;
        Ok((ty, operand))
    }

    fn ty(&mut self) -> Result<Ty, String> {
        let mut ty = match self.next() {
            Some(Token::Word("void")) => Ty::Void,
            Some(Token::Word(word)) => {
                Ty::Primitive(Primitive::named(word).ok_or_else(|| format!("`{word}` is no type"))?)
            }
            Some(Token::Local(name)) => Ty::Named(name.to_owned()),
            Some(Token::Punctuation('[')) => {
                let count = self.count()?;
                self.word()?;
                let element = self.ty()?;
                self.expect(']')?;
                Ty::Array(u32::try_from(count).map_err(|error| error.to_string())?, Box::new(element))
            }
            other => return Err(format!("{other:?} is no type")),
        };
        while self.accept(Token::Punctuation('*')) {
            ty = Ty::Pointer(Box::new(ty));
        }
        Ok(ty)
    }

    fn count(&mut self) -> Result<usize, String> {
        match self.next() {
            Some(Token::Integer(digits)) => digits.parse().map_err(|_| format!("`{digits}` is no count")),
            other => Err(format!("{other:?} is no count")),
        }
    }

    fn operand(&mut self, ty: &Ty) -> Result<Operand, String> {
        match self.next() {
            Some(Token::Local(name)) => Ok(Operand::Local(name.to_owned())),
            Some(Token::Word("undef")) => Ok(Operand::Undefined),
            Some(Token::Word("true")) => Ok(Operand::Bits(1)),
            Some(Token::Word("false" | "zeroinitializer" | "null")) => Ok(Operand::Bits(0)),
            Some(Token::Integer(digits)) => Ok(Operand::Bits(scalar(ty)?.integer(digits)?)),
            Some(Token::Float(text)) => Ok(Operand::Bits(scalar(ty)?.float(text)?)),
            Some(Token::Punctuation('{')) => {
                let mut parts = Vec::new();
                while !self.accept(Token::Punctuation('}')) {
                    match self.typed()?.1 {
                        // LLVM has none, and a part that names an aggregate could double it with each line.
                        Operand::Local(name) => return Err(format!("a constant that is made of %{name}")),
                        part @ (Operand::Bits(_) | Operand::Undefined | Operand::Parts(_)) => parts.push(part),
                    }
                    self.accept(Token::Punctuation(','));
                }
                Ok(Operand::Parts(parts))
            }
            other => Err(format!("{other:?} is no operand")),
        }
    }
}

fn scalar(ty: &Ty) -> Result<Primitive, String> {
    ty.primitive().ok_or_else(|| "no scalar where one is needed".to_owned())
}
