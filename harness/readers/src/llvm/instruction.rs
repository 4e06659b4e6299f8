//! Parses one instruction of a function. `machine` executes it.

use super::arithmetic::Lanes;
use super::clang::{self, HandleType};
use super::ir_error::IrError;
use super::reader::{Address, LocalNames, MAX_PARTS, Operand, Reader, Token, tokens};
use super::types::{NamedTypes, Type};

/// Prefixes of functions that have no effect on results here.
const WITHOUT_EFFECT: [&str; 5] =
    ["llvm.lifetime.", "llvm.experimental.noalias.", "llvm.experimental.convergence.", "llvm.assume", "llvm.dbg."];

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Action {
    /// Makes a handle of Clang's IR: its type, and the arguments of the call.
    Handle(HandleType, Vec<Operand>),
    ResourceElement(Operand, Operand),
    /// The first byte of the resource of a handle.
    ResourceStart(Operand),
    /// A call of another function: its name and its arguments.
    Call(String, Vec<Operand>),
    Extract(Operand, u64),
    ExtractElement(Operand, Operand),
    /// A vector with this many components, one of them replaced: vector, component, index.
    InsertElement(u32, [Operand; 3]),
    /// Components from two vectors with this many components each.
    Shuffle(u32, [Operand; 2], Operand),
    Cast(String, (Lanes, Operand), Lanes),
    Binary(String, Lanes, [Operand; 2]),
    /// `icmp ne`, `fcmp oeq`.
    Compare(String, Lanes, [Operand; 2]),
    Select([Operand; 3]),
    Same(Operand),
    /// Private memory of this many bytes.
    Allocate(u64),
    Address(Address),
    Load(Type, Operand),
    /// Type, value, address.
    Store(Type, Operand, Operand),
    /// Values by the preceding block.
    Phi(Vec<(Operand, String)>),
    Flow(Terminator),
    Nothing,
    /// An instruction that cannot be parsed, with the reason; this matters only if it is executed.
    Unknown(IrError),
}

/// The end of a block.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Terminator {
    Jump(String),
    Branch(Operand, [String; 2]),
    /// Condition, labels by value, label for all others.
    Switch(Operand, Vec<(u64, String)>, String),
    Return(Option<Operand>),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Instruction {
    /// Number of the result's name, if there is a result.
    pub(super) result: Option<usize>,
    pub(super) action: Action,
    /// The node of its place in the source: `!12`.
    pub(super) location: Option<String>,
}

impl Instruction {
    pub(super) fn read(line: &str, types: &NamedTypes, names: &mut LocalNames) -> Self {
        let unknown = |error: IrError| Action::Unknown(error.in_line(line.trim()));
        let tokens = match tokens(line) {
            Ok(tokens) => tokens,
            Err(error) => return Self { result: None, action: unknown(error), location: None },
        };
        let mut reader = Reader::new(&tokens, types, names);
        let result = reader.result();
        let action = action(&mut reader).unwrap_or_else(unknown);
        let location = tokens.windows(2).find_map(|pair| match pair {
            [Token::Metadata("!dbg"), Token::Metadata(node)] => Some((*node).to_owned()),
            _ => None,
        });
        Self { result, action, location }
    }
}

fn action(reader: &mut Reader<'_, '_>) -> Result<Action, IrError> {
    let mut word = reader.word()?;
    while let "tail" | "musttail" | "notail" = word {
        word = reader.word()?;
    }
    match word {
        "call" => call(reader),
        "alloca" | "getelementptr" | "load" | "store" => memory(reader, word),
        "br" | "switch" | "ret" => flow(reader, word).map(Action::Flow),
        "phi" => phi(reader),
        "extractvalue" | "extractelement" | "insertelement" | "shufflevector" => components(reader, word),
        "select" => {
            reader.skip_attributes()?;
            Ok(Action::Select([reader.typed()?.1, reader.next_typed()?.1, reader.next_typed()?.1]))
        }
        // The address space of an address makes no difference here.
        "freeze" | "addrspacecast" => Ok(Action::Same(reader.typed()?.1)),
        "icmp" | "fcmp" => {
            let condition = condition(reader)?;
            let (lanes, operands) = two(reader)?;
            Ok(Action::Compare(format!("{word} {condition}"), lanes, operands))
        }
        "bitcast" | "trunc" | "zext" | "sext" | "fpext" | "fptrunc" | "fptoui" | "fptosi" | "uitofp" | "sitofp" => {
            reader.skip_attributes()?;
            let (from, operand) = reader.typed()?;
            reader.word()?;
            match (word, from, reader.ty()?) {
                ("bitcast", Type::Pointer, Type::Pointer) => Ok(Action::Same(operand)),
                (_, from, to) => Ok(Action::Cast(word.to_owned(), (lanes(&from)?, operand), lanes(&to)?)),
            }
        }
        "unreachable" => Err("code that must not be reached".into()),
        _ => {
            reader.skip_attributes()?;
            let (lanes, operands) = two(reader)?;
            Ok(Action::Binary(word.to_owned(), lanes, operands))
        }
    }
}

/// The condition of a comparison, after words such as `samesign` and `nnan`.
fn condition<'a>(reader: &mut Reader<'_, 'a>) -> Result<&'a str, IrError> {
    let conditions = ["eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"];
    loop {
        let word = reader.word()?;
        let of_numbers = conditions.contains(&word) || word.len() == 3 && word.starts_with(['o', 'u']);
        if of_numbers {
            return Ok(word);
        }
    }
}

/// `i32 %1, 2`.
fn two(reader: &mut Reader<'_, '_>) -> Result<(Lanes, [Operand; 2]), IrError> {
    let (ty, first) = reader.typed()?;
    reader.expect(',')?;
    let second = reader.operand(&ty)?;
    Ok((lanes(&ty)?, [first, second]))
}

fn lanes(ty: &Type) -> Result<Lanes, IrError> {
    match ty {
        Type::Primitive(primitive) => Ok(Lanes { primitive: *primitive, count: None }),
        Type::Vector(count, primitive) => Ok(Lanes { primitive: *primitive, count: Some(*count) }),
        other => Err(IrError::Type { what: "arithmetic on", ty: other.clone() }),
    }
}

/// Instructions on parts of aggregates and vectors.
fn components(reader: &mut Reader<'_, '_>, word: &str) -> Result<Action, IrError> {
    let (ty, from) = reader.typed()?;
    if word == "extractvalue" {
        reader.expect(',')?;
        return Ok(Action::Extract(from, reader.count()?));
    }

    let Type::Vector(count, _) = ty else { return Err(IrError::Type { what: "a component of", ty }) };
    let (_, second) = reader.next_typed()?;
    if word == "extractelement" {
        return Ok(Action::ExtractElement(from, second));
    }

    let (_, third) = reader.next_typed()?;
    Ok(match word {
        "insertelement" => Action::InsertElement(count, [from, second, third]),
        _ => Action::Shuffle(count, [from, second], third),
    })
}

fn memory(reader: &mut Reader<'_, '_>, word: &str) -> Result<Action, IrError> {
    reader.skip_attributes()?;
    match word {
        "alloca" => {
            let ty = reader.ty()?;
            let size = reader.types().measure(&ty)?.size;
            // An array with a known length has its own type.
            let counted = reader.accept_sign(',') && reader.peek() != Some(Token::Word("align"));
            if counted { Err("private memory of a counted length".into()) } else { Ok(Action::Allocate(size)) }
        }
        "getelementptr" => Ok(Action::Address(reader.address(None)?)),
        "load" => {
            let ty = reader.ty()?;
            Ok(Action::Load(ty, reader.next_typed()?.1))
        }
        _ => {
            let (ty, value) = reader.typed()?;
            Ok(Action::Store(ty, value, reader.next_typed()?.1))
        }
    }
}

fn flow(reader: &mut Reader<'_, '_>, word: &str) -> Result<Terminator, IrError> {
    match word {
        "br" if reader.peek() == Some(Token::Word("label")) => Ok(Terminator::Jump(label(reader)?)),
        "br" => {
            let (_, condition) = reader.typed()?;
            reader.expect(',')?;
            let yes = label(reader)?;
            reader.expect(',')?;
            Ok(Terminator::Branch(condition, [yes, label(reader)?]))
        }
        "switch" => {
            let (ty, condition) = reader.typed()?;
            reader.expect(',')?;
            let otherwise = label(reader)?;
            reader.expect('[')?;
            let mut cases = Vec::new();
            while !reader.accept_sign(']') {
                let (of_case, Operand::Bits(value)) = reader.typed()? else {
                    return Err("a case that is no number".into());
                };
                if of_case != ty {
                    return Err("a case of another type".into());
                }
                reader.expect(',')?;
                cases.push((value, label(reader)?));
            }
            Ok(Terminator::Switch(condition, cases, otherwise))
        }
        // `ret`.
        _ => match reader.typed_or_void()? {
            Some((_, value)) => Ok(Terminator::Return(Some(value))),
            None => Ok(Terminator::Return(None)),
        },
    }
}

/// `[ 0, %4 ], [ %9, %7 ]`, after the type.
fn phi(reader: &mut Reader<'_, '_>) -> Result<Action, IrError> {
    reader.skip_attributes()?;
    let ty = reader.ty()?;
    let mut incoming = Vec::new();
    while reader.accept_sign('[') {
        let value = reader.operand(&ty)?;
        reader.expect(',')?;
        let Some(Token::Local(from)) = reader.next() else { return Err("a value from no block".into()) };
        reader.expect(']')?;
        incoming.push((value, from.to_owned()));
        reader.accept_sign(',');
    }
    Ok(Action::Phi(incoming))
}

/// `label %5`.
fn label(reader: &mut Reader<'_, '_>) -> Result<String, IrError> {
    match (reader.word()?, reader.next()) {
        ("label", Some(Token::Local(name))) => Ok(name.to_owned()),
        _ => Err("no label where one is needed".into()),
    }
}

fn call(reader: &mut Reader<'_, '_>) -> Result<Action, IrError> {
    reader.skip_attributes()?;
    let result = reader.ty()?;
    let Some(Token::Global(name)) = reader.next() else { return Err("a call of no function".into()) };
    if WITHOUT_EFFECT.iter().any(|start| name.starts_with(start)) {
        return Ok(Action::Nothing);
    }

    reader.expect('(')?;
    let mut arguments = Vec::new();
    while !reader.accept_sign(')') {
        arguments.push(reader.typed()?.1);
        if arguments.len() > MAX_PARTS as usize {
            return Err("a call of more arguments than any has".into());
        }
        reader.accept_sign(',');
    }

    match (clang::resource_call(name), &arguments[..]) {
        (Some("handlefrombinding"), _) => {
            Ok(Action::Handle(HandleType::read(&result, false, reader.types())?, arguments))
        }
        (Some("handlefromimplicitbinding"), _) => {
            Ok(Action::Handle(HandleType::read(&result, true, reader.types())?, arguments))
        }
        (Some("getpointer"), [handle, index]) => Ok(Action::ResourceElement(handle.clone(), index.clone())),
        (Some("getbasepointer"), [handle]) => Ok(Action::ResourceStart(handle.clone())),
        _ => Ok(Action::Call(name.to_owned(), arguments)),
    }
}
