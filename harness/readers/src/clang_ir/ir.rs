//! Parses a module of Clang's IR: its types, its variables and its functions.

use std::collections::HashMap;

use super::data_layout::LlvmDataLayout;
use super::reader::IrReader;
use super::types::{ClangStruct, ClangType, LaidOutStruct, NamedTypes};
use crate::llvm::lexer::{LlvmToken, tokens};

/// A module.
#[derive(Clone, Debug)]
pub(super) struct Ir {
    pub types: NamedTypes,
    /// Variables of the module, by name.
    pub variables: HashMap<String, GlobalVariable>,
    pub(super) constant_buffers: Vec<ConstantBuffer>,
}

/// A variable of the module.
#[derive(Clone, Debug)]
pub(super) struct GlobalVariable {
    pub ty: ClangType,
    /// The text that initializes it; other initializers are not read.
    pub(super) text: Option<String>,
}

/// A constant buffer.
#[derive(Clone, Debug)]
pub(super) struct ConstantBuffer {
    /// The variable that holds its handle.
    pub(super) variable: String,
    /// The type of the whole buffer.
    pub(super) layout: LaidOutStruct,
    /// The variables of its members, each with its index among the members of the type.
    pub(super) members: Vec<(String, usize)>,
}

impl Ir {
    /// Reads everything in a module except its functions.
    ///
    /// # Errors
    /// The first line that cannot be parsed.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let layout = text.lines().find_map(|line| line.strip_prefix("target datalayout = "));
        let layout = layout.ok_or("no data layout")?.trim().trim_matches('"');

        let empty = NamedTypes::default();
        let mut defined = HashMap::new();
        for line in text.lines().filter(|line| line.starts_with('%')) {
            let (name, own) = definition(line, &empty).map_err(|reason| format!("{reason}: `{line}`"))?;
            defined.insert(name, own);
        }
        let types = NamedTypes::new(LlvmDataLayout::parse(layout)?, &defined)?;

        let mut variables = HashMap::new();
        for line in text.lines().filter(|line| line.starts_with('@')) {
            let read = variable(line, &types).map_err(|reason| format!("{reason}: `{line}`"))?;
            variables.insert(read.0, read.1);
        }

        let mut ir = Self { types, variables, constant_buffers: Vec::new() };
        ir.constant_buffers = ir.constant_buffers(text)?;
        Ok(ir)
    }

    /// The constant buffers in `!hlsl.cbs`, whose nodes name the variables of the handle and of the
    /// members.
    fn constant_buffers(&self, text: &str) -> Result<Vec<ConstantBuffer>, String> {
        let Some(list) = text.lines().find(|line| line.starts_with("!hlsl.cbs = ")) else { return Ok(Vec::new()) };
        let mut nodes: HashMap<&str, &str> = HashMap::new();
        for line in text.lines().filter(|line| line.starts_with('!')) {
            let (name, node) = line.split_once(" = ").unwrap_or((line, ""));
            nodes.insert(name, node);
        }

        let names = tokens(list)?.into_iter().skip(1);
        let names = names.filter_map(|token| if let LlvmToken::Metadata(name) = token { Some(name) } else { None });
        let buffers = names.filter(|name| *name != "!").map(|name| {
            let node = nodes.get(name).ok_or_else(|| format!("{name} is not defined"))?;
            self.constant_buffer(node).map_err(|reason| format!("{reason}: `{node}`"))
        });
        buffers.collect()
    }

    fn constant_buffer(&self, node: &str) -> Result<ConstantBuffer, String> {
        let mut names = Vec::new();
        for token in tokens(node)? {
            match token {
                LlvmToken::Global(name) => names.push(Some(name)),
                // The member's variable was removed as unused.
                LlvmToken::Word("null") => names.push(None),
                _ => {}
            }
        }

        let (Some(Some(variable)), members) = (names.first().copied(), names.get(1..).unwrap_or_default()) else {
            return Err("a constant buffer without a variable".to_owned());
        };
        let of_variable = self.variables.get(variable).ok_or_else(|| format!("@{variable} is not defined"))?;
        let layout = match &of_variable.ty {
            ClangType::Target(target) if target.name == "dx.CBuffer" => target.types.first(),
            _ => None,
        };
        let layout = layout.ok_or_else(|| format!("@{variable} is no constant buffer"))?;
        let layout = self.types.structure(layout)?.ok_or_else(|| format!("@{variable} is no struct"))?;

        let places: Vec<usize> = (0..layout.members.len()).filter(|at| !is_padding(&layout.members[*at])).collect();
        if places.len() != members.len() {
            let (places, members) = (places.len(), members.len());
            return Err(format!("@{variable} has {places} members in its type and {members} variables"));
        }
        let members = members.iter().zip(places).filter_map(|(name, place)| Some(((*name)?.to_owned(), place)));
        Ok(ConstantBuffer { variable: variable.to_owned(), members: members.collect(), layout })
    }
}

/// True if a type is explicit padding.
pub(super) fn is_padding(ty: &ClangType) -> bool {
    match ty {
        ClangType::Target(target) => target.padding().is_some(),
        ClangType::Void
        | ClangType::Primitive(_)
        | ClangType::Pointer
        | ClangType::Vector(..)
        | ClangType::Array(..)
        | ClangType::Struct(_)
        | ClangType::Named(_) => false,
    }
}

/// `%struct.T = type { float }`. An opaque type has no members.
fn definition(line: &str, types: &NamedTypes) -> Result<(String, ClangStruct), String> {
    let tokens = tokens(line)?;
    let [LlvmToken::Local(name), LlvmToken::Punctuation('='), LlvmToken::Word("type"), rest @ ..] = &tokens[..] else {
        return Err("no definition of a type".to_owned());
    };
    let own = match rest {
        [LlvmToken::Word("opaque")] => ClangStruct::default(),
        rest => match IrReader::new(rest, types).ty()? {
            ClangType::Struct(own) => own,
            other => ClangStruct { packed: false, members: vec![other] },
        },
    };
    Ok(((*name).to_owned(), own))
}

/// `@x = external hidden local_unnamed_addr addrspace(2) global float, align 4`.
fn variable(line: &str, types: &NamedTypes) -> Result<(String, GlobalVariable), String> {
    let tokens = tokens(line)?;
    let [LlvmToken::Global(name), LlvmToken::Punctuation('='), rest @ ..] = &tokens[..] else {
        return Err("no variable".to_owned());
    };
    let start = rest.iter().position(|token| matches!(token, LlvmToken::Word("global" | "constant")));
    let rest = &rest[start.ok_or("no variable")? + 1..];

    let mut reader = IrReader::new(rest, types);
    let ty = reader.ty()?;
    let text = match reader.peek() {
        Some(LlvmToken::Text(text)) => Some(text.trim_end_matches("\\00").to_owned()),
        _ => None,
    };
    Ok(((*name).to_owned(), GlobalVariable { ty, text }))
}
