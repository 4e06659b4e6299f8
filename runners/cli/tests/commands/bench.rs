//! `bench`: prints a line per Vulkan device, and no figures if nothing was measured.

use super::folder::Folder;

#[cfg_attr(not(target_os = "linux"), ignore = "drivers can be hidden only from the loaders of Linux")]
#[test]
fn no_device_is_exit_code_three() {
    let answer = Folder::without_drivers(&[]).run("dev bench").exits(3);
    let answer = answer.warns("error: no Vulkan device was found");
    assert_eq!(answer.out, "");
}

#[test]
fn a_device_that_is_not_here_is_named() {
    let folder = Folder::with(&[]).with_drivers();
    let answer = folder.run("dev bench --device nosuch").exits(3);
    let answer = answer.warns("error: device `nosuch` is required and was not found");
    assert_eq!(answer.out, "");
}

#[test]
fn no_round_is_refused() {
    let folder = Folder::with(&[]);
    folder.run("dev bench --rounds 0").exits(2).warns("error: invalid value '0' for '--rounds <N>'");
}
