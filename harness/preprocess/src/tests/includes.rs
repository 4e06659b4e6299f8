//! Included files: the search for them, and diagnostics in them.

use super::{options, said, tokens_of};

fn included(source: &str, files: &[(&str, &str)], folders: &[&str]) -> String {
    let options = options(files, folders);
    tokens_of("a/main.hlsl", source, &options).unwrap_or_else(|codes| panic!("{codes:?}"))
}

#[test]
fn quotes_look_beside_the_including_file_first() {
    let files = [
        ("a/x.h", "beside"),
        ("i/x.h", "folder"),
        ("j/x.h", "later"),
        ("a/sub/y.h", "#include \"../x.h\""),
        ("a/sub/../x.h", "up"),
    ];
    assert_eq!(included("#include \"x.h\"", &files, &["i", "j"]), "beside");
    assert_eq!(included("#include <x.h>", &files, &["i", "j"]), "folder");
    assert_eq!(included("#include <x.h>", &files, &["j/", "i"]), "later");
    assert_eq!(included("#include \"sub\\y.h\"", &files, &[]), "up");
    assert_eq!(included("#define H(x) <x.h>\n#include H(x)", &files, &["i"]), "folder");
    assert_eq!(included("#define H \"x.h\"\n#include H", &files, &["i"]), "beside");
}

/// DXC 1.7.2308 finds these files, and slangc 2026.14.1 does not.
#[test]
fn quotes_look_beside_the_outer_files_next() {
    let files = [
        ("a/sub/deep/d.h", "#include \"b.h\""),
        ("a/sub/b.h", "#include \"c.h\""),
        ("a/sub/e.h", "#include \"deep/d.h\""),
        ("a/b.h", "further"),
        ("a/c.h", "outer"),
        ("i/c.h", "folder"),
    ];
    assert_eq!(included("#include \"sub/e.h\"", &files, &["i"]), "outer");
    let slang = tokens_of("a/main.slang", "#include \"sub/b.h\"", &options(&files, &["i"]));
    assert_eq!(slang, Ok("folder".to_owned()));
}

#[test]
fn files_are_read_as_often_as_they_are_included() {
    let files = [("a/x.h", "x"), ("a/once.h", "#pragma once\no"), ("a/s/p.h", "#include \"../once.h\"")];
    assert_eq!(included("#include \"x.h\"\n#include \"x.h\"", &files, &[]), "x x");
    assert_eq!(included("#include \"once.h\"\n#include \"./once.h\"\n#include \"s/p.h\"", &files, &[]), "o");
    let guarded = [("a/g.h", "#ifndef G\n#define G\n#include \"g.h\"\n#include \"main.hlsl\"\ng\n#endif")];
    assert_eq!(included("#pragma once\n#include \"g.h\"\nm", &guarded, &[]), "g m");
}

#[test]
fn members_may_stand_in_a_file_of_their_own() {
    let options = options(&[("a/members.h", "float4 a;\nMEMBER(float, b)\n")], &[]);
    let source = "#define MEMBER(t, n) t n;\ncbuffer C {\n#include \"members.h\"\n};";
    assert_eq!(said(source, &options), Vec::<String>::new());
    let has = "#if __has_include(\"members.h\") && !__has_include(<members.h>) && !__has_include(\"x.h\")\nyes\n#endif";
    assert_eq!(tokens_of("a/main.hlsl", has, &options), Ok("yes".into()));
}

/// Projects that are only built on Windows name folders and files in any case.
#[test]
fn names_in_another_case_are_found_with_a_warning() {
    let options = options(&[("i/Sub/x.h", "float x;")], &["i"]);
    let warning = "a/main.hlsl:1:1 `sub/X.h` is `i/Sub/x.h` in another case \
        (Windows and macOS find the file under both names, Linux does not)";
    assert_eq!(said("#include \"sub/X.h\"", &options), [warning]);
}

#[test]
fn what_is_missing_is_said_with_where_it_was_looked_for() {
    let options = options(&[("i/x.h", "#include \"y.h\"\nbroken")], &["i"]);
    let missing = "i/x.h:1:1 included file `y.h` not found \
        (tried i/y.h, a/y.h, i/y.h; add a folder with -I; included at a/main.hlsl:2:1)";
    assert_eq!(said("\n#include \"x.h\"\nmore broken", &options), [missing]);
    let nowhere = "a/main.hlsl:1:1 included file `z.h` not found (tried a/z.h, i/z.h; add a folder with -I)";
    assert_eq!(said("#include \"z.h\"", &options), [nowhere]);
    let unnamed = "a/main.hlsl:1:1 expected a file name in quotes or angle brackets";
    assert_eq!(said("#include x.h", &options), [unnamed]);
}
