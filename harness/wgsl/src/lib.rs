//! Reads the declarations of a WGSL module by the language's own specification: types, constants,
//! variables with their bindings, and the variables that each entry point uses. Lays out their blocks.
//!
//! Bodies of functions are searched for names alone, so a module may have errors there that
//! compilers refuse. Extensions of naga that declare data or bindings are read too: 64-bit scalars,
//! `binding_array`, `var<push_constant>`. Calls of `bufferView` and `bufferArrayView` in the bodies are read, because
//! they give memory of type `buffer` its types.
//!
//! Source: WebGPU Shading Language, W3C Candidate Recommendation Draft; its sections are named
//! where they apply.
#![forbid(unsafe_code)]

mod constant;
mod elaborate;
mod layouts;
mod link;
mod parser;
mod syntax;
mod tokens;
mod usage;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_layout::shape::{Count, Type};
use layoutproof_layout::{Block, BlockKind, FileId, Reach, Span, StageData, join};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::sources::SourceMap;

pub use layouts::WgslLayouts;
pub use link::{LinkSearch, LinkedText, link, needs_linking};
use parser::Parser;
use tokens::Token;

/// The declarations of a module that a host sees.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WgslModule {
    /// Variables of the address spaces that a host fills, and textures and samplers, in order.
    pub variables: Vec<WgslVariable>,
    /// Structs and arrays in the memory of a workgroup, which no host sees, in order.
    pub shared: Vec<WgslVariable>,
    pub entry_points: Vec<WgslEntryPoint>,
    /// The inputs and outputs of entry points that have a location.
    pub varyings: Vec<WgslVarying>,
    /// The types that functions give to variables of type `buffer`, each once, in order.
    pub views: Vec<WgslView>,
    /// Constants that a pipeline sets, in order.
    pub overrides: Vec<WgslOverride>,
    /// True with `requires uniform_buffer_standard_layout`: uniform buffers follow the constraints
    /// of storage buffers.
    pub has_standard_uniforms: bool,
    pub warnings: Vec<Diagnostic>,
    /// Errors that leave every layout as it is: two variables of one entry point at one binding.
    pub clashes: Vec<Diagnostic>,
    atomic_members: BTreeSet<(String, String)>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct WgslVariable {
    pub name: String,
    pub space: WgslSpace,
    /// The data in it; `None` for textures, samplers and acceleration structures, and for buffers that have views.
    pub data: Option<Type>,
    /// The length of a `binding_array`; 1 for other variables.
    pub count: Count,
    pub binding: Option<WgslBinding>,
    /// As written, on one line: `var<storage, read_write> jobs: array<Job>`.
    pub declared: String,
    /// From `var` to the type.
    pub span: Span,
    /// True if the variable itself is an atomic, or an array of atomics.
    is_atomic: bool,
}

/// A call of `bufferView` or `bufferArrayView`, which reads memory as a type.
///
/// Source: WGSL's language extension `buffer_view`. Tint of Dawn for Node 0.6.2 refuses what
/// [`WgslView::offset`] and [`WgslView::limit`] do not allow.
#[derive(Clone, Debug, PartialEq)]
pub struct WgslView {
    /// `pool as array<Item> at 32`: the variable, the type as written and the offset.
    pub name: String,
    /// `Storage` also for a pointer, whose memory only the callers know.
    pub space: WgslSpace,
    pub data: Type,
    /// Bytes from the start of the memory, which the type's alignment must divide; `None` if only a run knows them.
    pub offset: Option<u32>,
    /// The size of the memory in bytes, `N` in `buffer<N>`, which the type must not exceed.
    pub limit: Option<u32>,
    pub span: Span,
}

/// `@group` and `@binding`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WgslBinding {
    pub group: u32,
    pub binding: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WgslSpace {
    Uniform,
    Storage,
    /// `var<immediate>`, and `var<push_constant>` of earlier versions of naga.
    Immediate,
    Workgroup,
    /// Textures, samplers, acceleration structures.
    Handle,
}

#[derive(Clone, Debug, PartialEq)]
pub struct WgslEntryPoint {
    pub name: String,
    /// Indices of the [variables](WgslModule::variables) that it uses, directly or through functions
    /// that it calls (WGSL, 2.5 "statically accessed").
    pub uses: BTreeSet<usize>,
}

/// An input or output of an entry point: `main.uv`, `main.$result.color`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WgslVarying {
    pub entry: String,
    pub path: String,
    pub direction: WgslDirection,
    pub location: u32,
    /// `@blend_src`: two outputs may share a location.
    pub blend_source: Option<u32>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WgslDirection {
    Input,
    Output,
}

#[derive(Clone, Debug, PartialEq)]
pub struct WgslOverride {
    pub name: String,
    /// `@id`.
    pub id: Option<u32>,
    pub span: Span,
}

impl WgslModule {
    /// Reads the module in `text`.
    ///
    /// # Errors
    /// Everything that the specification does not allow in the declarations, each at its place in
    /// `file`. A syntax error ends the reading.
    pub fn read(text: &str, file: FileId) -> Result<Self, Vec<Diagnostic>> {
        let tokens = tokens::tokens(text, file).map_err(|error| vec![error])?;
        let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
        let written = |span: Span| text.get(span.start as usize..span.end as usize).unwrap_or_default();
        Self::of_tokens(&tokens, Span { file, start: end, end }, &written)
    }

    /// Reads a linked text, with places in the user's files.
    ///
    /// # Errors
    /// As [`WgslModule::read`].
    pub fn read_linked(linked: &LinkedText, sources: &SourceMap) -> Result<Self, Vec<Diagnostic>> {
        let file = FileId::default();
        let tokens = tokens::tokens(&linked.text, file).map_err(|error| vec![linked.in_files(error)])?;
        let moved = tokens.into_iter().map(|token| Token { span: linked.place(token.span), ..token });
        let end = u32::try_from(linked.text.len()).unwrap_or(u32::MAX);
        let end = linked.place(Span { file, start: end, end });
        Self::of_tokens(&moved.collect::<Vec<_>>(), end, &|span| sources.text(span))
    }

    fn of_tokens(tokens: &[Token<'_>], end: Span, written: elaborate::Written<'_>) -> Result<Self, Vec<Diagnostic>> {
        let syntax = Parser::new(tokens, end).module().map_err(|error| vec![error])?;
        let mut module = elaborate::elaborate(&syntax, tokens, written)?;
        module.entry_points = usage::entry_points(&syntax, tokens, &module.variables);
        module.clashes = module.clashes_of_bindings();
        Ok(module)
    }

    /// Source: WGSL, 13.3.2 Resource Interface: "must not have the same binding point".
    fn clashes_of_bindings(&self) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        let mut reported = BTreeSet::new();
        for entry in &self.entry_points {
            let mut earlier: BTreeMap<WgslBinding, &WgslVariable> = BTreeMap::new();
            for index in &entry.uses {
                let variable = &self.variables[*index];
                let Some(binding) = variable.binding else { continue };
                if let Some(first) = earlier.insert(binding, variable)
                    && reported.insert(*index)
                {
                    let WgslBinding { group, binding } = binding;
                    let message = format!(
                        "`{}` has group {group} and binding {binding}, which `{}` has, too, and `{}` uses both",
                        variable.name, first.name, entry.name
                    );
                    let problem = Diagnostic::error(Code::BadModule, variable.span, message);
                    found.push(problem.with_label(first.span, "the other one"));
                }
            }
        }
        found
    }

    /// The paths of the atomics in the variable `name`, without indices: `hits`, `list[]`; an empty
    /// path if it is an atomic itself. Follows structs to a depth that layouts have.
    pub fn atomics(&self, name: &str) -> BTreeSet<String> {
        let mut paths = BTreeSet::new();
        if let Some(WgslVariable { data: Some(data), is_atomic, .. }) =
            self.variables.iter().find(|variable| variable.name == name)
        {
            self.add_atomics(data, *is_atomic, String::new(), &mut paths);
        }
        paths
    }

    fn add_atomics(&self, ty: &Type, is_atomic: bool, path: String, paths: &mut BTreeSet<String>) {
        let (base, counts) = ty.dimensions();
        let path = path + &"[]".repeat(counts.len());
        match base {
            Type::Struct(structure) => {
                for member in &structure.members {
                    let is_atomic = self.atomic_members.contains(&(structure.name.clone(), member.name.clone()));
                    let path = if path.is_empty() { member.name.clone() } else { join(&path, &member.name) };
                    self.add_atomics(&member.ty, is_atomic, path, paths);
                }
            }
            _ if is_atomic => {
                paths.insert(path);
            }
            _ => {}
        }
    }
}

impl WgslView {
    pub fn block(&self) -> Block {
        let kind = match self.space {
            WgslSpace::Uniform => BlockKind::UniformBlock,
            WgslSpace::Storage | WgslSpace::Immediate | WgslSpace::Workgroup | WgslSpace::Handle => {
                BlockKind::StorageBlock
            }
        };
        Block { span: self.span, ..Block::new(&self.name, kind, self.data.clone()) }
    }
}

impl WgslVariable {
    /// The block of bytes that it is; `None` if it has no data of its own.
    pub fn block(&self) -> Option<Block> {
        let kind = match self.space {
            WgslSpace::Uniform => BlockKind::UniformBlock,
            WgslSpace::Storage => BlockKind::StorageBlock,
            WgslSpace::Immediate => BlockKind::PushConstant,
            WgslSpace::Workgroup => BlockKind::Workgroup,
            WgslSpace::Handle => return None,
        };
        let reach = match self.space {
            WgslSpace::Workgroup => Reach::Stage(StageData::WorkgroupMemory),
            WgslSpace::Uniform | WgslSpace::Storage | WgslSpace::Immediate | WgslSpace::Handle => Reach::Parameter,
        };
        let block = Block::new(&self.name, kind, self.data.clone()?);
        Some(Block { count: self.count, reach, span: self.span, ..block })
    }
}

#[cfg(test)]
mod tests;
