//! Declarations of WGSL. Each test names the clause of WebGPU Shading Language that it states.

use layoutproof_layout::FileId;
use layoutproof_layout::shape::Count;
use layoutproof_source::sources::SourceMap;

use crate::{WgslDirection, WgslModule, WgslSpace};

#[track_caller]
fn module(text: &str) -> WgslModule {
    WgslModule::read(text, FileId(0)).unwrap_or_else(|found| panic!("{text}: {found:?}"))
}

/// Line, column and message of each problem.
fn problems(text: &str) -> Vec<(u32, u32, String)> {
    let mut sources = SourceMap::default();
    let file = sources.add("a.wgsl", text);
    let found = WgslModule::read(text, file).expect_err(text);
    let at = |span| sources.position(span);
    found.iter().map(|found| (at(found.span()).line, at(found.span()).column, found.message.clone())).collect()
}

#[track_caller]
fn refused(text: &str, line: u32, column: u32, message: &str) {
    assert_eq!(problems(text), [(line, column, message.to_owned())], "{text}");
}

/// The length of `array<f32, EXPRESSION>` after these declarations.
#[track_caller]
fn length(declarations: &str, expression: &str) -> u32 {
    let text = format!("{declarations}\n@group(0) @binding(0) var<storage> s: array<f32, {expression}>;");
    let data = module(&text).variables[0].data.clone().unwrap();
    match data.dimensions().1.as_slice() {
        [Count::Finite(length)] => *length,
        other => panic!("{other:?}"),
    }
}

/// 8 Expressions; 6.1.1 Conversion Rank; 17.
#[test]
fn lengths_are_constant_expressions() {
    let declarations = "const N = 4; const M: u32 = N * 2; const SIZE = vec3u(8, 4, 2); alias Index = u32;
        const LIST = array<u32, 3>(5, 6, 7); const LATE = EARLY + 1; const EARLY = 1u << 3u; const F = 2.5;";
    for (expression, expected) in [
        ("3", 3),
        ("0x10u", 16),
        ("N", 4),
        ("M + 1", 9),
        ("(N + 2) * 3 - 1", 17),
        ("N * N / 3 % 4", 1),
        ("N << 2", 16),
        ("(~0u >> 28u)", 15),
        ("SIZE.x * SIZE[1] * SIZE.b", 64),
        ("LIST[N - 2]", 7),
        ("LATE", 9),
        ("max(M, 3) + min(N, 3)", 11),
        ("clamp(N, 1, 2)", 2),
        ("select(3, 5, N == 4 && M != 4)", 5),
        ("u32(F * 4.0)", 10),
        ("Index(7)", 7),
        ("i32(ceil(F))", 3),
        ("(N | 3) ^ 1", 6),
        ("-(-5)", 5),
        ("firstLeadingBit(64u)", 6),
    ] {
        assert_eq!(length(declarations, expression), expected, "{expression}");
    }
}

/// 6.2.9 Array Types: the count of elements is greater than zero; an override is allowed in the
/// workgroup address space alone.
#[test]
fn lengths_without_a_value_are_refused_where_they_are() {
    let text = |length: &str| format!("override N = 4;\nvar<storage> s: array<f32, {length}>;\n");
    let not_known = "the length of this array is not known:";
    refused(&text("0"), 2, 28, "an array has a length from 1 to 4294967295, not 0");
    refused(&text("1 / 0"), 2, 28, &format!("{not_known} this expression overflows or divides by zero"));
    refused(&text("1 + M"), 2, 32, &format!("{not_known} nothing declares `M`"));
    let message =
        format!("{not_known} `N` is an override: WGSL allows overrides only in the sizes of workgroup variables");
    refused(&text("N"), 2, 28, &message);
    assert!(
        module("override N = 4; var<workgroup> s: array<f32, N>; var<private> p: array<f32, N>;").variables.is_empty()
    );
    refused(
        "const A = B; const B = A;\nvar<storage> s: array<f32, A>;",
        1,
        24,
        &format!("{not_known} `A` needs its own value"),
    );
}

/// 6.2.10 Structure Types, 6.9 Predeclared Types, 6.8 Type Aliases.
#[test]
fn types_go_by_their_names() {
    let text = "enable f16; alias V = vec3f; alias T = V;
        struct S { a: T, b: mat4x3<f32>, c: vec2h, d: array<array<vec4<u32>, 2>, 3>, e: bool, }
        struct P { s: array<f32> }
        @group(1) @binding(2) var<storage, read_write> p: P;
        @group(0) @binding(3) var t: texture_storage_2d<rgba8unorm, write>;
        @group(0) @binding(4) var<uniform> lone: vec4<i32>;
        @group(0) @binding(5) var list: binding_array<texture_2d<f32>, 8>;
        var<immediate> pc: mat2x2h;";
    let variables = module(text).variables;
    let shown: Vec<_> = variables
        .iter()
        .map(|variable| {
            let ty = variable.data.as_ref().map_or("none".to_owned(), ToString::to_string);
            let place =
                variable.binding.map_or("none".to_owned(), |place| format!("{}.{}", place.group, place.binding));
            format!("{} {:?} {ty} {place} {:?}", variable.name, variable.space, variable.count)
        })
        .collect();
    assert_eq!(
        shown,
        [
            "p Storage P 1.2 Finite(1)",
            "t Handle none 0.3 Finite(1)",
            "lone Uniform int4 0.4 Finite(1)",
            "list Handle none 0.5 Finite(8)",
            "pc Immediate float16_t2x2 none Finite(1)",
        ]
    );
    assert_eq!(variables[0].declared, "var<storage, read_write> p: P");
}

#[test]
fn problems_are_at_their_declaration() {
    refused("struct A {\n    a: vec5<f32>,\n}\n", 2, 8, "unknown type `vec5`");
    refused("struct A { b: B }\nstruct B { a: array<A, 2> }", 1, 8, "`A` contains itself");
    refused("alias A = B; alias B = A;\nvar<uniform> u: A;", 1, 24, "the alias `A` names itself");
    refused("struct A { a: f16 }", 1, 15, "f16 needs `enable f16;`");
    refused("struct A { @align(12) a: f32 }", 1, 12, "@align(12) is no power of two");
    refused("struct A { a: f32 } struct A { b: f32 }", 1, 28, "`A` is declared twice");
    refused("struct A { a: f32,\n a: u32 }", 2, 2, "`A` has two members `a`");
    refused("const_assert 1 == 2;", 1, 14, "this assertion is false");
    // 6.4.1 Host-shareable Types have no bool.
    let bool_inside = "struct I { x: f32, flag: vec2<bool> }\nstruct S { list: array<I, 2> }\nvar<storage> s: S;";
    refused(bool_inside, 1, 20, "`s.list[].flag` is a bool, which WGSL does not share with a host");
    refused("fn f() {", 1, 9, "expected `}`, found the end of the text");
    refused("struct S { a: f32; }", 1, 18, "expected `,` or `}`, found `;`");
    refused("let x = 1;", 1, 1, "expected a declaration, found `let`");
}

/// Modules of other preprocessors and linkers are named as such.
#[test]
fn other_languages_are_named() {
    let (_, _, message) = problems("struct A { a: f32 }\n#import bevy_pbr::mesh\n").remove(0);
    assert_eq!(message, "`#import` is a directive of naga_oil, the preprocessor of Bevy's shaders, not WGSL");
    let (_, _, message) = problems("@group(#{MATERIAL}) @binding(0) var<uniform> a: vec4f;").remove(0);
    assert_eq!(message, "`#{MATERIAL}` is a placeholder of naga_oil, the preprocessor of Bevy's shaders, not WGSL");
    refused("import super::a::b;", 1, 1, "`import` is a statement of WESL, not WGSL");
    refused("@if(fast) const A = 1;", 1, 1, "`@if` is a condition of WESL, not WGSL");
}

/// 5.3: a local declaration hides a global name up to the end of its block; 13.2: an entry point
/// uses what the functions that it calls use.
#[test]
fn entry_points_use_what_they_reach() {
    let text = "
        @group(0) @binding(0) var<uniform> a: f32;
        @group(0) @binding(1) var<uniform> b: f32;
        @group(0) @binding(2) var<uniform> c: f32;
        @group(0) @binding(3) var<uniform> d: f32;
        @group(0) @binding(4) var<uniform> position: vec4f;
        struct S { a: f32 }
        fn inner(x: f32) -> f32 { return x + b; }
        fn hidden(a: f32) -> f32 { let b = a; { let c = 1.0; } for (var d = 0; d < 2; d++) { } return b; }
        fn later() -> f32 { let d = d; return d; }
        @compute @workgroup_size(1) fn first() { var s: S; s.a = inner(1.0); }
        @fragment fn second() -> @location(0) vec4f { return vec4f(hidden(2.0)); }
        @vertex fn third() -> @builtin(position) vec4f { if a < c { return vec4f(a); } return vec4f(later()); }
        fn never() -> f32 { return a + b + c + d; }";
    let module = module(text);
    let used: Vec<_> = module
        .entry_points
        .iter()
        .map(|entry| {
            let names: Vec<&str> = entry.uses.iter().map(|index| module.variables[*index].name.as_str()).collect();
            format!("{}: {}", entry.name, names.join(" "))
        })
        .collect();
    assert_eq!(used, ["first: b", "second: ", "third: a c d"]);
}

/// 6.2.8 Atomic Types.
#[test]
fn atomics_are_found_by_their_paths() {
    let text = "struct I { hits: atomic<u32>, plain: u32 } alias List = array<atomic<i32>, 3>;
        struct C { first: atomic<i32>, list: List, inner: array<I, 2> }
        var<storage, read_write> c: C; var<storage, read_write> lone: atomic<u32>;";
    let module = module(text);
    assert_eq!(module.atomics("c"), ["first", "inner[].hits", "list[]"].map(str::to_owned).into());
    assert_eq!(module.atomics("lone"), [String::new()].into());
}

#[test]
fn directives_are_read() {
    let text = "enable f16, subgroups; requires uniform_buffer_standard_layout, pointer_composite_access;
        diagnostic(off, derivative_uniformity); @id(7) override gain: f32 = 1.0; override other: u32; ;";
    let module = module(text);
    assert!(module.has_standard_uniforms);
    let ids: Vec<_> = module.overrides.iter().map(|made| (made.name.as_str(), made.id)).collect();
    assert_eq!(ids, [("gain", Some(7)), ("other", None)]);
}

/// WGSL, 7.x and the feature `immediate_address_space`: no arrays in immediates.
#[test]
fn arrays_in_immediates_are_a_warning() {
    let warned = module("struct S { list: array<vec4f, 2> } var<immediate> pc: S;");
    assert_eq!(warned.warnings.len(), 1);
    assert_eq!(warned.warnings[0].message, "`pc` holds an array, which WGSL does not allow in immediates");
    assert_eq!(module("var<push_constant> pc: vec4f;").variables[0].space, WgslSpace::Immediate);
}

fn locations(text: &str) -> Vec<(String, WgslDirection, u32)> {
    let varyings = module(text).varyings.into_iter();
    varyings.map(|varying| (varying.path, varying.direction, varying.location)).collect()
}

/// WGSL, 13.3.1.3 Input-output Locations.
#[test]
fn inputs_and_outputs_have_locations() {
    let text =
        "const FIRST = 2; struct In { @location(FIRST + 1) a: vec4f, @builtin(instance_index) i: u32 } alias Same = In;
        struct Out { @builtin(position) p: vec4f, @location(0) uv: vec2f, @location(1) @interpolate(flat) id: u32 }
        @vertex fn vertex(in: Same, @location(0) weight: f32) -> Out { return Out(); }
        @fragment fn fragment(uv: Out) -> @location(0) vec4f { return vec4f(); }
        fn helper(in: In) -> In { return in; }";
    let (input, output) = (WgslDirection::Input, WgslDirection::Output);
    let expected = [
        ("vertex.in.a", input, 3),
        ("vertex.weight", input, 0),
        ("vertex.$result.uv", output, 0),
        ("vertex.$result.id", output, 1),
        ("fragment.uv.uv", input, 0),
        ("fragment.uv.id", input, 1),
        ("fragment.$result", output, 0),
    ];
    let expected: Vec<_> = expected.into_iter().map(|(path, direction, at)| (path.to_owned(), direction, at)).collect();
    assert_eq!(locations(text), expected);
    let blended = "struct O { @location(0) @blend_src(0) a: vec4f, @location(0) @blend_src(1) b: vec4f }
        @fragment fn main(@location(0) a: f32) -> O { return O(); }";
    assert_eq!(locations(blended).len(), 3);
}

/// Tint of Dawn for Node 0.6.2: `'@location(0)' appears multiple times`.
#[test]
fn locations_that_clash_are_errors() {
    for text in [
        "struct O { @builtin(position) p: vec4f, @location(0) a: vec3f, @location(1) b: vec3f, @location(0) c: vec3f }
         @vertex fn main() -> O { return O(); }",
        "@fragment fn main(@location(1) a: f32, @location(1) b: f32) -> @location(0) vec4f { return vec4f(); }",
        "struct I { @location(2) a: f32 } @fragment fn main(i: I, @location(2) b: f32) {}",
        "struct I { @location(1) a: f32 } struct J { @location(0x1) b: f32 } @vertex fn main(i: I, j: J) {}",
        "const N = 3; struct I { @location(N) a: f32, @location(3) b: f32 } alias A = I; @fragment fn main(i: A) {}",
        "struct O { @location(0) @blend_src(0) a: vec4f, @location(0) @blend_src(0) b: vec4f }
         @fragment fn main() -> O { return O(); }",
    ] {
        let problems = WgslModule::read(text, FileId(0)).unwrap_err();
        assert_eq!(problems.len(), 1, "{text}");
        assert!(problems[0].message.contains(", too"), "{}", problems[0].message);
    }
}

/// 3.7 Identifiers, 16 Keyword and Token Summary. naga 30.0.1 and Tint of Dawn for Node 0.6.2 refuse each of these.
#[test]
fn reserved_words_name_nothing() {
    let reserved = |word: &str| format!("`{word}` is a reserved word of WGSL, and names nothing");
    refused("struct A { get: f32 }", 1, 12, &reserved("get"));
    refused("const a = 1;\nfn target() {}", 2, 4, &reserved("target"));
    refused("fn f() {\n  let as = 1;\n  let b = as;\n}", 2, 7, &reserved("as"));
    refused("fn f(module: f32) {}", 1, 6, &reserved("module"));
    refused("const __a = 1;", 1, 7, "`__a` begins with two underscores, which WGSL does not allow");
    refused("struct A { if: f32 }", 1, 12, "expected a name, found `if`");
    refused("fn loop() {}", 1, 4, "expected a name, found `loop`");
    // Parts of attributes and of statements.
    module(
        "@diagnostic(off, derivative_uniformity) fn f() {} @must_use @const fn g() -> f32 { return 1.0; } const _a = 1;",
    );
}

/// 5.3 Declaration and Scope. naga 30.0.1: `redefinition of ...`; Tint of Dawn for Node 0.6.2: `redeclaration of ...`.
#[test]
fn names_that_clash_are_errors() {
    let twice = |name: &str| format!("`{name}` is declared twice in this block");
    refused("fn f() {\n let a = 1; let a = 2;\n}", 2, 17, &twice("a"));
    refused("fn f() { if true {\n var a: f32; const a = 1; } }", 2, 20, &twice("a"));
    refused("fn f(a: f32) { let a = 1; }", 1, 20, &twice("a"));
    refused("fn f(a: f32, a: f32) {}", 1, 14, "`f` has two parameters `a`");
    refused("fn f() {} const f = 1;", 1, 17, "`f` is declared twice");
    module(
        "const a = 1; fn f(b: f32) { let a = a; { let a = b; let b = a; } for (var i = 0; i < 2; i++) { let i = 1; } let i = 2; }",
    );
}

/// 13.3.2 Resource Interface. naga 30.0.1: `Bindings for [1] conflict with other resource`; Tint of Dawn for Node 0.6.2: `entry
/// point 'm' references multiple variables that use the same resource binding`.
#[test]
fn bindings_of_one_entry_point_that_clash_are_errors() {
    let declared = "@group(0) @binding(1) var<storage> r: u32;\n@group(0) @binding(1) var<uniform> s: f32;\n";
    let both = format!("{declared}fn g() {{ _ = s; }} @compute @workgroup_size(1) fn m() {{ _ = r; g(); }}");
    let clashes = module(&both).clashes;
    assert_eq!(clashes.len(), 1, "{clashes:?}");
    assert_eq!(clashes[0].message, "`s` has group 0 and binding 1, which `r` has, too, and `m` uses both");
    let apart = "@compute @workgroup_size(1) fn m() { _ = r; } @compute @workgroup_size(1) fn n() { _ = s; }";
    assert_eq!(module(&format!("{declared}{apart}")).clashes, []);
}

/// Short texts that are hard on readers.
#[test]
fn hostile_texts_end() {
    let many = 100_000;
    let levels = |open: &str, middle: &str, close: &str, count: usize| {
        format!("{}{middle}{}", open.repeat(count), close.repeat(count))
    };
    let read = |text: &str| drop(WgslModule::read(text, FileId(0)));
    read(&format!("const a = {};", levels("(", "1", ")", many)));
    read(&format!("const a = {}1;", "-".repeat(many)));
    read(&format!("const a = 1{};", "+1".repeat(many)));
    read(&format!("const a = b{};", ".x".repeat(many)));
    read(&format!("alias A = {};", levels("array<", "f32", ", 1>", many)));
    read(&"@a(".repeat(many));
    read(&"a<".repeat(many));
    read(&"/*".repeat(many));
    read(&format!("fn f() {}", levels("{", "", "}", many)));
    let reversed =
        (0..2000).map(|level| format!("struct S{level} {{ s: S{} }}\n", level + 1)).collect::<Vec<_>>().concat();
    read(&format!("{reversed} struct S2000 {{ a: f32 }} var<storage> s: S0;"));
    let constants = (0..2000).map(|level| format!("const C{level} = C{};\n", level + 1)).collect::<Vec<_>>().concat();
    read(&format!("{constants} const C2000 = 1;"));
    let nested = |level: usize| levels("max(1, ", &format!("D{}", level + 1), ")", 90);
    let constants = (0..100).map(|level| format!("const D{level} = {};\n", nested(level))).collect::<Vec<_>>().concat();
    read(&format!("{constants} const D100 = 1;"));
    let aliases = (0..2000).map(|level| format!("alias A{level} = A{};\n", level + 1)).collect::<Vec<_>>().concat();
    read(&format!("{aliases} alias A2000 = f32; var<storage> s: A0; const x = A0(1);"));
    let doubled = (1..64)
        .map(|level| format!("struct S{level} {{ a: S{0}, b: S{0} }}\n", level - 1))
        .collect::<Vec<_>>()
        .concat();
    read(&format!("struct S0 {{ a: f32 }} {doubled} var<immediate> s: S63;"));
    let lists =
        (1..64).map(|level| format!("const A{level} = array(A{0}, A{0});\n", level - 1)).collect::<Vec<_>>().concat();
    read(&format!("const A0 = array(1, 2); {lists} const x = A63 == A63;"));
    let lists =
        (1..3 * many).map(|level| format!("const L{level}=array(L{});\n", level - 1)).collect::<Vec<_>>().concat();
    read(&format!("const L0 = array(1); {lists}"));
}
