//! Finds the memory that function bodies reach without a declared block: buffers of descriptor heaps, loads and stores of
//! types in buffers of bytes, pointers.
//!
//! They are found in the tokens, so that an answer can name each of them, also in code that never runs and where its type
//! cannot be resolved.

use std::collections::HashSet;

use layoutproof_layout::StageData;
use layoutproof_layout::resource::Resource;
use layoutproof_layout::shape::Type;
use layoutproof_preprocess::lexer::TokenKind;
use layoutproof_source::words::words;

use super::Elaborator;
use super::builtin::{self, Builtin};
use super::lookup::LookupContext;
use super::scope::GLOBAL;
use crate::ast::{Declarator, TypeExpression, TypeSuffix};
use crate::module::{MemoryView, ViewKind};
use crate::parser::{BracketedTokens, Parser};

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

/// Functions whose last argument is data for another stage, with the number of their arguments: a program may have functions
/// of these names, too.
const STAGE_CALLS: [(&str, usize, StageData); 4] = [
    ("TraceRay", 8, StageData::RayPayload),
    ("ReportHit", 3, StageData::HitAttributes),
    ("CallShader", 2, StageData::CallableData),
    ("DispatchMesh", 4, StageData::MeshPayload),
];

/// Parameters of nodes, with the record as their argument.
const NODE_RECORDS: [&str; 10] = [
    "DispatchNodeInputRecord",
    "GroupNodeInputRecords",
    "GroupNodeOutputRecords",
    "NodeOutput",
    "NodeOutputArray",
    "RWDispatchNodeInputRecord",
    "RWGroupNodeInputRecords",
    "RWThreadNodeInputRecord",
    "ThreadNodeInputRecord",
    "ThreadNodeOutputRecords",
];

/// Types of one number, whose bytes no rule set moves.
const SCALARS: [&str; 22] = words(
    "bool int uint dword half float double int8_t uint8_t int16_t uint16_t float16_t int32_t uint32_t float32_t int64_t \
     uint64_t float64_t min16float min16int min16uint unsigned",
);

/// Words between `groupshared` and the type.
const MODIFIERS: [&str; 9] =
    ["static", "const", "volatile", "row_major", "column_major", "precise", "globallycoherent", "uniform", "extern"];

/// Most tokens between a variable's declaration and its use that are searched.
const MOST_TOKENS_BACK: usize = 4096;

/// Most views that are named.
const MOST_VIEWS: usize = 1000;

/// An access to memory, as the tokens show it.
struct FoundView<'t> {
    kind: ViewKind,
    name: String,
    /// The first token of the type.
    ty: Option<usize>,
    variable: Option<&'t str>,
}

impl<'t> Elaborator<'t> {
    /// Every view in the tokens, in their order. A pointee is one view, wherever its pointers are.
    pub(super) fn views(&mut self) -> Vec<MemoryView> {
        let source = self.source;
        let tokens = Tokens { source, structs: declared_structs(source) };
        let mut found: Vec<MemoryView> = Vec::new();
        let mut at = 0;
        while source.token(at).kind != TokenKind::End && found.len() < MOST_VIEWS {
            if source.token(at).text == "groupshared" {
                found.extend(self.shared_variables(at));
            } else if let Some(FoundView { kind, name, ty, variable }) = tokens.view(at) {
                let is_known = |known: &MemoryView| known.kind == ViewKind::Pointer && known.name == name;
                if kind != ViewKind::Pointer || !found.iter().any(is_known) {
                    let variable = variable.map(str::to_owned);
                    let view = MemoryView { kind, name, ty: None, variable, span: source.token(at).span };
                    found.extend(self.typed(view, at, ty));
                }
            }
            at += 1;
        }
        found
    }

    /// The variables of the declaration with the `groupshared` at `at`.
    fn shared_variables(&mut self, at: usize) -> Vec<MemoryView> {
        let mut start = at + 1;
        while MODIFIERS.contains(&self.source.token(start).text) {
            start += 1;
        }
        let mut parser = Parser::new(self.source, start);
        let Ok(written) = parser.type_expression() else { return Vec::new() };
        let Ok(declarators) = parser.declarators() else { return Vec::new() };
        let mut found = Vec::new();
        for Declarator { name, dimensions, .. } in declarators {
            let (kind, span) = (ViewKind::Stage(StageData::WorkgroupMemory), name.span);
            let variable = Some(name.text.to_owned());
            let view = MemoryView { kind, name: name.text.to_owned(), ty: None, variable, span };
            let mut written = written.clone();
            written.suffixes.extend(dimensions.into_iter().map(TypeSuffix::Array));
            found.extend(self.with_types(view, at, &written));
        }
        found
    }

    /// The view with its type: one for each type that the instances of its function give it.
    fn typed(&mut self, view: MemoryView, at: usize, ty: Option<usize>) -> Vec<MemoryView> {
        let Some(mut written) = ty.and_then(|ty| Parser::new(self.source, ty).type_expression().ok()) else {
            return vec![view];
        };
        if self.source.token(at).text == "*" {
            // The stars of the pointer itself.
            written.suffixes.clear();
        }
        self.with_types(view, at, &written)
    }

    fn with_types(&mut self, view: MemoryView, at: usize, written: &TypeExpression<'t>) -> Vec<MemoryView> {
        let inside = self.read_bodies.iter().filter(|body| body.tokens.contains(&at));
        let mut contexts: Vec<LookupContext> = inside.map(|body| body.context.clone()).collect();
        if contexts.is_empty() {
            contexts.push(LookupContext::plain(GLOBAL));
        }
        let mut types: Vec<Type> = Vec::new();
        for context in contexts {
            if let Some(ty) = self.tried(written, &context)
                && !types.contains(&ty)
            {
                types.push(ty);
            }
        }
        if types.is_empty() {
            return vec![view];
        }
        let name = |ty: &Type| match ty {
            Type::Resource(Resource { element: Some(element), .. }) => element.to_string(),
            Type::Handle { resource } => resource.element.as_ref().map_or_else(|| ty.to_string(), ToString::to_string),
            ty => ty.to_string(),
        };
        types.into_iter().map(|ty| MemoryView { name: name(&ty), ty: Some(ty), ..view.clone() }).collect()
    }

    /// Resolves a type that may be none: the tokens do not show whether `a * b` is a declaration. What cannot be resolved
    /// is no problem of the source.
    fn tried(&mut self, written: &TypeExpression<'t>, context: &LookupContext) -> Option<Type> {
        let (problems, pointees) = (std::mem::take(&mut self.problems), self.pointees.clone());
        let ty = self.resolve(written, None, context);
        self.problems = problems;
        if ty.is_none() {
            self.pointees = pointees;
        }
        ty
    }
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
    fn view(&self, at: usize) -> Option<FoundView<'t>> {
        let word = self.text(at);
        if word == RESOURCE_HEAP && self.text(at + 1) == "[" {
            return self.heap_view(at);
        }
        let previous = |at: usize| at.checked_sub(1).map(|before| self.text(before)).unwrap_or_default();
        // `bytes.template Load<T>(0)`
        let before = if previous(at) == "template" { previous(at - 1) } else { previous(at) };
        let has_arguments = |end: usize| self.text(end + 1) == "(";
        let unnamed = |kind, name, ty| Some(FoundView { kind, name, ty: Some(ty), variable: None });
        let raw = match before {
            "." if RAW_METHODS.contains(&word) => Some(ViewKind::RawAccess { at_constant: false }),
            "::" if ADDRESS_FUNCTIONS.contains(&word) => Some(ViewKind::Pointer),
            _ => None,
        };
        if let Some(kind) = raw {
            let (name, end) = self.argument(at + 1)?;
            let is_view = has_arguments(end) && !Self::is_scalar(&name);
            let kind = match kind {
                ViewKind::RawAccess { .. } => ViewKind::RawAccess { at_constant: self.is_constant_argument(end + 1) },
                other => other,
            };
            return if is_view { unnamed(kind, name, at + 2) } else { None };
        }
        if word == "DescriptorHandle" || word == "Handle" && before == "." {
            let resource = if word == "Handle" { self.opened(at.checked_sub(2)?)? - 1 } else { at + 2 };
            let (name, _) = self.argument(resource + 1).filter(|_| BUFFERS.contains(&self.text(resource)))?;
            return unnamed(ViewKind::DescriptorHeap, name, resource);
        }
        if NODE_RECORDS.contains(&word) {
            return unnamed(ViewKind::Stage(StageData::NodeRecord), self.argument(at + 1)?.0, at + 2);
        }
        if let Some((_, count, data)) = STAGE_CALLS.iter().find(|(call, ..)| *call == word) {
            let open = if self.text(at + 1) == "<" { self.argument(at + 1)?.1 + 1 } else { at + 1 };
            return self.passed(at, open, *count).map(|(ty, variable)| FoundView {
                kind: ViewKind::Stage(*data),
                name: self.text(ty.unwrap_or(variable)).to_owned(),
                ty,
                variable: ty.filter(|ty| self.is_numeric(*ty)).map(|_| self.text(variable)),
            });
        }
        // `Node* next = ...;`, `(Node*)address`, `Ptr<Node>`
        match word {
            "Ptr" => unnamed(ViewKind::Pointer, self.argument(at + 1)?.0, at + 2),
            "*" if self.is_pointer_type(at) => unnamed(ViewKind::Pointer, before.to_owned(), at - 1),
            _ => None,
        }
    }

    /// The view of a descriptor of a heap, with the type of the variable, of the cast or of the assignment. `None` for
    /// resources without a layout. A type that is not written next to the heap has the name of the heap.
    fn heap_view(&self, heap: usize) -> Option<FoundView<'t>> {
        // Back to the start of the statement: `ConstantBuffer<Tint> tint = ResourceDescriptorHeap[0];`
        let mut start = heap;
        while start > 0 && heap - start < MOST_TOKENS_BACK && !matches!(self.text(start - 1), ";" | "{" | "}") {
            start -= 1;
        }
        let is_initialiser = heap >= start + 2 && self.text(heap - 1) == "=";
        let variable = is_initialiser.then(|| self.source.token(heap - 2));
        let variable = variable.filter(|token| token.kind == TokenKind::Identifier).map(|token| token.text);
        let found = |name, ty| FoundView { kind: ViewKind::DescriptorHeap, name, ty, variable };
        let written = (start..heap).rev().find(|at| self.is_resource(*at));
        // `tint = ResourceDescriptorHeap[0];`, `frame.tints[0] = ResourceDescriptorHeap[0];`
        let declared = || {
            let equals = heap.checked_sub(1).filter(|at| self.text(*at) == "=")?;
            self.declared_type(self.assigned(equals)?)
        };
        let Some(at) = written.or_else(declared) else {
            return Some(found(RESOURCE_HEAP.to_owned(), self.named_type(start, heap)));
        };
        if !BUFFERS.contains(&self.text(at)) {
            return None;
        }
        let name = self.argument(at + 1).map_or_else(|| RESOURCE_HEAP.to_owned(), |(name, _)| name);
        Some(found(name, Some(at)))
    }

    /// The last name before the `=` at `equals`, without indices.
    fn assigned(&self, equals: usize) -> Option<usize> {
        let mut name = equals.checked_sub(1)?;
        while self.text(name) == "]" {
            let mut depth = 0_usize;
            loop {
                match self.text(name) {
                    "]" => depth += 1,
                    "[" => depth -= 1,
                    ";" | "{" | "}" => return None,
                    _ => {}
                }
                name = name.checked_sub(1)?;
                if depth == 0 {
                    break;
                }
            }
        }
        (self.source.token(name).kind == TokenKind::Identifier).then_some(name)
    }

    /// The type of the heap's descriptor where a name that is no resource has it, as in a template: `(T)heap[i]`,
    /// `T t = heap[i]`, `T get() { return heap[i]; }`.
    fn named_type(&self, start: usize, heap: usize) -> Option<usize> {
        let is_name = |at: &usize| self.source.token(*at).kind == TokenKind::Identifier;
        let at = match self.text(heap.checked_sub(1)?) {
            ")" => heap.checked_sub(2)?,
            "=" if heap == start + 3 => start,
            "return" => {
                let mut name = start.checked_sub(2).filter(|end| self.text(*end) == ")")?;
                while self.text(name) != "(" {
                    name = name.checked_sub(1).filter(|at| start - at < MOST_TOKENS_BACK)?;
                }
                // `T get(`, `T operator[](`
                name.checked_sub(if self.text(name.checked_sub(1)?) == "]" { 4 } else { 2 })?
            }
            _ => return None,
        };
        if self.text(at) == ">" { Some(self.opened(at)?.checked_sub(1)?) } else { Some(at) }.filter(is_name)
    }

    /// The `<` of the `>` at `close`, in the same statement.
    fn opened(&self, close: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for at in (close.saturating_sub(64)..=close).rev() {
            match self.text(at) {
                ">" => depth += 1,
                ">>" => depth += 2,
                "<" => depth = depth.checked_sub(1)?,
                ";" | "{" | "}" => return None,
                _ => {}
            }
            if depth == 0 {
                return (at < close && at > 0).then_some(at);
            }
        }
        None
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

    /// True if the first argument of the call with the parenthesis at `open` has no names but those of constants and types.
    fn is_constant_argument(&self, open: usize) -> bool {
        let end = self.source.closer(open);
        let mut at = open + 1;
        while at < end && self.text(at) != "," {
            let is_name = self.source.token(at).kind == TokenKind::Identifier;
            if self.text(at) == "sizeof" && self.text(at + 1) == "(" {
                at = self.source.closer(at + 1);
            } else if is_name && !self.is_constant(at) {
                return false;
            }
            at += 1;
        }
        at > open + 1
    }

    /// True if the name at `at` has a declaration `static const TYPE NAME` before.
    fn is_constant(&self, at: usize) -> bool {
        let first = at.saturating_sub(MOST_TOKENS_BACK).max(3);
        let is_declaration = |here: usize| {
            let words = [here - 3, here - 2].map(|before| self.text(before));
            self.text(here) == self.text(at) && words.contains(&"const") && words.contains(&"static")
        };
        (first..at).any(is_declaration)
    }

    /// The type and the name of the variable that is the last of `count` arguments of the call of `function`, whose parenthesis
    /// is at `open`: a struct of the source, where a declaration has one, or what the nearest declaration has. The type of a
    /// member is not known, and what is no variable has the name of the function.
    fn passed(&self, function: usize, open: usize, count: usize) -> Option<(Option<usize>, usize)> {
        let (mut at, mut commas, mut last) = (open, 0, open);
        let close = self.source.closer(open);
        if self.text(open) != "(" || close <= open + 1 {
            return None;
        }
        while at + 1 < close {
            at += 1;
            match self.text(at) {
                "(" | "[" | "{" => at = self.source.closer(at),
                "," => (commas, last) = (commas + 1, at),
                _ => {}
            }
        }
        if commas + 1 != count {
            return None;
        }
        let variable = close - 1;
        if self.source.token(variable).kind != TokenKind::Identifier {
            // `ReportHit(t, 0, (Attributes)0)`
            let ty = (last..close).find(|at| self.structs.contains(self.text(*at)));
            return Some((ty, function));
        }
        if self.text(variable - 1) == "." {
            return Some((None, variable));
        }
        let name = self.text(variable);
        let first = open.saturating_sub(MOST_TOKENS_BACK);
        let declared = (first + 1..open).rev().filter(|here| self.text(*here) == name).map(|here| here - 1);
        let is_type = |ty: &usize| {
            let is_word = self.source.token(*ty).kind == TokenKind::Identifier;
            is_word && !matches!(self.text(*ty), "return" | "in" | "out" | "inout" | "else")
        };
        let of_struct = declared.clone().find(|ty| self.structs.contains(self.text(*ty)));
        Some((of_struct.or_else(|| declared.clone().find(is_type)), variable))
    }

    fn is_numeric(&self, at: usize) -> bool {
        matches!(builtin::builtin(self.text(at)), Some(Builtin::Numeric(_)))
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
