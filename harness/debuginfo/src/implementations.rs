//! Traits that Rust types implement, from the symbols of their functions.
//!
//! A type that a library such as encase writes has another layout in the buffer than in Rust.
//! Debug information does not mention the trait, but the mangled names of its functions do.

use object::{Object, ObjectSymbol};

use crate::container::list_objects;
use crate::container::{FileOrigin, ObjectFormat};
use crate::input::DebugInput;

/// A trait that a type implements.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Implementation {
    /// For example `engine::Material`.
    pub type_name: String,
    /// For example `encase::core::traits::WriteInto`.
    pub trait_name: String,
}

/// Lists the traits of these crates that functions in a file implement. A file without symbols has none.
pub(crate) fn implementations(input: DebugInput<'_>, crates: &[&str]) -> Vec<Implementation> {
    let objects = list_objects(input.name, &FileOrigin::Input, input.bytes, &input.limits).unwrap_or_default();
    let mut found = Vec::new();
    for source in objects.iter().filter(|source| source.format == ObjectFormat::Object) {
        let bytes = input.bytes.get(source.range.clone()).unwrap_or_default();
        let Ok(object) = object::File::parse(bytes) else { continue };
        // Both manglings contain the names of crates, and a program has a million symbols.
        let names = object.symbols().filter_map(|symbol| symbol.name().ok());
        let names = names.filter(|name| crates.iter().any(|own| name.contains(own)));
        found.extend(names.filter_map(implementation));
    }
    found.sort();
    found.dedup();
    found
}

/// Reads `<engine::Material as encase::core::traits::WriteInto>::write_into`, and, from the older mangling
/// where the implementation is in another module than its type,
/// `engine::glsl::<impl glsl_layout::uniform::Uniform for engine::Sky>::std140`.
fn implementation(symbol: &str) -> Option<Implementation> {
    // Without the hashes of crates and functions.
    let name = format!("{:#}", rustc_demangle::try_demangle(symbol).ok()?);
    let (type_name, trait_name) = match name.split_once("<impl ") {
        Some((_, inside)) => {
            let (trait_name, rest) = inside.split_once(" for ")?;
            (&rest[..rest.find(['<', '>'])?], trait_name)
        }
        None => {
            let (type_name, rest) = name.strip_prefix('<')?.split_once(" as ")?;
            (type_name, &rest[..rest.find(['<', '>'])?])
        }
    };
    Some(Implementation { type_name: type_name.to_owned(), trait_name: trait_name.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names that rustc 1.95 gives to a method of encase 0.10, in both manglings.
    #[test]
    fn both_manglings_are_read() {
        let expected = Implementation {
            type_name: "en::ShaderMaterial".to_owned(),
            trait_name: "encase::core::traits::WriteInto".to_owned(),
        };
        let old = "_ZN70_$LT$en..ShaderMaterial$u20$as$u20$encase..core..traits..WriteInto$GT$10write_into17hd7b480d7c4f0a588E";
        let new = "_RINvXs_Cs2CVBzJezJ5p_2enNtB5_14ShaderMaterialNtNtNtCsbF4PQnOWmoW_6encase4core6traits9WriteInto10write_\
                   intoQINtNtCslNYArtu3iFV_5alloc3vec3VechEEB5_";
        assert_eq!(implementation(old), Some(expected.clone()));
        assert_eq!(implementation(new), Some(expected));
        // glsl-layout 0.5 implements its trait in a module of its own.
        let elsewhere = "_ZN4crev16_GLSL_LAYOUT_Sky69_$LT$impl$u20$glsl_layout..uniform..Uniform$u20$for$u20$crev..Sky\
                         $GT$6std14017h84435c78439c4b2fE";
        let expected = Implementation {
            type_name: "crev::Sky".to_owned(),
            trait_name: "glsl_layout::uniform::Uniform".to_owned(),
        };
        assert_eq!(implementation(elsewhere), Some(expected));
        assert_eq!(implementation("_ZN2en4main17h0123456789abcdefE"), None);
        assert_eq!(implementation("main"), None);
    }
}
