//! Annotations of declarations: registers, bindings, offsets, attributes.

use std::fmt;

use crate::{LayoutUnit, Span};

/// The annotations of a declaration: those that place it and those that say how it is used.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Annotations {
    pub registers: Vec<Register>,
    /// WGSL's `@align`, in bytes: a power of two, and a multiple of the type's alignment.
    pub align: Option<u32>,
    /// WGSL's `@size`: the bytes that a member takes, at least those of its type.
    pub size: Option<u32>,
    /// `packoffset(...)`; the last one if there are several.
    pub packoffset: Option<PackOffset>,
    /// `[[vk::binding(1, 0)]]`, `[numthreads(8, 8, 1)]` and the like, in order.
    pub attributes: Vec<Attribute>,
    /// `layout(binding = 1, set = 0)`, in order.
    pub layout: Vec<LayoutQualifier>,
    /// Semantic (`SV_Position`, `TEXCOORD0`), as written.
    pub semantic: Option<String>,
    /// `uniform`, `in`, `out`, `inout`, `groupshared`, interpolation modifiers and other keywords,
    /// as written.
    pub modifiers: Vec<String>,
    /// True for a member that only code of its own struct can name (`private`), or only code of its own module, which the
    /// source imports. Source: Slang user guide, "Modules and Access Control".
    pub is_hidden: bool,
}

/// `register(t3, space1)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Register {
    /// `None` for `register(space1)`.
    pub class: Option<RegisterClass>,
    pub index: Option<u32>,
    pub space: Option<u32>,
    /// Shader profile of the old form `register(ps, t3)`.
    pub profile: Option<String>,
    /// True if DXC accepts this form and Slang does not: a letter without a number, `t` at a
    /// sampler, `s` at a texture.
    pub only_dxc: bool,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RegisterClass {
    /// `b`, `t`, `u` or `s`.
    Unit(LayoutUnit),
    /// `c`: constants of Direct3D 9, 16 bytes each. It places a loose global, and no resource has it.
    Constant,
    /// `i`: integers of Direct3D 9.
    Integer,
}

impl RegisterClass {
    /// The class with this letter, in either case. DXC accepts no others: "available types are 'b',
    /// 'c', 'i', 's', 't', 'u'".
    pub fn of_letter(letter: char) -> Option<Self> {
        match letter.to_ascii_lowercase() {
            'b' => Some(Self::Unit(LayoutUnit::ConstantBuffer)),
            't' => Some(Self::Unit(LayoutUnit::ShaderResource)),
            'u' => Some(Self::Unit(LayoutUnit::UnorderedAccess)),
            's' => Some(Self::Unit(LayoutUnit::Sampler)),
            'c' => Some(Self::Constant),
            'i' => Some(Self::Integer),
            _ => None,
        }
    }

    pub fn unit(self) -> Option<LayoutUnit> {
        if let Self::Unit(unit) = self { Some(unit) } else { None }
    }
}

impl fmt::Display for RegisterClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unit(unit) => unit.fmt(f),
            Self::Constant => f.write_str("c"),
            Self::Integer => f.write_str("i"),
        }
    }
}

/// `packoffset(c2.y)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PackOffset {
    /// Index of the 16-byte register.
    pub register: u32,
    /// Component, 0 to 3; `None` if the source gives none.
    pub component: Option<u32>,
    pub span: Span,
}

impl PackOffset {
    /// Offset from the start of the constant buffer, in bytes; `None` beyond 2^32.
    pub fn offset(&self) -> Option<u32> {
        self.register.checked_mul(16)?.checked_add(self.component.unwrap_or(0) * 4)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// For example `vk` in `[[vk::offset(8)]]`.
    pub namespace: Option<String>,
    pub name: String,
    pub arguments: Vec<Argument>,
    /// The name under which Slang's reflection lists an attribute that the source declares:
    /// `my_Range` for `[my::Range(1)]`.
    pub declared: Option<String>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// The value of a constant expression.
    Integer(i64),
    Text(String),
    /// Anything else, as written.
    Other(String),
}

#[derive(Clone, Debug, PartialEq)]
pub struct LayoutQualifier {
    /// For example `binding`, `set`, `offset`, `push_constant`, `row_major`.
    pub name: String,
    pub value: Option<i64>,
    pub span: Span,
}

impl Annotations {
    /// The attribute with this namespace and name. Names are case-sensitive.
    pub fn attribute(&self, namespace: Option<&str>, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|a| a.namespace.as_deref() == namespace && a.name == name)
    }

    /// `N` of `[[vk::offset(N)]]`, in bytes.
    pub fn vk_offset(&self) -> Option<u32> {
        match self.attribute(Some("vk"), "offset")?.arguments.first()? {
            Argument::Integer(offset) => u32::try_from(*offset).ok(),
            Argument::Text(_) | Argument::Other(_) => None,
        }
    }

    /// True if the declaration has `[[vk::push_constant]]` or `layout(push_constant)`.
    pub fn is_push_constant(&self) -> bool {
        self.attribute(Some("vk"), "push_constant").is_some()
            || self.attribute(None, "push_constant").is_some()
            || self.layout.iter().any(|qualifier| qualifier.name == "push_constant")
    }

    /// True if the application chooses the value when it creates the pipeline.
    pub fn is_specialization_constant(&self) -> bool {
        self.attribute(None, "SpecializationConstant").is_some()
            || self.attribute(None, "vk_specialization_constant").is_some()
            || self.attribute(Some("vk"), "specialization_constant").is_some()
            || self.attribute(Some("vk"), "constant_id").is_some()
            || self.layout.iter().any(|qualifier| qualifier.name == "constant_id")
    }

    /// True if the declaration is a shader record in Slang (`[[vk::shader_record]]`,
    /// `layout(shaderRecordEXT)`).
    pub fn is_slang_shader_record(&self) -> bool {
        let layouts = ["shaderRecordEXT", "shaderRecordNV"];
        self.attribute(Some("vk"), "shader_record").is_some()
            || self.attribute(None, "shader_record").is_some()
            || self.layout.iter().any(|qualifier| layouts.contains(&qualifier.name.as_str()))
    }

    /// True if the declaration is a shader record in DXC (`[[vk::shader_record_ext]]`, `_nv`).
    pub fn is_dxc_shader_record(&self) -> bool {
        ["shader_record_ext", "shader_record_nv"].iter().any(|name| self.attribute(Some("vk"), name).is_some())
    }

    /// `N` of `register(cN)`: the offset of a loose global in `$Globals`, in 16-byte registers.
    pub fn constant_register(&self) -> Option<u32> {
        self.registers.iter().find_map(|register| register.index)
    }
}
