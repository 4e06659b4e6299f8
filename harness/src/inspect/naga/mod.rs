//! Uniform and storage blocks of a user's WGSL or GLSL file, as naga lays them out.
//!
//! Each block is one [`BlockLayout`] under the rule set `declared`: offsets, sizes and strides are those of naga's
//! typed module. Alignments are naga's too, and naga knows only WGSL's, so in GLSL an alignment can be less than what
//! std140 applied. A module that naga's validator refuses has no blocks here, only errors.
//!
//! Texts of users and compilers come here through [`module_reader`](crate::inspect::module_reader): naga does not
//! survive all of them.
//!
//! Source: naga 30, `naga::ir::TypeInner` and `naga::proc::Layouter`.

use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::{Count, MatrixOrder};
use layoutproof_layout::{
    BlockKind, BlockLayout, Component, DECLARED, Extent, FileId, LaidOut, LaidOutMember, LaidOutShape, Refusal, Span,
};
use naga::front::{glsl, wgsl};
use naga::proc::{GlobalCtx, Layouter};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{AddressSpace, ArraySize, GlobalVariable, Handle, ScalarKind, ShaderStage, StructMember, TypeInner};

use crate::generate::wgsl::MAX_IMMEDIATE_SIZE;
use crate::input::diagnostics::{Code, Diagnostic};
use crate::inspect::listing::{LISTED_BYTES, ListingBudget, array_name, member_path};
use crate::inspect::naga_offsets::{chain, matrix_stride};

/// Deepest nesting of structs and arrays, as in SPIR-V that is read here.
const DEEPEST: usize = 64;

/// The blocks of a WGSL module, in declaration order.
///
/// # Errors
/// naga's own, each at its place in `file`.
pub fn read_wgsl(text: &str, file: FileId) -> Result<Vec<BlockLayout>, Vec<Diagnostic>> {
    let place = NagaText { text, file };
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

/// The blocks of a GLSL shader, in declaration order.
///
/// The stage is that of `#pragma shader_stage(STAGE)`; without one, the first stage with which naga reads the text.
///
/// # Errors
/// naga's own, each at its place in `file`; where no stage fits, those of the stage with which naga came furthest. A
/// limit of ours that is exceeded is the same with every stage, so it ends the search.
pub fn read_glsl(text: &str, file: FileId) -> Result<Vec<BlockLayout>, Vec<Diagnostic>> {
    let place = NagaText { text, file };
    let mut furthest: Option<Vec<Diagnostic>> = None;
    for stage in stages(text) {
        let errors = match read_stage(place, stage) {
            Ok(blocks) => return Ok(blocks),
            Err(errors) => errors,
        };

        let is_limit = |error: &Diagnostic| matches!(error.code, Code::LimitExceeded | Code::TooDeep);
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
    blocks(&module, place)
}

fn stages(text: &str) -> Vec<ShaderStage> {
    let all = [("compute", ShaderStage::Compute), ("fragment", ShaderStage::Fragment), ("vertex", ShaderStage::Vertex)];
    let named = text.lines().find_map(|line| {
        let stage = line.trim().strip_prefix("#pragma shader_stage(")?.strip_suffix(')')?;
        all.iter().find(|(name, _)| *name == stage)
    });
    named.map_or_else(|| all.iter().map(|(_, stage)| *stage).collect(), |(_, stage)| vec![*stage])
}

/// A text that naga's spans count in.
#[derive(Clone, Copy)]
struct NagaText<'a> {
    text: &'a str,
    file: FileId,
}

impl NagaText<'_> {
    /// naga's span; the end of the text where naga has none.
    fn span(self, span: naga::Span) -> Span {
        let range = span.to_range().unwrap_or(self.text.len()..self.text.len());
        let byte = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
        Span { file: self.file, start: byte(range.start), end: byte(range.end) }
    }
}

/// Puts `text` on the main place of `diagnostic`.
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
        match reader.block(variable) {
            Ok(block) => found.extend(block),
            Err(UnlistedReason { code, message }) => {
                let span = place.span(module.global_variables.get_span(handle));
                return Err(vec![Diagnostic::error(code, span, message)]);
            }
        }
    }
    Ok(found)
}

/// Why no block of a module is listed.
struct UnlistedReason {
    code: Code,
    message: String,
}

/// Why a type has no layout.
enum NoLayout {
    /// It has no bytes; the other blocks have.
    Refused(Refusal),
    /// Nothing is listed.
    Unlisted(UnlistedReason),
}

impl From<UnlistedReason> for NoLayout {
    fn from(unlisted: UnlistedReason) -> Self {
        Self::Unlisted(unlisted)
    }
}

/// A validated module with naga's alignments.
struct NagaReader<'a> {
    module: &'a naga::Module,
    layouter: Layouter,
    budget: ListingBudget,
}

impl<'a> NagaReader<'a> {
    fn new(module: &'a naga::Module, place: NagaText<'_>) -> Result<Self, Vec<Diagnostic>> {
        let error = |span, message| vec![Diagnostic::error(Code::BadModule, place.span(span), message)];
        let mut layouter = Layouter::default();
        layouter
            .update(module.to_ctx())
            .map_err(|problem| error(module.types.get_span(problem.ty), chain(&problem)))?;
        // naga's validator counts immediates in 64 bits and fails on more, so they are refused before it sees them.
        for (handle, variable) in module.global_variables.iter() {
            let size = layouter[variable.ty].size;
            if variable.space == AddressSpace::Immediate && size > MAX_IMMEDIATE_SIZE {
                let message = format!("naga takes immediates of {MAX_IMMEDIATE_SIZE} bytes, this takes {size}");
                return Err(error(module.global_variables.get_span(handle), message));
            }
        }
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
        validator.validate(module).map_err(|problem| {
            let span = problem.spans().next().map_or(naga::Span::UNDEFINED, |(span, _)| *span);
            error(span, chain(problem.as_inner()))
        })?;
        Ok(Self { module, layouter, budget: ListingBudget::default() })
    }

    /// The block that `variable` holds; `None` for a variable of another kind.
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
        Ok(Some(BlockLayout { rules, name, kind, count, result, stride: None, warnings }))
    }

    /// Takes the bytes of a node with these names away.
    fn spend(&mut self, names: usize) -> Result<(), UnlistedReason> {
        self.budget.spend(names).ok_or_else(|| UnlistedReason {
            code: Code::LimitExceeded,
            message: format!("the blocks up to this one take more than {LISTED_BYTES} bytes to list"),
        })
    }

    fn context(&self) -> GlobalCtx<'a> {
        self.module.to_ctx()
    }

    fn count(&self, size: ArraySize) -> Count {
        match size.resolve(self.context()) {
            Ok(naga::proc::IndexableLength::Known(count)) => Count::Finite(count),
            Ok(naga::proc::IndexableLength::Dynamic) | Err(_) => Count::Unbounded,
        }
    }

    /// The layout of a type with so many types around it.
    fn laid_out(&mut self, path: &str, ty: Handle<naga::Type>, depth: usize) -> Result<LaidOut, NoLayout> {
        let module = self.module;
        let naga::Type { name, inner } = &module.types[ty];
        self.spend(path.len())?;
        if depth > DEEPEST {
            let message = format!("the type of this nests more than {DEEPEST} levels deep");
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
            TypeInner::Array { base, size, stride } => {
                let element = Box::new(self.laid_out(&format!("{path}[]"), *base, depth + 1)?);
                let (count, stride) = (self.count(*size), *stride);
                (array_name(&element.type_name, count), LaidOutShape::Array { element, count, stride })
            }
            TypeInner::Struct { members, .. } => {
                let members =
                    members.iter().map(|member| self.member(path, member, depth)).collect::<Result<_, _>>()?;
                (name.clone().unwrap_or_default(), LaidOutShape::Struct(members))
            }
            _ => return Err(refused(path, "a type without bytes".to_owned())),
        };

        self.spend(type_name.len())?;
        let alignment = self.layouter[ty].alignment.round_up(1);
        Ok(LaidOut { type_name, size: self.size(ty), alignment, shape })
    }

    fn member(&mut self, path: &str, member: &StructMember, depth: usize) -> Result<LaidOutMember, NoLayout> {
        let name = member.name.clone().unwrap_or_default();
        let path = member_path(path, &name);
        let layout = self.laid_out(&path, member.ty, depth + 1)?;
        Ok(LaidOutMember { name, is_base: false, offset: member.offset, bits: None, layout })
    }

    fn size(&self, ty: Handle<naga::Type>) -> Extent {
        let inner = &self.module.types[ty].inner;
        let ends = !inner.is_dynamically_sized(&self.module.types);
        if ends { Extent::Finite(inner.size(self.context())) } else { Extent::Unbounded }
    }
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
