//! Converts types of debug information to structs that can be compared with blocks.

use std::path::Path;

use layoutproof_debuginfo::{
    DeclarationPlace, ElementCount, FoundTypes, HostArray, HostScalar, HostShape, HostTypeId, HostTypes,
    LayoutContract, NamedHostType, NamedLayout, RecordKind, ScalarClass,
};
use layoutproof_hostcheck::{
    LaneClass, LinePlace, POINTER, ProgramBits, ProgramContract, ProgramField, ProgramScalar, ProgramShape,
    ProgramStruct,
};

/// Maximum number of members of one struct. Members of nested structs count at each occurrence.
const MAX_FIELDS: u32 = 1 << 17;

/// Converts a type with all of its layouts. `None` if no unit defines it, or it is not a struct.
/// Source files below `working_folder` get relative names, as a user would write them.
pub(crate) fn convert(
    found: &FoundTypes,
    named: &NamedHostType,
    object: &str,
    working_folder: &Path,
    is_named_by_variable: bool,
) -> Option<ProgramStruct> {
    let first = named.layouts.first()?;
    let root = found.types.resolve(first.ty);
    let HostShape::Record(record) = &found.types[root].shape else { return None };

    let of_layout = |layout: &NamedLayout| {
        let root = found.types.resolve(layout.ty);
        let mut converter = TypeConverter { types: &found.types, working_folder, left: MAX_FIELDS };
        ProgramStruct {
            name: named.name.clone(),
            object: object.to_owned(),
            size: found.types[root].size.unwrap_or(0),
            fields: converter.fields(root),
            place: place(found.types[root].place.as_ref(), working_folder),
            contract: match record.contract {
                LayoutContract::Fixed | LayoutContract::OtherLanguage => ProgramContract::Fixed,
                LayoutContract::RustUnknown => ProgramContract::Unstated,
                LayoutContract::ZigUnknown => ProgramContract::UnstatedZig,
                LayoutContract::Stated => ProgramContract::Stated,
                LayoutContract::RustReordered => ProgramContract::Reordered,
            },
            other_layouts: Vec::new(),
            is_named_by_variable,
            written_by: None,
        }
    };
    let mut program = of_layout(first);
    for layout in named.layouts.iter().skip(1) {
        let other = of_layout(layout);
        if !other.has_same_layout(&program) {
            let sources = layout.units.iter().map(|unit| found.unit(*unit).source.as_str());
            let unit = sources.filter(|name| !name.is_empty()).min().unwrap_or("another unit");
            program.other_layouts.push(format!("{} bytes in {unit}", other.size));
        }
    }
    Some(program)
}

struct TypeConverter<'a> {
    types: &'a HostTypes,
    working_folder: &'a Path,
    /// Number of members that may still be converted.
    left: u32,
}

impl TypeConverter<'_> {
    /// The members of a record and of its bases.
    fn fields(&mut self, record: HostTypeId) -> Vec<ProgramField> {
        let mut fields = Vec::new();
        for placed in self.types.all_members(record) {
            if self.left == 0 {
                break;
            }
            self.left -= 1;

            let ty = self.types.resolve(placed.member.ty);
            fields.push(ProgramField {
                name: placed.member.name.clone().unwrap_or_default(),
                type_name: self.spelling(placed.member.ty),
                offset: placed.offset,
                shape: self.shape(ty),
                bits: placed.bits.map(|bits| ProgramBits { offset: bits.offset, width: bits.size }),
                alignment: placed.member.alignment,
                place: place(placed.member.place.as_ref(), self.working_folder),
            });
        }
        fields
    }

    fn shape(&mut self, id: HostTypeId) -> ProgramShape {
        let id = self.types.resolve(id);
        let ty = &self.types[id];
        let size = ty.size.unwrap_or(0);
        let opaque = |description: &str| ProgramShape::Opaque { description: description.to_owned(), size };
        match &ty.shape {
            HostShape::Record(record) if record.has_variants => opaque("an enum with data"),
            HostShape::Record(record) => {
                let fields = self.fields(id);
                if record.kind == RecordKind::Union {
                    ProgramShape::Union { fields, size }
                } else {
                    ProgramShape::Struct { fields, size }
                }
            }
            HostShape::Scalar(scalar) => ProgramShape::Scalar(scalar_of(*scalar)),
            HostShape::Enum { signed } => {
                let class = if *signed == Some(true) { LaneClass::Signed } else { LaneClass::Unsigned };
                ProgramShape::Scalar(ProgramScalar { class, size, is_enum: true })
            }
            HostShape::Pointer { .. } => opaque(POINTER),
            HostShape::Array(array) => self.array(array),
            HostShape::Vector { component, count } => match &self.types[self.types.resolve(*component)].shape {
                HostShape::Scalar(scalar) => {
                    ProgramShape::Vector { component: scalar_of(*scalar), count: *count, size }
                }
                _ => opaque("a vector of no numbers"),
            },
            HostShape::Alias(_) | HostShape::Incomplete(_) | HostShape::Opaque { .. } => {
                opaque("a type without members")
            }
        }
    }

    /// Builds one array shape per dimension.
    fn array(&mut self, array: &HostArray) -> ProgramShape {
        let element_name = self.spelling(array.element);
        let mut shape = self.shape(array.element);
        let mut stride = array.stride.unwrap_or(0);
        for (depth, count) in array.counts.iter().rev().enumerate() {
            let finite = match count {
                ElementCount::Finite(count) => Some(*count),
                ElementCount::Unstated => None,
            };
            let dimensions = "[]".repeat(depth);
            let element_name = format!("{element_name}{dimensions}");
            shape = ProgramShape::Array { element: Box::new(shape), element_name, count: finite, stride };
            stride = stride.saturating_mul(finite.unwrap_or(0));
        }
        shape
    }

    /// The type's name, with the element counts of arrays, outermost first.
    fn spelling(&self, id: HostTypeId) -> String {
        let ty = &self.types[id];
        match &ty.shape {
            HostShape::Array(_) => {
                let (mut element, mut counts) = (id, String::new());
                while let HostShape::Array(array) = &self.types[element].shape {
                    counts.extend(array.counts.iter().map(|count| match count {
                        ElementCount::Finite(count) => format!("[{count}]"),
                        ElementCount::Unstated => "[]".to_owned(),
                    }));
                    element = array.element;
                }
                self.spelling(element) + &counts
            }
            HostShape::Pointer { target } => format!("{target}*"),
            HostShape::Record(_)
            | HostShape::Scalar(_)
            | HostShape::Enum { .. }
            | HostShape::Vector { .. }
            | HostShape::Alias(_)
            | HostShape::Incomplete(_)
            | HostShape::Opaque { .. } => {
                if ty.name.is_empty() {
                    "struct".to_owned()
                } else {
                    ty.name.clone()
                }
            }
        }
    }
}

fn scalar_of(scalar: HostScalar) -> ProgramScalar {
    let class = match scalar.class {
        ScalarClass::Float => LaneClass::Float,
        ScalarClass::Signed | ScalarClass::Character { signed: true } => LaneClass::Signed,
        ScalarClass::Unsigned | ScalarClass::Character { signed: false } => LaneClass::Unsigned,
        ScalarClass::Bool => LaneClass::Bool,
        ScalarClass::Other => LaneClass::Opaque,
    };
    ProgramScalar { class, size: scalar.size, is_enum: false }
}

fn place(declared: Option<&DeclarationPlace>, working_folder: &Path) -> Option<LinePlace> {
    let declared = declared?;
    let below = Path::new(&declared.file).strip_prefix(working_folder).ok().and_then(Path::to_str);
    let file = below.unwrap_or(&declared.file).to_owned();
    Some(LinePlace { file, line: declared.line })
}
