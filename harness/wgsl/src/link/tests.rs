//! Linked modules: each text of WESL gives the declarations that wesl 0.4.4 gives for the same files.

use std::collections::BTreeMap;

use layoutproof_layout::FileId;
use layoutproof_source::sources::SourceMap;

use super::{LinkSearch, LinkedText, link, needs_linking};
use crate::WgslModule;

struct Project {
    files: BTreeMap<String, String>,
    macros: Vec<String>,
    folders: Vec<String>,
    sources: SourceMap,
}

impl Project {
    /// The first file is the main one.
    fn of(files: &[(&str, &str)]) -> Self {
        let mut sources = SourceMap::default();
        sources.add(files[0].0, files[0].1);
        let files = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        Self { files, macros: Vec::new(), folders: Vec::new(), sources }
    }

    fn with(mut self, macros: &[&str]) -> Self {
        self.macros = macros.iter().map(|word| (*word).to_owned()).collect();
        self
    }

    fn inside(mut self, folder: &str) -> Self {
        self.folders.push(folder.to_owned());
        self
    }

    fn linked(&mut self) -> Result<LinkedText, String> {
        let Self { files, macros, folders, sources } = self;
        let linked = link(FileId(0), &LinkSearch { macros, folders, files }, sources);
        linked.map_err(|problem| {
            let at = sources.position(problem.span());
            format!("{}:{}:{} {}", sources.file(problem.span().file).name, at.line, at.column, problem.message)
        })
    }

    /// The variables as declared, with the members of structs: `var<uniform> a: S {x y}`.
    #[track_caller]
    fn variables(mut self) -> Vec<String> {
        let linked = self.linked().unwrap();
        let module = WgslModule::read_linked(&linked, &self.sources)
            .unwrap_or_else(|found| panic!("{}\n{found:?}", linked.text));
        let members = |variable: &crate::WgslVariable| {
            let block = variable.block()?;
            let layoutproof_layout::shape::Type::Struct(structure) = block.element.dimensions().0.clone() else {
                return None;
            };
            let names: Vec<String> = structure.members.iter().map(|member| member.name.clone()).collect();
            Some(format!(" {{{}}}", names.join(" ")))
        };
        let text =
            |variable: &crate::WgslVariable| format!("{}{}", variable.declared, members(variable).unwrap_or_default());
        module.variables.iter().map(text).collect()
    }

    #[track_caller]
    fn refused(mut self, expected: &str) {
        assert_eq!(self.linked().map(|linked| linked.text), Err(expected.to_owned()));
    }
}

const VIEW: &str = "const N = 2; struct View { m: mat4x4f, n: array<vec4f, N> }\n\
                    @group(0) @binding(0) var<uniform> view: View;\n@group(0) @binding(9) var<uniform> unused: vec4f;";

#[test]
fn imports_in_every_form_lead_to_the_declaration() {
    for import in [
        "import package::common::view::view;",
        "import package::common::view::{view};",
        "import package::common::{view::{view}};",
        "import package::{common::{view::view}};",
        "import {package::common::view::view};",
        "import super::common::view::view;",
        "import super::{common::view::view,};",
    ] {
        let main = format!("{import}\n@fragment fn main() -> @location(0) vec4f {{ return view.n[0]; }}");
        let project = Project::of(&[("shaders/main.wesl", &main), ("shaders/common/view.wesl", VIEW)]);
        assert_eq!(project.variables(), ["var<uniform> view: View {m n}"], "{import}");
    }
    for body in [
        "import package::common::view; fn f() { _ = view::view.m; }",
        "import package::common::view as v; fn f() { _ = v::view.m; }",
        "import package::common::view::view as it; fn f() { _ = it.m; }",
        "fn f() { _ = package::common::view::view.m; }",
        "fn f() { _ = super::common::view::view.m; }",
    ] {
        let project = Project::of(&[("a/main.wesl", body), ("a/common/view.wgsl", VIEW)]);
        assert_eq!(project.variables(), ["var<uniform> view: View {m n}"], "{body}");
    }
}

/// Two modules may have one name for different things; a local name hides an import.
#[test]
fn names_do_not_clash() {
    let a = "struct S { a: f32 } @group(0) @binding(0) var<uniform> s: S; fn fetch() -> f32 { return s.a; }";
    let b = "struct S { b: f32 } @group(0) @binding(1) var<uniform> s: S; fn fetch() -> f32 { return s.b; }";
    let main = "import super::{a, b}; struct S { c: f32 } @group(0) @binding(2) var<uniform> c: S;\n\
                fn f() -> f32 { let s = 1.0; return s + a::fetch() + b::fetch() + c.c; }";
    let project = Project::of(&[("main.wesl", main), ("a.wesl", a), ("b.wesl", b)]);
    assert_eq!(project.variables(), ["var<uniform> c: S {c}", "var<uniform> s: S {a}", "var<uniform> s: S {b}"]);
    let hidden = "import super::a::s; fn f(s: f32) -> f32 { return s; }";
    assert_eq!(Project::of(&[("main.wesl", hidden), ("a.wesl", a)]).variables(), [""; 0]);
}

#[test]
fn conditions_decide_each_kind_of_node() {
    let text = "@if(A) import super::x::T; @else import super::y::T;
        struct S { @if(A) a: f32, @elif(B) b: array<f32, 2>, @else c: vec2f, @if(!A && (B || false)) d: u32, e: T }
        @if(A) @group(0) @binding(0) var<uniform> s: S;
        @group(0) @if(!A) @binding(1) var<uniform> s: S;
        @if(B) { const N = 1; @group(0) @binding(2) var<storage> t: array<vec4f, N>; }
        fn f(@if(A) x: f32, y: f32) { @if(A) { _ = s.a; } @else if y > 1.0 { } else { } @if(B) _ = t[0];
            switch 1 { @if(A) case 1: { } default { } } }";
    let project =
        || Project::of(&[("m.wesl", text), ("x.wesl", "alias T = f32;"), ("y.wesl", "struct T { t: vec3f }")]);
    assert_eq!(project().with(&["A"]).variables(), ["var<uniform> s: S {a e}"]);
    assert_eq!(project().with(&["A=true"]).variables(), ["var<uniform> s: S {a e}"]);
    assert_eq!(project().with(&["A=false"]).variables(), ["var<uniform> s: S {c e}"]);
    let both = ["var<uniform> s: S {b d e}", "var<storage> t: array<vec4f, N>"];
    assert_eq!(project().with(&["B"]).variables(), both);
    let warnings = project().linked().unwrap().warnings;
    assert_eq!(warnings[0].message, "conditions of declarations take names that are not set as false: `A`, `B`");
    assert_eq!(project().with(&["A", "B=false"]).linked().unwrap().warnings, []);
}

#[test]
fn values_of_macros_are_constants() {
    let text = "@group(constants::GROUP) @binding(0) var<uniform> a: array<vec4f, constants::COUNT>;";
    let project = Project::of(&[("m.wesl", text)]).with(&["GROUP=2", "COUNT=8"]).linked().unwrap();
    assert_eq!(project.text.trim(), "@group(2) @binding(0) var<uniform> a: array<vec4f, 8>;");
    Project::of(&[("m.wesl", text)]).with(&["GROUP=2"]).refused("m.wesl:1:67 `constants::COUNT` has no value");
}

#[test]
fn packages_are_found_in_folders_above_and_in_those_of_the_user() {
    let main = "import lib_a::render::view::view; fn f() { _ = view.m; }";
    for (own, module) in [
        ("crates/lib_b/src/x.wesl", "crates/lib_a/src/render/view.wesl"),
        ("game/main.wesl", "game/node_modules/lib_a/shaders/render/view.wesl"),
        ("assets/main.wesl", "crates/lib_a/render/view.wgsl"),
    ] {
        let project = Project::of(&[(own, main), (module, VIEW)]);
        let project = project.inside("crates").inside("game/node_modules");
        assert_eq!(project.variables(), ["var<uniform> view: View {m n}"], "{module}");
    }
    let toml = "[package]\nroot = \"./src\"\n[dependencies]\nlib_a = { path = \"../deps/a\" }\n";
    let files = [("app/src/m.wesl", main), ("app/wesl.toml", toml), ("app/../deps/a/src/render/view.wesl", VIEW)];
    assert_eq!(Project::of(&files).variables(), ["var<uniform> view: View {m n}"]);
    Project::of(&[("a/m.wesl", main)]).refused("a/m.wesl:1:48 no file is the module `lib_a::render::view`");
    let hidden = [("m.wesl", "fn f() { _ = super::a::b; }"), ("a.wesl", "@if(X) const b = 1;")];
    Project::of(&hidden).refused("m.wesl:1:14 a.wesl has no declaration `b`");
}

/// `naga_oil` 0.23: the forms in Bevy's shaders from 0.9 to 0.18.
#[test]
fn directives_of_naga_oil_are_followed() {
    let view = "#define_import_path bevy_render::view\n#ifdef BIG\n#else\nstruct View { m: mat4x4<f32>,\n#ifdef NEAR\n\
                near: f32,\n#endif\n}\n#endif\n";
    let bindings = "#define_import_path bevy_pbr::mesh_view_bindings\n#import bevy_render::view::View\n\
                    @group(0) @binding(0) var<uniform> view: View;\n// #import none::x\n/* #ifdef */";
    for main in [
        "#import bevy_pbr::mesh_view_bindings::view\nfn f() { _ = view.m; }",
        "#import bevy_pbr::{mesh_view_bindings::{view}}\nfn f() { _ = view.m; }",
        "#import bevy_pbr::{\n  mesh_view_bindings::view as v,\n}\nfn f() { _ = v.m; }",
        "#import bevy_pbr::mesh_view_bindings as b\nfn f() { _ = b::view.m; }",
        "#import bevy_pbr::mesh_view_bindings\nfn f() { _ = bevy_pbr::mesh_view_bindings::view.m; }",
        "#import bevy_pbr::mesh_view_bindings view\nfn f() { _ = view.m; }",
        "#import bevy_pbr::mesh_view_bindings\nfn f() { _ = view.m; }",
        "#import \"shaders/mesh_view_bindings.wgsl\"::view\nfn f() { _ = view.m; }",
    ] {
        let files =
            [("assets/m.wgsl", main), ("assets/shaders/mesh_view_bindings.wgsl", bindings), ("r/view/view.wgsl", view)];
        let project = || Project::of(&files).inside("assets/shaders").inside("r");
        assert!(needs_linking(main));
        assert_eq!(project().variables(), ["var<uniform> view: View {m}"], "{main}");
        assert_eq!(project().with(&["NEAR"]).variables(), ["var<uniform> view: View {m near}"], "{main}");
    }
    let text = "#define N 3\n#if N >= 3\n@group(#{GROUP}) @binding(0) var<uniform> a: array<vec4f, #{N}>;\n\
                #else if GROUP == 1\n@group(1) @binding(0) var<uniform> b: vec4f;\n#endif";
    let linked = Project::of(&[("m.wgsl", text)]).with(&["GROUP=2"]).linked().unwrap();
    assert_eq!(linked.text.trim(), "@group(2) @binding(0) var<uniform> a: array<vec4f, 3>;");
    Project::of(&[("m.wgsl", text)]).refused("m.wgsl:3:8 the placeholder `#{GROUP}` has no value");
    Project::of(&[("m.wgsl", "#ifdef A\n")]).refused("m.wgsl:1:1 this condition has no `#endif`");
    Project::of(&[("m.wgsl", "fn f() {}\n#version 450\n")])
        .refused("m.wgsl:2:1 WESL and naga_oil have no such directive");
}

/// Problems and members have their places in the files of the user.
#[test]
fn places_are_in_the_files() {
    let files = [("m.wesl", "import super::a::b;\nfn f() { _ = b; }"), ("a.wesl", "\n  var<uniform> b: Missing;")];
    let mut project = Project::of(&files);
    let linked = project.linked().unwrap();
    let problems = WgslModule::read_linked(&linked, &project.sources).unwrap_err();
    let at = project.sources.position(problems[0].span());
    assert_eq!(project.sources.file(problems[0].span().file).name, "a.wesl");
    assert_eq!((at.line, at.column), (2, 19));
    let text = "@group(0) @binding(0) var<uniform> a: f32;";
    assert!(!needs_linking(text) && needs_linking("@if(A) const B = 1;"));
    Project::of(&[("m.wesl", "const A = (1;\n}")]).refused("m.wesl:1:11 `(`: this bracket is not closed");
}

/// A text that ends anywhere is linked or refused.
#[test]
fn cut_texts_end() {
    for corpus in ["wesl", "naga_oil"] {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus/modules").join(corpus);
        let text = std::fs::read_to_string(path).unwrap();
        let (main, rest) = text.split_once("\n//// ").unwrap();
        let modules = rest.split("\n//// ").map(|module| module.split_once('\n').unwrap());
        let modules: Vec<(&str, &str)> = modules.collect();
        let ends = (0..main.len()).filter(|end| main.is_char_boundary(*end));
        for cut in ends.map(|end| &main[..end]).chain([
            "@",
            "@if",
            "#ifdef A\n@",
            "#define A\n@",
            "#define A\n@align",
            "a::",
            "import",
        ]) {
            for name in ["shaders/main.wesl", "shaders/main.wgsl"] {
                let files = [&[(name, cut)], modules.as_slice()].concat();
                let mut project = Project::of(&files).with(&["BIG", "COUNT=2"]).inside("library");
                if let Ok(linked) = project.linked() {
                    let _ = WgslModule::read_linked(&linked, &project.sources);
                }
            }
        }
    }
}
