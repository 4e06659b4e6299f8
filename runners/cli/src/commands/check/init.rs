//! `layoutproof init`: writes a first `layoutproof.toml` from the files of a folder.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use layoutproof_core::results::summary::Exit;
use layoutproof_source::shader_language::ShaderLanguage;

use super::args::InitArgs;
use super::input_kind::CheckInput;
use crate::output::print;
use crate::project::project_file::PROJECT_FILE;
use crate::select::files::entries;

/// Maximum number of files and folders to visit.
const MOST_ENTRIES: usize = 50_000;

/// Maximum number of host files to list.
const MOST_HOSTS: usize = 20;

/// Maximum nesting of folders.
const DEEPEST: u32 = 12;

/// Folders whose files do not belong to the project.
const LEFT_OUT: [&str; 3] = ["node_modules", "target", "third_party"];

/// Writes the file, unless it exists.
///
/// # Errors
/// The folder cannot be read, or the file exists.
pub(crate) fn init(args: &InitArgs) -> anyhow::Result<Exit> {
    let path = args.folder.join(PROJECT_FILE);
    if path.exists() {
        bail!("{} already exists", path.display());
    }
    let mut found = FoundFiles::default();
    found.look(&args.folder, Path::new(""), 0)?;

    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&path)
        .with_context(|| format!("writing {}", path.display()))?;
    file.write_all(found.text().as_bytes()).with_context(|| format!("writing {}", path.display()))?;
    print(&format!(
        "wrote {}: {} patterns of shaders, {} host files\n",
        path.display(),
        found.shaders.len(),
        found.hosts.len()
    ));
    Ok(Exit::Agree)
}

/// The shaders and host files of a folder.
#[derive(Debug, Default)]
struct FoundFiles {
    /// Glob patterns of shaders, one per folder and suffix.
    shaders: BTreeSet<String>,
    hosts: BTreeSet<String>,
    looked_at: usize,
}

impl FoundFiles {
    fn look(&mut self, folder: &Path, relative: &Path, depth: u32) -> anyhow::Result<()> {
        for entry in entries(folder)? {
            self.looked_at += 1;
            if self.looked_at > MOST_ENTRIES || depth > DEEPEST {
                return Ok(());
            }
            let name = entry.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.starts_with('.') || entry.is_symlink() {
                continue;
            }
            let relative = relative.join(&name);
            if !entry.is_dir() {
                self.add(&entry, &relative);
            } else if !LEFT_OUT.contains(&name.as_str()) {
                self.look(&entry, &relative, depth + 1)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, file: &Path, relative: &Path) {
        let slashed = |path: &Path| path.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/");
        if ShaderLanguage::of(None, file).is_some() {
            let suffix = file.extension().unwrap_or_default().to_string_lossy().into_owned();
            // The shaders that include a header bring it along.
            if !["hlsli", "fxh"].contains(&suffix.as_str()) {
                let pattern: PathBuf = relative.with_file_name(format!("*.{suffix}"));
                self.shaders.insert(slashed(&pattern));
            }
        } else if self.hosts.len() < MOST_HOSTS && is_host(file) {
            self.hosts.insert(slashed(relative));
        }
    }

    fn text(&self) -> String {
        let list = |names: &BTreeSet<String>| {
            let quoted: Vec<String> = names.iter().map(|name| format!("    {name:?},\n")).collect();
            if quoted.is_empty() { "[]".to_owned() } else { format!("[\n{}]", quoted.concat()) }
        };
        let shaders = format!("[[shader]]\nfiles = {}\n# args = \"-T cs_6_6 -D QUALITY=2\"\n", list(&self.shaders));
        let shaders =
            if self.shaders.is_empty() { "# [[shader]]\n# files = [\"shaders/*.hlsl\"]\n".to_owned() } else { shaders };
        format!(
            "# What `layoutproof check` compares. It names no programs and runs nothing.\n\
             schema = 1\n\n\
             # Files with debug information: objects, libraries, programs, .pdb.\n\
             host = {}\n\n\
             # The rule sets that ship; `layoutproof list --rules` lists them all.\n\
             # rules = [\"native:dxc-dxil\", \"native:dxc-spirv\"]\n\n\
             {shaders}\n\
             # The host type of a block whose name does not match.\n\
             # [[map]]\n# block = \"PerFrame\"\n# host = \"engine::PerFrame\"\n# members = {{ cameraPos = \"cam_pos\" }}\n",
            list(&self.hosts)
        )
    }
}

/// True if the file may have debug information: a program, a library or an object.
fn is_host(file: &Path) -> bool {
    matches!(CheckInput::of(file, None), Ok(CheckInput::Host(_)))
}
