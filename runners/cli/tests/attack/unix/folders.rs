//! Strange folders: stray libraries and programs, things that are not files, endless nesting, names
//! that control terminals. None of it may run, nothing may be read without a request, and every
//! command must end.

use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use fastrand::Rng;
use layoutproof_compilers::compiler::Compiler;

use crate::unix::assault::{Assault, Extent, Outcome};
use crate::unix::program::{Call, End};
use crate::unix::sandbox::{HOME, Sandbox};

/// The trace of a program or library that must not run, below the home.
const MARK: &str = "home/was-here";

/// A value in the environment that must not be printed.
const SECRET: &str = "s3cret-of-the-environment";

/// One strange folder.
type Trick = fn(&Sandbox) -> Result<(), String>;

/// Every strange folder by its name.
const TRICKS: [(&str, Trick); 15] = [
    ("a driver in the working folder", driver_in_working_folder),
    ("a driver above the working folder", driver_above_working_folder),
    ("a driver in a relative folder of tools", driver_in_relative_tools),
    ("a driver in a folder of tools that all may write", driver_in_writable_tools),
    ("compilers in the working folder", compilers_in_working_folder),
    ("compilers in the relative entries of the PATH", compilers_in_relative_path),
    ("a pipe in place of a file", pipes),
    ("a device in place of a file", devices),
    ("the environment in place of a file", environment),
    ("includes of what is no source", strange_includes),
    ("includes outside of the project", outside_includes),
    ("folders without end", loops),
    ("a file of 8 GiB", huge_file),
    ("names that steer terminals", steering_names),
    ("texts that steer terminals", steering_texts),
];

/// All strange folders.
pub(crate) fn assaults() -> Vec<Box<dyn Assault>> {
    vec![Box::new(StrangeFolders)]
}

struct StrangeFolders;

impl Assault for StrangeFolders {
    fn name(&self) -> &'static str {
        "strange-folders"
    }

    fn extent(&self) -> Extent {
        Extent::List(u64::try_from(TRICKS.len()).unwrap())
    }

    fn attack(&self, number: u64, _: &mut Rng, sandbox: &Sandbox) -> Outcome {
        let (what, trick) = TRICKS[usize::try_from(number).unwrap()];
        if number < 4 && !has_c_compiler() {
            return Outcome::NotTried("no C compiler makes the library".to_owned());
        }
        trick(sandbox).map_err(|reason| format!("{what}: {reason}")).into()
    }
}

fn has_c_compiler() -> bool {
    Command::new("cc").arg("--version").output().is_ok_and(|answer| answer.status.success())
}

/// The commands that load drivers or run compilers.
const LOADING: [&str; 4] = [
    "doctor devices",
    "doctor",
    "doctor compilers",
    "run vectors/two_pairs --rules std140 --form leaf --producer rspirv",
];

/// Runs the commands that load drivers or run compilers, and asserts that nothing of the sandbox
/// ran.
fn nothing_runs<'a>(sandbox: &'a Sandbox, prepare: impl Fn(Call<'a>) -> Call<'a>) -> Result<(), String> {
    for words in LOADING {
        let end = prepare(Call::new(sandbox, words).with_drivers()).run();
        if sandbox.path(MARK).exists() {
            return Err(end.told("it ran what lies in the folder"));
        }
        end.orderly()?;
    }
    Ok(())
}

/// Puts a Vulkan driver into this tools folder; its library leaves a trace when it is loaded.
fn write_driver(sandbox: &Sandbox, tools: &str) {
    let mark = sandbox.path(MARK);
    let source = format!(
        "#include <fcntl.h>\n__attribute__((constructor)) static void was_here(void) {{ \
         open(\"{}\", O_CREAT | O_WRONLY, 0600); }}\n",
        mark.display()
    );
    sandbox.write(&format!("{tools}/drivers/evil.c"), source);
    let folder = sandbox.path(&format!("{tools}/drivers"));
    let built = Command::new("cc").args(["-shared", "-fPIC", "-o", "evil.so", "evil.c"]).current_dir(folder).status();
    assert!(built.is_ok_and(|status| status.success()), "the library of the driver does not build");
    let manifest = r#"{"file_format_version": "1.0.0", "ICD": {"library_path": "./evil.so", "api_version": "1.3.0"}}"#;
    sandbox.write(&format!("{tools}/drivers/evil.json"), manifest);
}

fn driver_in_working_folder(sandbox: &Sandbox) -> Result<(), String> {
    write_driver(sandbox, "target/layoutproof");
    nothing_runs(sandbox, |call| call)
}

fn driver_above_working_folder(sandbox: &Sandbox) -> Result<(), String> {
    write_driver(sandbox, "target/layoutproof");
    fs::create_dir_all(sandbox.path("a/b")).unwrap();
    nothing_runs(sandbox, |call| call.below("a/b"))
}

fn driver_in_relative_tools(sandbox: &Sandbox) -> Result<(), String> {
    write_driver(sandbox, "tools");
    nothing_runs(sandbox, |call| call.variable("LAYOUTPROOF_TOOLS", "tools"))
}

fn driver_in_writable_tools(sandbox: &Sandbox) -> Result<(), String> {
    let tools = format!("{HOME}/.local/share/layoutproof");
    write_driver(sandbox, &tools);
    for name in ["", "/drivers", "/drivers/evil.so", "/drivers/evil.json"] {
        fs::set_permissions(sandbox.path(&format!("{tools}{name}")), fs::Permissions::from_mode(0o777)).unwrap();
    }
    nothing_runs(sandbox, |call| call)
}

/// Programs that the command may look for besides compilers.
const HELPERS: [&str; 4] = ["spirv-val", "wine", "wine64", "node"];

fn write_programs(sandbox: &Sandbox, folder: &str) {
    let compilers = Compiler::known().flat_map(|known| [Some(known.name), known.named.map(|named| named.program)]);
    for program in compilers.flatten().chain(HELPERS) {
        sandbox.write_script(
            &format!("{folder}{program}"),
            &format!("touch '{}'; echo 1.0", sandbox.path(MARK).display()),
        );
    }
}

fn compilers_in_working_folder(sandbox: &Sandbox) -> Result<(), String> {
    for folder in
        ["", "target/layoutproof/tools/slang/bin/", "target/layoutproof/tools/tint/", "target/layoutproof/tools/clang/"]
    {
        write_programs(sandbox, folder);
    }
    nothing_runs(sandbox, |call| call)
}

fn compilers_in_relative_path(sandbox: &Sandbox) -> Result<(), String> {
    write_programs(sandbox, "");
    write_programs(sandbox, "bin/");
    nothing_runs(sandbox, |call| call.variable("PATH", ".::bin:./bin:/usr/bin:/bin"))?;
    let end = Call::new(sandbox, "run vectors/two_pairs --rules std140 --compiler all --device model")
        .long()
        .variable("PATH", ".::bin:./bin:/usr/bin:/bin")
        .run();
    if sandbox.path(MARK).exists() { Err(end.told("it ran what lies in the folder")) } else { end.orderly().map(drop) }
}

/// Commands that read a file, with `FILE` in its place; the second half names it without a suffix.
const READING: [&str; 14] = [
    "show FILE.hlsl",
    "show FILE.slang",
    "show FILE.wgsl",
    "show FILE.glsl",
    "show FILE.spv",
    "show FILE.toml",
    "run FILE.hlsl --device model",
    "run FILE.wgsl --device model",
    "list --cases FILE.toml",
    "report FILE",
    "run vectors/two_pairs --device model --resume FILE",
    "run --device model --caselist FILE",
    "run vectors/two_pairs --device model --known FILE",
    "run vectors/two_pairs --device model --floors FILE",
];

/// Asserts that every command refuses the file that `make` creates, and prints no secret.
fn refuses(sandbox: &Sandbox, make: impl Fn(&std::path::Path)) -> Result<(), String> {
    for (number, words) in READING.into_iter().enumerate() {
        let name = format!("strange{number}");
        let ending = words.split_once("FILE").and_then(|(_, rest)| rest.split(' ').next()).unwrap_or_default();
        make(&sandbox.path(&format!("{name}{ending}")));
        let end = Call::new(sandbox, &words.replace("FILE", &name)).variable("SECRET", SECRET).run();
        tells_no_secret(&end.exits(&[2])?)?;
    }
    Ok(())
}

fn tells_no_secret(end: &End) -> Result<(), String> {
    if end.text().contains(SECRET) { Err(end.told("it printed the environment")) } else { Ok(()) }
}

fn pipes(sandbox: &Sandbox) -> Result<(), String> {
    refuses(sandbox, |path| assert!(Command::new("mkfifo").arg(path).status().is_ok_and(|status| status.success())))
}

fn devices(sandbox: &Sandbox) -> Result<(), String> {
    refuses(sandbox, |path| symlink("/dev/zero", path).unwrap())
}

fn environment(sandbox: &Sandbox) -> Result<(), String> {
    refuses(sandbox, |path| symlink("/proc/self/environ", path).unwrap())
}

fn strange_includes(sandbox: &Sandbox) -> Result<(), String> {
    assert!(Command::new("mkfifo").arg(sandbox.path("pipe.h")).status().is_ok_and(|status| status.success()));
    fs::create_dir(sandbox.path("folder.h")).unwrap();
    symlink("/proc/self/environ", sandbox.path("link.h")).unwrap();
    let strange = [
        "/proc/self/environ",
        "/dev/zero",
        "/dev/stdin",
        "/proc/self/pagemap",
        "pipe.h",
        "folder.h",
        "link.h",
        "a.hlsl",
    ];
    for name in strange {
        for (file, word) in [("a.hlsl", "#include"), ("b.slang", "#include"), ("b.slang", "__include")] {
            sandbox.write(file, format!("{word} \"{name}\"\ncbuffer S {{ float a; }};\n"));
            let end = Call::new(sandbox, &format!("show {file}")).variable("SECRET", SECRET).run();
            tells_no_secret(&end.orderly()?)?;
        }
    }
    Ok(())
}

fn outside_includes(sandbox: &Sandbox) -> Result<(), String> {
    sandbox.write("outside.h", "#error words-of-another-file\n");
    sandbox.write("project/.git/HEAD", "ref: refs/heads/main\n");
    symlink(sandbox.path("outside.h"), sandbox.path("project/link.h")).unwrap();
    let absolute = sandbox.path("outside.h").display().to_string();
    for name in ["../outside.h", "../project/../outside.h", "link.h", absolute.as_str(), "/etc/passwd"] {
        sandbox.write("project/a.hlsl", format!("#include \"{name}\"\ncbuffer S {{ float a; }};\n"));
        let end = Call::new(sandbox, "show a.hlsl").below("project").run().exits(&[2])?;
        if ["words-of-another-file", "root:"].iter().any(|words| end.text().contains(words)) {
            return Err(end.told(&format!("it read {name}")));
        }
    }
    Ok(())
}

fn loops(sandbox: &Sandbox) -> Result<(), String> {
    sandbox.write("c/case.toml", "schema = 1\n");
    symlink(sandbox.path("c"), sandbox.path("c/loop")).unwrap();
    symlink("self", sandbox.path("c/self")).unwrap();
    fs::create_dir_all(sandbox.path(&format!("deep/{}", "d/".repeat(400)))).unwrap();
    for words in ["list --cases c", "run --device model --cases c case", "list --cases deep", "list --cases /proc/self"]
    {
        Call::new(sandbox, words).run().orderly()?;
    }
    sandbox.write("a.hlsl", "#include \"b.hlsl\"\n");
    sandbox.write("b.hlsl", "#include \"a.hlsl\"\n");
    Call::new(sandbox, "show a.hlsl").run().exits(&[2]).map(drop)
}

fn huge_file(sandbox: &Sandbox) -> Result<(), String> {
    refuses(sandbox, |path| fs::File::create(path).unwrap().set_len(8 << 30).unwrap())
}

fn steering_names(sandbox: &Sandbox) -> Result<(), String> {
    let name = |ending: &[u8]| std::ffi::OsString::from_vec([b"a\x1b]0;title\x07", ending].concat());
    for (ending, bytes) in
        [(".hlsl", "cbuffer S { float a; }; nonsense"), (".toml", "schema = 2"), (".wgsl", "nonsense")]
    {
        fs::write(sandbox.path("").join(name(ending.as_bytes())), bytes).unwrap();
        Call::new(sandbox, "show").word(name(ending.as_bytes())).run().exits(&[2])?;
    }
    Call::new(sandbox, "report").word(name(b"")).run().exits(&[2])?;
    Call::new(sandbox, "run --device").word(name(b"")).run().orderly()?;
    Call::new(sandbox, "list").word(name(b"")).run().orderly().map(drop)
}

fn steering_texts(sandbox: &Sandbox) -> Result<(), String> {
    let escape = "\u{1b}]0;title\u{7}\u{9b}31m\u{202e}";
    for (file, text) in [
        ("a.hlsl", format!("#warning {escape}\ncbuffer S {{ float a; }};\n")),
        ("b.hlsl", format!("#error {escape}\n")),
        ("c.hlsl", format!("cbuffer S {{ float a; {escape} }};\n")),
        ("d.wgsl", format!("struct {escape} {{ a: f32 }}\n")),
        ("e.glsl", format!("#version 450\n#error {escape}\n")),
        ("f.toml", format!("schema = 1\nsummary = \"{escape}\"\n")),
        ("g.spv", escape.to_owned()),
    ] {
        sandbox.write(file, text);
        Call::new(sandbox, &format!("show {file}")).run().orderly()?;
        Call::new(sandbox, &format!("run {file} --device model")).run().orderly()?;
    }
    sandbox.write("pair.hlsl", "cbuffer S { float a; float2 b; };\n");
    let version = "case \"$*\" in *-version*|-v) printf '1.0 \\033]0;x\\007\\n'; exit 0;; esac";
    sandbox.write_script("compiler", &format!("{version}\nprintf 'error: \\033]0;x\\007\\n' >&2; exit 1"));
    for words in ["run pair.hlsl --rules hlsl-cbuffer --compiler dxc-dxil --runner dxil -v", "doctor compilers"] {
        Call::new(sandbox, words).variable("DXC", sandbox.path("compiler")).long().run().orderly()?;
    }
    Ok(())
}
