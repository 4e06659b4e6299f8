//! Lists the uniform and storage blocks of a user's WGSL or GLSL file as naga lays them out.
//!
//! Each block is one [`BlockLayout`] under the rule set `declared`. Offsets, sizes, strides and
//! alignments come from naga's typed module. naga has only WGSL's alignments, so in GLSL an
//! alignment can be less than the one that std140 applied. In WGSL naga is a witness beside our own
//! rules ([`WgslLayouts`](layoutproof_wgsl::WgslLayouts)); it places some members elsewhere. If naga's
//! validator rejects a module, this returns only errors and no blocks.
//!
//! Texts of users and compilers come here through [`module_reader`](crate::module_reader),
//! because naga crashes on some of them.
//!
//! Source: naga 30, `naga::ir::TypeInner` and `naga::proc::Layouter`.

use std::borrow::Cow;

use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::{Count, MatrixOrder};
use layoutproof_layout::{
    BlockKind, BlockLayout, Component, DECLARED, Extent, FileId, LaidOut, LaidOutMember, LaidOutShape, Reach, Refusal,
    Span, ViewId,
};
use naga::front::{glsl, wgsl};
use naga::proc::Layouter;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{AddressSpace, ArraySize, GlobalVariable, Handle, ScalarKind, ShaderStage, StructMember, TypeInner};

use crate::naga_offsets::{chain, matrix_stride};
use crate::wgsl_probe::MAX_IMMEDIATE_SIZE;
use layoutproof_layout::listing::{LISTED_BYTES, ListingBudget, array_name, member_path};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use type_layouts::TypeLayouts;

/// Deepest nesting of structs and arrays, as for SPIR-V.
const DEEPEST: usize = 64;

mod type_layouts;

/// Reads the blocks of a WGSL module, in declaration order.
pub fn read_wgsl(text: &str, file: FileId) -> Result<Vec<BlockLayout>, Vec<Diagnostic>> {
    let place = NagaText { text, file, added: &[] };
    let module = wgsl::parse_str(text).map_err(|error| {
        let mut labels = error.labels();
        let (span, label) = labels.next().unwrap_or_default();
        let diagnostic = Diagnostic::error(Code::BadModule, place.span(span), error.message());
        vec![labels.fold(with_text(diagnostic, label), |diagnostic, (span, label)| {
            diagnostic.with_label(place.span(span), label)
        })]
    })?;
    blocks(&module, place)
}

/// Reads the blocks of a GLSL shader, in declaration order.
///
/// The stage is that of `#pragma shader_stage(STAGE)`, or else the first stage with which naga
/// reads the text.
///
/// # Errors
/// naga's own, each at its place in `file`. If no stage fits, those of the stage with which naga
/// got furthest. An exceeded limit of ours or of naga is the same with every stage, so it ends the search.
pub fn read_glsl(text: &str, file: FileId) -> Result<Vec<BlockLayout>, Vec<Diagnostic>> {
    let (text, added) = with_pushed_layout(text);
    let place = NagaText { text: &text, file, added: &added };
    let mut furthest: Option<Vec<Diagnostic>> = None;
    for stage in stages(&text) {
        let errors = match read_stage(place, stage) {
            Ok(blocks) => return Ok(blocks),
            Err(errors) => errors,
        };

        let is_limit =
            |error: &Diagnostic| matches!(error.code, Code::LimitExceeded | Code::TooDeep | Code::CompilerLimit);
        if errors.iter().any(is_limit) {
            return Err(errors);
        }

        let start = |errors: &Vec<Diagnostic>| errors.first().map(|error| error.span().start);
        if furthest.as_ref().is_none_or(|best| start(&errors) > start(best)) {
            furthest = Some(errors);
        }
    }
    Err(furthest.unwrap_or_default())
}

fn read_stage(place: NagaText<'_>, stage: ShaderStage) -> Result<Vec<BlockLayout>, Vec<Diagnostic>> {
    let module = glsl::Frontend::default().parse(&glsl::Options::from(stage), place.text).map_err(|errors| {
        let diagnostic =
            |error: &glsl::Error| Diagnostic::error(Code::BadModule, place.span(error.meta), error.kind.to_string());
        errors.errors.iter().map(diagnostic).collect::<Vec<_>>()
    })?;
    let found = blocks(&module, place)?;
    let is_array = |ty: Handle<naga::Type>| matches!(module.types[ty].inner, TypeInner::Array { .. });
    let nested = |inner: &TypeInner| matches!(inner, TypeInner::Array { base, .. } if is_array(*base));
    if let Some((ty, _)) = module.types.iter().find(|(_, ty)| nested(&ty.inner)) {
        let message = "an array of arrays, whose lengths naga 30 takes in the wrong order";
        return Err(vec![Diagnostic::error(Code::CompilerLimit, place.span(module.types.get_span(ty)), message)]);
    }
    Ok(found)
}

/// Names the layout of push constants that have it by default, since naga 30 takes that of uniform blocks for them. Returns
/// where each of the words stands that it adds, too.
///
/// Source: `GL_KHR_vulkan_glsl`: "when `push_constant` is declared, the default layout of the buffer will be std430".
fn with_pushed_layout(text: &str) -> (Cow<'_, str>, Vec<usize>) {
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    let lacks_layout = |(at, word): &(usize, &str)| {
        let (before, after) = (&text[..*at], &text[at + word.len()..]);
        let qualifiers = (before.rsplit('(').next(), after.split(')').next());
        let named = ["std140", "std430", "scalar"].iter().any(|layout| {
            qualifiers.0.is_some_and(|part| part.contains(layout))
                || qualifiers.1.is_some_and(|part| part.contains(layout))
        });
        !named && !before.ends_with(in_word) && !after.starts_with(in_word)
    };
    let places: Vec<usize> = text.match_indices("push_constant").filter(lacks_layout).map(|(at, _)| at).collect();
    let mut changed = text.to_owned();
    places.iter().rev().for_each(|at| changed.insert_str(*at, ADDED));
    let places: Vec<usize> = places.iter().enumerate().map(|(index, at)| at + index * ADDED.len()).collect();
    (if places.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(changed) }, places)
}

/// What [`with_pushed_layout`] adds to a text.
const ADDED: &str = "std430, ";

fn stages(text: &str) -> Vec<ShaderStage> {
    let all = [("compute", ShaderStage::Compute), ("fragment", ShaderStage::Fragment), ("vertex", ShaderStage::Vertex)];
    let named = text.lines().find_map(|line| {
        let stage = line.trim().strip_prefix("#pragma shader_stage(")?.strip_suffix(')')?;
        all.iter().find(|(name, _)| *name == stage)
    });
    named.map_or_else(|| all.iter().map(|(_, stage)| *stage).collect(), |(_, stage)| vec![*stage])
}

/// A text with its file, to convert naga's spans.
#[derive(Clone, Copy)]
struct NagaText<'a> {
    text: &'a str,
    file: FileId,
    /// The places of [`ADDED`], which the file does not have.
    added: &'a [usize],
}

impl NagaText<'_> {
    /// Converts naga's span; the end of the text if naga has none.
    fn span(self, span: naga::Span) -> Span {
        let range = span.to_range().unwrap_or(self.text.len()..self.text.len());
        let in_file =
            |at: usize| byte(at.saturating_sub(ADDED.len() * self.added.iter().filter(|added| **added < at).count()));
        Span { file: self.file, start: in_file(range.start), end: in_file(range.end) }
    }
}

/// Sets the label text at the main place of `diagnostic`.
fn with_text(mut diagnostic: Diagnostic, text: &str) -> Diagnostic {
    if let Some(label) = diagnostic.labels.first_mut() {
        text.clone_into(&mut label.text);
    }
    diagnostic
}

fn blocks(module: &naga::Module, place: NagaText<'_>) -> Result<Vec<BlockLayout>, Vec<Diagnostic>> {
    let mut reader = NagaReader::new(module, place)?;
    let mut found = Vec::new();
    for (handle, variable) in module.global_variables.iter() {
        let span = place.span(module.global_variables.get_span(handle));
        match reader.block(variable) {
            Ok(block) => found.extend(block),
            Err(UnlistedReason { code, message }) => return Err(vec![Diagnostic::error(code, span, message)]),
        }
    }
    Ok(found)
}

/// Why no block of a module is listed.
struct UnlistedReason {
    code: Code,
    message: String,
}

enum NoLayout {
    /// It has no bytes. The other blocks are still listed.
    Refused(Refusal),
    /// Nothing is listed.
    Unlisted(UnlistedReason),
}

impl From<UnlistedReason> for NoLayout {
    fn from(unlisted: UnlistedReason) -> Self {
        Self::Unlisted(unlisted)
    }
}

/// A validated module with the layouts of its types.
struct NagaReader<'a> {
    module: &'a naga::Module,
    layouts: TypeLayouts,
    budget: ListingBudget,
}

impl<'a> NagaReader<'a> {
    fn new(module: &'a naga::Module, place: NagaText<'_>) -> Result<Self, Vec<Diagnostic>> {
        let error = |span, message| vec![Diagnostic::error(Code::BadModule, place.span(span), message)];
        let mut layouter = Layouter::default();
        layouter
            .update(module.to_ctx())
            .map_err(|problem| error(module.types.get_span(problem.ty), chain(&problem)))?;
        // naga's validator counts immediates in 64 bits and fails on more, so reject them before it
        // runs.
        for (handle, variable) in module.global_variables.iter() {
            let size = layouter[variable.ty].size;
            if variable.space == AddressSpace::Immediate && size > MAX_IMMEDIATE_SIZE {
                let message = format!("naga allows {MAX_IMMEDIATE_SIZE} bytes of immediates, but this has {size}");
                return Err(error(module.global_variables.get_span(handle), message));
            }
        }
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
        validator.validate(module).map_err(|problem| {
            let span = problem.spans().next().map_or(naga::Span::UNDEFINED, |(span, _)| *span);
            error(span, chain(problem.as_inner()))
        })?;
        let layouts = TypeLayouts::of_naga(module, &layouter);
        Ok(Self { module, layouts, budget: ListingBudget::default() })
    }

    /// The block that `variable` holds; `None` for other kinds of variables.
    fn block(&mut self, variable: &GlobalVariable) -> Result<Option<BlockLayout>, UnlistedReason> {
        let kind = match variable.space {
            AddressSpace::Uniform => BlockKind::UniformBlock,
            AddressSpace::Storage { .. } => BlockKind::StorageBlock,
            AddressSpace::Immediate => BlockKind::PushConstant,
            _ => return Ok(None),
        };

        let (ty, count) = match self.module.types[variable.ty].inner {
            TypeInner::BindingArray { base, size } => (base, self.count(size)),
            _ => (variable.ty, Count::Finite(1)),
        };
        let type_name = self.module.types[ty].name.as_deref();
        let name = variable.name.as_deref().or(type_name).unwrap_or_default().to_owned();

        let result = match self.laid_out("", ty, 0) {
            Ok(laid_out) => Ok(laid_out),
            Err(NoLayout::Refused(refusal)) => Err(vec![refusal]),
            Err(NoLayout::Unlisted(unlisted)) => return Err(unlisted),
        };
        let (rules, warnings) = (DECLARED.to_owned(), Vec::new());
        Ok(Some(BlockLayout {
            view: ViewId::default(),
            rules,
            name,
            kind,
            reach: Reach::Parameter,
            has_global_members: false,
            count,
            result,
            stride: None,
            warnings,
        }))
    }

    /// Spends the bytes of a node with these names.
    fn spend(&mut self, names: usize) -> Result<(), UnlistedReason> {
        self.budget.spend(names).ok_or_else(|| UnlistedReason {
            code: Code::LimitExceeded,
            message: format!("the blocks up to this one take more than {LISTED_BYTES} bytes to list"),
        })
    }

    fn count(&self, size: ArraySize) -> Count {
        match size.resolve(self.module.to_ctx()) {
            Ok(naga::proc::IndexableLength::Known(count)) => Count::Finite(count),
            Ok(naga::proc::IndexableLength::Dynamic) | Err(_) => Count::Unbounded,
        }
    }

    /// The layout of a type inside `depth` other types.
    fn laid_out(&mut self, path: &str, ty: Handle<naga::Type>, depth: usize) -> Result<LaidOut, NoLayout> {
        let module = self.module;
        let naga::Type { name, inner } = &module.types[ty];
        self.spend(path.len())?;
        if depth > DEEPEST {
            let message = format!("its type is nested more than {DEEPEST} levels deep");
            return Err(NoLayout::Unlisted(UnlistedReason { code: Code::TooDeep, message }));
        }

        let (type_name, shape) = match inner {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => {
                let component = component(path, *scalar)?;
                (component.scalar.spelling().to_owned(), LaidOutShape::Scalar(component))
            }
            TypeInner::Vector { size, scalar } => {
                let (component, length) = (component(path, *scalar)?, *size as u32);
                let type_name = format!("{}{length}", component.scalar.spelling());
                (type_name, LaidOutShape::Vector { component, length })
            }
            TypeInner::Matrix { columns, rows, scalar } => {
                let component = component(path, *scalar)?;
                let (stride, rows, columns) = (matrix_stride(*rows, *scalar), *rows as u32, *columns as u32);
                let type_name = format!("{}{rows}x{columns}", component.scalar.spelling());
                (type_name, LaidOutShape::Matrix { component, rows, columns, order: MatrixOrder::Column, stride })
            }
            TypeInner::Array { base, size, .. } => {
                let element = Box::new(self.laid_out(&format!("{path}[]"), *base, depth + 1)?);
                let (count, stride) = (self.count(*size), self.layouts.get(ty).stride);
                (array_name(&element.type_name, count), LaidOutShape::Array { element, count, stride })
            }
            TypeInner::Struct { members, .. } => {
                let mut laid_out = Vec::new();
                for (index, member) in members.iter().enumerate() {
                    let offset = self.layouts.get(ty).offsets[index];
                    laid_out.push(self.member(path, member, offset, depth)?);
                }
                (name.clone().unwrap_or_default(), LaidOutShape::Struct(laid_out))
            }
            _ => return Err(refused(path, "a type without bytes".to_owned())),
        };

        self.spend(type_name.len())?;
        let alignment = self.layouts.get(ty).alignment;
        Ok(LaidOut { type_name, size: self.size(ty), alignment, shape })
    }

    fn member(
        &mut self,
        path: &str,
        member: &StructMember,
        offset: u32,
        depth: usize,
    ) -> Result<LaidOutMember, NoLayout> {
        let name = member.name.clone().unwrap_or_default();
        let path = member_path(path, &name);
        let layout = self.laid_out(&path, member.ty, depth + 1)?;
        Ok(LaidOutMember { name, is_base: false, offset, bits: None, layout })
    }

    fn size(&self, ty: Handle<naga::Type>) -> Extent {
        let inner = &self.module.types[ty].inner;
        let ends = !inner.is_dynamically_sized(&self.module.types);
        if ends { Extent::Finite(self.layouts.get(ty).size) } else { Extent::Unbounded }
    }
}

fn byte(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

fn refused(path: &str, message: String) -> NoLayout {
    NoLayout::Refused(Refusal { path: path.to_owned(), message })
}

fn component(path: &str, scalar: naga::Scalar) -> Result<Component, NoLayout> {
    let size = u32::from(scalar.width);
    let found = match (scalar.kind, scalar.width) {
        (ScalarKind::Float, 2) => Scalar::Float16,
        (ScalarKind::Float, 4) => Scalar::Float32,
        (ScalarKind::Float, 8) => Scalar::Float64,
        (ScalarKind::Sint, 2) => Scalar::Int16,
        (ScalarKind::Sint, 4) => Scalar::Int32,
        (ScalarKind::Sint, 8) => Scalar::Int64,
        (ScalarKind::Uint, 2) => Scalar::Uint16,
        (ScalarKind::Uint, 4) => Scalar::Uint32,
        (ScalarKind::Uint, 8) => Scalar::Uint64,
        _ => return Err(refused(path, format!("a scalar {:?} of {size} bytes", scalar.kind))),
    };
    Ok(Component { scalar: found, size })
}

#[cfg(test)]
mod tests;
