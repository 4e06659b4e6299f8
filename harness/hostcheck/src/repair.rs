//! Changes of a host struct that make it agree with a block. They are values, which are tried before they are
//! worded.

use std::fmt;

use serde::{Serialize, Serializer};

use super::mismatch::bytes;
use super::program_struct::{LaneClass, ProgramContract, ProgramField, ProgramScalar, ProgramShape};

/// Smallest alignment that programs state with `alignas`. Scalars have the smaller ones.
const LEAST_STATED: u32 = 16;

/// A change of the host struct. Paths are those of its members, without the indices of first elements:
/// `lights[].color`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "action")]
pub enum Repair {
    /// Insert padding before a member.
    Pad {
        before: String,
        bytes: u32,
    },
    /// Insert padding after the last member of a struct: that of a member or of an array's elements; empty for the
    /// host struct itself.
    PadEnd {
        of: String,
        #[serde(rename = "struct")]
        struct_name: String,
        bytes: u32,
    },
    /// Align a member.
    Align {
        member: String,
        to: u32,
    },
    /// Align a struct as in [`Repair::PadEnd`].
    AlignType {
        of: String,
        #[serde(rename = "struct")]
        struct_name: String,
        to: u32,
        #[serde(skip)]
        syntax: HostSyntax,
    },
    /// Declare a member in another way, as one or two members.
    Declare {
        member: String,
        declarations: Vec<Declaration>,
    },
    /// Give an array another number of elements.
    Count {
        member: String,
        count: u32,
    },
    /// Add a member before another one, or at the end of the struct `inside`.
    Add {
        declaration: Declaration,
        before: Option<String>,
        inside: String,
    },
    Remove {
        member: String,
    },
    /// Reorder two members.
    Move {
        member: String,
        before: String,
    },
    Exchange {
        member: String,
        other: String,
    },
    /// Give a Rust struct the layout of C.
    ReprC,
    /// Give all units the same definition.
    OneDefinition,
}

/// A change, and another one with the same effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RepairStep {
    #[serde(flatten)]
    pub repair: Repair,
    #[serde(rename = "or", skip_serializing_if = "Option::is_none")]
    pub alternative: Option<Repair>,
}

/// The language of a declaration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HostSyntax {
    #[default]
    Cpp,
    Rust,
    Zig,
    /// That of a layout file, which states offsets without a declaration.
    Unknown,
}

impl HostSyntax {
    pub(crate) fn of(contract: ProgramContract) -> Self {
        match contract {
            ProgramContract::Fixed => Self::Cpp,
            ProgramContract::Unstated | ProgramContract::Reordered => Self::Rust,
            ProgramContract::UnstatedZig => Self::Zig,
            ProgramContract::Stated => Self::Unknown,
        }
    }
}

/// The declaration of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    pub syntax: HostSyntax,
    pub name: String,
    /// The element, with its name in the shader if it is a struct.
    pub element: DeclaredElement,
    /// Numbers of elements, outermost first; `None` for an array without an end.
    pub counts: Vec<Option<u32>>,
    /// The alignment that it states, for C++.
    pub alignment: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeclaredElement {
    Scalar(ProgramScalar),
    /// A struct, with the name of its type in the shader.
    Struct {
        type_name: String,
        shape: ProgramShape,
    },
}

impl Declaration {
    pub(crate) fn padding(name: &str, scalar: ProgramScalar, count: u32) -> Self {
        let element = DeclaredElement::Scalar(scalar);
        Self { syntax: HostSyntax::Cpp, name: name.to_owned(), element, counts: vec![Some(count)], alignment: None }
    }

    /// The member that it declares, at byte 0.
    pub(crate) fn field(&self) -> ProgramField {
        let mut shape = match &self.element {
            DeclaredElement::Scalar(scalar) => ProgramShape::Scalar(*scalar),
            DeclaredElement::Struct { shape, .. } => shape.clone(),
        };
        for count in self.counts.iter().rev() {
            let stride = shape.size().unwrap_or(0);
            let (element, element_name) = (Box::new(shape), self.element_name().to_owned());
            shape = ProgramShape::Array { element, element_name, count: *count, stride };
        }
        let type_name = format!("{}{}", self.element_name(), self.dimensions());
        ProgramField { name: self.name.clone(), type_name, offset: 0, shape, bits: None, alignment: None, place: None }
    }

    fn dimensions(&self) -> String {
        self.counts.iter().map(|count| count.map_or_else(|| "[]".to_owned(), |count| format!("[{count}]"))).collect()
    }

    fn element_name(&self) -> &str {
        let scalar = match &self.element {
            DeclaredElement::Scalar(scalar) => *scalar,
            DeclaredElement::Struct { type_name, .. } => return type_name,
        };
        match (self.syntax, scalar.class, scalar.size) {
            (HostSyntax::Cpp, LaneClass::Float, 8) => "double",
            (HostSyntax::Cpp, LaneClass::Float, _) => "float",
            (HostSyntax::Cpp, LaneClass::Signed, 1) => "int8_t",
            (HostSyntax::Cpp, LaneClass::Signed, 2) => "int16_t",
            (HostSyntax::Cpp, LaneClass::Signed, 8) => "int64_t",
            (HostSyntax::Cpp, LaneClass::Signed, _) => "int32_t",
            (HostSyntax::Cpp, _, 1) => "uint8_t",
            (HostSyntax::Cpp, _, 2) => "uint16_t",
            (HostSyntax::Cpp, _, 8) => "uint64_t",
            (HostSyntax::Cpp, ..) => "uint32_t",
            (HostSyntax::Rust | HostSyntax::Zig | HostSyntax::Unknown, LaneClass::Float, 8) => "f64",
            (HostSyntax::Rust | HostSyntax::Zig | HostSyntax::Unknown, LaneClass::Float, _) => "f32",
            (HostSyntax::Rust | HostSyntax::Zig | HostSyntax::Unknown, LaneClass::Signed, 1) => "i8",
            (HostSyntax::Rust | HostSyntax::Zig | HostSyntax::Unknown, LaneClass::Signed, 2) => "i16",
            (HostSyntax::Rust | HostSyntax::Zig | HostSyntax::Unknown, LaneClass::Signed, 8) => "i64",
            (HostSyntax::Rust | HostSyntax::Zig | HostSyntax::Unknown, LaneClass::Signed, _) => "i32",
            (HostSyntax::Rust | HostSyntax::Zig | HostSyntax::Unknown, _, 1) => "u8",
            (HostSyntax::Rust | HostSyntax::Zig | HostSyntax::Unknown, _, 2) => "u16",
            (HostSyntax::Rust | HostSyntax::Zig | HostSyntax::Unknown, _, 8) => "u64",
            (HostSyntax::Rust | HostSyntax::Zig | HostSyntax::Unknown, ..) => "u32",
        }
    }
}

impl fmt::Display for Declaration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let element = self.element_name();
        match self.syntax {
            HostSyntax::Cpp => {
                let aligned = self.alignment.map_or_else(String::new, |to| format!("alignas({to}) "));
                write!(f, "{aligned}{element} {}{}", self.name, self.dimensions())
            }
            HostSyntax::Rust => {
                let array = |inner: String, count: &Option<u32>| match count {
                    Some(count) => format!("[{inner}; {count}]"),
                    None => format!("[{inner}]"),
                };
                let ty = self.counts.iter().rev().fold(element.to_owned(), array);
                write!(f, "{}: {ty}", self.name)
            }
            HostSyntax::Zig => write!(f, "{}: {}{element}", self.name, self.dimensions()),
            HostSyntax::Unknown => write!(f, "{}: {element}{}", self.name, self.dimensions()),
        }
    }
}

impl Serialize for Declaration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for RepairStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.alternative {
            Some(alternative) => write!(f, "{} or {alternative}", self.repair),
            None => self.repair.fmt(f),
        }
    }
}

impl fmt::Display for Repair {
    /// A clause with a verb, about the host: ``insert 4 bytes before `eye` ``.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let struct_of = |name: &str| match name {
            "" => "the struct".to_owned(),
            name => format!("`{name}`"),
        };
        match self {
            Self::Pad { before, bytes: count } => write!(f, "insert {} before `{before}`", bytes(*count)),
            Self::PadEnd { struct_name, bytes: count, .. } => {
                write!(f, "insert {} at the end of {}", bytes(*count), struct_of(struct_name))
            }
            Self::Align { member, to } if *to < LEAST_STATED => {
                write!(f, "lower the alignment of `{member}` to {}", bytes(*to))
            }
            Self::Align { member, to } => write!(f, "declare `{member}` as `alignas({to})`"),
            Self::AlignType { struct_name, to, .. } if *to < LEAST_STATED => {
                write!(f, "lower the alignment of {} to {}", struct_of(struct_name), bytes(*to))
            }
            Self::AlignType { struct_name, to, syntax: HostSyntax::Cpp, .. } => {
                write!(f, "declare {} as `alignas({to})`", struct_of(struct_name))
            }
            Self::AlignType { struct_name, to, syntax: HostSyntax::Rust, .. } => {
                write!(f, "declare {} as `#[repr(C, align({to}))]`", struct_of(struct_name))
            }
            Self::AlignType { struct_name, to, syntax: HostSyntax::Zig, .. } => {
                write!(f, "declare the first member of {} with `align({to})`", struct_of(struct_name))
            }
            Self::AlignType { struct_name, to, syntax: HostSyntax::Unknown, .. } => {
                write!(f, "align {} to {to} bytes", struct_of(struct_name))
            }
            Self::Declare { member, declarations } => {
                write!(f, "declare `{member}` as ")?;
                for (index, declaration) in declarations.iter().enumerate() {
                    write!(f, "{}`{declaration}`", if index == 0 { "" } else { " and " })?;
                }
                Ok(())
            }
            Self::Count { member, count } => write!(f, "give `{member}` {count} elements"),
            Self::Add { declaration, before: Some(before), .. } => write!(f, "add `{declaration}` before `{before}`"),
            Self::Add { declaration, before: None, inside } => {
                let struct_name = if inside.is_empty() { "the struct" } else { &format!("the struct of `{inside}`") };
                write!(f, "add `{declaration}` at the end of {struct_name}")
            }
            Self::Remove { member } => write!(f, "remove `{member}`"),
            Self::Move { member, before } => write!(f, "move `{member}` before `{before}`"),
            Self::Exchange { member, other } => write!(f, "exchange `{member}` and `{other}`"),
            Self::ReprC => f.write_str("add `#[repr(C)]` to the struct"),
            Self::OneDefinition => f.write_str("give all units the same definition, defines and packing"),
        }
    }
}
