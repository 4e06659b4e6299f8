//! Types of Clang's IR, and their sizes and offsets under the module's data layout.
//!
//! Source: LLVM Language Reference Manual, "Data Layout" and "Structure Type"; the target types are those of LLVM's
//! DirectX target, "DirectX Types".

use std::collections::HashMap;

use super::data_layout::{LlvmDataLayout, SizeAndAlignment};
use crate::llvm::primitive::Primitive;

/// Most bytes of a type: more than any buffer has.
const MAX_SIZE: u64 = 1 << 31;

/// Deepest nesting of named types.
const MAX_DEPTH: u32 = 64;

/// Bytes of a pointer or of a handle.
pub(super) const POINTER: u64 = 4;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum ClangType {
    Void,
    Primitive(Primitive),
    /// A pointer of any address space.
    Pointer,
    Vector(u32, Primitive),
    Array(u64, Box<ClangType>),
    Struct(ClangStruct),
    Named(String),
    Target(Target),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ClangStruct {
    pub(super) packed: bool,
    pub(super) members: Vec<ClangType>,
}

/// A type of the target: `target("dx.RawBuffer", %struct.T, 1, 0)`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Target {
    pub(super) name: String,
    pub types: Vec<ClangType>,
    pub(super) numbers: Vec<u64>,
}

impl Target {
    /// Bytes of explicit padding.
    pub(super) fn padding(&self) -> Option<u64> {
        (self.name == "dx.Padding").then(|| self.numbers.first().copied()).flatten()
    }
}

/// A struct with its layout.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LaidOutStruct {
    pub(super) members: Vec<ClangType>,
    /// Offsets in bytes.
    pub(super) offsets: Vec<u64>,
    pub(super) measure: SizeAndAlignment,
}

/// The named types of a module.
#[derive(Clone, Debug, Default)]
pub(super) struct NamedTypes {
    data_layout: LlvmDataLayout,
    named: HashMap<String, LaidOutStruct>,
}

impl NamedTypes {
    /// Lays out the defined structs.
    ///
    /// # Errors
    /// A type that contains itself, is nested too deeply or is too large.
    pub(super) fn new(data_layout: LlvmDataLayout, defined: &HashMap<String, ClangStruct>) -> Result<Self, String> {
        let mut types = Self { data_layout, named: HashMap::new() };
        let mut names: Vec<&String> = defined.keys().collect();
        names.sort();
        for name in names {
            types.define(name, defined, MAX_DEPTH)?;
        }
        Ok(types)
    }

    /// Lays out a named struct, after the structs that it contains.
    fn define(&mut self, name: &str, defined: &HashMap<String, ClangStruct>, depth: u32) -> Result<(), String> {
        if self.named.contains_key(name) {
            return Ok(());
        }
        let depth = depth.checked_sub(1).ok_or_else(|| format!("%{name} is too deep, or contains itself"))?;
        let own = defined.get(name).ok_or_else(|| format!("%{name} is not defined"))?;

        let mut inner = Vec::new();
        own.members.iter().for_each(|member| names_in(member, &mut inner));
        for name in inner {
            self.define(name, defined, depth)?;
        }

        let laid_out = self.lay_out(own)?;
        self.named.insert(name.to_owned(), laid_out);
        Ok(())
    }

    /// The layout of a struct type; `None` for other types.
    ///
    /// # Errors
    /// An undefined name, or a type without bytes.
    pub(super) fn structure(&self, ty: &ClangType) -> Result<Option<LaidOutStruct>, String> {
        match ty {
            ClangType::Struct(own) => self.lay_out(own).map(Some),
            ClangType::Named(name) => Ok(Some(self.named(name)?.clone())),
            ClangType::Void
            | ClangType::Primitive(_)
            | ClangType::Pointer
            | ClangType::Vector(..)
            | ClangType::Array(..)
            | ClangType::Target(_) => Ok(None),
        }
    }

    fn named(&self, name: &str) -> Result<&LaidOutStruct, String> {
        self.named.get(name).ok_or_else(|| format!("%{name} is not defined"))
    }

    /// The size and alignment of a type.
    ///
    /// # Errors
    /// An undefined name, a type without bytes, or one that is too large.
    pub(super) fn measure(&self, ty: &ClangType) -> Result<SizeAndAlignment, String> {
        match ty {
            ClangType::Void => Err("a value without bytes".to_owned()),
            ClangType::Primitive(primitive) => Ok(self.data_layout.primitive(*primitive)),
            ClangType::Pointer => Ok(SizeAndAlignment { size: POINTER, alignment: POINTER }),
            ClangType::Vector(count, primitive) => Ok(self.data_layout.vector(*count, *primitive)),
            ClangType::Array(count, element) => {
                let element = self.measure(element)?;
                let size = element.size.checked_mul(*count).filter(|size| *size <= MAX_SIZE);
                Ok(SizeAndAlignment { size: size.ok_or_else(too_large)?, ..element })
            }
            ClangType::Struct(own) => Ok(self.lay_out(own)?.measure),
            ClangType::Named(name) => Ok(self.named(name)?.measure),
            ClangType::Target(target) => match target.padding() {
                Some(size) if size <= MAX_SIZE => Ok(SizeAndAlignment { size, alignment: 1 }),
                Some(_) => Err(too_large()),
                None if target.name == "dx.Layout" => Err("a type of an older Clang: `dx.Layout`".to_owned()),
                // Every other target type is a handle.
                None => Ok(SizeAndAlignment { size: POINTER, alignment: POINTER }),
            },
        }
    }

    fn lay_out(&self, own: &ClangStruct) -> Result<LaidOutStruct, String> {
        let (mut end, mut alignment) = (0_u64, 1);
        let mut offsets = Vec::with_capacity(own.members.len());
        for member in &own.members {
            let measure = self.measure(member)?;
            let of_member = if own.packed { 1 } else { measure.alignment };
            alignment = alignment.max(of_member);
            let offset = end.next_multiple_of(of_member);
            offsets.push(offset);

            end = offset + measure.size;
            if end > MAX_SIZE {
                return Err(too_large());
            }
        }
        let measure = SizeAndAlignment { size: end.next_multiple_of(alignment), alignment };
        Ok(LaidOutStruct { members: own.members.clone(), offsets, measure })
    }
}

/// The names of the structs that a type contains.
fn names_in<'a>(ty: &'a ClangType, names: &mut Vec<&'a str>) {
    match ty {
        ClangType::Named(name) => names.push(name),
        ClangType::Array(_, element) => names_in(element, names),
        ClangType::Struct(own) => own.members.iter().for_each(|member| names_in(member, names)),
        // A handle's size does not depend on its resource.
        ClangType::Void
        | ClangType::Primitive(_)
        | ClangType::Pointer
        | ClangType::Vector(..)
        | ClangType::Target(_) => {}
    }
}

fn too_large() -> String {
    format!("a type of more than {MAX_SIZE} bytes")
}
