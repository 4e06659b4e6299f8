//! A case as a vector.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use layoutproof_bindings::BindingPlace;
use layoutproof_core::case::{self, BindExpectation, By, Expectation};
use layoutproof_core::check::{Source, Subject};
use layoutproof_layout::scalar::{Scalar, SixteenBit};
use layoutproof_layout::shape::{Count, MatrixOrder};
use layoutproof_layout::{self as layout, Quantity, join};

use crate::format::{
    Authority, Bindings, Block, Claim, Difficulty, Invocation, Layout, Member, Place, Refused, Type, Vector,
};
use crate::image;

/// A case whose authority and layoutproof's rules give different numbers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{case}, {rules}: `{path}` is {expected} in the case and {computed} by the rule table: mend the case or the rule first"
)]
pub struct Unsettled {
    pub case: String,
    pub rules: String,
    pub path: String,
    pub expected: u32,
    /// Our number; `none` if the rule table gives the path no such number.
    pub computed: String,
}

pub fn vector(case: &case::Case, source: &Arc<Source>) -> Result<Vector, Unsettled> {
    let claims =
        [(Claim::Listed, &case.expect), (Claim::Accessed, &case.accessed), (Claim::Documented, &case.documented)];
    let mut layouts = Vec::new();
    for (claim, expectations) in claims {
        for expectation in expectations {
            layouts.push(layout_of(source, claim, expectation)?);
        }
    }
    let tags = tags(source);
    let invocation = &case.invocation;
    Ok(Vector {
        id: case.id.clone(),
        summary: case.summary.clone(),
        source: source.text.as_ref().map(|text| text.text.trim_matches('\n').to_owned() + "\n").unwrap_or_default(),
        defines: case.defines.iter().cloned().collect(),
        sixteen_bit_types: case.options.sixteen_bit == SixteenBit::On,
        difficulty: difficulty(&tags),
        tags: tags.into_iter().map(str::to_owned).collect(),
        bugs: case.bugs.clone(),
        blocks: source.module.blocks.iter().map(|block| block_of(block, case.options.matrix)).collect(),
        layouts,
        invocation: Invocation {
            profile: invocation.profile.clone(),
            entry: invocation.entry.clone(),
            options: invocation.options.clone(),
            used: invocation.used.clone(),
            unused: invocation.unused.clone(),
        },
        bindings: case.bind.iter().map(bindings_of).collect(),
        refused: case.rejects.iter().map(refused_of).collect(),
    })
}

fn layout_of(source: &Arc<Source>, claim: Claim, expectation: &Expectation) -> Result<Layout, Unsettled> {
    let mut written = Layout {
        rules: expectation.rules.clone(),
        claim,
        authority: authority(&expectation.authority),
        partial: expectation.partial || claim != Claim::Listed,
        offsets: BTreeMap::new(),
        array_strides: BTreeMap::new(),
        matrix_strides: BTreeMap::new(),
        sizes: BTreeMap::new(),
        alignments: BTreeMap::new(),
        images: BTreeMap::new(),
    };
    for entry in &expectation.entries {
        let numbers = match entry.what {
            Quantity::Offset => &mut written.offsets,
            Quantity::ArrayStride => &mut written.array_strides,
            Quantity::MatrixStride => &mut written.matrix_strides,
            Quantity::Size => &mut written.sizes,
            // A case file has no key for these.
            Quantity::Alignment | Quantity::Binding | Quantity::Guard | Quantity::ArrayLength => continue,
        };
        numbers.insert(entry.path.clone(), entry.value);
    }

    let Some(rules) = layout::find(&expectation.rules).filter(|_| claim == Claim::Listed) else { return Ok(written) };
    let subject = Subject::new(Arc::clone(source), rules);
    let computed = subject.computed();
    for entry in &expectation.entries {
        let ours = computed.get(entry.what, &entry.path);
        if ours != Some(entry.value) {
            return Err(Unsettled {
                case: source.id.clone(),
                rules: expectation.rules.clone(),
                path: entry.path.clone(),
                expected: entry.value,
                computed: ours.map_or_else(|| "none".to_owned(), |ours| ours.to_string()),
            });
        }
    }
    for block in &subject.layouts {
        for row in block.rows().into_iter().filter(|row| row.uncertain.is_none()) {
            written.alignments.insert(join(&block.name, &row.path), row.alignment);
        }
        written.images.extend(image::image(block).map(|image| (block.name.clone(), image)));
    }
    Ok(written)
}

fn authority(authority: &case::Authority) -> Authority {
    let case::Authority { compiler, version, flags, from, spec, document, checked } = authority.clone();
    Authority { compiler, version, flags, from, spec, document, checked }
}

fn bindings_of(expectation: &BindExpectation) -> Bindings {
    let version = expectation.version.as_ref().map(|version| format!("@{version}")).unwrap_or_default();
    let places = expectation.entries.iter().map(|entry| (entry.path.clone(), entry.places.iter().map(place).collect()));
    Bindings {
        target: expectation.target.to_string(),
        convention: format!("{}{version}", expectation.convention),
        authority: authority(&expectation.authority),
        partial: expectation.partial,
        places: places.collect(),
    }
}

fn place(place: &BindingPlace) -> Place {
    Place { unit: place.unit.to_string(), space: place.space, index: place.index, count: finite(place.count) }
}

fn refused_of(refusal: &case::ExpectedDiagnostic) -> Refused {
    let by = match &refusal.by {
        By::Layoutproof => "layoutproof".to_owned(),
        By::Compiler(compiler) => compiler.clone(),
        By::Rules(rules) => rules.clone(),
        By::Convention { target, convention, version } => {
            let version = version.as_ref().map(|version| format!("@{version}")).unwrap_or_default();
            format!("{target} {convention}{version}")
        }
    };
    Refused { by, message: refusal.message.clone() }
}

fn block_of(block: &layout::Block, default: MatrixOrder) -> Block {
    Block {
        name: block.name.clone(),
        kind: block.kind.to_string(),
        count: finite(block.count),
        ty: type_of(&block.element, default),
    }
}

/// A declared type; `default` is the order of matrices that declare none.
fn type_of(ty: &layout::Type, default: MatrixOrder) -> Type {
    match ty {
        layout::Type::Scalar(scalar) => Type::Scalar { scalar: scalar.spelling().to_owned() },
        layout::Type::Vector { scalar, length } => {
            Type::Vector { scalar: scalar.spelling().to_owned(), length: *length }
        }
        layout::Type::Matrix { scalar, rows, columns, order } => Type::Matrix {
            scalar: scalar.spelling().to_owned(),
            rows: *rows,
            columns: *columns,
            order: order.unwrap_or(default).as_str().to_owned(),
        },
        layout::Type::Array { element, count } => {
            Type::Array { element: Box::new(type_of(element, default)), count: finite(*count) }
        }
        layout::Type::Struct(ty) => struct_of(ty, default),
        layout::Type::Enum(ty) => Type::Enum { name: ty.name.clone(), underlying: ty.underlying.spelling().to_owned() },
        layout::Type::Pointer { pointee, .. } => Type::Pointer { pointee: pointee.clone() },
        layout::Type::Handle { resource } => Type::Handle { resource: resource.to_string() },
        layout::Type::Interface { name, any_value_size } => {
            Type::Interface { name: name.clone(), any_value_size: *any_value_size }
        }
        layout::Type::Resource(resource) => Type::Resource { resource: resource.to_string() },
    }
}

fn struct_of(ty: &layout::StructType, default: MatrixOrder) -> Type {
    let members = ty.members.iter().map(|member| Member {
        name: member.name.clone(),
        ty: type_of(&member.ty, default),
        bit_width: member.bit_width,
        packoffset: member.annotations.packoffset.and_then(|packoffset| packoffset.offset()),
        vk_offset: member.annotations.vk_offset(),
    });
    Type::Struct {
        name: ty.name.clone(),
        base: ty.base.as_ref().map(|base| Box::new(struct_of(base, default))),
        members: members.collect(),
    }
}

fn finite(count: Count) -> Option<u32> {
    match count {
        Count::Finite(count) => Some(count),
        Count::Unbounded => None,
    }
}

/// Tags that need no more than [`Difficulty::Basic`].
const BASIC: [&str; 4] = ["array", "scalar", "struct", "vector"];

/// Tags that need no more than [`Difficulty::Common`].
const COMMON: [&str; 6] = ["16-bit", "64-bit", "bool", "enum", "matrix", "matrix-array"];

fn difficulty(tags: &BTreeSet<&'static str>) -> Difficulty {
    let all_in = |known: &[&str]| tags.iter().all(|tag| BASIC.contains(tag) || known.contains(tag));
    if all_in(&[]) {
        Difficulty::Basic
    } else if all_in(&COMMON) {
        Difficulty::Common
    } else {
        Difficulty::Rare
    }
}

fn tags(source: &Source) -> BTreeSet<&'static str> {
    let mut tags = BTreeSet::new();
    for block in &source.module.blocks {
        match &block.element {
            layout::Type::Struct(ty) => tag_members(ty, &mut tags),
            element => tag_type(element, &mut tags),
        }
        if block.count != Count::Finite(1) {
            tags.insert("block-array");
        }
    }
    if !source.bind.is_empty() {
        tags.insert("bindings");
    }
    if !source.rejects.is_empty() {
        tags.insert("refused");
    }
    tags
}

fn tag_type(ty: &layout::Type, tags: &mut BTreeSet<&'static str>) {
    match ty {
        layout::Type::Scalar(scalar) => {
            tags.insert("scalar");
            tags.extend(scalar_tag(*scalar));
        }
        layout::Type::Vector { scalar, length } => {
            tags.insert(if *length == 1 { "vector-of-one" } else { "vector" });
            tags.extend(scalar_tag(*scalar));
        }
        layout::Type::Matrix { scalar, rows, columns, .. } => {
            tags.insert(if *rows == 1 || *columns == 1 { "matrix-of-one-vector" } else { "matrix" });
            tags.extend(scalar_tag(*scalar));
        }
        layout::Type::Array { element, count } => {
            tags.insert(match (&**element, count) {
                (_, Count::Unbounded) => "array-without-length",
                (layout::Type::Array { .. }, _) => "array-of-arrays",
                (layout::Type::Matrix { .. }, _) => "matrix-array",
                _ => "array",
            });
            tag_type(element, tags);
        }
        layout::Type::Struct(ty) => {
            tags.insert("struct");
            tag_members(ty, tags);
        }
        layout::Type::Enum(_) => drop(tags.insert("enum")),
        layout::Type::Pointer { .. } => drop(tags.insert("pointer")),
        layout::Type::Handle { .. } => drop(tags.insert("descriptor-handle")),
        layout::Type::Interface { .. } => drop(tags.insert("interface")),
        layout::Type::Resource(_) => drop(tags.insert("resource")),
    }
}

fn tag_members(ty: &layout::StructType, tags: &mut BTreeSet<&'static str>) {
    if let Some(base) = &ty.base {
        tags.insert("inheritance");
        tag_members(base, tags);
    }
    if ty.members.is_empty() {
        tags.insert("empty-struct");
    }
    for member in &ty.members {
        if member.bit_width.is_some() {
            tags.insert("bit-field");
        }
        if member.annotations.packoffset.is_some() {
            tags.insert("packoffset");
        }
        if member.annotations.vk_offset().is_some() {
            tags.insert("vk-offset");
        }
        tag_type(&member.ty, tags);
    }
}

fn scalar_tag(scalar: Scalar) -> Option<&'static str> {
    match scalar {
        Scalar::Bool => Some("bool"),
        Scalar::Int8 | Scalar::Uint8 => Some("8-bit"),
        Scalar::Int16 | Scalar::Uint16 | Scalar::Float16 | Scalar::Half => Some("16-bit"),
        Scalar::Int64 | Scalar::Uint64 | Scalar::Float64 => Some("64-bit"),
        Scalar::Int32 | Scalar::Uint32 | Scalar::Float32 => None,
        Scalar::Min16Float | Scalar::Min16Int | Scalar::Min16Uint | Scalar::Min10Float | Scalar::Min12Int => {
            Some("minimum-precision")
        }
    }
}
