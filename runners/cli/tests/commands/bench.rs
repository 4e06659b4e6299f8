//! `bench`: prints a table per Vulkan device and kind of buffer, and no figures if nothing was
//! measured.

use super::folder::Folder;

#[cfg_attr(not(target_os = "linux"), ignore = "drivers can be hidden only from the loaders of Linux")]
#[test]
fn no_device_is_exit_code_three() {
    let answer = Folder::without_drivers(&[]).run("bench --cases 2").exits(3);
    let answer = answer.warns("error: no Vulkan device was found");
    assert_eq!(answer.out, "");
}

#[test]
fn a_device_that_is_not_here_is_named() {
    let folder = Folder::with(&[]).with_drivers();
    let answer = folder.run("bench --device nosuch --cases 2").exits(3);
    let answer = answer.warns("error: device `nosuch` is required and was not found");
    assert_eq!(answer.out, "");
}

#[test]
fn numbers_below_one_are_refused() {
    let folder = Folder::with(&[]);
    for option in ["--cases", "--rounds", "--group", "--workers"] {
        folder
            .run(&format!("bench {option} 0"))
            .exits(2)
            .warns(&format!("error: invalid value '0' for '{option} <N>'"));
    }
}

/// Measures each Vulkan device of this machine in both kinds of buffers; exit code 3 without a
/// device.
#[test]
fn every_device_is_measured() {
    let folder = Folder::with(&[]).with_drivers();
    let devices = folder.run("devices --format json").json();
    let devices = devices["devices"].as_array().unwrap().iter().filter(|device| device["runner"] == "ash").count();
    let answer = folder.run("bench --cases 5 --rounds 1 --group 2 --load leaf --seed 7");
    let answer = answer.exits(if devices == 0 { 3 } else { 0 });
    let count = |words: &str| answer.out.lines().filter(|line| line.contains(words)).count();
    assert_eq!(count("5 cases, "), 2 * devices, "{answer}");
    for design in ["  one pipeline per case ", "  fused by 2 ", "  floor of that, by 2 "] {
        assert_eq!(count(design), 2 * devices, "{design} in {answer}");
    }
    assert_eq!(count(" times as fast as the baseline"), 2 * devices, "{answer}");
    assert_eq!(count("% of the floor"), 2 * devices, "{answer}");
}
