//! Layout files: structs that a program of any language states.

use super::super::folder::Folder;
use super::{one_line, pairs};

const SHADER: &str = "struct Light { position: vec3f, radius: f32, color: vec3f }
struct Scene { view: mat4x4f, count: u32, lights: array<Light, 4> }
@group(0) @binding(0) var<uniform> scene: Scene;
";

/// The layout that WGSL gives to the members ("Alignment and Size" of its specification).
fn layout(lights: u32) -> String {
    let size = lights + 128;
    format!(
        r#"{{"schema": 1, "structs": [
        {{"name": "Light", "size": 32, "members": [
            {{"name": "position", "offset": 0, "kind": "float", "size": 12, "components": 3}},
            {{"name": "radius", "offset": 12, "kind": "float", "size": 4}},
            {{"name": "color", "offset": 16, "kind": "float", "size": 12, "components": 3}}]}},
        {{"name": "Scene", "size": {size}, "file": "scene.ts", "line": 1, "members": [
            {{"name": "view", "offset": 0, "kind": "float", "size": 16, "components": 4, "count": 4, "stride": 16}},
            {{"name": "count", "offset": 64, "kind": "unsigned", "size": 4, "line": 2}},
            {{"name": "lights", "offset": {lights}, "kind": "struct", "struct": "Light", "size": 32, "count": 4, "stride": 32,
              "line": 3}}]}}]}}"#
    )
}

#[test]
fn stated_structs_are_compared_like_those_of_debug_information() {
    let folder = Folder::with(&[("scene.wgsl", SHADER), ("scene.json", &layout(80))]);
    assert_eq!(pairs(&folder.run("check scene.wgsl scene.json --format json").exits(0)), ["scene Scene agree"]);
    folder.write("scene.json", layout(68).as_bytes());
    let answer = folder.run("check scene.wgsl scene.json").exits(1);
    let text = one_line(&answer);
    assert!(text.contains("the shader has `lights` at byte 80, the host at byte 68"), "{answer}");
    assert!(text.contains("fix insert 12 bytes before `lights` in the host at shader"), "{answer}");
    assert!(text.contains("host scene.ts:3"), "{answer}");
    // Names need not match: the members decide.
    folder.write("scene.json", layout(80).replace("\"Scene\"", "\"Renderer.data\"").as_bytes());
    let answer = folder.run("check scene.wgsl scene.json --format json").exits(0);
    assert_eq!(pairs(&answer), ["scene Renderer.data agree"]);
    folder.run("check scene.wgsl scene.json --map scene=Renderer.data").exits(0);
}

#[test]
fn a_file_that_is_no_layout_file_is_refused_with_the_reason() {
    let folder = Folder::with(&[("scene.wgsl", SHADER)]);
    for (text, reason) in [
        ("{\"schema\": 1}", "damaged layout file: missing field `structs`"),
        ("[1, 2]", "scene.json: not an object file, library, executable, PDB or layout file"),
        ("", "scene.json"),
        ("{\"schema\": 1, \"structs\": []}", "scene.json"),
    ] {
        folder.write("scene.json", text.as_bytes());
        let answer = folder.run("check scene.wgsl scene.json").exits(if text.contains("[]") { 4 } else { 2 });
        assert!(answer.err.contains(reason), "{answer}");
    }
    // A size that does not fit the members is no layout.
    folder.write("scene.json", layout(80).replace("\"size\": 208", "\"size\": 204").as_bytes());
    let answer = folder.run("check scene.wgsl scene.json").exits(2);
    assert!(
        answer.err.contains("struct `Scene`: its member `lights` ends at byte 208, but it has 204 bytes"),
        "{answer}"
    );
}
