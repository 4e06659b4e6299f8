//! Reads host structs from text: `0 vec3 eye 12 float t size 16`.

use std::str::SplitWhitespace;

use crate::{
    LaneClass, LinePlace, ProgramBits, ProgramContract, ProgramField, ProgramScalar, ProgramShape, ProgramStruct,
};

/// Reads a struct: for each member its offset, type and name, optionally followed by
/// `[count]/stride`; then `size` and the size. A struct in `{}` has its size inside; a union in
/// `{}` starts with `union`.
pub(super) fn program(text: &str) -> ProgramStruct {
    let mut words = text.split_whitespace();
    let Members { fields, size, .. } = members(&mut words);
    ProgramStruct {
        name: "engine::Frame".to_owned(),
        object: "engine.o".to_owned(),
        size,
        fields,
        place: Some(place(1)),
        contract: ProgramContract::Fixed,
        other_layouts: Vec::new(),
        is_named_by_variable: false,
        written_by: None,
    }
}

struct Members {
    fields: Vec<ProgramField>,
    size: u32,
    is_union: bool,
}

fn place(line: u32) -> LinePlace {
    LinePlace { file: "engine.h".to_owned(), line: Some(line) }
}

fn members(words: &mut SplitWhitespace<'_>) -> Members {
    let mut fields = Vec::new();
    let mut is_union = false;
    loop {
        let word = words.next().expect("`size` ends a struct");
        if word == "union" {
            is_union = true;
            continue;
        }
        if word == "size" {
            let size = words.next().unwrap().parse().unwrap();
            return Members { fields, size, is_union };
        }

        let offset = word.parse().unwrap();
        let ty = words.next().unwrap();
        let (shape, bits) = shape(ty, words);
        let name = words.next().unwrap();
        // The text has no names of structs.
        let own_name = format!("{}Struct", name.split('[').next().unwrap_or_default());
        let ty = if ty == "{" { own_name.as_str() } else { ty };
        let (name, shape) = match name.split_once('[') {
            None => (name, shape),
            Some((name, array)) => {
                let (count, stride) = array.split_once("]/").unwrap();
                let (count, stride) = (count.parse().ok(), stride.parse().unwrap());
                let element_name = ty.to_owned();
                (name, ProgramShape::Array { element: Box::new(shape), element_name, count, stride })
            }
        };
        let line = u32::try_from(fields.len()).unwrap() + 2;
        let name = if name == "-" { String::new() } else { name.to_owned() };
        fields.push(ProgramField {
            name,
            type_name: ty.to_owned(),
            offset,
            shape,
            bits,
            alignment: None,
            place: Some(place(line)),
        });
    }
}

fn shape(ty: &str, words: &mut SplitWhitespace<'_>) -> (ProgramShape, Option<ProgramBits>) {
    use LaneClass::{Bool, Float, Signed, Unsigned};

    let shape = match ty {
        "{" => {
            let Members { fields, size, is_union } = members(words);
            assert_eq!(words.next(), Some("}"));
            if is_union { ProgramShape::Union { fields, size } } else { ProgramShape::Struct { fields, size } }
        }
        "float" => scalar(Float, 4),
        "double" => scalar(Float, 8),
        "int" => scalar(Signed, 4),
        "uint" => scalar(Unsigned, 4),
        "u16" => scalar(Unsigned, 2),
        "u8" => scalar(Unsigned, 1),
        "u64" => scalar(Unsigned, 8),
        "bool" => scalar(Bool, 1),
        "enum8" => ProgramShape::Scalar(ProgramScalar { class: Unsigned, size: 1, is_enum: true }),
        "enum32" => ProgramShape::Scalar(ProgramScalar { class: Unsigned, size: 4, is_enum: true }),
        "vec2" => vector(2),
        "vec3" => vector(3),
        "vec4" => vector(4),
        "mat3" => floats(9),
        "mat4" => floats(16),
        bits => {
            let mut parts = bits.strip_prefix("bits:").expect("a type").split(':');
            let mut number = || parts.next().unwrap().parse().unwrap();
            let bits = ProgramBits { offset: number(), width: number() };
            return (scalar(Unsigned, 4), Some(bits));
        }
    };
    (shape, None)
}

fn scalar(class: LaneClass, size: u32) -> ProgramShape {
    ProgramShape::Scalar(ProgramScalar { class, size, is_enum: false })
}

/// `struct { float x, y, z; }`.
fn vector(count: u32) -> ProgramShape {
    let names = ["x", "y", "z", "w"].iter().zip(0..count);
    let field = |name: &str, offset: u32| ProgramField {
        name: name.to_owned(),
        type_name: "float".to_owned(),
        offset,
        shape: scalar(LaneClass::Float, 4),
        bits: None,
        alignment: None,
        place: None,
    };
    ProgramShape::Struct { fields: names.map(|(name, index)| field(name, index * 4)).collect(), size: count * 4 }
}

/// `struct { float m[16]; }`.
fn floats(count: u32) -> ProgramShape {
    let element = Box::new(scalar(LaneClass::Float, 4));
    let array = ProgramShape::Array { element, element_name: "float".to_owned(), count: Some(count), stride: 4 };
    let field = ProgramField {
        name: "m".to_owned(),
        type_name: format!("float[{count}]"),
        offset: 0,
        shape: array,
        bits: None,
        alignment: None,
        place: None,
    };
    ProgramShape::Struct { fields: vec![field], size: count * 4 }
}
