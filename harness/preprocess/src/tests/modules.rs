//! Slang's modules. slangc 2026.14.1 shows the same order and the same rules for macros.

use super::{options, tokens_of};

#[test]
fn modules_follow_the_source_in_the_order_in_which_they_are_named() {
    let files = [
        ("a/a.slang", "module a; import c; __include a2; A"),
        ("a/a2.slang", "implementing a; import d; A2"),
        ("a/b.slang", "import c; B"),
        ("a/c.slang", "C"),
        ("i/d.slang", "D"),
    ];
    let options = options(&files, &["i"]);
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
    let mut options = options(&files, &[]);
    options.defines = vec![("N".into(), "3".into())];
    let source = "#define M\n#pragma pack_matrix(row_major)\n#include \"sub/h.h\"\nimport sub.x_y;";
    assert_eq!(tokens_of("a/main.slang", source, &options), Ok("h ; ; ; ; ; h __COUNT 3".into()));
}
