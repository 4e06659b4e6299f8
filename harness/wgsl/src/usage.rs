//! Finds the variables that each entry point uses, by the names in the bodies of functions. Signatures
//! name only types, constants and overrides.
//!
//! Source: WebGPU Shading Language, 5.3 Scope of declarations: a local declaration hides a global
//! name from the end of its statement to the end of its block.

use std::collections::{BTreeMap, BTreeSet};

use crate::parser::tokens_of;
use crate::syntax::{AttributeSyntax, DeclarationKind, Syntax};
use crate::tokens::{Token, TokenKind};
use crate::{WgslEntryPoint, WgslVariable};

/// Attributes that make a function an entry point; the last ones are naga's.
const STAGES: [&str; 9] =
    ["vertex", "fragment", "compute", "task", "mesh", "ray_generation", "miss", "any_hit", "closest_hit"];

/// True for a function with these attributes that a pipeline can start.
pub(super) fn is_entry(attributes: &[AttributeSyntax<'_>]) -> bool {
    attributes.iter().any(|attribute| STAGES.contains(&attribute.name))
}

/// The entry points, in order.
pub(super) fn entry_points(
    syntax: &Syntax<'_>,
    tokens: &[Token<'_>],
    variables: &[WgslVariable],
) -> Vec<WgslEntryPoint> {
    let mut functions = BTreeMap::new();
    for declaration in &syntax.declarations {
        if let DeclarationKind::Function { parameters, body, .. } = &declaration.kind {
            let parameters: Vec<&str> = parameters.iter().map(|parameter| parameter.name).collect();
            let body = tokens_of(tokens, body);
            let names: BTreeSet<&str> =
                names_in(body, &parameters).global.into_iter().map(|index| body[index].text).collect();
            functions.insert(declaration.name, names);
        }
    }

    let entries = syntax.declarations.iter().filter(|declaration| is_entry(&declaration.attributes));
    let entries = entries.filter(|declaration| functions.contains_key(declaration.name)).map(|declaration| {
        let mut reached = BTreeSet::from([declaration.name]);
        let mut waiting = vec![declaration.name];
        while let Some(name) = waiting.pop() {
            for used in functions.get(name).into_iter().flatten() {
                if reached.insert(used) {
                    waiting.push(used);
                }
            }
        }
        let uses = (0..variables.len()).filter(|index| reached.contains(variables[*index].name.as_str())).collect();
        WgslEntryPoint { name: declaration.name.to_owned(), uses }
    });
    entries.collect()
}

/// The names in a body, as indices of tokens.
#[derive(Debug, Default)]
pub(super) struct BodyNames {
    /// Those that are no local ones.
    pub global: Vec<usize>,
    /// Declarations of names that their block has already.
    pub redeclared: Vec<usize>,
}

/// A block of a body, with the names that it declares.
struct Scope<'a> {
    declared: BTreeSet<&'a str>,
    /// True for the scope of a `for`, which ends with the block after it.
    ends_with_block: bool,
}

/// The names in a body, which begins with `{`.
pub(super) fn names_in<'a>(body: &[Token<'a>], parameters: &[&'a str]) -> BodyNames {
    let parameters: BTreeSet<&str> = parameters.iter().copied().collect();
    let mut scopes = vec![Scope { declared: parameters.clone(), ends_with_block: false }];
    let mut names = BodyNames::default();
    let mut pending = None;
    let mut previous = None;
    for (index, token) in body.iter().enumerate() {
        match token.kind {
            TokenKind::Sign('{') => {
                names.redeclared.extend(declare(&mut scopes, pending.take(), body));
                // The parameters are names of the outermost block, too.
                let declared = if scopes.len() == 1 { parameters.clone() } else { BTreeSet::new() };
                scopes.push(Scope { declared, ends_with_block: false });
            }
            TokenKind::Sign('}') => {
                scopes.pop();
                while scopes.pop_if(|scope| scope.ends_with_block).is_some() {}
            }
            TokenKind::Sign(';') => names.redeclared.extend(declare(&mut scopes, pending.take(), body)),
            TokenKind::Word if token.text == "for" => {
                scopes.push(Scope { declared: BTreeSet::new(), ends_with_block: true });
            }
            TokenKind::Word if matches!(token.text, "let" | "var" | "const") => {
                pending = declared_name(body, index + 1);
            }
            TokenKind::Word => {
                let is_member = previous.is_some_and(|sign: &Token<'_>| sign.is_sign('.'));
                let is_declared = pending == Some(index);
                let is_local = || scopes.iter().any(|scope| scope.declared.contains(token.text));
                if !is_member && !is_declared && !is_local() {
                    names.global.push(index);
                }
            }
            TokenKind::Number | TokenKind::Sign(_) | TokenKind::TemplateStart | TokenKind::TemplateEnd => {}
        }
        previous = Some(token);
    }
    names
}

/// The name after `let`, `var`, `const` and an address space, whose tokens begin at `start`.
fn declared_name(body: &[Token<'_>], start: usize) -> Option<usize> {
    let name = match body.get(start)?.kind {
        TokenKind::TemplateStart => {
            start + 1 + body[start..].iter().position(|token| token.kind == TokenKind::TemplateEnd)?
        }
        _ => start,
    };
    body.get(name).filter(|token| token.kind == TokenKind::Word).map(|_| name)
}

/// Adds a name to the innermost block; returns it if the block has it already.
fn declare<'a>(scopes: &mut [Scope<'a>], name: Option<usize>, body: &[Token<'a>]) -> Option<usize> {
    let (scope, name) = scopes.last_mut().zip(name)?;
    (!scope.declared.insert(body[name].text)).then_some(name)
}
