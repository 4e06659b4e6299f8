//! A module of Clang's IR: text in, types, variables and the blocks of one function out.

use std::collections::HashMap;

use super::data_layout::DataLayout;
use super::reader::Reader;
use super::types::{LaidOutStruct, Struct, Type, Types};
use crate::inspect::llvm::lexer::{Token, tokens};

/// A module.
#[derive(Clone, Debug)]
pub(super) struct Ir {
    pub(super) types: Types,
    /// Variables in memory of the module's own, by name.
    pub(super) variables: HashMap<String, Variable>,
    pub(super) constant_buffers: Vec<ConstantBuffer>,
}

/// A variable of the module.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) ty: Type,
    /// The text that it begins as; what else it begins as is not read.
    pub(super) text: Option<String>,
}

/// A constant buffer.
#[derive(Clone, Debug)]
pub(super) struct ConstantBuffer {
    /// The variable that holds its handle.
    pub(super) variable: String,
    /// The type that it has as a whole.
    pub(super) layout: LaidOutStruct,
    /// The variables that stand for its members, each with its place among the members of the type.
    pub(super) members: Vec<(String, usize)>,
}

impl Ir {
    /// Reads all of a module but its functions.
    ///
    /// # Errors
    /// The first line that is not understood.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let layout = text.lines().find_map(|line| line.strip_prefix("target datalayout = "));
        let layout = layout.ok_or("no data layout")?.trim().trim_matches('"');
        let empty = Types::default();
        let mut defined = HashMap::new();
        for line in text.lines().filter(|line| line.starts_with('%')) {
            let (name, own) = definition(line, &empty).map_err(|reason| format!("{reason}: `{line}`"))?;
            defined.insert(name, own);
        }
        let types = Types::new(DataLayout::parse(layout)?, &defined)?;
        let mut variables = HashMap::new();
        for line in text.lines().filter(|line| line.starts_with('@')) {
            let read = variable(line, &types).map_err(|reason| format!("{reason}: `{line}`"))?;
            variables.insert(read.0, read.1);
        }
        let mut ir = Self { types, variables, constant_buffers: Vec::new() };
        ir.constant_buffers = ir.constant_buffers(text)?;
        Ok(ir)
    }

    /// The constant buffers by `!hlsl.cbs`, whose nodes name the handle's variable and those of the members.
    fn constant_buffers(&self, text: &str) -> Result<Vec<ConstantBuffer>, String> {
        let Some(list) = text.lines().find(|line| line.starts_with("!hlsl.cbs = ")) else { return Ok(Vec::new()) };
        let mut nodes: HashMap<&str, &str> = HashMap::new();
        for line in text.lines().filter(|line| line.starts_with('!')) {
            let (name, node) = line.split_once(" = ").unwrap_or((line, ""));
            nodes.insert(name, node);
        }
        let names = tokens(list)?.into_iter().skip(1);
        let names = names.filter_map(|token| if let Token::Metadata(name) = token { Some(name) } else { None });
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
                Token::Global(name) => names.push(Some(name)),
                // A member whose variable nobody needs any more.
                Token::Word("null") => names.push(None),
                _ => {}
            }
        }
        let (Some(Some(variable)), members) = (names.first().copied(), names.get(1..).unwrap_or_default()) else {
            return Err("a constant buffer without a variable".to_owned());
        };
        let of_variable = self.variables.get(variable).ok_or_else(|| format!("@{variable} is not defined"))?;
        let layout = match &of_variable.ty {
            Type::Target(target) if target.name == "dx.CBuffer" => target.types.first(),
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

/// Whether it is explicit padding.
pub(super) fn is_padding(ty: &Type) -> bool {
    match ty {
        Type::Target(target) => target.padding().is_some(),
        Type::Void
        | Type::Primitive(_)
        | Type::Pointer
        | Type::Vector(..)
        | Type::Array(..)
        | Type::Struct(_)
        | Type::Named(_) => false,
    }
}

/// `%struct.T = type { float }`; an opaque one has no members.
fn definition(line: &str, types: &Types) -> Result<(String, Struct), String> {
    let tokens = tokens(line)?;
    let [Token::Local(name), Token::Punctuation('='), Token::Word("type"), rest @ ..] = &tokens[..] else {
        return Err("no definition of a type".to_owned());
    };
    let own = match rest {
        [Token::Word("opaque")] => Struct::default(),
        rest => match Reader::new(rest, types).ty()? {
            Type::Struct(own) => own,
            other => Struct { packed: false, members: vec![other] },
        },
    };
    Ok(((*name).to_owned(), own))
}

/// `@x = external hidden local_unnamed_addr addrspace(2) global float, align 4`.
fn variable(line: &str, types: &Types) -> Result<(String, Variable), String> {
    let tokens = tokens(line)?;
    let [Token::Global(name), Token::Punctuation('='), rest @ ..] = &tokens[..] else {
        return Err("no variable".to_owned());
    };
    let start = rest.iter().position(|token| matches!(token, Token::Word("global" | "constant")));
    let rest = &rest[start.ok_or("no variable")? + 1..];
    let mut reader = Reader::new(rest, types);
    let ty = reader.ty()?;
    let text = match reader.peek() {
        Some(Token::Text(text)) => Some(text.trim_end_matches("\\00").to_owned()),
        _ => None,
    };
    Ok(((*name).to_owned(), Variable { ty, text }))
}
