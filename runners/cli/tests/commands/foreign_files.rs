//! Files from elsewhere: a stranger's project, records, links and includes. Commands that read them start no
//! program that they name, write nothing outside of the user's own words, and read nothing outside of the
//! project.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::folder::{Answer, Folder};

/// A shader that needs a compiler to be read.
const SHADER: &str = "cbuffer Good { float a[sizeof(float)]; };";

/// Leaves a mark when it runs.
const MARKER: &str = "#!/bin/sh\ntouch \"$(dirname \"$0\")/RAN\"\nexit 1\n";

/// A project with a program in `tools` under the name of each compiler.
fn project(settings: &str) -> Folder {
    let folder = Folder::without_drivers(&[]);
    for name in ["tools", "shaders"] {
        fs::create_dir(folder.path(name)).unwrap();
    }
    for name in ["dxc", "slangc", "glslang", "fxc.exe"] {
        folder.write(&format!("tools/{name}"), MARKER.as_bytes());
        let path = folder.path(&format!("tools/{name}"));
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    folder.write("shaders/a.hlsl", SHADER.as_bytes());
    folder.write("layoutproof.toml", settings.as_bytes());
    folder
}

/// Asserts that no program in the folder ran.
fn nothing_ran(folder: &Folder, answer: &Answer) {
    assert!(!folder.path("tools/RAN").exists(), "a program ran: {answer}");
}

#[test]
fn a_project_file_names_no_program() {
    let shaders = "[[shader]]\nfiles = [\"shaders/*.hlsl\"]\n";
    for (top, own) in [
        ("compiler = \"dxc=tools/dxc\"", ""),
        ("compiler = [\"slangc=tools/slangc\"]", ""),
        ("target = \"vulkan\"\ncompiler = \"dxc@1.9=tools/dxc\"", ""),
        ("compiler = \"dxc@../tools/dxc\"", ""),
        ("compiler = \"tools/dxc\"", ""),
        ("", "compiler = \"dxc=tools/dxc\""),
        ("", "target = \"d3d12.dxc=tools/dxc\""),
        ("", "rules = \"native:dxc=tools/dxc\""),
        ("", "language = \"dxc=tools/dxc\""),
        ("", "env = { DXC = \"tools/dxc\" }"),
        ("producer = \"dxc=tools/dxc\"", ""),
        ("tools = \"tools\"", ""),
    ] {
        let folder = project(&format!("schema = 1\nhost = [\"a.o\"]\n{top}\n{shaders}{own}\n"));
        for words in ["check", "check --run", "check shaders/a.hlsl --lock", "show shaders/a.hlsl"] {
            let answer = folder.run(words);
            nothing_ran(&folder, &answer);
            if words == "check" {
                assert!(answer.exits(2).err.contains("[bad-project]"), "{top}{own}");
            }
        }
    }
}

/// A command line in `args` names its compiler by the program's path, which says which rules are meant.
#[test]
fn a_command_line_in_a_project_starts_nothing() {
    for arguments in ["tools/dxc -T cs_6_6", "./tools/slangc -target spirv", "-T cs_6_6 @tools/dxc", "-Xdxc tools/dxc"]
    {
        let shaders = format!("[[shader]]\nfiles = [\"shaders/*.hlsl\"]\nargs = \"{arguments}\"\n");
        let folder = project(&format!("schema = 1\nhost = [\"a.o\"]\n{shaders}"));
        nothing_ran(&folder, &folder.run("check"));
    }
}

/// The user's own word for the same program counts.
#[test]
fn the_command_line_names_a_program() {
    let folder = project("schema = 1\nhost = [\"a.o\"]\n[[shader]]\nfiles = [\"shaders/*.hlsl\"]\n");
    folder.run("check --compiler dxc=tools/dxc").exits(3);
    assert!(folder.path("tools/RAN").exists());
}
