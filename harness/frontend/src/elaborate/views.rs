//! Finds the memory that function bodies reach without a declared block: buffers of descriptor heaps, loads and stores of
//! types in buffers of bytes, pointers.
//!
//! No rule set lays them out yet. They are found in the tokens, so that an answer can name what it does not cover; code
//! that a body never runs counts too.

use std::collections::HashSet;

use layoutproof_preprocess::lexer::TokenKind;
use layoutproof_source::words::words;

use super::builtin::{self, Builtin};
use crate::module::{MemoryView, ViewKind};
use crate::parser::BracketedTokens;

/// Objects of shader model 6.6 that hold descriptors.
const RESOURCE_HEAP: &str = "ResourceDescriptorHeap";

/// Resources whose elements have a layout.
const BUFFERS: [&str; 10] = [
    "ConstantBuffer",
    "TextureBuffer",
    "ParameterBlock",
    "StructuredBuffer",
    "RWStructuredBuffer",
    "AppendStructuredBuffer",
    "ConsumeStructuredBuffer",
    "RasterizerOrderedStructuredBuffer",
    "GloballyCoherentStructuredBuffer",
    "DescriptorHandle",
];

/// Methods of buffers of bytes that take a type.
const RAW_METHODS: [&str; 4] = ["Load", "Store", "LoadAligned", "StoreAligned"];

/// Functions of `vk` that take an address and a type.
const ADDRESS_FUNCTIONS: [&str; 2] = ["RawBufferLoad", "RawBufferStore"];

/// Types of one number, whose bytes no rule set moves.
const SCALARS: [&str; 22] = words(
    "bool int uint dword half float double int8_t uint8_t int16_t uint16_t float16_t int32_t uint32_t float32_t int64_t \
     uint64_t float64_t min16float min16int min16uint unsigned",
);

/// Most tokens between a variable's declaration and its use that are searched.
const MOST_TOKENS_BACK: usize = 4096;

/// Most views that are named.
const MOST_VIEWS: usize = 1000;

/// Every view in the tokens, in their order. A pointee is one view, wherever its pointers are.
pub(super) fn views(source: &BracketedTokens<'_>) -> Vec<MemoryView> {
    let tokens = Tokens { source, structs: declared_structs(source) };
    let mut found: Vec<MemoryView> = Vec::new();
    let mut at = 0;
    while source.token(at).kind != TokenKind::End && found.len() < MOST_VIEWS {
        if let Some((kind, name)) = tokens.view(at) {
            let view = MemoryView { kind, name, span: source.token(at).span };
            let is_known = |known: &MemoryView| known.kind == ViewKind::Pointer && known.name == view.name;
            if view.kind != ViewKind::Pointer || !found.iter().any(is_known) {
                found.push(view);
            }
        }
        at += 1;
    }
    found
}

/// The names after `struct` and `class`.
fn declared_structs<'t>(source: &BracketedTokens<'t>) -> HashSet<&'t str> {
    let mut found = HashSet::new();
    let mut at = 0;
    while source.token(at).kind != TokenKind::End {
        if matches!(source.token(at).text, "struct" | "class") {
            found.insert(source.token(at + 1).text);
        }
        at += 1;
    }
    found
}

struct Tokens<'s, 't> {
    source: &'s BracketedTokens<'t>,
    structs: HashSet<&'t str>,
}

impl<'t> Tokens<'_, 't> {
    fn text(&self, at: usize) -> &'t str {
        self.source.token(at).text
    }

    /// The view that the token at `at` begins or names.
    fn view(&self, at: usize) -> Option<(ViewKind, String)> {
        let word = self.text(at);
        if word == RESOURCE_HEAP && self.text(at + 1) == "[" {
            return Some((ViewKind::DescriptorHeap, self.heap_type(at)?));
        }
        let before = at.checked_sub(1).map(|before| self.text(before)).unwrap_or_default();
        let has_arguments = |end: usize| self.text(end + 1) == "(";
        if before == "." && RAW_METHODS.contains(&word) {
            let (name, end) = self.argument(at + 1)?;
            return (has_arguments(end) && !Self::is_scalar(&name)).then_some((ViewKind::RawAccess, name));
        }
        if before == "::" && ADDRESS_FUNCTIONS.contains(&word) {
            let (name, end) = self.argument(at + 1)?;
            return (has_arguments(end) && !Self::is_scalar(&name)).then_some((ViewKind::Pointer, name));
        }
        if word == "DescriptorHandle" {
            let inner = self.text(at + 2);
            let name = self.argument(at + 3).map(|(name, _)| name);
            return name.filter(|_| BUFFERS.contains(&inner)).map(|name| (ViewKind::DescriptorHeap, name));
        }
        // `Node* next = ...;`, `(Node*)address`, `Ptr<Node>`
        let pointee = match word {
            "Ptr" => self.argument(at + 1)?.0,
            "*" if self.is_pointer_type(at) => before.to_owned(),
            _ => return None,
        };
        Some((ViewKind::Pointer, pointee))
    }

    /// The type that a descriptor of a heap gets: that of the variable, of the cast or of the assignment. `None` for
    /// resources without a layout. A type that is not written next to the heap has the name of the heap.
    fn heap_type(&self, heap: usize) -> Option<String> {
        // Back to the start of the statement: `ConstantBuffer<Tint> tint = ResourceDescriptorHeap[0];`
        let mut start = heap;
        while start > 0 && heap - start < MOST_TOKENS_BACK && !matches!(self.text(start - 1), ";" | "{" | "}") {
            start -= 1;
        }
        let written = (start..heap).rev().find(|at| self.is_resource(*at));
        // `tint = ResourceDescriptorHeap[0];`
        let variable = || (self.text(start + 1) == "=").then(|| self.declared_type(start)).flatten();
        let Some(at) = written.or_else(variable) else { return Some(RESOURCE_HEAP.to_owned()) };
        if !BUFFERS.contains(&self.text(at)) {
            return None;
        }
        let name = self.argument(at + 1).map_or_else(|| RESOURCE_HEAP.to_owned(), |(name, _)| name);
        Some(name).filter(|name| !Self::is_scalar(name))
    }

    /// The resource type of the variable at `at`, where an earlier declaration has it.
    fn declared_type(&self, at: usize) -> Option<usize> {
        let name = self.text(at);
        let first = at.saturating_sub(MOST_TOKENS_BACK);
        let declared = (first + 1..at).rev().filter(|here| self.text(*here) == name);
        let mut types = declared.filter_map(|here| match self.text(here - 1) {
            ">" => (first + 1..here).rev().find(|open| self.text(*open) == "<").map(|open| open - 1),
            _ => Some(here - 1),
        });
        types.find(|ty| self.is_resource(*ty))
    }

    /// True for the name of a resource type.
    fn is_resource(&self, at: usize) -> bool {
        matches!(builtin::builtin(self.text(at)), Some(Builtin::Resource(..) | Builtin::Handle))
    }

    /// The text between `<` at `at` and its `>`, with the place of that.
    fn argument(&self, at: usize) -> Option<(String, usize)> {
        if self.text(at) != "<" {
            return None;
        }
        let (mut depth, mut text) = (0_usize, String::new());
        for here in at..at + 64 {
            let token = self.source.token(here);
            match token.text {
                "<" => depth += 1,
                ">" => depth -= 1,
                ">>" => depth = depth.checked_sub(2)?,
                ";" | "{" | "}" | "" => return None,
                _ => {}
            }
            if depth == 0 {
                return Some((text, here));
            }
            if here > at {
                text += token.text;
            }
        }
        None
    }

    /// True for a word that stands for one number: its bytes are the type.
    fn is_scalar(name: &str) -> bool {
        SCALARS.contains(&name)
    }

    /// True if the `*` at `at` makes a pointer to a struct: a multiplication has no struct on its left.
    fn is_pointer_type(&self, at: usize) -> bool {
        at > 0 && self.structs.contains(self.text(at - 1))
    }
}
