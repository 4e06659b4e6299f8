//! Makes types for tests from their HLSL spelling: one declaration per test line instead of a page
//! of constructors.
//!
//! Reads only the forms that the tests here use, and panics on anything else.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::Span;
use crate::resource::{Access, Dimension, Resource, ResourceKind, Texture};
use crate::scalar::Scalar;
use crate::shape::{Count, EnumType, MatrixOrder, Member, StructType, Type};
use crate::{Annotations, Argument, Attribute, Block, BlockKind, PackOffset, Register, RegisterClass};

const SCALARS: &[(&str, Scalar)] = &[
    ("bool", Scalar::Bool),
    ("int8_t", Scalar::Int8),
    ("uint8_t", Scalar::Uint8),
    ("int16_t", Scalar::Int16),
    ("uint16_t", Scalar::Uint16),
    ("int64_t", Scalar::Int64),
    ("uint64_t", Scalar::Uint64),
    ("int", Scalar::Int32),
    ("uint", Scalar::Uint32),
    ("half", Scalar::Half),
    ("float", Scalar::Float32),
    ("double", Scalar::Float64),
    ("min16float", Scalar::Min16Float),
    ("min16uint", Scalar::Min16Uint),
];

/// The named types of a test.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    types: BTreeMap<String, Type>,
}

impl Scope {
    /// Declares `struct NAME { ... };`, `struct NAME : BASE { ... };` and `enum NAME : TYPE { };`.
    pub(super) fn new(declarations: &str) -> Self {
        let mut scope = Self::default();
        for (head, body) in pieces(declarations) {
            scope.declare(&head, &body);
        }
        scope
    }

    fn declare(&mut self, head: &str, body: &str) {
        let (head, base) = head.split_once(':').map_or((head, None), |(head, base)| (head, Some(base.trim())));
        let (keyword, name) = head.trim().split_once(' ').unwrap();
        let ty = match keyword {
            "struct" => {
                let base = base.map(|base| match &self.types[base] {
                    Type::Struct(base) => Arc::clone(base),
                    other => panic!("{other} is not a struct"),
                });
                self.structure(name, base, body)
            }
            "enum" => {
                let underlying = base.map_or(Scalar::Int32, |base| find(SCALARS, base).unwrap());
                Type::Enum(Arc::new(EnumType { name: name.to_owned(), underlying }))
            }
            other => panic!("{other} declares no type"),
        };
        self.types.insert(name.to_owned(), ty);
    }

    fn structure(&self, name: &str, base: Option<Arc<StructType>>, body: &str) -> Type {
        let members = body.split(';').map(str::trim).filter(|member| !member.is_empty());
        let members = members.map(|member| self.member(member));
        StructType { base, ..StructType::new(name.trim(), members) }.into()
    }

    pub(super) fn ty(&self, spelling: &str) -> Type {
        if let Some((element, dimensions)) = spelling.split_once('[') {
            return dimensions.split('[').rev().fold(self.ty(element), array);
        }
        if let Some(pointee) = spelling.strip_suffix('*') {
            return Type::pointer(pointee.to_owned());
        }
        self.types.get(spelling).cloned().or_else(|| numeric(spelling)).or_else(|| resource(spelling)).unwrap()
    }

    fn member(&self, text: &str) -> Member {
        let mut annotations = Annotations::default();
        let mut text = text;
        if let Some(rest) = text.strip_prefix("[[vk::offset(") {
            let (offset, rest) = rest.split_once(")]]").unwrap();
            annotations.attributes.push(vk_offset(offset.parse().unwrap()));
            text = rest.trim();
        }
        let (declaration, annotation) = text.split_once(" :").unwrap_or((text, ""));
        let bit_width = annotate(&mut annotations, annotation.trim());
        let (order, declaration) = majorness(declaration.trim());
        let (ty, name) = declaration.split_once(' ').unwrap_or((declaration, ""));
        let (name, dimensions) = name.find('[').map_or((name, ""), |at| name.split_at(at));
        let ty = with_order(self.ty(&format!("{ty}{dimensions}")), order);
        Member { bit_width, annotations, ..Member::new(name, ty) }
    }
}

/// The block that the last declaration makes: `cbuffer`, `tbuffer`, `globals`, `constant`, `push`,
/// `entry` or `element`. A `struct` makes a `ConstantBuffer` of itself.
pub(super) fn block(declarations: &str) -> Block {
    let mut pieces = pieces(declarations);
    let (head, body) = pieces.pop().unwrap();
    let mut scope = Scope::default();
    for (head, body) in pieces {
        scope.declare(&head, &body);
    }
    let keyword = head.split(' ').next().unwrap();
    let kind = match keyword {
        "cbuffer" => BlockKind::Cbuffer,
        "tbuffer" => BlockKind::Tbuffer,
        "globals" => BlockKind::Globals,
        "push" => BlockKind::PushConstant,
        "entry" => BlockKind::EntryUniforms,
        "element" => BlockKind::StructuredElement,
        "constant" | "struct" => BlockKind::ConstantBuffer,
        other => panic!("{other} declares no block"),
    };
    scope.declare(&head.replacen(keyword, "struct", 1), &body);
    let name = head.split([' ', ':']).nth(1).unwrap();
    of_type(kind, scope.types[name].clone())
}

/// A block that holds `element`.
pub(super) fn of_type(kind: BlockKind, element: Type) -> Block {
    Block::new("S", kind, element)
}

/// Splits a text into `head { body };` pieces.
fn pieces(declarations: &str) -> Vec<(String, String)> {
    let pieces = declarations.split("};").map(str::trim).filter(|piece| !piece.is_empty());
    let split = pieces.map(|piece| piece.split_once('{').unwrap());
    split.map(|(head, body)| (head.trim().to_owned(), body.to_owned())).collect()
}

fn find<T: Copy>(list: &[(&str, T)], name: &str) -> Option<T> {
    list.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

fn numeric(spelling: &str) -> Option<Type> {
    let (name, scalar) =
        SCALARS.iter().filter(|(name, _)| spelling.starts_with(name)).max_by_key(|(name, _)| name.len())?;
    let numbers: Vec<u32> = spelling[name.len()..].split('x').filter_map(|n| n.parse().ok()).collect();
    Some(match (&spelling[name.len()..], &numbers[..]) {
        ("", []) => Type::Scalar(*scalar),
        (_, [length]) => Type::Vector { scalar: *scalar, length: *length },
        (_, [rows, columns]) => Type::Matrix { scalar: *scalar, rows: *rows, columns: *columns, order: None },
        (rest, _) => panic!("{rest} is not a shape"),
    })
}

fn resource(spelling: &str) -> Option<Type> {
    let texture = Texture { dimension: Dimension::Two, array: false, multisample: false, access: Access::Read };
    (spelling == "Texture2D").then_some(Type::Resource(Resource {
        kind: ResourceKind::Texture(texture),
        element: None,
        data_layout: None,
    }))
}

fn array(element: Type, count: &str) -> Type {
    let count = count.strip_suffix(']').unwrap();
    let count = if count.is_empty() { Count::Unbounded } else { Count::Finite(count.parse().unwrap()) };
    Type::Array { element: Box::new(element), count }
}

fn majorness(declaration: &str) -> (Option<MatrixOrder>, &str) {
    if let Some(rest) = declaration.strip_prefix("row_major ") {
        (Some(MatrixOrder::Row), rest)
    } else if let Some(rest) = declaration.strip_prefix("column_major ") {
        (Some(MatrixOrder::Column), rest)
    } else {
        (None, declaration)
    }
}

fn with_order(ty: Type, declared: Option<MatrixOrder>) -> Type {
    match ty {
        Type::Matrix { scalar, rows, columns, order } => {
            Type::Matrix { scalar, rows, columns, order: declared.or(order) }
        }
        Type::Array { element, count } => Type::Array { element: Box::new(with_order(*element, declared)), count },
        other => other,
    }
}

/// Reads the annotation after the colon. Returns the width of a bit-field.
fn annotate(annotations: &mut Annotations, text: &str) -> Option<u32> {
    if let Some(packoffset) = text.strip_prefix("packoffset(c") {
        let (register, component) = packoffset.trim_end_matches(')').split_once('.').unwrap_or((packoffset, ""));
        annotations.packoffset = Some(PackOffset {
            register: register.trim_end_matches(')').parse().unwrap(),
            component: "xyzw".find(component).filter(|_| !component.is_empty()).map(|at| u32::try_from(at).unwrap()),
            span: Span::default(),
        });
    } else if let Some(register) = text.strip_prefix("register(") {
        let (class, index) = register.trim_end_matches(')').split_at(1);
        annotations.registers.push(Register {
            only_dxc: false,
            class: class.chars().next().and_then(RegisterClass::of_letter),
            index: Some(index.parse().unwrap()),
            space: None,
            profile: None,
            span: Span::default(),
        });
    } else if !text.is_empty() {
        return Some(text.parse().unwrap());
    }
    None
}

fn vk_offset(offset: i64) -> Attribute {
    Attribute {
        namespace: Some("vk".to_owned()),
        name: "offset".to_owned(),
        arguments: vec![Argument::Integer(offset)],
        declared: None,
        span: Span::default(),
    }
}
