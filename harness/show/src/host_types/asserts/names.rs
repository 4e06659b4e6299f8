//! Turns names of the shader into identifiers of the host: `N::S` into `N_S`, `$Globals` into
//! `Globals`, `type` into `type_`.

use std::collections::BTreeSet;

use super::HostLanguage;

/// Words that are not identifiers, or that the generated text uses itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReservedWords {
    words: &'static str,
    more: &'static str,
}

/// The Rust reference, Keywords; also primitive types, because a struct with that name would hide
/// the type.
const RUST: &str = "Self abstract as async await become bool box break char const continue core crate do dyn else enum extern f32 \
    f64 false final fn for gen i16 i32 i64 i8 if impl in let loop macro match mod move mut override priv pub ref \
    return self static str struct super trait true try type typeof u16 u32 u64 u8 unsafe unsized use usize virtual \
    where while yield";

/// C++23, `[lex.key]` and `[lex.digraph]`; also `std` and macros of the standard headers.
const CPP: &str = "NULL alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t \
    class co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue \
    decltype default delete do double dynamic_cast else enum explicit export extern false float for friend goto if \
    inline int long mutable namespace new noexcept not not_eq nullptr offsetof operator or or_eq private protected \
    public register reinterpret_cast requires return short signed sizeof static static_assert static_cast std \
    struct switch template this thread_local throw true try typedef typeid typename union unsigned using virtual \
    void volatile wchar_t while xor xor_eq";

/// ECMAScript 2024, 12.7.2, and names that the generated text uses. `__proto__` in an object literal is no member.
const TYPE_SCRIPT: &str = "Array ArrayBuffer BigInt64Array BigUint64Array DataView Float32Array Float64Array Int16Array \
    Int32Array Int8Array Uint16Array Uint32Array Uint8Array __proto__ arguments await break buffer byteOffset case catch \
    class const continue debugger default delete do else enum eval export extends false finally for function if \
    implements import in instanceof interface let new null package private protected public return static super switch \
    this throw true try typeof undefined var void while with yield";

impl ReservedWords {
    pub(super) const TYPE_SCRIPT: Self = Self { words: TYPE_SCRIPT, more: "" };

    pub(super) fn of(language: HostLanguage) -> Self {
        match language {
            HostLanguage::Rust => Self { words: RUST, more: "" },
            HostLanguage::Cpp => Self { words: CPP, more: "" },
            // C++ often includes C headers.
            HostLanguage::C => Self { words: CPP, more: "restrict" },
        }
    }

    /// Turns `declared` into an identifier that is not in `taken`, and adds it there. Uses
    /// `fallback` if no letter is left.
    pub(super) fn identifier(self, declared: &str, fallback: &str, taken: &mut BTreeSet<String>) -> String {
        let mut name = self.allowed(&letters(declared, fallback));
        let stem = name.clone();
        let mut number = 1;
        while !taken.insert(name.clone()) {
            number += 1;
            name = format!("{stem}_{number}");
        }
        name
    }

    fn allowed(self, name: &str) -> String {
        let is_reserved = [self.words, self.more].iter().any(|words| words.split(' ').any(|word| word == name));
        if is_reserved { format!("{name}_") } else { name.to_owned() }
    }
}

/// The ASCII letters, digits and underscores, with one underscore for anything between them and no
/// leading digit.
fn letters(declared: &str, fallback: &str) -> String {
    let parts: Vec<&str> =
        declared.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|part| !part.is_empty()).collect();
    let name = parts.join("_");
    match name.chars().next() {
        Some(first) if first.is_ascii_digit() => format!("{fallback}_{name}"),
        Some(_) if name.chars().any(|c| c != '_') => name,
        Some(_) | None => fallback.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_identifiers() {
        for (declared, rust, cpp) in [
            ("position", "position", "position"),
            ("N::S", "N_S", "N_S"),
            ("Pair<float>", "Pair_float", "Pair_float"),
            ("$Globals", "Globals", "Globals"),
            ("S#2", "S_2", "S_2"),
            ("type", "type_", "type"),
            ("register", "register", "register_"),
            ("self", "self_", "self"),
            ("f32", "f32_", "f32"),
            ("2d", "value_2d", "value_2d"),
            ("_", "value", "value"),
            ("größe", "gr_e", "gr_e"),
            ("", "value", "value"),
        ] {
            let of = |language| ReservedWords::of(language).identifier(declared, "value", &mut BTreeSet::new());
            assert_eq!([of(HostLanguage::Rust), of(HostLanguage::Cpp)], [rust, cpp], "{declared}");
        }
    }

    #[test]
    fn names_that_become_alike_are_numbered() {
        let mut taken = BTreeSet::new();
        let mut next = |declared| ReservedWords::of(HostLanguage::Rust).identifier(declared, "value", &mut taken);
        assert_eq!([next("N::S"), next("N_S"), next("N.S")], ["N_S", "N_S_2", "N_S_3"]);
    }
}
