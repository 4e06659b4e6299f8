//! A host struct as its source declares it, with alignments instead of offsets, so that it can be changed and
//! laid out again as a compiler of C++, or of Rust's `repr(C)`, does.
//!
//! Debug information has few alignments. Without one, the smallest that explains the offsets and sizes is taken; what no
//! alignment explains is padding.

use crate::program_struct::{LaneClass, ProgramBits, ProgramField, ProgramScalar, ProgramShape, ProgramStruct};
use crate::repair::{Declaration, Repair};

/// Largest alignment that programs state.
const MAX_ALIGNMENT: u32 = 256;

/// Alignment of the largest scalars on 64-bit systems (Itanium C++ ABI for x86-64; Microsoft's agrees up to 8).
const MAX_SCALAR_ALIGNMENT: u32 = 16;

impl ProgramStruct {
    /// The struct after a change; `None` if it has no such member, or its layout is not that of a declaration.
    pub(crate) fn repaired(&self, repair: &Repair) -> Option<Self> {
        match repair {
            Repair::OneDefinition => return Some(Self { other_layouts: Vec::new(), ..self.clone() }),
            Repair::ReprC => return self.in_declared_order(),
            _ => {}
        }
        let mut declared = Declared::new(&self.fields, self.size, false)?;
        declared.change(repair)?;
        let (fields, size) = declared.lay_out()?;
        Some(Self { size, fields, ..self.clone() })
    }

    /// The struct with its members in the order of their declaration.
    fn in_declared_order(&self) -> Option<Self> {
        let mut fields = Vec::new();
        for field in &self.fields {
            let inner = Inner::new(&field.shape)?;
            let alignment = natural_alignment(&field.shape, inner.as_ref());
            fields.push(DeclaredField { field: field.clone(), alignment, gap: 0, inner });
        }
        let alignment = fields.iter().map(|field| field.alignment).max().unwrap_or(1);
        let declared = Declared { fields, alignment, tail: 0, is_union: false };
        let (fields, size) = declared.lay_out()?;
        Some(Self { size, fields, contract: crate::program_struct::ProgramContract::Fixed, ..self.clone() })
    }
}

/// A struct or union.
#[derive(Clone, Debug)]
struct Declared {
    fields: Vec<DeclaredField>,
    alignment: u32,
    /// Bytes after the last member that no alignment explains.
    tail: u32,
    is_union: bool,
}

#[derive(Clone, Debug)]
struct DeclaredField {
    field: ProgramField,
    alignment: u32,
    /// Bytes before it that no alignment explains.
    gap: u32,
    inner: Option<Inner>,
}

/// The struct in a member, or in the elements of an array.
#[derive(Clone, Debug)]
struct Inner(Declared);

impl Inner {
    /// `Some(None)` for a type without members; `None` if its layout is not that of a declaration.
    #[expect(clippy::option_option, reason = "no members is not a failure")]
    fn new(shape: &ProgramShape) -> Option<Option<Self>> {
        let (fields, size, is_union) = match shape {
            ProgramShape::Array { element, .. } => return Self::new(element),
            ProgramShape::Struct { fields, size } => (fields, *size, false),
            ProgramShape::Union { fields, size } => (fields, *size, true),
            ProgramShape::Scalar(_) | ProgramShape::Vector { .. } | ProgramShape::Opaque { .. } => return Some(None),
        };
        Some(Some(Self(Declared::new(fields, size, is_union)?)))
    }

    /// The shape with the members in their new places.
    fn shape(&self, old: &ProgramShape) -> Option<ProgramShape> {
        match old {
            ProgramShape::Array { element, element_name, count, .. } => {
                let element = self.shape(element)?;
                let stride = element.size()?;
                let (element, element_name) = (Box::new(element), element_name.clone());
                Some(ProgramShape::Array { element, element_name, count: *count, stride })
            }
            ProgramShape::Union { .. } => {
                let (fields, size) = self.0.lay_out()?;
                Some(ProgramShape::Union { fields, size })
            }
            _ => {
                let (fields, size) = self.0.lay_out()?;
                Some(ProgramShape::Struct { fields, size })
            }
        }
    }
}

impl Declared {
    fn new(fields: &[ProgramField], size: u32, is_union: bool) -> Option<Self> {
        let mut declared = Self { fields: Vec::new(), alignment: 1, tail: 0, is_union };
        let mut end = 0;
        for field in fields {
            let inner = Inner::new(&field.shape)?;
            let start = start_of(field);
            let from: u32 = if is_union { 0 } else { end };
            let natural = natural_alignment(&field.shape, inner.as_ref());
            let (alignment, gap) = match field.alignment {
                _ if is_bits_after(declared.fields.last(), field) => (1, 0),
                Some(stated) => {
                    let alignment = stated.max(natural);
                    (alignment, start.checked_sub(from.checked_next_multiple_of(alignment)?)?)
                }
                None => explained(from, start, natural)?,
            };
            end = end.max(end_of(field)?);
            declared.alignment = declared.alignment.max(alignment);
            declared.fields.push(DeclaredField { field: field.clone(), alignment, gap, inner });
        }
        if end.checked_next_multiple_of(declared.alignment)? != size {
            let (alignment, tail) = explained(end, size, declared.alignment)?;
            (declared.alignment, declared.tail) = (declared.alignment.max(alignment), tail);
        }
        Some(declared)
    }

    fn lay_out(&self) -> Option<(Vec<ProgramField>, u32)> {
        let (mut placed, mut end): (Vec<ProgramField>, u32) = (Vec::new(), 0);
        let mut before: Option<&DeclaredField> = None;
        for declared in &self.fields {
            let mut field = declared.field.clone();
            if let Some(inner) = &declared.inner {
                field.shape = inner.shape(&field.shape)?;
            }
            let start = if self.is_union {
                0
            } else if is_bits_after(before, &field) {
                // The bits of a unit stay together.
                let (old, new) = (before.map(|before| start_of(&before.field))?, placed.last().map(start_of)?);
                start_of(&field).checked_sub(old)?.checked_add(new)?
            } else {
                end.checked_next_multiple_of(declared.alignment)?.checked_add(declared.gap)?
            };
            move_to(&mut field, start)?;
            end = end.max(end_of(&field)?);
            placed.push(field);
            before = Some(declared);
        }
        let size = end.checked_add(self.tail)?.checked_next_multiple_of(self.alignment)?;
        Some((placed, size))
    }

    /// Changes the members, or those of the struct that has them.
    fn change(&mut self, repair: &Repair) -> Option<()> {
        match repair {
            Repair::Pad { before, bytes } => self.at(before, |level, index| {
                let name = format!("_pad_{}", level.fields[index].field.name);
                level.insert(index, bytes_named(&name, *bytes))
            }),
            Repair::PadEnd { of, bytes, .. } => self.inside(of, |level| {
                level.tail = 0;
                level.insert(level.fields.len(), bytes_named("_pad_end", *bytes))
            }),
            Repair::Align { member, to } => self.at(member, |level, index| {
                level.change_fields(|fields| {
                    (fields[index].alignment, fields[index].gap) = (*to, 0);
                });
                Some(())
            }),
            Repair::AlignType { of, to, .. } => self.inside(of, |level| {
                (level.alignment, level.tail) = (*to, 0);
                Some(())
            }),
            Repair::Declare { member, declarations } => self.at(member, |level, index| {
                level.change_fields(|fields| drop(fields.remove(index)));
                for (later, declaration) in declarations.iter().enumerate() {
                    level.declare(index + later, declaration)?;
                }
                Some(())
            }),
            Repair::Count { member, count } => self.at(member, |level, index| {
                match &mut level.fields[index].field.shape {
                    ProgramShape::Array { count: own, .. } => *own = Some(*count),
                    _ => return None,
                }
                Some(())
            }),
            Repair::Add { declaration, before: Some(before), .. } => {
                self.at(before, |level, index| level.declare(index, declaration))
            }
            Repair::Add { declaration, before: None, inside } => self.inside(inside, |level| {
                level.tail = 0;
                level.declare(level.fields.len(), declaration)
            }),
            Repair::Remove { member } => self.at(member, |level, index| {
                level.change_fields(|fields| drop(fields.remove(index)));
                Some(())
            }),
            Repair::Move { member, before } => {
                let (outer, name) = split(member);
                if split(before).0 != outer {
                    return None;
                }
                self.inside(outer, |level| {
                    let from = level.position(name)?;
                    let moved = level.fields.remove(from);
                    let to = level.position(split(before).1)?;
                    level.fields.insert(to, moved);
                    Some(())
                })
            }
            Repair::Exchange { member, other } => {
                let (outer, name) = split(member);
                if split(other).0 != outer {
                    return None;
                }
                self.inside(outer, |level| {
                    let (one, two) = (level.position(name)?, level.position(split(other).1)?);
                    level.fields.swap(one, two);
                    Some(())
                })
            }
            Repair::OneDefinition | Repair::ReprC => None,
        }
    }

    fn declare(&mut self, index: usize, declaration: &Declaration) -> Option<()> {
        self.insert(index, declaration.field())?;
        let stated = declaration.alignment.unwrap_or(1);
        self.change_fields(|fields| fields[index].alignment = fields[index].alignment.max(stated));
        Some(())
    }

    fn insert(&mut self, index: usize, field: ProgramField) -> Option<()> {
        let inner = Inner::new(&field.shape)?;
        let alignment = natural_alignment(&field.shape, inner.as_ref());
        self.alignment = self.alignment.max(alignment);
        self.fields.insert(index, DeclaredField { field, alignment, gap: 0, inner });
        Some(())
    }

    /// Changes the members, and the alignment if it follows from theirs.
    fn change_fields(&mut self, change: impl FnOnce(&mut Vec<DeclaredField>)) {
        let largest = |fields: &[DeclaredField]| fields.iter().map(|field| field.alignment).max().unwrap_or(1);
        let is_own = self.alignment == largest(&self.fields);
        change(&mut self.fields);
        self.alignment = if is_own { largest(&self.fields) } else { self.alignment.max(largest(&self.fields)) };
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.field.name == name)
    }

    /// Calls `change` with the struct that has the member, and the member's index in it.
    fn at(&mut self, path: &str, change: impl FnOnce(&mut Self, usize) -> Option<()>) -> Option<()> {
        let (outer, name) = split(path);
        self.inside(outer, |level| {
            if let Some(index) = level.position(name) {
                return change(level, index);
            }
            // Members of a base, or of a struct without a name.
            let unnamed = level.fields.iter_mut().filter(|field| field.field.name.is_empty());
            let mut inner = unnamed.filter_map(|field| field.inner.as_mut());
            let found = inner.find_map(|inner| inner.0.position(name).map(|index| (&mut inner.0, index)));
            found.and_then(|(level, index)| change(level, index))
        })
    }

    fn inside(&mut self, path: &str, change: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        let Some((first, rest)) = path.split_once('.').or(Some((path, "")).filter(|_| !path.is_empty())) else {
            change(self)?;
            return Some(());
        };
        let name = first.split('[').next()?;
        let field = self.fields.iter_mut().find(|field| field.field.name == name)?;
        let inner = field.inner.as_mut()?;
        let before = inner.0.alignment;
        inner.0.inside(rest, change)?;
        if field.alignment == before || inner.0.alignment > field.alignment {
            field.alignment = inner.0.alignment;
            self.alignment = self.alignment.max(inner.0.alignment);
        }
        Some(())
    }
}

/// The path of the struct around a member, and the member's name.
fn split(path: &str) -> (&str, &str) {
    let (outer, name) = path.rsplit_once('.').unwrap_or(("", path));
    (outer, name.split('[').next().unwrap_or(name))
}

/// The alignment and the padding that put a member at `start`, after `end`.
fn explained(end: u32, start: u32, natural: u32) -> Option<(u32, u32)> {
    let puts_it = |alignment: &u32| end.checked_next_multiple_of(*alignment) == Some(start);
    let powers = |from: u32| (0..).map(|power| 1 << power).take_while(move |power| *power <= from);
    let larger = powers(MAX_ALIGNMENT).find(|alignment| *alignment >= natural && puts_it(alignment));
    // A packed struct.
    let smaller = || powers(natural).filter(puts_it).last();
    let by_padding = || Some((1, start.checked_sub(end)?));
    larger.or_else(smaller).map(|alignment| (alignment, 0)).or_else(by_padding)
}

fn natural_alignment(shape: &ProgramShape, inner: Option<&Inner>) -> u32 {
    let of_size = |size: u32| {
        let largest = if size == 0 { 1 } else { 1 << size.trailing_zeros() };
        largest.min(MAX_SCALAR_ALIGNMENT)
    };
    match (shape, inner) {
        (_, Some(inner)) => inner.0.alignment,
        (ProgramShape::Array { element, .. }, None) => natural_alignment(element, None),
        (ProgramShape::Scalar(scalar), None) => of_size(scalar.size),
        (ProgramShape::Vector { size, .. }, None) => of_size(*size),
        (ProgramShape::Opaque { size, .. }, None) => of_size(*size).min(8),
        (ProgramShape::Struct { .. } | ProgramShape::Union { .. }, None) => 1,
    }
}

/// True for a bit-field that shares its storage unit with the one before it.
fn is_bits_after(before: Option<&DeclaredField>, field: &ProgramField) -> bool {
    field.bits.is_some() && before.is_some_and(|before| before.field.bits.is_some())
}

fn start_of(field: &ProgramField) -> u32 {
    field.bits.map_or(field.offset, |bits| bits.bytes().0)
}

fn end_of(field: &ProgramField) -> Option<u32> {
    match field.bits {
        Some(bits) => Some(bits.offset.checked_add(bits.width)?.div_ceil(8)),
        None => field.offset.checked_add(field.shape.size()?),
    }
}

/// Puts a field at a byte.
fn move_to(field: &mut ProgramField, start: u32) -> Option<()> {
    let by = i64::from(start) - i64::from(start_of(field));
    field.offset = u32::try_from(i64::from(field.offset) + by).ok()?;
    if let Some(bits) = field.bits {
        let offset = u32::try_from(i64::from(bits.offset) + 8 * by).ok()?;
        field.bits = Some(ProgramBits { offset, ..bits });
    }
    Some(())
}

fn bytes_named(name: &str, count: u32) -> ProgramField {
    let scalar = ProgramScalar { class: LaneClass::Unsigned, size: 1, is_enum: false };
    Declaration::padding(name, scalar, count).field()
}
