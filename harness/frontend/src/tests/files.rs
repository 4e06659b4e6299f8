//! Sources with included files and modules. slangc 2026.14.1 shows the same order of modules.

use std::collections::BTreeMap;
use std::sync::Arc;

use layoutproof_layout::Span;
use layoutproof_layout::shape::Type;

use crate::module::Module;
use crate::{DeclareOptions, declare};
use layoutproof_source::diagnostics::Diagnostic;
use layoutproof_source::sources::SourceMap;

/// Options for a source next to `files`, with `-I` folders.
fn options(files: &[(&str, &str)], folders: &[&str]) -> DeclareOptions {
    let files: BTreeMap<String, String> =
        files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    DeclareOptions {
        include_paths: folders.iter().map(|folder| (*folder).to_owned()).collect(),
        files: Arc::new(files),
        ..DeclareOptions::default()
    }
}

fn declared(name: &str, source: &str, options: &DeclareOptions) -> (SourceMap, Result<Module, Vec<Diagnostic>>) {
    let mut sources = SourceMap::default();
    let file = sources.add(name, source);
    let span = Span { file, start: 0, end: u32::try_from(source.len()).unwrap() };
    let result = declare(&mut sources, span, options);
    (sources, result)
}

/// Returns every problem of the declarations in `source`, as `file:line:column message (help)`.
fn said(source: &str, options: &DeclareOptions) -> Vec<String> {
    let (sources, result) = declared("a/main.hlsl", source, options);
    let found = match result {
        Ok(module) => module.warnings,
        Err(found) => found,
    };
    let line = |problem: &Diagnostic| {
        let (place, file) = (sources.position(problem.span()), &sources.file(problem.span().file).name);
        let help = problem.help.as_ref().map(|help| format!(" ({})", help.replace('\n', "; "))).unwrap_or_default();
        format!("{file}:{}:{} {}{help}", place.line, place.column, problem.message)
    };
    found.iter().map(line).collect()
}

#[test]
fn problems_point_into_the_file_that_was_written() {
    let files = [
        ("a/x.h", "#include \"y.h\"\n"),
        ("a/y.h", "struct S {\n  flaot f;\n};\n#define BAD(n) cbuffer n { flaot f; }\n"),
    ];
    let options = options(&files, &[]);
    let found = said("#include \"x.h\"\nBAD(C)\ncbuffer D { flaot g; }", &options);
    let expected = [
        "a/main.hlsl:2:1 no type is named `flaot` (did you mean `float`?; `BAD` is a macro, defined at a/y.h:4:9)",
        "a/main.hlsl:3:13 no type is named `flaot` (did you mean `float`?)",
        "a/y.h:2:3 no type is named `flaot` (did you mean `float`?; included at a/x.h:1:1; included at a/main.hlsl:1:1)",
    ];
    assert_eq!(found, expected);
}

#[test]
fn problems_in_an_argument_point_at_the_argument() {
    let options = options(&[], &[]);
    let found = said("#define MEMBER(t, n) t n\ncbuffer C {\n    MEMBER(flaot, a);\n}", &options);
    assert_eq!(found, ["a/main.hlsl:3:12 no type is named `flaot` (did you mean `float`?)"]);
}

#[test]
fn types_of_modules_are_known() {
    let files = [("a/types.slang", "public struct Light { float3 colour; float power; }\nfloat4x4 m;")];
    let options = options(&files, &[]);
    let source = "#pragma pack_matrix(row_major)\nimport types;\nConstantBuffer<Light> light;";
    let module = declared("a/main.slang", source, &options).1.unwrap();
    let names: Vec<&str> = module.blocks.iter().map(|block| block.name.as_str()).collect();
    assert_eq!(names, ["light", "$Globals"]);
    assert_eq!((module.warnings, module.imports), (Vec::new(), Vec::new()));
}

#[test]
fn a_module_that_is_not_found_is_said_where_it_is_missed() {
    let options = options(&[], &["i"]);
    let source = "import lights.point;\nConstantBuffer<Light> light;";
    let found = declared("a/main.slang", source, &options).1.unwrap_err();
    let messages: Vec<_> = found.iter().map(|problem| problem.message.as_str()).collect();
    let unknown = "cannot find the file of this module, so its declarations are unknown";
    assert_eq!(messages, [unknown, "no type is named `Light`"]);
    assert_eq!(found[1].help.as_deref(), Some("imported modules are not read: `lights.point`"));
    assert_eq!(said("import a;\nfloat x;", &options), Vec::<String>::new());
}

/// Returns type and name of the members of the struct in the block `name`. `source` is `a/main.slang`.
fn members(files: &[(&str, &str)], source: &str, name: &str) -> Vec<String> {
    let options = options(files, &[]);
    let module = declared("a/main.slang", source, &options).1.unwrap();
    let block = module.blocks.iter().find(|block| block.name == name).unwrap();
    let Type::Struct(structure) = &block.element else { panic!("{name} holds {}", block.element) };
    let described = |ty: &Type| match ty {
        Type::Struct(inner) => format!("{{{}}}", inner.members[0].ty),
        other => other.to_string(),
    };
    structure.members.iter().map(|member| format!("{} {}", described(&member.ty), member.name)).collect()
}

/// Two modules may use the same private name, also in namespaces; each module keeps its own.
#[test]
fn modules_keep_their_private_names() {
    let module = |scalar: &str, length: u32| {
        format!(
            "module m; struct T {{ {scalar} x; }}\nTexture2D tex; static T glob; {scalar} lib(T t) {{ return t.x; }}\n\
             namespace N {{ struct U {{ {scalar}2 a; }}\n static const int M = {length}; enum E {{ C = {length} }} }}\n\
             typealias Own = {scalar}; public struct P_{scalar} {{ T t; N.U u; float v[N.M]; Own w; float z[N.E.C]; }}"
        )
    };
    let (a, b) = (module("float", 3), module("double", 5));
    let files = [("a/qa.slang", a.as_str()), ("a/qb.slang", b.as_str())];
    let source = "import qa;\nimport qb;\nConstantBuffer<P_float> a; ConstantBuffer<P_double> b;";
    assert_eq!(members(&files, source, "a"), ["{float} t", "{float2} u", "float[3] v", "float w", "float[3] z"]);
    assert_eq!(members(&files, source, "b"), ["{double} t", "{double2} u", "float[5] v", "double w", "float[5] z"]);
}

/// A module sees its own names, then the public names of the modules that it imports and that these re-export.
#[test]
fn names_come_from_the_modules_that_are_imported() {
    let files = [
        ("a/pa.slang", "static const int K = 3; public struct P { public float a[K]; }"),
        ("a/pb.slang", "public static const int K = 5;"),
        ("a/pc.slang", "import pb; public struct Q { public float a[K]; }"),
        ("a/pe.slang", "__exported import pb;"),
        ("a/pf.slang", "public import pb;"),
    ];
    let used =
        |imports: &str| members(&files, &format!("{imports} struct S {{ float z[K]; }}\nConstantBuffer<S> s;"), "s");
    assert_eq!(used("import pa; import pb;"), ["float[5] z"]);
    assert_eq!(used("import pc; static const int K = 2;"), ["float[2] z"]);
    assert_eq!(used("import pa; import pe;"), ["float[5] z"]);
    assert_eq!(used("import pa; import pf;"), ["float[5] z"]);
    let through = "import pc; static const int K = 2; struct S { Q q; }\nConstantBuffer<S> s; ConstantBuffer<Q> q;";
    assert_eq!(members(&files, through, "q"), ["float[5] a"]);
    let files = [
        ("a/na.slang", "public struct A { public float a; } namespace N { static const int K = 3; }"),
        ("a/nb.slang", "public namespace N { public static const int K = 5; public enum E { C = 6 } }"),
    ];
    let source = "import na; import nb; struct S { float z[N::K]; float w[N.E.C]; }\nConstantBuffer<S> s;";
    assert_eq!(members(&files, source, "s"), ["float[5] z", "float[6] w"]);
}

#[test]
fn a_module_may_declare_nothing() {
    let files = [("a/pa.slang", "public static const int K = 3;"), ("a/empty.slang", "// Nothing.")];
    for imports in ["import pa; import empty;", "import empty; import pa;"] {
        let source = format!("{imports} struct S {{ float z[K]; }}\nConstantBuffer<S> s;");
        assert_eq!(members(&files, &source, "s"), ["float[3] z"]);
    }
}

/// The source's entry points do not include those of an imported module (slangc 2026.14.1), but
/// those of its own other files.
#[test]
fn entry_points_are_those_of_the_module_itself() {
    let files = [
        ("a/ea.slang", "module ea; [shader(\"compute\")] [numthreads(1, 1, 1)] public void other(uniform float a) {}"),
        ("a/part.slang", "implementing main; [shader(\"compute\")] [numthreads(1, 1, 1)] void second() {}"),
    ];
    let source = "module main; __include part; import ea; [shader(\"compute\")] [numthreads(1, 1, 1)] void first() {}";
    let options = options(&files, &[]);
    let module = declared("a/main.slang", source, &options).1.unwrap();
    let names: Vec<&str> = module.entry_points.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names, ["first", "second"]);
}

/// A statement in an included file names a module next to that file, not next to the source.
#[test]
fn an_included_file_imports_what_is_next_to_it() {
    let files = [
        ("a/sub/inc.slangh", "import mine;\nConstantBuffer<D> data;"),
        ("a/sub/mine.slang", "module mine; public struct D { public float3 a; }"),
    ];
    assert_eq!(members(&files, "#include \"sub/inc.slangh\"\n", "data"), ["float3 a"]);
    let elsewhere = [("a/sub/inc.slangh", "import mine;\nfloat x;"), ("a/mine.slang", "float y;")];
    let options = options(&elsewhere, &[]);
    let module = declared("a/main.slang", "#include \"sub/inc.slangh\"\n", &options).1.unwrap();
    assert_eq!(module.imports, ["mine"]);
}

/// slangc 2026.14.1 prints `SLANG_anonymous_2` for the entry point's parameter and `SLANG_anonymous_3` for the struct:
/// included files count on, and each module counts from 0.
#[test]
fn names_that_slangc_makes_up_are_numbered_by_module() {
    let files = [
        ("a/h.h", "float included(float, float2 q);\n"),
        (
            "a/lib.slang",
            "public float g(float, int, int) { return 1; }\npublic struct L { struct { float q; } inner; }\n",
        ),
    ];
    let source = "import lib;\n#include \"h.h\"\nfloat own(float);\nuniform L l;\n\
                  [shader(\"compute\")] [numthreads(1, 1, 1)] void main(uniform float4) { }";
    let (_, module) = declared("a/main.slang", source, &options(&files, &[]));
    let module = module.unwrap();
    let Type::Struct(library) = &module.blocks[0].element else { panic!("{:?}", module.blocks[0].element) };
    let Type::Struct(globals) = &library.members[0].ty else { panic!("{:?}", library.members[0].ty) };
    let Type::Struct(inner) = &globals.members[0].ty else { panic!("{:?}", globals.members[0].ty) };
    let number = |span| module.generated_names.get(&span).copied();
    assert_eq!(number(module.entry_points[0].parameters[0].span), Some(2));
    assert_eq!(number(inner.span), Some(3));
}

/// After what is not understood the numbers are unknown, and a use of a macro that omits several names has one place.
#[test]
fn names_that_slangc_makes_up_have_no_number_where_the_count_is_lost() {
    let number = |before: &str| {
        let source = format!("{before}\n[shader(\"compute\")] [numthreads(1, 1, 1)] void main(uniform float4) {{ }}");
        let (_, module) = declared("a/main.slang", &source, &options(&[], &[]));
        let module = module.unwrap();
        module.generated_names.get(&module.entry_points[0].parameters[0].span).copied()
    };
    assert_eq!(number("float f(float, int);"), Some(2));
    assert_eq!(number("#define TWO float, int\nfloat f(TWO);"), Some(2));
    assert_eq!(number("interface I { float f(float + 1, int); }"), None);
}
