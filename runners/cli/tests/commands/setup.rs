//! `setup`, `completions` and `man`. No test downloads anything: each file is already there,
//! missing, or a forgery.

use std::fs;

use super::folder::Folder;

/// The value of a name in the list of pinned versions.
fn pinned(name: &str) -> &'static str {
    let versions = include_str!("../../../../ci/versions.sh");
    versions.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('=')).unwrap()
}

/// A folder whose tools folder is `tools` in it, on a machine where pip finds packages only in the
/// folder `wheels`.
fn folder_without_registry() -> Folder {
    let folder = Folder::with(&[]).with_drivers();
    fs::create_dir_all(folder.path("wheels")).unwrap();
    let (tools, wheels) = (folder.path("tools"), folder.path("wheels"));
    folder
        .with_variable("LAYOUTPROOF_TOOLS", tools.display().to_string())
        .with_variable("PIP_NO_INDEX", "1")
        .with_variable("PIP_FIND_LINKS", wheels.display().to_string())
}

#[test]
fn setup_knows_its_things() {
    let folder = folder_without_registry();
    let refused = folder.run("setup nonsense").exits(2);
    assert!(refused.err.contains("does not take `nonsense`; it takes "), "{refused}");
    folder.run("setup --help").exits(0).prints("layoutproof setup dxc slangc vkd3d");
}

#[cfg_attr(not(target_os = "linux"), ignore = "the set-up is for Linux")]
#[test]
fn what_is_there_is_not_fetched_again() {
    let folder = folder_without_registry();
    fs::create_dir_all(folder.path("tools/tools/dxc-lib")).unwrap();
    let (name, version, digest) = (pinned("DXC_PYPI_NAME"), pinned("DXC_PYPI_VERSION"), pinned("DXC_PYPI_SHA256"));
    folder.write("tools/tools/dxc-lib/pinned", format!("{name} {version} {digest}\n").as_bytes());

    let answer = folder.run("setup dxc").exits(0).prints("Ready the requested tools are in");
    assert_eq!(answer.err, "");
}

#[cfg_attr(not(target_os = "linux"), ignore = "the set-up is for Linux")]
#[test]
fn what_cannot_be_fetched_is_missing() {
    let folder = folder_without_registry();
    folder.run("setup dxc").exits(3).warns("missing DXC: ").prints("Missing 1 of the requested tools");
    assert!(!folder.path("tools/tools/dxc-lib").exists());
}

/// A wheel with the right name and version, but another content.
#[cfg_attr(not(target_os = "linux"), ignore = "the set-up is for Linux")]
#[test]
fn a_file_with_another_checksum_is_refused() {
    let folder = folder_without_registry();
    let wheel = format!("wheels/{}-{}-py3-none-any.whl", pinned("DXC_PYPI_NAME"), pinned("DXC_PYPI_VERSION"));
    folder.write(&wheel, b"no compiler");
    let answer = folder.run("setup dxc").exits(3);
    let has_pip = !answer.err.contains("pip, which is missing");
    assert!(!has_pip || answer.err.contains("PyPI's file is NOT the pinned one (checksum differs)"), "{answer}");
    assert!(!folder.path("tools/tools/dxc-lib").exists());
}

#[test]
fn a_shell_asks_the_program_for_completions() {
    let folder = Folder::with(&[("lights.hlsl", "cbuffer C { float4 a; };")]);
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = folder.run(&format!("dev completions {shell}")).exits(0).out;
        assert!(script.contains("LAYOUTPROOF_COMPLETE") && script.contains("layoutproof"), "{shell}: {script}");
    }

    let asking = folder.with_variable("LAYOUTPROOF_COMPLETE", "fish");
    for (words, first, names) in [
        ("", "show\t", &["run\t", "bugs\t"][..]),
        ("run --comp", "--compiler\t", &[]),
        ("show --target v", "vulkan\tVulkan", &["vulkan/scalar\tVulkan"]),
        ("show --target d3d12,vulkan/s", "d3d12,vulkan/scalar", &[]),
        ("run --compiler dxc-", "dxc-1.9\ta build of dxc", &["dxc-old\t"]),
        ("show --rules std4", "std430", &[]),
        ("show li", "lights.hlsl", &[]),
        ("run vectors/two_p", "vectors/two_pairs_fill_a_register", &[]),
        ("bugs dxc-3", "DXC-3\t", &["DXC-30\t"]),
    ] {
        let answer = asking.run(&format!("-- layoutproof {words}")).exits(0);
        assert!(answer.out.starts_with(first), "{words}: {answer}");
        for name in names {
            assert!(answer.out.lines().any(|line| line.starts_with(name)), "{words}: {name}: {answer}");
        }
        assert!(!answer.out.contains("read-worker"), "{words}: {answer}");
    }
    Folder::with(&[]).run("dev completions cmd").exits(2).warns(
        "error: `layoutproof dev completions` does not take `cmd`; known are bash, elvish, fish, powershell, zsh",
    );
}

#[test]
fn man_writes_a_page_for_each_command() {
    let folder = Folder::with(&[("file", "")]);
    folder.run("dev man --out share/man1").exits(0);
    let pages = fs::read_dir(folder.path("share/man1")).unwrap().count();
    assert!(pages > 15, "{pages} pages");
    assert!(folder.read("share/man1/layoutproof-run.1").contains("no\\-known"));
    assert!(folder.read("share/man1/layoutproof-dev-fuzz.1").contains("\\-\\-exhaustive"));
    assert!(folder.read("share/man1/layoutproof.1").contains(".TH LAYOUTPROOF 1"));
    let show = folder.read("share/man1/layoutproof-show.1");
    for part in [
        "layoutproof show\\fR [OPTIONS] <FILE|CASE>...",
        "Show again whenever a shader",
        "\\(bu 2\nsvg: The byte maps as one picture",
        ".SH \"EXIT STATUS\"\n.TP\n\\fB0\\fR",
        ".SH EXAMPLES\n.EX\nlayoutproof show scene.hlsl\n",
        ".SH \"SEE ALSO\"\nlayoutproof(1)",
    ] {
        assert!(show.contains(part), "{part}: {show}");
    }
    folder.run("dev man --out file").exits(2).warns("error: writing manual pages to file");
}
