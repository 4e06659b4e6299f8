//! Built-in types of `CodeView`, each identified by a number.
//!
//! Source: `TYPE_ENUM_e` in Microsoft's `cvinfo.h`.

use crate::{HostScalar, ScalarClass};

/// A built-in type.
pub(super) enum Primitive {
    Scalar { name: &'static str, scalar: HostScalar },
    Pointer { size: u32, target: &'static str },
    Other { name: &'static str },
}

struct PrimitiveRow {
    kind: u32,
    name: &'static str,
    class: ScalarClass,
    size: u32,
}

/// Returns the built-in type with this number, if there is one.
pub(super) fn primitive(number: u32) -> Option<Primitive> {
    let (kind, mode) = (number & 0xff, number >> 8 & 0xf);
    if number == 0x0103 {
        return Some(Primitive::Other { name: "std::nullptr_t" });
    }
    let row = PRIMITIVES.iter().find(|row| row.kind == kind);
    let name = match (row, kind) {
        (Some(row), _) => row.name,
        (None, 0x03) => "void",
        (None, 0x00) => "",
        (None, _) => return None,
    };
    let pointer_size = match mode {
        0 => {
            return Some(match row {
                Some(&PrimitiveRow { class, size, .. }) => {
                    Primitive::Scalar { name, scalar: HostScalar { class, size } }
                }
                None => Primitive::Other { name },
            });
        }
        1..=3 => 2,
        4 | 5 => 4,
        6 => 8,
        _ => 16,
    };
    Some(Primitive::Pointer { size: pointer_size, target: name })
}

const fn row(kind: u32, name: &'static str, class: ScalarClass, size: u32) -> PrimitiveRow {
    PrimitiveRow { kind, name, class, size }
}

const SIGNED_CHARACTER: ScalarClass = ScalarClass::Character { signed: true };
const UNSIGNED_CHARACTER: ScalarClass = ScalarClass::Character { signed: false };

const PRIMITIVES: &[PrimitiveRow] = &[
    row(0x08, "HRESULT", ScalarClass::Signed, 4),
    row(0x10, "signed char", SIGNED_CHARACTER, 1),
    row(0x11, "short", ScalarClass::Signed, 2),
    row(0x12, "long", ScalarClass::Signed, 4),
    row(0x13, "long long", ScalarClass::Signed, 8),
    row(0x14, "__int128", ScalarClass::Signed, 16),
    row(0x20, "unsigned char", UNSIGNED_CHARACTER, 1),
    row(0x21, "unsigned short", ScalarClass::Unsigned, 2),
    row(0x22, "unsigned long", ScalarClass::Unsigned, 4),
    row(0x23, "unsigned long long", ScalarClass::Unsigned, 8),
    row(0x24, "unsigned __int128", ScalarClass::Unsigned, 16),
    row(0x30, "bool", ScalarClass::Bool, 1),
    row(0x31, "bool16", ScalarClass::Bool, 2),
    row(0x32, "bool32", ScalarClass::Bool, 4),
    row(0x33, "bool64", ScalarClass::Bool, 8),
    row(0x40, "float", ScalarClass::Float, 4),
    row(0x41, "double", ScalarClass::Float, 8),
    row(0x42, "long double", ScalarClass::Float, 10),
    row(0x43, "__float128", ScalarClass::Float, 16),
    row(0x46, "_Float16", ScalarClass::Float, 2),
    row(0x68, "__int8", ScalarClass::Signed, 1),
    row(0x69, "unsigned __int8", ScalarClass::Unsigned, 1),
    row(0x70, "char", SIGNED_CHARACTER, 1),
    row(0x71, "wchar_t", UNSIGNED_CHARACTER, 2),
    row(0x72, "__int16", ScalarClass::Signed, 2),
    row(0x73, "unsigned __int16", ScalarClass::Unsigned, 2),
    row(0x74, "int", ScalarClass::Signed, 4),
    row(0x75, "unsigned int", ScalarClass::Unsigned, 4),
    row(0x76, "__int64", ScalarClass::Signed, 8),
    row(0x77, "unsigned __int64", ScalarClass::Unsigned, 8),
    row(0x78, "__int128", ScalarClass::Signed, 16),
    row(0x79, "unsigned __int128", ScalarClass::Unsigned, 16),
    row(0x7a, "char16_t", UNSIGNED_CHARACTER, 2),
    row(0x7b, "char32_t", UNSIGNED_CHARACTER, 4),
    row(0x7c, "char8_t", UNSIGNED_CHARACTER, 1),
];
