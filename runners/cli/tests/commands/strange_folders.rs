//! Nothing runs just because it is in the working folder or above, and nothing from a tools folder
//! that others can change.
#![cfg(target_os = "linux")]

use std::fs;

use super::driver_library::{add_driver, set_mode};
use super::folder::Folder;

/// A driver's code that leaves a trace.
const LEAVE_A_MARK: &str = "close(open(MARK, O_CREAT | O_WRONLY, 0644));";

/// Commands that load drivers, and a run.
const LOADING: [&str; 3] = ["doctor devices", "doctor", "run scalar_packs_behind --rules std140"];

/// A folder like a cloned repository, with a driver in the old place of `ci/setup.sh`.
fn repository() -> Folder {
    let folder = Folder::with(&[]).with_drivers();
    let deed = format!("extern int close(int); {LEAVE_A_MARK}");
    add_driver(&folder, "target/layoutproof/drivers", "evil", &deed);
    folder
}

fn has_mark(folder: &Folder) -> bool {
    folder.has("mark", |_| true)
}

/// The start of a script that leaves the mark, wherever it runs.
fn marks(folder: &Folder) -> String {
    format!("#!/bin/sh\ntouch '{}'\n", folder.path("mark").display())
}

#[test]
fn a_driver_that_lies_around_is_not_loaded() {
    let folder = repository();
    for words in LOADING {
        folder.run(words);
        assert!(!has_mark(&folder), "`{words}` ran what lies in the working folder");
    }
}

/// The counter-test: if a driver is loaded, the trace shows it.
#[test]
fn a_driver_in_the_tools_folder_is_loaded() {
    let folder = repository();
    let tools = folder.path("target/layoutproof").display().to_string();
    let folder = folder.with_variable("LAYOUTPROOF_TOOLS", &tools);
    for words in LOADING {
        folder.run(words);
        assert!(has_mark(&folder), "`{words}`");
        fs::remove_file(folder.path("mark")).unwrap();
    }
    let doctor = folder.run("doctor");
    let doctor = doctor.prints(&format!("Found tools folder {tools}, LAYOUTPROOF_TOOLS names it"));
    doctor.prints(&format!("Found Vulkan driver {tools}/drivers/evil.json, in the tools folder"));
}

#[test]
fn a_driver_that_others_can_change_is_not_loaded() {
    let refused = [
        ("", "drivers/evil.json"),
        ("/drivers", "drivers/evil.json"),
        ("/drivers/evil.json", "drivers/evil.json"),
        ("/drivers/evil.so", "drivers/./evil.so"),
    ];
    for (writable, loaded) in refused {
        let folder = repository();
        let tools = folder.path("target/layoutproof").display().to_string();
        let folder = folder.with_variable("LAYOUTPROOF_TOOLS", &tools);
        let writable = format!("{tools}{writable}");
        set_mode(writable.as_ref(), 0o775);
        let sentence = format!("{tools}/{loaded} is not loaded: others can write");
        for words in LOADING {
            let answer = folder.run(words);
            assert!(!has_mark(&folder), "{answer}");
            let (said, line) = match words {
                "doctor" => (&answer.out, format!("Warning Vulkan driver {sentence}")),
                _ => (&answer.err, format!("note: {sentence}")),
            };
            let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(said.contains(&line) && said.contains("`chmod go-w "), "no `{line}` in {answer}");
        }
    }
}

#[test]
fn a_compiler_that_others_can_change_is_not_run() {
    let folder = Folder::without_drivers(&[]).with_drivers();
    let tools = folder.path("tools");
    let program = tools.join("tools/slang/bin/slangc");
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    fs::write(&program, format!("{}echo slangc of a test\n", marks(&folder))).unwrap();
    for path in program.ancestors().take(5) {
        set_mode(path, 0o755);
    }
    let tools = tools.display().to_string();
    let folder = folder.with_variable("LAYOUTPROOF_TOOLS", &tools).with_variable("PATH", "/usr/bin:/bin");
    let found = folder.run("doctor compilers").exits(0);
    found.prints(&format!("Found slangc slangc of a test, {}, in the tools folder", program.display()));
    assert!(has_mark(&folder));
    fs::remove_file(folder.path("mark")).unwrap();

    set_mode(program.parent().unwrap(), 0o777);
    let sentence = format!("{tools}/tools/slang is not loaded: others can write {tools}/tools/slang/bin (mode 777)");
    folder.run("doctor compilers").exits(0).prints("Missing slangc not found").warns(&format!("note: {sentence}"));
    folder.run("doctor").prints(&format!("Warning compiler {sentence}"));
    folder.run("run scalar_packs --compiler slangc --device model").exits(3).warns(&format!("note: {sentence}"));
    folder.run("compare slangc --save set scalar_packs").exits(3).warns(&format!("note: {sentence}"));
    assert!(!has_mark(&folder));
}

#[test]
fn the_working_folder_is_no_entry_of_the_path() {
    let path = std::env::var("PATH").unwrap();
    let folder = Folder::without_drivers(&[]).with_drivers();
    for name in ["spirv-val", "dxc", "slangc", "glslangValidator", "node", "evil"] {
        folder.write(name, format!("{}echo of a test\n", marks(&folder)).as_bytes());
        set_mode(&folder.path(name), 0o755);
    }
    let folder = folder.with_variable("PATH", format!(".::{path}"));
    for words in ["doctor", "doctor compilers", "run scalar_packs_behind --rules std140 --device model"] {
        folder.run(words);
        assert!(!has_mark(&folder), "`{words}`");
    }
    // A bare word is looked up too; a path is the user's own choice.
    let folder = folder.with_variable("DXC", "evil").with_variable("SPIRV_VAL", "evil");
    folder.run("doctor compilers").exits(0).warns("note: DXC names no compiler: no `evil` is on the PATH");
    folder.run("doctor").prints("Missing spirv-val");
    assert!(!has_mark(&folder));
    let folder = folder.with_variable("DXC", "./evil").with_variable("SPIRV_VAL", "./evil");
    let evil = folder.path("evil").display().to_string();
    folder.run("doctor compilers").exits(0).prints(&format!("Found dxc of a test, {evil}, DXC names it"));
    folder.run("doctor").prints(&format!("Found spirv-val of a test, {evil}, SPIRV_VAL names it"));
    assert!(has_mark(&folder));
}

#[test]
fn a_tools_folder_is_absolute_or_refused() {
    let folder = Folder::without_drivers(&[]).with_variable("LAYOUTPROOF_TOOLS", "target/layoutproof");
    let sentence = "error: LAYOUTPROOF_TOOLS is `target/layoutproof`, which is not an absolute path";
    for words in ["doctor devices", "doctor", "doctor compilers", "run scalar_packs_behind", "dev bench", "dev fuzz"] {
        folder.run(words).exits(2).warns(sentence);
    }
}

#[test]
fn a_tools_folder_that_is_nowhere_is_told() {
    let nowhere = Folder::without_drivers(&[]).with_variable("LAYOUTPROOF_TOOLS", "/nonexistent/tools");
    let nowhere = nowhere.with_variable("VK_DRIVER_FILES", "");
    let sentence = "no tools folder: /nonexistent/tools is not there";
    nowhere.run("doctor compilers").exits(0).warns(&format!("note: {sentence}"));
    nowhere.run("doctor").prints(&format!("Missing tools folder {sentence}"));
    let homeless = Folder::without_drivers(&[]).with_variable("LAYOUTPROOF_TOOLS", "");
    let homeless = homeless.with_variable("HOME", "").with_variable("XDG_DATA_HOME", "data");
    let sentence = "no tools folder: HOME is not set to an absolute path; set LAYOUTPROOF_TOOLS";
    homeless.run("doctor compilers").exits(0).warns(&format!("note: {sentence}"));
    homeless.run("doctor").prints(&format!("Missing tools folder {sentence}"));
}
