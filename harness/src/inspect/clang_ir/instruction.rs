//! The instructions of a function: lines in, what they do out.

use super::operand::{Address, Operand};
use super::reader::{MAX_PARTS, Reader};
use super::types::{Type, Types};
use crate::inspect::llvm::buffers::Class;
use crate::inspect::llvm::lexer::{Token, tokens};
use crate::inspect::llvm::primitive::Primitive;

/// What begins the names of functions that change nothing that is seen here.
const WITHOUT_EFFECT: [&str; 4] = ["llvm.lifetime.", "llvm.experimental.noalias.", "llvm.assume", "llvm.dbg."];

/// A scalar type, or a vector of so many of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lanes {
    pub(super) primitive: Primitive,
    pub(super) count: Option<u32>,
}

/// What an instruction does.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Action {
    /// Makes a handle: what of, and the arguments of the call.
    Handle(Resource, Vec<Operand>),
    /// The address of an element of a resource.
    ResourceElement(Operand, Operand),
    /// A call of another function: its name and its arguments.
    Call(String, Vec<Operand>),
    /// A part of an aggregate.
    Extract(Operand, u64),
    /// A component of a vector.
    ExtractElement(Operand, Operand),
    /// A vector of so many components with one of them replaced: vector, component, index.
    InsertElement(u32, [Operand; 3]),
    /// Components of two vectors of so many each.
    Shuffle(u32, [Operand; 2], Operand),
    Cast(String, (Lanes, Operand), Lanes),
    Binary(String, Lanes, [Operand; 2]),
    /// `icmp ne`, `fcmp oeq`.
    Compare(String, Lanes, [Operand; 2]),
    Select([Operand; 3]),
    /// The same value.
    Same(Operand),
    /// So many bytes of private memory.
    Allocate(u64),
    Address(Address),
    Load(Type, Operand),
    /// Type, value, address.
    Store(Type, Operand, Operand),
    /// Values by the block before.
    Phi(Vec<(Operand, String)>),
    Flow(Flow),
    Nothing,
    /// What is not understood, and why: it matters where it is executed.
    Unknown(String),
}

/// How a block ends.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Flow {
    Jump(String),
    Branch(Operand, [String; 2]),
    /// Condition, labels by value, label for all others.
    Switch(Operand, Vec<(u64, String)>, String),
    Return(Option<Operand>),
}

/// What a handle is of.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Resource {
    pub(super) class: Class,
    /// Type of a structured buffer's element.
    pub(super) element: Option<Type>,
    /// Bytes from one element to the next; `None` where elements have no addresses.
    pub(super) stride: Option<u64>,
    /// Whether the register is left to a later pass, which counts such resources in this order.
    pub(super) implicit: bool,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Instruction {
    /// Name of the result, where there is one.
    pub(super) result: Option<String>,
    pub(super) action: Action,
}

impl Instruction {
    /// Reads a line.
    pub(super) fn read(line: &str, types: &Types) -> Self {
        let unknown = |reason: &str| Action::Unknown(format!("{reason}: `{}`", line.trim()));
        let tokens = match tokens(line) {
            Ok(tokens) => tokens,
            Err(reason) => return Self { result: None, action: unknown(&reason) },
        };
        let (result, rest) = match &tokens[..] {
            [Token::Local(name), Token::Punctuation('='), rest @ ..] => (Some((*name).to_owned()), rest),
            rest => (None, rest),
        };
        let action = action(&mut Reader::new(rest, types)).unwrap_or_else(|reason| unknown(&reason));
        Self { result, action }
    }
}

fn action(reader: &mut Reader<'_, '_>) -> Result<Action, String> {
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
        // Which address space an address is in changes nothing here.
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
            let to = reader.ty()?;
            Ok(Action::Cast(word.to_owned(), (lanes(&from)?, operand), lanes(&to)?))
        }
        "unreachable" => Err("code that must not be reached".to_owned()),
        _ => {
            reader.skip_attributes()?;
            let (lanes, operands) = two(reader)?;
            Ok(Action::Binary(word.to_owned(), lanes, operands))
        }
    }
}

/// The condition of a comparison, behind words such as `samesign` and `nnan`.
fn condition<'a>(reader: &mut Reader<'_, 'a>) -> Result<&'a str, String> {
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
fn two(reader: &mut Reader<'_, '_>) -> Result<(Lanes, [Operand; 2]), String> {
    let (ty, first) = reader.typed()?;
    reader.expect(',')?;
    let second = reader.operand(&ty)?;
    Ok((lanes(&ty)?, [first, second]))
}

fn lanes(ty: &Type) -> Result<Lanes, String> {
    match ty {
        Type::Primitive(primitive) => Ok(Lanes { primitive: *primitive, count: None }),
        Type::Vector(count, primitive) => Ok(Lanes { primitive: *primitive, count: Some(*count) }),
        other => Err(format!("arithmetic on {other:?}")),
    }
}

fn components(reader: &mut Reader<'_, '_>, word: &str) -> Result<Action, String> {
    let (ty, from) = reader.typed()?;
    if word == "extractvalue" {
        reader.expect(',')?;
        return Ok(Action::Extract(from, reader.count()?));
    }
    let Type::Vector(count, _) = ty else { return Err(format!("a component of {ty:?}")) };
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

fn memory(reader: &mut Reader<'_, '_>, word: &str) -> Result<Action, String> {
    reader.skip_attributes()?;
    match word {
        "alloca" => {
            let ty = reader.ty()?;
            let size = reader.types().measure(&ty)?.size;
            // An array of a length that is known is a type of its own.
            let counted = reader.accept_sign(',') && reader.peek() != Some(Token::Word("align"));
            if counted { Err("private memory of a counted length".to_owned()) } else { Ok(Action::Allocate(size)) }
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

fn flow(reader: &mut Reader<'_, '_>, word: &str) -> Result<Flow, String> {
    match word {
        "br" if reader.peek() == Some(Token::Word("label")) => Ok(Flow::Jump(label(reader)?)),
        "br" => {
            let (_, condition) = reader.typed()?;
            reader.expect(',')?;
            let yes = label(reader)?;
            reader.expect(',')?;
            Ok(Flow::Branch(condition, [yes, label(reader)?]))
        }
        "switch" => {
            let (ty, condition) = reader.typed()?;
            reader.expect(',')?;
            let otherwise = label(reader)?;
            reader.expect('[')?;
            let mut cases = Vec::new();
            while !reader.accept_sign(']') {
                let (of_case, Operand::Bits(value)) = reader.typed()? else {
                    return Err("a case that is no number".to_owned());
                };
                if of_case != ty {
                    return Err("a case of another type".to_owned());
                }
                reader.expect(',')?;
                cases.push((value, label(reader)?));
            }
            Ok(Flow::Switch(condition, cases, otherwise))
        }
        // `ret`.
        _ => match reader.typed_or_void()? {
            Some((_, value)) => Ok(Flow::Return(Some(value))),
            None => Ok(Flow::Return(None)),
        },
    }
}

/// `[ 0, %4 ], [ %9, %7 ]`, behind the type.
fn phi(reader: &mut Reader<'_, '_>) -> Result<Action, String> {
    reader.skip_attributes()?;
    let ty = reader.ty()?;
    let mut incoming = Vec::new();
    while reader.accept_sign('[') {
        let value = reader.operand(&ty)?;
        reader.expect(',')?;
        let Some(Token::Local(from)) = reader.next() else { return Err("a value from no block".to_owned()) };
        reader.expect(']')?;
        incoming.push((value, from.to_owned()));
        reader.accept_sign(',');
    }
    Ok(Action::Phi(incoming))
}

/// `label %5`.
fn label(reader: &mut Reader<'_, '_>) -> Result<String, String> {
    match (reader.word()?, reader.next()) {
        ("label", Some(Token::Local(name))) => Ok(name.to_owned()),
        _ => Err("no label where one is needed".to_owned()),
    }
}

fn call(reader: &mut Reader<'_, '_>) -> Result<Action, String> {
    reader.skip_attributes()?;
    let result = reader.ty()?;
    let Some(Token::Global(name)) = reader.next() else { return Err("a call of no function".to_owned()) };
    if WITHOUT_EFFECT.iter().any(|start| name.starts_with(start)) {
        return Ok(Action::Nothing);
    }
    reader.expect('(')?;
    let mut arguments = Vec::new();
    while !reader.accept_sign(')') {
        arguments.push(reader.typed()?.1);
        if arguments.len() > MAX_PARTS as usize {
            return Err("a call of more arguments than any has".to_owned());
        }
        reader.accept_sign(',');
    }
    let short = name.strip_prefix("llvm.dx.resource.").unwrap_or_default();
    match (short.split('.').next(), &arguments[..]) {
        (Some(made @ ("handlefrombinding" | "handlefromimplicitbinding")), _) => {
            let implicit = made == "handlefromimplicitbinding";
            Ok(Action::Handle(resource(&result, implicit, reader.types())?, arguments))
        }
        (Some("getpointer"), [handle, index]) => Ok(Action::ResourceElement(handle.clone(), index.clone())),
        _ => Ok(Action::Call(name.to_owned(), arguments)),
    }
}

/// What a handle of this type is of.
fn resource(ty: &Type, implicit: bool, types: &Types) -> Result<Resource, String> {
    let Type::Target(target) = ty else { return Err(format!("a handle of {ty:?}")) };
    match (target.name.as_str(), &target.types[..], &target.numbers[..]) {
        ("dx.CBuffer", [_], _) => Ok(Resource { class: Class::ConstantBuffer, element: None, stride: None, implicit }),
        ("dx.RawBuffer", [element], [writable, ..]) => {
            let (class, stride) = (storage_class(*writable), types.measure(element)?.size);
            Ok(Resource { class, element: Some(element.clone()), stride: Some(stride), implicit })
        }
        // Their elements have no addresses.
        ("dx.TypedBuffer" | "dx.Texture", [_], [writable, ..]) => {
            Ok(Resource { class: storage_class(*writable), element: None, stride: None, implicit })
        }
        (name, _, _) => Err(format!("a resource of type `{name}`")),
    }
}

fn storage_class(writable: u64) -> Class {
    if writable == 0 { Class::ShaderResource } else { Class::UnorderedAccess }
}
