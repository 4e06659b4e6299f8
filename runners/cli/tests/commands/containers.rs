//! Containers made by DXC and FXC, read by `show` and `check`. The expected offsets come from the
//! compilers: a container from DXC must give the same layout as `native:dxc-dxil` for its source.

use layoutproof_compilers::compiler::{Compiler, CompilerAnswer};
use layoutproof_executor::tools::MachineTools;
use serde_json::Value;

use super::folder::{Answer, Folder};

const SOURCE: &str = include_str!("../files/containers/source.hlsl");

/// Made by FXC 10.0.22621.2428, `cs_5_1`.
const FXC: &[u8] = include_bytes!("../../../../harness/readers/src/fxc/source.cso");

/// Compiles `source.hlsl` with these options to `source.dxil`; returns false if DXC was not found.
#[expect(clippy::print_stdout, reason = "a test that skips says so")]
fn compiles(folder: &Folder, options: &str) -> bool {
    let dxc = match Compiler::named("dxc", MachineTools::find().unwrap().folder()).compiler {
        Ok(dxc) => dxc,
        Err(absent) => {
            println!("skipped: {absent}");
            return false;
        }
    };

    let always = ["-T", "cs_6_6", "-HV", "2021", "-Fo", "source.dxil", "-Fc", "source.ll"];
    let words = always.into_iter().chain(options.split_whitespace()).chain(["source.hlsl"]);
    match dxc.ask(&folder.path("."), &words.collect::<Vec<_>>()) {
        CompilerAnswer::Accepted(_) => true,
        CompilerAnswer::Refused(output) => panic!("{}", output.stderr),
        CompilerAnswer::Broken(how) => panic!("{how}"),
    }
}

fn folder() -> Folder {
    Folder::with(&[("source.hlsl", SOURCE)]).within(std::time::Duration::from_secs(60))
}

/// The blocks in the output of `show --format json`, by name, without what only rule sets have.
fn blocks(answer: &Answer) -> Vec<Value> {
    let json: Value = serde_json::from_str(&answer.out).unwrap();
    let mut blocks = json["layouts"][0]["blocks"].as_array().unwrap().clone();
    for block in &mut blocks {
        block["alignment"].take();
        for member in block["members"].as_array_mut().unwrap() {
            member["alignment"].take();
            member["type"].take();
        }
    }
    blocks.sort_by_key(|block| block["name"].to_string());
    blocks
}

#[test]
fn a_container_says_what_the_rules_of_its_compiler_say() {
    for (options, flags) in [
        ("-enable-16bit-types", "--16bit on"),
        ("", "--16bit off"),
        ("-Zpr -Zi -Qembed_debug", "--16bit off --matrix row"),
    ] {
        let folder = folder();
        if !compiles(&folder, options) {
            return;
        }
        let container = blocks(&folder.run("show source.dxil --format json").exits(0));
        let rules = format!("show source.hlsl --format json --rules native:dxc-dxil {flags}");
        assert_eq!(container, blocks(&folder.run(&rules).exits(0)), "{options}");
        assert_eq!(container.len(), 6, "{options}");
    }
}

#[test]
fn a_container_without_reflection_says_what_helps() {
    let folder = folder();
    if !compiles(&folder, "-Qstrip_reflect") {
        return;
    }
    let answer = folder.run("show source.dxil").exits(2);
    for words in ["holds its code, but not its reflection", "compile without -Qstrip_reflect"] {
        assert!(answer.err.contains(words), "{}", answer.err);
    }
    std::fs::rename(folder.path("source.dxil"), folder.path("source.bin")).unwrap();
    folder.write("host.o", b"\x7fELF");
    let answer = folder.run("check source.bin host.o").exits(2);
    assert!(answer.err.contains("give it the suffix .dxil, .cso or .dxbc"), "{}", answer.err);
}

#[test]
fn without_dxc_its_containers_are_refused_with_the_way_to_get_it() {
    let folder = folder();
    if !compiles(&folder, "") {
        return;
    }
    let folder = folder.with_variable("LAYOUTPROOF_TOOLS", "/nonexistent").with_variable("PATH", "/nonexistent");
    let answer = folder.run("show source.dxil").exits(2);
    for words in ["this container holds DXIL, which only DXC can list", "layoutproof setup dxc"] {
        assert!(answer.err.contains(words), "{}", answer.err);
    }
}

#[test]
fn a_damaged_container_is_a_diagnostic() {
    let folder = folder();
    if !compiles(&folder, "") {
        return;
    }
    let whole = std::fs::read(folder.path("source.dxil")).unwrap();
    for (index, length) in [(0, 3), (1, 40), (2, whole.len() / 2), (3, whole.len() - 1)] {
        let name = format!("{index}.dxil");
        folder.write(&name, &whole[..length]);
        let answer = folder.run(&format!("show {name}")).exits(2);
        assert!(answer.err.starts_with("error: "), "{}", answer.err);
    }
    let mut damaged = whole.clone();
    let middle = whole.len() * 3 / 4;
    damaged[middle..middle + 64].fill(0xa5);
    folder.write("damaged.dxil", &damaged);
    // DXC may still be able to read it, but it must not crash the command.
    let code = folder.run("show damaged.dxil").code();
    assert!([0, 2].contains(&code), "{code}");
}

#[test]
fn containers_of_fxc_need_no_compiler() {
    let folder = Folder::with(&[]).with_variable("DXC", "/nonexistent/dxc");
    folder.write("source.cso", FXC);
    folder.run("show source.cso").exits(0);
    folder.write("half.cso", &FXC[..FXC.len() / 2]);
    let answer = folder.run("show half.cso").exits(2);
    assert!(answer.err.contains("it is truncated"), "{}", answer.err);
}
