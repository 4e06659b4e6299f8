//! Reads from a compiled artifact the places that the compiler chose, as [`Facts`].

use layoutproof_device::Shader;
use layoutproof_layout::shape::Count;
use layoutproof_layout::{BlockLayout, LayoutUnit, LayoutWarning, LayoutWarningKind, MemberRow, join};

use super::answer::{Fact, Facts, line};
use crate::check::produce::CompiledOffsets;
use layoutproof_bindings::BindingPlace;
use layoutproof_probes::ProbePlan;
use layoutproof_probes::reserved::Reserved;
use layoutproof_readers::dxil::{ListedBuffer, buffer_definitions, resource_bindings};
use layoutproof_readers::module_reader::{ModuleReader, wgsl_bindings};
use layoutproof_readers::reflection::parameters;
use layoutproof_readers::spirv::BoundVariable;
use layoutproof_readers::spirv::{bound_variables, declared};
use layoutproof_readers::toolchain::{CompiledShader, Report};
use layoutproof_readers::{ReadError, clang_ir};
use layoutproof_source::sources::SourceMap;
use layoutproof_wgsl::WgslLayouts;

/// Replaces a name that the compiler dropped.
const NAMELESS: &str = "?";

/// Reads the places of members and parameters from an artifact and its report, except for the
/// probe's own buffers, which are `reserved`. `reader` reads the formats that need naga.
pub(super) fn facts_of(made: &CompiledShader, reserved: &Reserved, reader: &dyn ModuleReader) -> Facts {
    let mut facts = Facts::new();

    let read = match &made.shader {
        Shader::DxilListing(listing) => add_listing(listing, reserved, &mut facts),
        Shader::ClangIr(text) => add_clang(text, reserved, &mut facts),
        Shader::Spirv(words) => add_spirv(words, reserved, &mut facts),
        Shader::Wgsl(text) => add_wgsl(text, reserved, reader, &mut facts),
        Shader::Dxbc(_) | Shader::Dxil(_) => Err(ReadError::Form),
    };

    let reflected = match &made.report {
        Report::SlangJson(json) => add_reflection(json, reserved, &mut facts),
        Report::None | Report::Listing(_) | Report::FxcListing(_) => Ok(()),
    };

    for error in [read, reflected].into_iter().filter_map(Result::err) {
        add(&mut facts, "", Fact::Unread, &error.to_string());
    }
    facts
}

/// Adds the addresses in the code of a probe of `block`.
pub(super) fn add_code(block: &str, plan: &ProbePlan, compiled: &CompiledOffsets, facts: &mut Facts) {
    for ((_, _, leaf), offset) in compiled {
        let Some(leaf) = plan.leaves.get(*leaf as usize) else { continue };
        let offset = offset.map_or("nowhere".to_owned(), |offset| offset.to_string());
        add(facts, &join(block, &leaf.path), Fact::Code, &offset);
    }
}

/// Adds a fact. If there are several values for one fact, all are kept.
pub(super) fn add(facts: &mut Facts, path: &str, fact: Fact, value: &str) {
    let path = path.replace(char::is_whitespace, "_");
    let path = if path.is_empty() { NAMELESS.to_owned() } else { path };
    facts
        .entry((path, fact))
        .and_modify(|known| {
            if fact.is_word() {
                *known = format!("{known},{value}");
            } else {
                *known = format!("{known}, {}", line(value));
            }
        })
        .or_insert_with(|| line(value));
}

fn add_listing(listing: &str, reserved: &Reserved, facts: &mut Facts) -> Result<(), ReadError> {
    for buffer in buffer_definitions(listing)? {
        if buffer.name.starts_with(reserved.prefix()) {
            continue;
        }
        add_buffer(buffer, facts);
    }

    for row in resource_bindings(listing)? {
        if row.space != reserved.space() {
            let place = BindingPlace { unit: row.unit, space: row.space, index: row.index, count: row.count };
            add(facts, &row.name, Fact::Bound, &place.to_string());
        }
    }
    Ok(())
}

fn add_buffer(buffer: ListedBuffer, facts: &mut Facts) {
    add(facts, &buffer.name, Fact::Size, &buffer.size.to_string());
    for (path, offset) in buffer.members {
        add(facts, &join(&buffer.name, &path), Fact::Offset, &offset.to_string());
    }
}

fn add_clang(text: &str, reserved: &Reserved, facts: &mut Facts) -> Result<(), ReadError> {
    for buffer in clang_ir::constant_buffers(text)? {
        add_buffer(buffer, facts);
    }
    for (name, place) in clang_ir::resources(text)?.into_iter().filter(|(name, _)| !name.starts_with(reserved.prefix()))
    {
        let place = place.map_or("left to a later pass".to_owned(), |place| place.to_string());
        add(facts, &name, Fact::Bound, &place);
    }
    Ok(())
}

fn add_spirv(words: &[u32], reserved: &Reserved, facts: &mut Facts) -> Result<(), ReadError> {
    for variable in bound_variables(words)? {
        if !reserved.has_binding(variable.binding) {
            let (space, index) = (variable.set, variable.binding);
            let place = BindingPlace { unit: LayoutUnit::Binding, space, index, count: Count::Finite(1) };
            add(facts, &variable.name, Fact::Bound, &place.to_string());
        }
    }

    for block in declared(words)? {
        if !block.binding.is_some_and(|binding| reserved.has_binding(binding)) {
            add_block(&block.layout, facts);
        }
    }
    Ok(())
}

fn add_wgsl(text: &str, reserved: &Reserved, reader: &dyn ModuleReader, facts: &mut Facts) -> Result<(), ReadError> {
    for BoundVariable { name, set: space, binding: index } in wgsl_bindings(reader, text)?? {
        if !name.starts_with(reserved.prefix()) {
            let place = BindingPlace { unit: LayoutUnit::Binding, space, index, count: Count::Finite(1) };
            add(facts, &name, Fact::Bound, &place.to_string());
        }
    }

    let mut sources = SourceMap::default();
    let file = sources.add("", text);
    let read = WgslLayouts::read(text, file)
        .map_err(|found| ReadError::Wgsl(found.into_iter().next().map_or_else(String::new, |first| first.message)))?;
    for layout in read.blocks.iter().filter(|layout| !layout.name.starts_with(reserved.prefix())) {
        add_block(layout, facts);
    }
    Ok(())
}

/// Adds a module's facts about a block, without sizes: SPIR-V states none, and others follow from
/// offsets and strides.
fn add_block(layout: &BlockLayout, facts: &mut Facts) {
    if let Err(refusals) = &layout.result {
        for refusal in refusals {
            add(facts, &join(&layout.name, &refusal.path), Fact::Unread, &refusal.message);
        }
        return;
    }
    let needing = |warning: &&LayoutWarning| warning.kind == LayoutWarningKind::NeedsFeature;
    if layout.warnings.iter().any(|warning| needing(&warning)) {
        for warning in layout.warnings.iter().filter(needing) {
            add(facts, &join(&layout.name, &warning.path), Fact::Unread, &warning.message);
        }
        return;
    }
    if let Some(stride) = layout.stride {
        add(facts, &layout.name, Fact::Stride, &stride.to_string());
    }
    for row in layout.rows() {
        add_row(&join(&layout.name, &row.path), &row, facts);
    }
}

fn add_row(path: &str, row: &MemberRow, facts: &mut Facts) {
    add(facts, path, Fact::Offset, &row.offset.to_string());

    let strides =
        if row.array_strides.is_empty() { row.array_stride.into_iter().collect() } else { row.array_strides.clone() };
    for (dimension, stride) in strides.iter().enumerate() {
        add(facts, &format!("{path}{}", "[]".repeat(dimension)), Fact::Stride, &stride.to_string());
    }

    if let Some(stride) = row.matrix_stride {
        add(facts, path, Fact::MatrixStride, &stride.to_string());
    }
    if let Some(order) = row.matrix_order {
        add(facts, path, Fact::Order, order.as_str());
    }
}

fn add_reflection(json: &str, reserved: &Reserved, facts: &mut Facts) -> Result<(), ReadError> {
    for row in parameters(json)?.into_iter().filter(|row| !row.name.starts_with(reserved.prefix())) {
        let place = match row.index {
            Some(index) => BindingPlace { unit: row.unit, space: row.space, index, count: row.count }.to_string(),
            None => format!("{} of no place", row.unit),
        };
        add(facts, &row.name, Fact::Reflected, &place);
    }
    Ok(())
}
