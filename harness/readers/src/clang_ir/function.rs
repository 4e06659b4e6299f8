//! Parses the functions of a module into basic blocks of instructions.

use std::collections::HashMap;

use super::instruction::ClangInstruction;
use super::reader::IrReader;
use super::types::NamedTypes;
use crate::llvm::lexer::{LlvmToken, tokens};

/// A sequence of instructions without branches, and its end.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BasicBlock {
    pub(super) label: String,
    pub(super) instructions: Vec<ClangInstruction>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct ClangFunction {
    pub(super) parameters: Vec<String>,
    /// At least one.
    pub(super) blocks: Vec<BasicBlock>,
    /// Index of each block by its label.
    pub(super) labels: HashMap<String, usize>,
}

/// The functions that a module defines, by name.
///
/// # Errors
/// The first function whose head cannot be parsed.
pub(super) fn functions(text: &str, types: &NamedTypes) -> Result<HashMap<String, ClangFunction>, String> {
    let mut functions = HashMap::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("define ") {
            let (name, parameters) = head(line, types).map_err(|reason| format!("{reason}: `{line}`"))?;
            let body: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with('}')).collect();
            let blocks = blocks(&body, parameters.len(), types);
            let labels = blocks.iter().enumerate().map(|(place, block)| (block.label.clone(), place)).collect();
            functions.insert(name, ClangFunction { parameters, blocks, labels });
        }
    }
    Ok(functions)
}

/// The name of the first function without arguments and with external linkage.
///
/// # Errors
/// No such function.
pub(super) fn entry(text: &str) -> Result<String, String> {
    let heads = text.lines().filter(|line| line.starts_with("define ") && line.contains("()"));
    let mut own = heads.filter(|line| !line.contains(" internal ") && !line.contains(" linkonce_odr "));
    let head = tokens(own.next().ok_or("the module has no entry point")?)?;
    global(&head).map(|(name, _)| name.to_owned()).ok_or_else(|| "an entry point without a name".to_owned())
}

/// The first global name in a line, and the tokens after it.
fn global<'t, 'a>(tokens: &'t [LlvmToken<'a>]) -> Option<(&'a str, &'t [LlvmToken<'a>])> {
    let at = tokens.iter().position(|token| matches!(token, LlvmToken::Global(_)))?;
    match tokens[at] {
        LlvmToken::Global(name) => Some((name, &tokens[at + 1..])),
        _ => None,
    }
}

/// Name and parameters of `define linkonce_odr noundef i32 @f(float noundef %0, ptr align 4 %1) #3 {`.
fn head(line: &str, types: &NamedTypes) -> Result<(String, Vec<String>), String> {
    let tokens = tokens(line)?;
    let (name, rest) = global(&tokens).ok_or("a function without a name")?;

    let mut reader = IrReader::new(rest, types);
    reader.expect('(')?;
    let mut parameters = Vec::new();
    while !reader.accept_sign(')') {
        reader.ty()?;
        reader.skip_attributes()?;
        match reader.next() {
            Some(LlvmToken::Local(parameter)) => parameters.push(parameter.to_owned()),
            other => return Err(format!("{other:?} is no parameter")),
        }
        reader.accept_sign(',');
    }
    Ok((name.to_owned(), parameters))
}

/// The blocks of a body. The first may have no label; its number then follows those of the
/// parameters.
fn blocks(body: &[&str], parameters: usize, types: &NamedTypes) -> Vec<BasicBlock> {
    let mut blocks = vec![BasicBlock { label: parameters.to_string(), instructions: Vec::new() }];
    for line in joined(body) {
        if let Some(label) = label(&line) {
            blocks.push(BasicBlock { label, instructions: Vec::new() });
        } else {
            let last = blocks.last_mut().expect("there is a first block");
            last.instructions.push(ClangInstruction::read(&line, types));
        }
    }
    // The first block has a label.
    if blocks.len() > 1 && blocks[0].instructions.is_empty() {
        blocks.remove(0);
    }
    blocks
}

/// The lines without empty ones and comments; the lines of a `switch` are joined into one.
fn joined(body: &[&str]) -> Vec<String> {
    let mut whole: Vec<String> = Vec::new();
    let mut open = false;
    for line in body {
        let code = line.trim();
        if open {
            open = !code.starts_with(']');
            whole.last_mut().expect("a `switch` came before").push_str(line);
        } else if !code.is_empty() && !code.starts_with(';') {
            open = code.starts_with("switch ") && code.ends_with('[');
            whole.push((*line).to_owned());
        }
    }
    whole
}

/// `5:  ; preds = %0`.
fn label(line: &str) -> Option<String> {
    if line.starts_with(char::is_whitespace) {
        return None;
    }
    let (label, _) = line.split_once(':')?;
    Some(label.trim_matches('"').to_owned())
}
