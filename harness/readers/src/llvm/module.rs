//! Parses a module: its types, variables, metadata, and functions with their blocks of
//! instructions.

use std::collections::HashMap;

use super::clang::{self, ConstantBuffer};
use super::dxil::{self, NumberedResource};
use super::instruction::Instruction;
use super::ir_error::IrError;
use super::reader::{LocalNames, Reader, Token, tokens};
use super::types::{DataLayout, NamedTypes, StructType, Type};

/// A module without its functions.
#[derive(Clone, Debug)]
pub(crate) struct Module {
    pub(crate) types: NamedTypes,
    /// By name.
    pub(super) variables: HashMap<String, GlobalVariable>,
    /// Only Clang's IR has these.
    pub(crate) constant_buffers: Vec<ConstantBuffer>,
    /// Only DXIL has these.
    pub(super) numbered_resources: Vec<NumberedResource>,
}

#[derive(Clone, Debug)]
pub(super) struct GlobalVariable {
    pub(super) ty: Type,
    /// The text that initializes it; other initializers are not read.
    pub(super) text: Option<String>,
}

impl Module {
    /// Reads everything in a module except its functions.
    pub(crate) fn read(text: &str) -> Result<Self, IrError> {
        let layout = text.lines().find_map(|line| line.strip_prefix("target datalayout = "));
        let layout = layout.ok_or("no data layout")?.trim().trim_matches('"');

        let empty = NamedTypes::default();
        let mut defined = HashMap::new();
        for line in text.lines().filter(|line| line.starts_with('%')) {
            let (name, own) = definition(line, &empty).map_err(|error| error.in_line(line))?;
            defined.insert(name, own);
        }
        let types = NamedTypes::new(DataLayout::parse(layout)?, &defined)?;

        let mut variables = HashMap::new();
        for line in text.lines().filter(|line| line.starts_with('@')) {
            let (name, read) = variable(line, &types).map_err(|error| error.in_line(line))?;
            variables.insert(name, read);
        }

        let metadata = Metadata::read(text);
        let constant_buffers = clang::constant_buffers(&metadata, &variables, &types)?;
        let numbered_resources = dxil::numbered_resources(&metadata)?;
        Ok(Self { types, variables, constant_buffers, numbered_resources })
    }
}

/// The types that a text defines, as far as they can be read.
pub(crate) fn defined_types(text: &str) -> HashMap<String, StructType> {
    let lines = text.lines().filter(|line| line.starts_with('%'));
    lines.filter_map(|line| definition(line, &NamedTypes::default()).ok()).collect()
}

/// `%struct.T = type { float }`. An opaque type has no members.
fn definition(line: &str, types: &NamedTypes) -> Result<(String, StructType), IrError> {
    let tokens = tokens(line)?;
    let [Token::Local(name), Token::Punctuation('='), Token::Word("type"), rest @ ..] = &tokens[..] else {
        return Err("no definition of a type".into());
    };
    let own = match rest {
        [Token::Word("opaque")] => StructType::default(),
        rest => match Reader::new(rest, types, &mut LocalNames::default()).ty()? {
            Type::Struct(own) => own,
            other => StructType { packed: false, members: vec![other] },
        },
    };
    Ok(((*name).to_owned(), own))
}

/// `@x = external hidden local_unnamed_addr addrspace(2) global float, align 4`.
fn variable(line: &str, types: &NamedTypes) -> Result<(String, GlobalVariable), IrError> {
    let tokens = tokens(line)?;
    let [Token::Global(name), Token::Punctuation('='), rest @ ..] = &tokens[..] else {
        return Err("no variable".into());
    };
    let start = rest.iter().position(|token| matches!(token, Token::Word("global" | "constant")));
    let rest = &rest[start.ok_or("no variable")? + 1..];

    let mut names = LocalNames::default();
    let mut reader = Reader::new(rest, types, &mut names);
    let ty = reader.ty()?;
    let text = match reader.peek() {
        Some(Token::Text(text)) => Some(text.trim_end_matches("\\00").to_owned()),
        _ => None,
    };
    Ok(((*name).to_owned(), GlobalVariable { ty, text }))
}

/// The metadata of a module: the text of each node by its name, `!5 = !{!6, i32 1}`.
#[derive(Debug)]
pub(super) struct Metadata<'a>(HashMap<&'a str, &'a str>);

impl<'a> Metadata<'a> {
    pub(super) fn read(text: &'a str) -> Self {
        let lines = text.lines().filter(|line| line.starts_with('!'));
        Self(lines.filter_map(|line| line.split_once(" = ")).collect())
    }

    /// The text of a node.
    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        self.0.get(name).copied()
    }

    pub(super) fn fields(&self, name: &str) -> Result<Vec<Vec<Token<'a>>>, IrError> {
        let node = self.0.get(name).ok_or_else(|| IrError::name("", name, "is not defined"))?;

        let mut fields = vec![Vec::new()];
        let mut depth = 0_u32;
        for token in tokens(node)?.into_iter().skip_while(|token| *token != Token::Punctuation('{')) {
            match token {
                Token::Punctuation('(' | '{' | '[' | '<') => depth += 1,
                Token::Punctuation(')' | '}' | ']' | '>') => depth = depth.saturating_sub(1),
                Token::Punctuation(',') if depth == 1 => fields.push(Vec::new()),
                token => fields.last_mut().expect("there is a first field").push(token),
            }
        }
        Ok(fields)
    }

    /// The names of the nodes that a node lists; `None` for other fields. A node that a module need
    /// not have is empty without it.
    pub(super) fn list(&self, name: &str) -> Result<Vec<Option<&'a str>>, IrError> {
        if !self.0.contains_key(name) {
            return Ok(Vec::new());
        }
        let fields = self.fields(name)?.into_iter();
        Ok(fields.map(|field| if let [Token::Metadata(node)] = field[..] { Some(node) } else { None }).collect())
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Function {
    /// The names of its parameters, results and operands.
    pub(super) names: LocalNames,
    /// The number of each parameter's name.
    pub(super) parameters: Vec<usize>,
    /// At least one.
    pub(super) blocks: Vec<BasicBlock>,
    /// Index of each block by its label.
    pub(super) labels: HashMap<String, usize>,
}

/// A sequence of instructions without branches, and its end.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BasicBlock {
    pub(super) label: String,
    pub(super) instructions: Vec<Instruction>,
}

/// The functions that a module defines, by name.
pub(super) fn functions(text: &str, types: &NamedTypes) -> Result<HashMap<String, Function>, IrError> {
    let mut functions = HashMap::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("define ") {
            let mut names = LocalNames::default();
            let head = head(line, types, &mut names);
            let (name, parameters) = head.map_err(|error| error.in_line(line))?;
            let body: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with('}')).collect();
            let blocks = blocks(&body, parameters.len(), types, &mut names);
            let labels = blocks.iter().enumerate().map(|(place, block)| (block.label.clone(), place)).collect();
            functions.insert(name, Function { names, parameters, blocks, labels });
        }
    }
    Ok(functions)
}

/// The name of the first function without arguments and with external linkage.
pub(super) fn entry(text: &str) -> Result<String, IrError> {
    let heads = text.lines().filter(|line| line.starts_with("define ") && line.contains("()"));
    let mut own = heads.filter(|line| !line.contains(" internal ") && !line.contains(" linkonce_odr "));
    let head = tokens(own.next().ok_or("the module has no entry point")?)?;
    global(&head).map(|(name, _)| name.to_owned()).ok_or("an entry point without a name".into())
}

/// The first global name in a line, and the tokens after it.
fn global<'t, 'a>(tokens: &'t [Token<'a>]) -> Option<(&'a str, &'t [Token<'a>])> {
    let at = tokens.iter().position(|token| matches!(token, Token::Global(_)))?;
    match tokens[at] {
        Token::Global(name) => Some((name, &tokens[at + 1..])),
        _ => None,
    }
}

/// Name and parameters of `define linkonce_odr noundef i32 @f(float noundef %0, ptr align 4 %1) #3 {`.
fn head(line: &str, types: &NamedTypes, names: &mut LocalNames) -> Result<(String, Vec<usize>), IrError> {
    let tokens = tokens(line)?;
    let (name, rest) = global(&tokens).ok_or("a function without a name")?;

    let mut reader = Reader::new(rest, types, names);
    reader.expect('(')?;
    let mut parameters = Vec::new();
    while !reader.accept_sign(')') {
        reader.ty()?;
        reader.skip_attributes()?;
        parameters.push(reader.local()?);
        reader.accept_sign(',');
    }
    Ok((name.to_owned(), parameters))
}

/// The blocks of a body. The first may have no label; its number then follows those of the
/// parameters.
fn blocks(body: &[&str], parameters: usize, types: &NamedTypes, names: &mut LocalNames) -> Vec<BasicBlock> {
    let mut blocks = vec![BasicBlock { label: parameters.to_string(), instructions: Vec::new() }];
    for line in joined(body) {
        if let Some(label) = label(&line) {
            blocks.push(BasicBlock { label, instructions: Vec::new() });
        } else {
            let last = blocks.last_mut().expect("there is a first block");
            last.instructions.push(Instruction::read(&line, types, names));
        }
    }
    // The first block has a label.
    if blocks.len() > 1 && blocks[0].instructions.is_empty() {
        blocks.remove(0);
    }
    blocks
}

/// Start of the comment that labels a block without a name in LLVM 3.7.
const NUMBERED_LABEL: &str = "; <label>:";

/// The lines without empty ones and comments; the lines of a `switch` are joined into one.
fn joined(body: &[&str]) -> Vec<String> {
    let mut whole: Vec<String> = Vec::new();
    let mut open = false;
    for line in body {
        let code = line.trim();
        if open {
            open = !code.starts_with(']');
            whole.last_mut().expect("a `switch` came before").push_str(line);
        } else if !code.is_empty() && (!code.starts_with(';') || line.starts_with(NUMBERED_LABEL)) {
            open = code.starts_with("switch ") && code.ends_with('[');
            whole.push((*line).to_owned());
        }
    }
    whole
}

/// `5:  ; preds = %0`, or `; <label>:5  ; preds = %0`.
fn label(line: &str) -> Option<String> {
    if let Some(label) = line.strip_prefix(NUMBERED_LABEL) {
        return label.split_whitespace().next().map(str::to_owned);
    }
    if line.starts_with(char::is_whitespace) {
        return None;
    }
    let (label, _) = line.split_once(':')?;
    Some(label.trim_matches('"').to_owned())
}
