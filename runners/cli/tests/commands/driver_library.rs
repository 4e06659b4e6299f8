//! Libraries in place of drivers, built by the C compiler that links this program too.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use super::folder::Folder;

/// The C source of a library that runs `deed` as soon as it is loaded; `MARK` is a file's path, as
/// a string.
fn source(mark: &Path, deed: &str) -> String {
    format!(
        "#include <fcntl.h>\n#include <stdio.h>\n#include <stdlib.h>\n#define MARK \"{}\"\n\
         __attribute__((constructor)) static void loaded(void) {{ {deed} }}\n",
        mark.display()
    )
}

/// Writes a manifest and a library of this name into the folder `place` below `folder`, which is
/// created. `deed` can use the file `mark` of `folder` as `MARK`.
pub(crate) fn add_driver(folder: &Folder, place: &str, name: &str, deed: &str) {
    let place = folder.path(place);
    fs::create_dir_all(&place).unwrap();
    let (c, library) = (place.join(format!("{name}.c")), place.join(format!("{name}.so")));
    fs::write(&c, source(&folder.path("mark"), deed)).unwrap();
    let built = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&c).status().unwrap();
    assert!(built.success(), "the C compiler builds {}", c.display());
    let manifest = format!(
        "{{\"file_format_version\":\"1.0.0\",\"ICD\":{{\"library_path\":\"./{name}.so\",\"api_version\":\"1.3.0\"}}}}"
    );
    fs::write(place.join(format!("{name}.json")), manifest).unwrap();
    for entry in fs::read_dir(&place).unwrap() {
        set_mode(&entry.unwrap().path(), 0o755);
    }
    // Set the mode of all parent folders, regardless of the umask.
    for path in place.ancestors().take_while(|path| *path != folder.path("").as_path()) {
        set_mode(path, 0o755);
    }
}

/// Sets permissions.
pub(crate) fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}
