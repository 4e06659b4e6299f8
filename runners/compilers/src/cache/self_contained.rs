//! Decides if a compiler reads nothing but the source.
//!
//! Included and imported files decide the answer, too, and only the compiler knows which files
//! these are. A source that may name another file therefore has no key. Search folders matter only
//! to such sources. The words are searched for in the whole text: a comment that mentions an
//! include only costs an unneeded run of the compiler.

/// Parts of the words with which HLSL, Slang, GLSL and WGSL name other files: `#include`,
/// `__include`, `__has_include`, `#import`, `import`, `__import`, `#embed`, `implementing`.
///
/// Source: Slang's Language Reference, "Modules"; HLSL and GLSL: ISO/IEC 9899:2024, 6.10.
const NAMING: [&str; 4] = ["include", "import", "embed", "implementing"];

/// True if neither the texts nor the arguments can name an unknown file.
pub(super) fn is_self_contained<'a>(texts: impl IntoIterator<Item = &'a [u8]>, arguments: &[String]) -> bool {
    let folders = arguments.iter().map(|argument| argument == "-I");
    let is_folder = std::iter::once(false).chain(folders);
    let is_plain = |(is_folder, argument): (bool, &String)| is_folder || names_no_file(argument);
    texts.into_iter().all(names_nothing) && is_folder.zip(arguments).all(is_plain)
}

fn names_nothing(text: &[u8]) -> bool {
    // A backslash before the end of a line may split a word, and old dialects of C spell it `??/`.
    let text = String::from_utf8_lossy(text).replace("??/", "\\");
    let joined = text.replace("\\\r\n", "").replace("\\\n", "");
    !NAMING.iter().any(|word| joined.contains(word))
}

/// True if an argument names no file, or only files next to the source, whose paths have no folder.
/// The value of a macro alone names no file.
fn names_no_file(argument: &str) -> bool {
    let has_folder = argument.contains(['/', '\\']) && !argument.starts_with("-D");
    !has_folder && !argument.starts_with('@') && names_nothing(argument.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(text: &str, arguments: &[&str]) -> bool {
        let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        is_self_contained([text.as_bytes()], &arguments)
    }

    #[test]
    fn sources_that_name_files_are_found() {
        assert!(holds(
            "cbuffer S { float3 a; };",
            &["-T", "cs_6_6", "-DA=1/2", "-I", "/shaders/include", "probe.hlsl"]
        ));
        for text in [
            "#include \"a.hlsli\"",
            "#  include <a>",
            "#inc\\\nlude \"a\"",
            "#inc\\\r\nlude \"a\"",
            "#inc??/\nlude \"a\"",
            "import a;",
            "__include a;",
            "#if __has_include(\"a\")",
            "#embed \"a\"",
            "implementing a;",
            "// imports nothing",
        ] {
            assert!(!holds(text, &[]), "{text}");
        }
        for argument in ["-DNEEDS=import", "-include", "@more", "/a/b", "../a", "-I/a"] {
            assert!(!holds("", &[argument]), "{argument}");
        }
    }
}
