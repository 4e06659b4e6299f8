//! Commands under the names of earlier releases, which go on working for one release: a note on
//! standard error says the new name, and everything else is as before.

use std::process::Command;

use super::folder::Folder;

const SHADER: &str = "cbuffer S { float3 a; float b[2]; };";
const SLANG: &str = "struct P { float3 a; float b; }; ConstantBuffer<P> p;";

/// A project file as earlier releases wrote it.
const PROJECT: &str = "schema = 1\n\
    host = [\"engine.o\"]\n\
    rules = [\"native:dxc-dxil\", \"native:dxc-spirv\"]\n\
    \n\
    [[shader]]\n\
    files = [\"*.hlsl\"]\n\
    include = [\".\"]\n\
    args = \"-T cs_6_6 -D QUALITY=2\"\n\
    \n\
    [[map]]\n\
    block = \"S\"\n\
    host = \"engine::S\"\n\
    members = { a = \"first\" }\n";

fn folder() -> Folder {
    let folder = Folder::without_drivers(&[("a.hlsl", SHADER), ("a.slang", SLANG), ("layoutproof.toml", PROJECT)]);
    let run = "run scalar_packs_behind --rules std140 --device model --producer rspirv --json r.jsonl";
    folder.run(run).exits(0);
    folder
}

/// Every command of the last release that has another name now, once.
#[test]
fn a_script_of_old_commands_gives_the_same_answers() {
    for (old, note, now) in [
        ("devices --format json", "\"devices\" is now \"doctor devices\"", "doctor devices --format json"),
        ("compilers", "\"compilers\" is now \"doctor compilers\"", "doctor compilers"),
        ("cache stats --format json", "\"cache\" is now \"dev cache\"", "dev cache stats --format json"),
        ("completions bash", "\"completions\" is now \"dev completions\"", "dev completions bash"),
        ("man --out man1", "\"man\" is now \"dev man\"", "dev man --out man2"),
        ("bench --device nosuch", "\"bench\" is now \"dev bench\"", "dev bench --device nosuch"),
        ("fuzz --compiler cl", "\"fuzz\" is now \"dev fuzz\"", "dev fuzz --compiler cl"),
        (
            "export arrays/scalar_packs_behind_the_last_element --format amber",
            "\"export\" is now \"dev export\"",
            "dev export arrays/scalar_packs_behind_the_last_element --format amber",
        ),
        (
            "reflect a.slang --target vulkan --convention slang",
            "\"reflect\" is now \"show --format slang-yaml\"",
            "show a.slang --target vulkan --convention slang --format slang-yaml",
        ),
        (
            "reflect a.slang --target d3d12 --convention slang --format slang-json",
            "\"reflect\" is now \"show --format slang-yaml\"",
            "show a.slang --target d3d12 --convention slang --format slang-json",
        ),
        ("site --records r.jsonl --out pages", "\"site\" is now \"report --site\"", "report r.jsonl --site pages2"),
    ] {
        let folder = folder();
        let was = folder.run(old).warns(&format!("note: {note}"));
        let is = folder.run(now);
        assert!(!is.err.contains("is now"), "{is}");
        let same_paths = |text: &str| text.replace("pages2", "pages");
        // The cache is another one for each command.
        if !old.starts_with("cache") {
            assert_eq!(was.out, same_paths(&is.out), "{was}{is}");
        }
        let notes = was.err.split_once('\n').unwrap().1;
        assert_eq!((was.code(), notes), (is.code(), is.err.as_str()), "{was}{is}");
    }
}

/// The structs of a program that fits [`PROJECT`].
const ENGINE: &str = "namespace engine { struct S { float first[3], pad, b[2][4]; }; } engine::S s;";

#[test]
fn a_project_file_of_the_last_release_is_understood() {
    let folder = folder();
    let shown = folder.run("show a.hlsl").exits(0).prints("cbuffer S");
    assert!(shown.out.contains("layoutproof.toml"), "{shown}");

    folder.write("engine.cpp", ENGINE.as_bytes());
    let compiler = Command::new("c++").args(["-g", "-c", "engine.cpp"]).current_dir(folder.path("")).status();
    if compiler.is_ok_and(|status| status.success()) {
        folder.run("check").exits(0).prints("Agree S");
    } else {
        folder.run("check").exits(2).warns("error: reading engine.o");
    }
}

/// Options of `show`, `run`, `list` and `diff`.
#[test]
fn options_of_the_last_release_are_understood() {
    let folder = folder();
    for words in [
        "show a.hlsl --rules native:dxc-dxil,std140 --matrix row --16bit off",
        "show a.hlsl --target d3d12 --convention dxc --profile cs_6_6 --used S",
        "run a.hlsl --rules std140 --device model --runner model --producer rspirv --form leaf",
        "run scalar_packs_behind --device model --compiler rspirv --no-known --retries 1 -j 1",
        "list arrays/",
        "diff a.hlsl std140 std140",
    ] {
        folder.run(words).exits(0);
    }
}
