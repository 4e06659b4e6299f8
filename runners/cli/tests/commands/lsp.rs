//! `layoutproof lsp` as an editor drives it: messages of LSP 3.17 over standard input and output.
//!
//! Expected offsets: DXC 1.7.2308 for constant buffers, WGSL's "Alignment and Size", std140 (OpenGL 4.6, 7.6.2.2).

use std::io::{BufReader, BufWriter, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use lsp_server::{Message, Notification, Request, RequestId};
use serde_json::{Value, json};

use super::folder::Folder;
use super::host_check::compiles;

/// A session with an editor.
struct Editor {
    folder: PathBuf,
    child: Child,
    input: Option<BufWriter<ChildStdin>>,
    output: BufReader<ChildStdout>,
    requests: i32,
    /// Diagnostics that no test has read yet, by file.
    diagnostics: Vec<(String, Value)>,
}

impl Editor {
    fn start(folder: &Folder, capabilities: &Value, options: &Value) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_layoutproof"));
        let folder = folder.path("").canonicalize().unwrap();
        command.arg("lsp").current_dir(&folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take().map(BufWriter::new);
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut editor = Self { folder, child, input, output, requests: 0, diagnostics: Vec::new() };
        let params =
            json!({"processId": null, "rootUri": null, "capabilities": capabilities, "initializationOptions": options});
        let answer = editor.request("initialize", &params);
        assert_eq!(answer["serverInfo"]["name"], "layoutproof");
        editor.notify("initialized", &json!({}));
        editor
    }

    fn uri(&self, file: &str) -> String {
        format!("file://{}/{file}", self.folder.display())
    }

    fn send(&mut self, message: &Message) {
        let input = self.input.as_mut().unwrap();
        message.write(input).unwrap();
        input.flush().unwrap();
    }

    fn notify(&mut self, method: &str, params: &Value) {
        self.send(&Message::Notification(Notification::new(method.to_owned(), params)));
    }

    /// The result of a request. Requests of the server are left without an answer.
    fn request(&mut self, method: &str, params: &Value) -> Value {
        self.requests += 1;
        let id = RequestId::from(self.requests);
        self.send(&Message::Request(Request::new(id.clone(), method.to_owned(), params)));
        loop {
            match self.receive() {
                Message::Response(response) if response.id == id => {
                    return response.response_result.unwrap();
                }
                other => self.keep(other),
            }
        }
    }

    fn receive(&mut self) -> Message {
        Message::read(&mut self.output).unwrap().expect("the server goes on")
    }

    fn keep(&mut self, message: Message) {
        if let Message::Notification(Notification { params, .. }) = message {
            self.diagnostics.push((params["uri"].as_str().unwrap().to_owned(), params["diagnostics"].clone()));
        }
    }

    /// The next diagnostics of a file.
    fn diagnostics(&mut self, file: &str) -> Value {
        let uri = self.uri(file);
        loop {
            if let Some(at) = self.diagnostics.iter().position(|(of, _)| *of == uri) {
                return self.diagnostics.remove(at).1;
            }
            let message = self.receive();
            self.keep(message);
        }
    }

    /// The first difference from the programs of the project.
    fn next_of_check(&mut self, file: &str) -> Value {
        loop {
            let found = self.diagnostics(file);
            let of_check = |it: &&Value| it["source"] == "layoutproof check";
            if let Some(found) = found.as_array().unwrap().iter().find(of_check) {
                return found.clone();
            }
        }
    }

    fn open(&mut self, file: &str, text: &str) {
        let language = file.rsplit('.').next().unwrap();
        let document = json!({"uri": self.uri(file), "languageId": language, "version": 1, "text": text});
        self.notify("textDocument/didOpen", &json!({"textDocument": document}));
    }

    fn change(&mut self, file: &str, version: i32, text: &str) {
        let document = json!({"uri": self.uri(file), "version": version});
        self.notify("textDocument/didChange", &json!({"textDocument": document, "contentChanges": [{"text": text}]}));
    }

    fn hover(&mut self, file: &str, line: u32, character: u32) -> String {
        let position = json!({"line": line, "character": character});
        let params = json!({"textDocument": {"uri": self.uri(file)}, "position": position});
        let answer = self.request("textDocument/hover", &params);
        answer["contents"]["value"].as_str().unwrap_or_default().to_owned()
    }

    /// The hints of the whole file, each behind the line that it is in.
    fn hints(&mut self, file: &str) -> Vec<(u64, String)> {
        let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 10_000, "character": 0}});
        let answer =
            self.request("textDocument/inlayHint", &json!({"textDocument": {"uri": self.uri(file)}, "range": range}));
        let hint =
            |hint: &Value| (hint["position"]["line"].as_u64().unwrap(), hint["label"].as_str().unwrap().to_owned());
        answer.as_array().unwrap().iter().map(hint).collect()
    }

    /// The titles of the actions at a place, with what each is.
    fn actions(&mut self, file: &str, line: u32, character: u32) -> Vec<(String, Value)> {
        let at = json!({"line": line, "character": character});
        let params = json!({
            "textDocument": {"uri": self.uri(file)},
            "range": {"start": at, "end": at},
            "context": {"diagnostics": []},
        });
        let answer = self.request("textDocument/codeAction", &params);
        answer.as_array().unwrap().iter().map(|it| (it["title"].as_str().unwrap().to_owned(), it.clone())).collect()
    }

    /// Ends the session; the exit code is 0.
    fn end(mut self) {
        self.request("shutdown", &Value::Null);
        self.notify("exit", &Value::Null);
        drop(self.input.take());
        assert!(self.child.wait().unwrap().success());
    }
}

const FRAME: &str = "struct Light { float3 pos; float range; };
cbuffer Frame {
  float w[3];
  float bloom;
  float4 eye;
  Light lights[2];
};
";

// DXC 1.7.2308 -T ps_6_0: w at 0, bloom at 36, eye at 48, lights at 64; -spirv: bloom at 48, eye at 64, lights at 80.
#[test]
fn offsets_of_all_targets_are_beside_members_and_under_the_pointer() {
    let folder = Folder::with(&[]);
    let mut editor = Editor::start(&folder, &json!({}), &json!({}));
    editor.open("frame.hlsl", FRAME);
    let expected = [
        (0, "+0"),
        (0, "+12"),
        (2, "0 (c0)"),
        (3, "D3D12 36 (c2.y), 8 padding | Vulkan 48, 12 padding"),
        (4, "D3D12 48 (c3) | Vulkan 64"),
        (5, "D3D12 64 (c4) | Vulkan 80"),
    ];
    assert_eq!(editor.hints("frame.hlsl"), expected.map(|(line, label)| (line, label.to_owned())));

    let hover = editor.hover("frame.hlsl", 3, 10);
    for line in [
        "float bloom   in cbuffer Frame",
        "D3D12 · DXC: offset 36 (c2.y), 4 bytes, 8 bytes of padding after it",
        "32 |w[2]   |bloom  |...............|",
        "Vulkan · DXC, Vulkan · Slang: offset 48, 4 bytes, 12 bytes of padding after it",
        "48 |bloom  |.......................|",
    ] {
        assert!(hover.contains(line), "{line} in {hover}");
    }
    let hover = editor.hover("frame.hlsl", 1, 9);
    for line in [
        "cbuffer Frame ",
        "packs it into the last element's register",
        "\n- D3D12 · DXC: b0",
        "\n- Vulkan · DXC: set 0 binding 0",
    ] {
        assert!(hover.contains(line), "{line} in {hover}");
    }
    editor.end();
}

#[test]
fn an_editor_chooses_targets_and_hints() {
    let folder = Folder::with(&[]);
    let mut editor = Editor::start(&folder, &json!({}), &json!({"targets": ["vulkan"]}));
    editor.open("frame.hlsl", FRAME);
    assert!(editor.hints("frame.hlsl").contains(&(3, "48, 12 padding".to_owned())));
    editor.end();
    let mut editor = Editor::start(&folder, &json!({}), &json!({"inlayHints": false}));
    editor.open("frame.hlsl", FRAME);
    assert_eq!(editor.hints("frame.hlsl"), []);
    editor.end();
}

#[test]
fn changes_are_read_before_they_are_saved() {
    let common = "struct Eye { float3 place; };\n";
    let text = "#include \"common.hlsli\"\ncbuffer C { float first; Eye eye; };\n";
    let folder = Folder::with(&[("common.hlsli", common), ("a.hlsl", text)]);
    let mut editor = Editor::start(&folder, &json!({}), &json!({}));
    editor.open("a.hlsl", text);
    assert_eq!(editor.diagnostics("a.hlsl"), json!([]));
    editor.change("a.hlsl", 2, "#include \"common.hlsli\"\ncbuffer C { float first; Eyes eye; };\n");
    let problem = &editor.diagnostics("a.hlsl")[0];
    assert_eq!((&problem["code"], &problem["severity"]), (&json!("unknown-type"), &json!(1)));
    assert_eq!(problem["range"]["start"], json!({"line": 1, "character": 25}));

    // The included file changes in the editor alone.
    editor.change("a.hlsl", 3, text);
    assert_eq!(editor.diagnostics("a.hlsl"), json!([]));
    editor.open("common.hlsli", common);
    editor.change("common.hlsli", 2, "struct Eye { float4 before; float3 place; };\n");
    assert!(editor.hover("a.hlsl", 1, 30).contains("offset 16 (c1), 28 bytes"));
    editor.end();
}

// The offsets of `FRAME` with the member written out are those without it.
#[test]
fn padding_is_written_and_members_are_reordered() {
    let text = "cbuffer C {\n  float3 a;\n  float4 b;\n  float c;\n};\n";
    let folder = Folder::with(&[]);
    let mut editor = Editor::start(&folder, &json!({}), &json!({}));
    editor.open("a.hlsl", text);
    let actions = editor.actions("a.hlsl", 1, 9);
    let titles: Vec<&str> = actions.iter().map(|(title, _)| title.as_str()).collect();
    let order = "Reorder the members of `C` (D3D12 · DXC 36 to 32, Vulkan · DXC 48 to 32 bytes)";
    assert_eq!(titles, ["Write the 4 bytes of padding after `a`", order]);
    let edit = |action: &Value| action["edit"]["changes"].as_object().unwrap().values().next().unwrap()[0].clone();
    let padding = edit(&actions[0].1);
    assert_eq!(padding["newText"], "\n  float padding0;");
    assert_eq!(padding["range"]["start"], json!({"line": 1, "character": 11}));
    let order = edit(&actions[1].1);
    assert_eq!(order["newText"], "\n  float3 a;\n  float c;\n  float4 b;\n");
    editor.end();
}

#[test]
fn types_are_copied_by_editors_that_can() {
    let folder = Folder::with(&[]);
    let mut editor = Editor::start(&folder, &json!({}), &json!({"copy": true}));
    editor.open("frame.hlsl", FRAME);
    let actions = editor.actions("frame.hlsl", 1, 9);
    let copied = actions.iter().find(|(title, _)| title == "Copy `Frame` as C++ (D3D12 · DXC)").unwrap();
    assert_eq!(copied.1["command"]["command"], "layoutproof.copy");
    assert!(
        copied.1["command"]["arguments"][0].as_str().unwrap().contains("static_assert(offsetof(Frame, bloom) == 36")
    );
    editor.end();
}

#[test]
fn wgsl_has_hints_and_characters_are_those_of_the_editor() {
    let text = "// é\u{10400}\nstruct S { /* \u{10400} */ a: vec3f, b: f32, c: vec2f }\n@group(0) @binding(0) var<uniform> s: S;\n";
    let folder = Folder::with(&[]);
    for (encodings, character) in [(json!(["utf-16"]), 20), (json!(["utf-8", "utf-16"]), 22)] {
        let capabilities = json!({"general": {"positionEncodings": encodings}});
        let mut editor = Editor::start(&folder, &capabilities, &json!({}));
        editor.open("s.wgsl", text);
        let labels = ["0", "12", "16, 8 padding"].map(|label| (1, label.to_owned()));
        assert_eq!(editor.hints("s.wgsl"), labels);
        assert!(editor.hover("s.wgsl", 1, character).contains("a: vec3<f32>   in var<uniform> s"));
        editor.end();
    }
}

// GCC places `tint` at 12; DXC and every other target at 16.
#[test]
fn differences_from_the_program_are_at_members_and_lead_to_the_struct() {
    let (right, wrong) = ("alignas(16) ", "");
    let program = |align| format!("struct Look {{\n  float eye[3];\n  {align}float tint[4];\n}};\nLook look;\n");
    let text = "cbuffer Look {\n  float3 eye;\n  float4 tint;\n};\n";
    let project = "schema = 1\nhost = [\"look.o\"]\n[[shader]]\nfiles = [\"look.hlsl\"]\n";
    let folder = Folder::with(&[("look.cpp", &program(wrong)), ("look.hlsl", text), ("layoutproof.toml", project)]);
    if !compiles(&folder, "g++", "-g -c look.cpp -o look.o") {
        return;
    }
    let mut editor = Editor::start(&folder, &json!({}), &json!({}));
    editor.open("look.hlsl", text);
    assert_eq!(editor.diagnostics("look.hlsl"), json!([]));
    let problem = &editor.diagnostics("look.hlsl")[0];
    assert_eq!(problem["source"], "layoutproof check");
    assert_eq!(problem["range"]["start"], json!({"line": 2, "character": 9}));
    assert!(problem["message"].as_str().unwrap().contains("the shader has `tint` at byte 16, the host at byte 12"));
    let host = &problem["relatedInformation"][0]["location"];
    assert_eq!((&host["uri"], &host["range"]["start"]["line"]), (&json!(editor.uri("look.cpp")), &json!(2)));

    let position = json!({"line": 2, "character": 10});
    let params = json!({"textDocument": {"uri": editor.uri("look.hlsl")}, "position": position});
    let places = editor.request("textDocument/implementation", &params);
    assert_eq!((&places[0]["uri"], &places[0]["range"]["start"]["line"]), (&json!(editor.uri("look.cpp")), &json!(2)));

    // The program is built again; no file of the editor changes.
    folder.write("look.cpp", program(right).as_bytes());
    assert!(compiles(&folder, "g++", "-g -c look.cpp -o look.o"));
    while editor.diagnostics("look.hlsl") != json!([]) {}
    editor.end();
}

/// A project with a program and a shader whose struct is in a header, three lines below its top.
fn with_header() -> Option<(Folder, &'static str)> {
    let header = "// One.\n// Two.\nstruct Box { float3 lo; float3 hi; };\n";
    let text = "float first;\n#include \"mid.hlsli\"\nStructuredBuffer<Box> boxes;\n";
    let program = "struct Box { float lo[3], gap, hi[3], last; };\nBox box;\n";
    let project = "schema = 1\nhost = [\"host.o\"]\n[[shader]]\nfiles = [\"a.hlsl\"]\n";
    let folder = Folder::with(&[
        ("host.cpp", program),
        ("include/common.hlsli", header),
        ("mid.hlsli", "#include \"include/common.hlsli\"\n"),
        ("a.hlsl", text),
        ("layoutproof.toml", project),
    ]);
    compiles(&folder, "g++", "-g -c host.cpp -o host.o").then_some((folder, text))
}

// GCC places `hi` at 16, DXC for D3D12 at 12 (structured buffers are packed).
#[test]
fn a_difference_in_a_header_is_at_the_line_that_includes_it() {
    let Some((folder, text)) = with_header() else { return };
    let mut editor = Editor::start(&folder, &json!({}), &json!({}));
    editor.open("a.hlsl", text);
    let found = editor.next_of_check("a.hlsl");
    assert_eq!(found["range"]["start"], json!({"line": 1, "character": 0}), "{found}");
    let message = found["message"].as_str().unwrap();
    assert!(message.contains("include/common.hlsli:3: ") && message.contains("`hi`"), "{message}");
    let header = &found["relatedInformation"][1]["location"];
    assert_eq!(header["uri"], json!(editor.uri("include/common.hlsli")));
    assert_eq!(header["range"]["start"]["line"], 2);
    editor.end();
}

// DXC for Vulkan has `hi` at 16 and elements of 32 bytes, as the program.
#[test]
fn the_targets_of_the_editor_are_those_of_its_differences() {
    let Some((folder, text)) = with_header() else { return };
    let mut editor = Editor::start(&folder, &json!({}), &json!({"targets": ["vulkan"]}));
    editor.open("a.hlsl", text);
    assert_eq!(editor.diagnostics("a.hlsl"), json!([]));
    assert_eq!(editor.diagnostics("a.hlsl"), json!([]), "after `check`");
    editor.end();
    let mut editor = Editor::start(&folder, &json!({}), &json!({"targets": ["vulkan", "d3d12"]}));
    editor.open("a.hlsl", text);
    let message = editor.next_of_check("a.hlsl")["message"].as_str().unwrap().to_owned();
    assert!(message.ends_with("(D3D12 · DXC)"), "{message}");
    editor.end();
}

// DXC 1.7.4006, `OpMemberDecorate`: `kernel` at 32, `gain` at 96.
#[test]
fn hints_say_where_a_compiler_has_a_member_elsewhere() {
    let text =
        "cbuffer Post {\n  float4 tint;\n  static const int TAPS = 4;\n  float4 kernel[TAPS];\n  float gain;\n};\n";
    let folder = Folder::with(&[]);
    let options = json!({"targets": ["vulkan"], "copy": true});
    let mut editor = Editor::start(&folder, &json!({}), &options);
    editor.open("post.hlsl", text);
    let really = [(3, "16, really at byte 32 (Vulkan · DXC)"), (4, "80, 12 padding, really at byte 96 (Vulkan · DXC)")];
    let hints = editor.hints("post.hlsl");
    for (line, label) in really {
        assert!(hints.contains(&(line, label.to_owned())), "{label}: {hints:?}");
    }
    assert!(editor.hover("post.hlsl", 4, 9).contains("really at byte 96 (Vulkan · DXC)"));
    let actions = editor.actions("post.hlsl", 0, 9);
    let copied = actions.iter().find(|(title, _)| title.starts_with("Copy `Post` as C++")).unwrap();
    let copied = copied.1["command"]["arguments"][0].as_str().unwrap();
    assert!(copied.starts_with("// Warning: `kernel` is really at byte 32 (Vulkan · DXC)\n"), "{copied}");
    editor.end();
}

#[test]
fn files_that_cannot_be_read_are_said_to_be() {
    let folder = Folder::with(&[("layoutproof.toml", "schema = 2\n")]);
    let mut editor = Editor::start(&folder, &json!({}), &json!({}));
    editor.open("a.hlsl", "cbuffer C { float a; };");
    let problems = editor.diagnostics("a.hlsl").to_string();
    assert!(problems.contains("this program reads schema 1"), "{problems}");
    assert_eq!(editor.hover("a.hlsl", 0, 9), "");
    // A file that is not open, and a request that the server has not.
    assert_eq!(editor.hover("b.hlsl", 0, 0), "");
    editor.send(&Message::Request(Request::new(RequestId::from(99), "textDocument/rename".to_owned(), json!({}))));
    let Message::Response(response) = editor.receive() else { panic!("no response") };
    assert_eq!(response.response_result.unwrap_err().code, -32601);
    editor.end();
}

/// WGSL, 14.4.1: the stride of an array in a uniform is a multiple of 16.
#[test]
fn what_a_language_forbids_is_an_error_in_the_editor_too() {
    let text = "@group(0) @binding(0) var<uniform> w: array<f32, 8>;\n@fragment fn main() -> @location(0) vec4f { return vec4f(w[0]); }\n";
    let folder = Folder::with(&[("a.wgsl", text)]);
    let mut editor = Editor::start(&folder, &json!({}), &json!({}));
    editor.open("a.wgsl", text);
    let problem = &editor.diagnostics("a.wgsl")[0];
    assert_eq!((&problem["code"], &problem["severity"]), (&json!("bad-module"), &json!(1)));
    assert!(problem["message"].as_str().unwrap().contains("`w` has array stride 4"), "{problem}");
    editor.end();
    folder.run("show a.wgsl").exits(2);
}
