//! Slang's modules; the order and the rules about macros as slangc 2026.14.1 shows them.

use super::{Memory, one_file, said, tokens_of};
use crate::declare::declare;

#[test]
fn modules_follow_the_source_in_the_order_in_which_they_are_named() {
    let files = [
        ("a/a.slang", "module a; import c; __include a2; A"),
        ("a/a2.slang", "implementing a; import d; A2"),
        ("a/b.slang", "import c; B"),
        ("a/c.slang", "C"),
        ("i/d.slang", "D"),
    ];
    let options = Memory::of(&files).options(&["i"]);
    let tokens = tokens_of("a/main.slang", "import a; import b; M", &options).unwrap();
    let words: Vec<&str> = tokens.split(' ').filter(|word| *word != ";").collect();
    assert_eq!(words, ["M", "module", "a", "A", "A2", "B", "C", "D"]);
}

#[test]
fn modules_see_no_macro_of_each_other() {
    let files = [
        ("a/sub/x-y.slang", "#pragma once\n#include \"h.h\"\n#ifdef M\nseen\n#endif\n__COUNT N"),
        ("a/sub/h.h", "#pragma once\nh"),
    ];
    let mut options = Memory::of(&files).options(&[]);
    options.defines = vec![("N".into(), "3".into())];
    let source = "#define M\n#pragma pack_matrix(row_major)\n#include \"sub/h.h\"\nimport sub.x_y;";
    assert_eq!(tokens_of("a/main.slang", source, &options), Ok("h ; ; ; ; ; h __COUNT 3".into()));
}

#[test]
fn types_of_modules_are_known() {
    let files = [("a/types.slang", "public struct Light { float3 colour; float power; }\nfloat4x4 m;")];
    let options = Memory::of(&files).options(&[]);
    let source = "#pragma pack_matrix(row_major)\nimport types;\nConstantBuffer<Light> light;";
    let (mut sources, span) = one_file("a/main.slang", source);
    let module = declare(&mut sources, span, &options).unwrap();
    let names: Vec<&str> = module.blocks.iter().map(|block| block.name.as_str()).collect();
    assert_eq!(names, ["light", "$Globals"]);
    assert_eq!((module.warnings, module.imports), (Vec::new(), Vec::new()));
}

#[test]
fn a_module_that_is_not_found_is_said_where_it_is_missed() {
    let options = Memory::default().options(&["i"]);
    let (mut sources, span) = one_file("a/main.slang", "import lights.point;\nConstantBuffer<Light> light;");
    let found = declare(&mut sources, span, &options).unwrap_err();
    let messages: Vec<_> = found.iter().map(|problem| problem.message.as_str()).collect();
    let unknown = "the file of this module is not found: what it declares is not known";
    assert_eq!(messages, [unknown, "no type is named `Light`"]);
    assert_eq!(found[1].help.as_deref(), Some("imported modules are not read: `lights.point`"));
    assert_eq!(said("import a;\nfloat x;", &options), Vec::<String>::new());
}
