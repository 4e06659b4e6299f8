//! Types of Clang's IR and their bytes: definitions and a data layout in, sizes and offsets out.
//!
//! Source: LLVM Language Reference Manual, "Data Layout" and "Structure Type"; the target types are those of LLVM's
//! DirectX target, "DirectX Types".

use std::collections::HashMap;

use super::data_layout::DataLayout;
use crate::inspect::llvm::primitive::Primitive;

/// Most bytes of a type: more than any buffer has.
const MAX_SIZE: u64 = 1 << 31;

/// Deepest nesting of named types.
const MAX_DEPTH: u32 = 64;

/// Bytes of a pointer or of a handle.
pub(super) const POINTER: u64 = 4;

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Type {
    Void,
    Primitive(Primitive),
    /// A pointer of any address space.
    Pointer,
    Vector(u32, Primitive),
    Array(u64, Box<Type>),
    Struct(Struct),
    Named(String),
    Target(Target),
}

/// A struct.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Struct {
    pub(super) packed: bool,
    pub(super) members: Vec<Type>,
}

/// A type of the target: `target("dx.RawBuffer", %struct.T, 1, 0)`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Target {
    pub(super) name: String,
    pub(super) types: Vec<Type>,
    pub(super) numbers: Vec<u64>,
}

impl Target {
    /// Bytes of explicit padding.
    pub(super) fn padding(&self) -> Option<u64> {
        (self.name == "dx.Padding").then(|| self.numbers.first().copied()).flatten()
    }
}

/// The bytes of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Measure {
    /// Bytes from one to the next of an array.
    pub(super) size: u64,
    pub(super) alignment: u64,
}

/// A struct with its bytes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LaidOutStruct {
    pub(super) members: Vec<Type>,
    /// Offsets in bytes.
    pub(super) offsets: Vec<u64>,
    pub(super) measure: Measure,
}

/// The named types of a module.
#[derive(Clone, Debug, Default)]
pub(super) struct Types {
    data_layout: DataLayout,
    named: HashMap<String, LaidOutStruct>,
}

impl Types {
    /// Lays out the structs that are defined.
    ///
    /// # Errors
    /// A type that contains itself, one that is too deep or too large.
    pub(super) fn new(data_layout: DataLayout, defined: &HashMap<String, Struct>) -> Result<Self, String> {
        let mut types = Self { data_layout, named: HashMap::new() };
        let mut names: Vec<&String> = defined.keys().collect();
        names.sort();
        for name in names {
            types.define(name, defined, MAX_DEPTH)?;
        }
        Ok(types)
    }

    /// Lays out a named struct, those that it is made of first.
    fn define(&mut self, name: &str, defined: &HashMap<String, Struct>, depth: u32) -> Result<(), String> {
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

    /// The struct that a type is, with its bytes; `None` for other types.
    ///
    /// # Errors
    /// A name that is not defined, a type without bytes.
    pub(super) fn structure(&self, ty: &Type) -> Result<Option<LaidOutStruct>, String> {
        match ty {
            Type::Struct(own) => self.lay_out(own).map(Some),
            Type::Named(name) => Ok(Some(self.named(name)?.clone())),
            Type::Void | Type::Primitive(_) | Type::Pointer | Type::Vector(..) | Type::Array(..) | Type::Target(_) => {
                Ok(None)
            }
        }
    }

    fn named(&self, name: &str) -> Result<&LaidOutStruct, String> {
        self.named.get(name).ok_or_else(|| format!("%{name} is not defined"))
    }

    /// The bytes of a type.
    ///
    /// # Errors
    /// A name that is not defined, a type without bytes, or one that is too large.
    pub(super) fn measure(&self, ty: &Type) -> Result<Measure, String> {
        match ty {
            Type::Void => Err("a value without bytes".to_owned()),
            Type::Primitive(primitive) => Ok(self.data_layout.primitive(*primitive)),
            Type::Pointer => Ok(Measure { size: POINTER, alignment: POINTER }),
            Type::Vector(count, primitive) => Ok(self.data_layout.vector(*count, *primitive)),
            Type::Array(count, element) => {
                let element = self.measure(element)?;
                let size = element.size.checked_mul(*count).filter(|size| *size <= MAX_SIZE);
                Ok(Measure { size: size.ok_or_else(too_large)?, ..element })
            }
            Type::Struct(own) => Ok(self.lay_out(own)?.measure),
            Type::Named(name) => Ok(self.named(name)?.measure),
            Type::Target(target) => match target.padding() {
                Some(size) if size <= MAX_SIZE => Ok(Measure { size, alignment: 1 }),
                Some(_) => Err(too_large()),
                None if target.name == "dx.Layout" => Err("a type of an older Clang: `dx.Layout`".to_owned()),
                // Every other type of the target is a handle.
                None => Ok(Measure { size: POINTER, alignment: POINTER }),
            },
        }
    }

    fn lay_out(&self, own: &Struct) -> Result<LaidOutStruct, String> {
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
        let measure = Measure { size: end.next_multiple_of(alignment), alignment };
        Ok(LaidOutStruct { members: own.members.clone(), offsets, measure })
    }
}

/// The names of structs that a type holds.
fn names_in<'a>(ty: &'a Type, names: &mut Vec<&'a str>) {
    match ty {
        Type::Named(name) => names.push(name),
        Type::Array(_, element) => names_in(element, names),
        Type::Struct(own) => own.members.iter().for_each(|member| names_in(member, names)),
        // A handle has its own bytes whatever it is a handle of.
        Type::Void | Type::Primitive(_) | Type::Pointer | Type::Vector(..) | Type::Target(_) => {}
    }
}

fn too_large() -> String {
    format!("a type of more than {MAX_SIZE} bytes")
}
