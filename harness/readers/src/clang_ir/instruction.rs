//! Parses one instruction of a function. `machine` executes it.

use super::operand::{Address, ClangOperand};
use super::reader::{IrReader, MAX_PARTS};
use super::types::{ClangType, NamedTypes};
use crate::llvm::buffers::Class;
use crate::llvm::lexer::{LlvmToken, tokens};
use crate::llvm::primitive::Primitive;

/// Prefixes of functions that have no effect on results here.
const WITHOUT_EFFECT: [&str; 4] = ["llvm.lifetime.", "llvm.experimental.noalias.", "llvm.assume", "llvm.dbg."];

/// A scalar type, or a vector of `count` scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lanes {
    pub(super) primitive: Primitive,
    pub(super) count: Option<u32>,
}

/// The operation of an instruction.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ClangAction {
    /// Makes a handle: its type, and the arguments of the call.
    Handle(HandleType, Vec<ClangOperand>),
    /// The address of an element of a resource.
    ResourceElement(ClangOperand, ClangOperand),
    /// A call of another function: its name and its arguments.
    Call(String, Vec<ClangOperand>),
    /// A part of an aggregate.
    Extract(ClangOperand, u64),
    /// A component of a vector.
    ExtractElement(ClangOperand, ClangOperand),
    /// A vector with this many components, one of them replaced: vector, component, index.
    InsertElement(u32, [ClangOperand; 3]),
    /// Components from two vectors with this many components each.
    Shuffle(u32, [ClangOperand; 2], ClangOperand),
    Cast(String, (Lanes, ClangOperand), Lanes),
    Binary(String, Lanes, [ClangOperand; 2]),
    /// `icmp ne`, `fcmp oeq`.
    Compare(String, Lanes, [ClangOperand; 2]),
    Select([ClangOperand; 3]),
    Same(ClangOperand),
    /// Private memory of this many bytes.
    Allocate(u64),
    Address(Address),
    Load(ClangType, ClangOperand),
    /// Type, value, address.
    Store(ClangType, ClangOperand, ClangOperand),
    /// Values by the preceding block.
    Phi(Vec<(ClangOperand, String)>),
    Flow(Terminator),
    Nothing,
    /// An instruction that cannot be parsed, with the reason; this matters only if it is executed.
    Unknown(String),
}

/// The end of a block.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Terminator {
    Jump(String),
    Branch(ClangOperand, [String; 2]),
    /// Condition, labels by value, label for all others.
    Switch(ClangOperand, Vec<(u64, String)>, String),
    Return(Option<ClangOperand>),
}

/// The type of a resource handle.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct HandleType {
    pub class: Class,
    /// Type of a structured buffer's element.
    pub(super) element: Option<ClangType>,
    /// Bytes from one element to the next; `None` if elements have no addresses.
    pub stride: Option<u64>,
    /// True if a later pass chooses the register. Such resources are numbered in this order.
    pub(super) implicit: bool,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ClangInstruction {
    /// Name of the result, if there is one.
    pub(super) result: Option<String>,
    pub(super) action: ClangAction,
}

impl ClangInstruction {
    /// Parses a line.
    pub(super) fn read(line: &str, types: &NamedTypes) -> Self {
        let unknown = |reason: &str| ClangAction::Unknown(format!("{reason}: `{}`", line.trim()));
        let tokens = match tokens(line) {
            Ok(tokens) => tokens,
            Err(reason) => return Self { result: None, action: unknown(&reason) },
        };
        let (result, rest) = match &tokens[..] {
            [LlvmToken::Local(name), LlvmToken::Punctuation('='), rest @ ..] => (Some((*name).to_owned()), rest),
            rest => (None, rest),
        };
        let action = action(&mut IrReader::new(rest, types)).unwrap_or_else(|reason| unknown(&reason));
        Self { result, action }
    }
}

fn action(reader: &mut IrReader<'_, '_>) -> Result<ClangAction, String> {
    let mut word = reader.word()?;
    while let "tail" | "musttail" | "notail" = word {
        word = reader.word()?;
    }
    match word {
        "call" => call(reader),
        "alloca" | "getelementptr" | "load" | "store" => memory(reader, word),
        "br" | "switch" | "ret" => flow(reader, word).map(ClangAction::Flow),
        "phi" => phi(reader),
        "extractvalue" | "extractelement" | "insertelement" | "shufflevector" => components(reader, word),
        "select" => {
            reader.skip_attributes()?;
            Ok(ClangAction::Select([reader.typed()?.1, reader.next_typed()?.1, reader.next_typed()?.1]))
        }
        // The address space of an address makes no difference here.
        "freeze" | "addrspacecast" => Ok(ClangAction::Same(reader.typed()?.1)),
        "icmp" | "fcmp" => {
            let condition = condition(reader)?;
            let (lanes, operands) = two(reader)?;
            Ok(ClangAction::Compare(format!("{word} {condition}"), lanes, operands))
        }
        "bitcast" | "trunc" | "zext" | "sext" | "fpext" | "fptrunc" | "fptoui" | "fptosi" | "uitofp" | "sitofp" => {
            reader.skip_attributes()?;
            let (from, operand) = reader.typed()?;
            reader.word()?;
            let to = reader.ty()?;
            Ok(ClangAction::Cast(word.to_owned(), (lanes(&from)?, operand), lanes(&to)?))
        }
        "unreachable" => Err("code that must not be reached".to_owned()),
        _ => {
            reader.skip_attributes()?;
            let (lanes, operands) = two(reader)?;
            Ok(ClangAction::Binary(word.to_owned(), lanes, operands))
        }
    }
}

/// The condition of a comparison, after words such as `samesign` and `nnan`.
fn condition<'a>(reader: &mut IrReader<'_, 'a>) -> Result<&'a str, String> {
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
fn two(reader: &mut IrReader<'_, '_>) -> Result<(Lanes, [ClangOperand; 2]), String> {
    let (ty, first) = reader.typed()?;
    reader.expect(',')?;
    let second = reader.operand(&ty)?;
    Ok((lanes(&ty)?, [first, second]))
}

fn lanes(ty: &ClangType) -> Result<Lanes, String> {
    match ty {
        ClangType::Primitive(primitive) => Ok(Lanes { primitive: *primitive, count: None }),
        ClangType::Vector(count, primitive) => Ok(Lanes { primitive: *primitive, count: Some(*count) }),
        other => Err(format!("arithmetic on {other:?}")),
    }
}

/// Instructions on parts of aggregates and vectors.
fn components(reader: &mut IrReader<'_, '_>, word: &str) -> Result<ClangAction, String> {
    let (ty, from) = reader.typed()?;
    if word == "extractvalue" {
        reader.expect(',')?;
        return Ok(ClangAction::Extract(from, reader.count()?));
    }

    let ClangType::Vector(count, _) = ty else { return Err(format!("a component of {ty:?}")) };
    let (_, second) = reader.next_typed()?;
    if word == "extractelement" {
        return Ok(ClangAction::ExtractElement(from, second));
    }

    let (_, third) = reader.next_typed()?;
    Ok(match word {
        "insertelement" => ClangAction::InsertElement(count, [from, second, third]),
        _ => ClangAction::Shuffle(count, [from, second], third),
    })
}

fn memory(reader: &mut IrReader<'_, '_>, word: &str) -> Result<ClangAction, String> {
    reader.skip_attributes()?;
    match word {
        "alloca" => {
            let ty = reader.ty()?;
            let size = reader.types().measure(&ty)?.size;
            // An array with a known length has its own type.
            let counted = reader.accept_sign(',') && reader.peek() != Some(LlvmToken::Word("align"));
            if counted { Err("private memory of a counted length".to_owned()) } else { Ok(ClangAction::Allocate(size)) }
        }
        "getelementptr" => Ok(ClangAction::Address(reader.address(None)?)),
        "load" => {
            let ty = reader.ty()?;
            Ok(ClangAction::Load(ty, reader.next_typed()?.1))
        }
        _ => {
            let (ty, value) = reader.typed()?;
            Ok(ClangAction::Store(ty, value, reader.next_typed()?.1))
        }
    }
}

fn flow(reader: &mut IrReader<'_, '_>, word: &str) -> Result<Terminator, String> {
    match word {
        "br" if reader.peek() == Some(LlvmToken::Word("label")) => Ok(Terminator::Jump(label(reader)?)),
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
                let (of_case, ClangOperand::Bits(value)) = reader.typed()? else {
                    return Err("a case that is no number".to_owned());
                };
                if of_case != ty {
                    return Err("a case of another type".to_owned());
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
fn phi(reader: &mut IrReader<'_, '_>) -> Result<ClangAction, String> {
    reader.skip_attributes()?;
    let ty = reader.ty()?;
    let mut incoming = Vec::new();
    while reader.accept_sign('[') {
        let value = reader.operand(&ty)?;
        reader.expect(',')?;
        let Some(LlvmToken::Local(from)) = reader.next() else { return Err("a value from no block".to_owned()) };
        reader.expect(']')?;
        incoming.push((value, from.to_owned()));
        reader.accept_sign(',');
    }
    Ok(ClangAction::Phi(incoming))
}

/// `label %5`.
fn label(reader: &mut IrReader<'_, '_>) -> Result<String, String> {
    match (reader.word()?, reader.next()) {
        ("label", Some(LlvmToken::Local(name))) => Ok(name.to_owned()),
        _ => Err("no label where one is needed".to_owned()),
    }
}

fn call(reader: &mut IrReader<'_, '_>) -> Result<ClangAction, String> {
    reader.skip_attributes()?;
    let result = reader.ty()?;
    let Some(LlvmToken::Global(name)) = reader.next() else { return Err("a call of no function".to_owned()) };
    if WITHOUT_EFFECT.iter().any(|start| name.starts_with(start)) {
        return Ok(ClangAction::Nothing);
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
            Ok(ClangAction::Handle(resource(&result, implicit, reader.types())?, arguments))
        }
        (Some("getpointer"), [handle, index]) => Ok(ClangAction::ResourceElement(handle.clone(), index.clone())),
        _ => Ok(ClangAction::Call(name.to_owned(), arguments)),
    }
}

/// The resource for a handle of this type.
fn resource(ty: &ClangType, implicit: bool, types: &NamedTypes) -> Result<HandleType, String> {
    let ClangType::Target(target) = ty else { return Err(format!("a handle of {ty:?}")) };
    match (target.name.as_str(), &target.types[..], &target.numbers[..]) {
        ("dx.CBuffer", [_], _) => {
            Ok(HandleType { class: Class::ConstantBuffer, element: None, stride: None, implicit })
        }
        ("dx.RawBuffer", [element], [writable, ..]) => {
            let (class, stride) = (storage_class(*writable), types.measure(element)?.size);
            Ok(HandleType { class, element: Some(element.clone()), stride: Some(stride), implicit })
        }
        // Their elements have no addresses.
        ("dx.TypedBuffer" | "dx.Texture", [_], [writable, ..]) => {
            Ok(HandleType { class: storage_class(*writable), element: None, stride: None, implicit })
        }
        (name, _, _) => Err(format!("a resource of type `{name}`")),
    }
}

fn storage_class(writable: u64) -> Class {
    if writable == 0 { Class::ShaderResource } else { Class::UnorderedAccess }
}
