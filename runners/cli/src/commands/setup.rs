//! `layoutproof setup`: installs the tools that a run needs and this machine lacks.
//!
//! The program contains the scripts of the repository's own `ci/setup.sh`, with all versions and
//! checksums. This command writes them to a temporary folder and runs them with bash.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use layoutproof_built_in::{SETUP_PARTS, SETUP_SCRIPTS};
use layoutproof_compilers::SETUP_SOURCES;
use layoutproof_compilers::search_path::{keep_absolute_path, on_path};
use layoutproof_compilers::tools_folder::{self, ToolsFolder};
use layoutproof_events::summary::Exit;
use tempfile::TempDir;

use crate::output::{print, warn};

/// `layoutproof setup`.
#[derive(Debug, Args)]
pub struct SetupArgs {
    /// What to install. Default: everything that is not on request.
    #[arg(value_name = "THING", value_parser = PossibleValuesParser::new(tools()))]
    pub things: Vec<String>,
    /// Skip tools that are only newer than the distribution's.
    ///
    /// They take a 78 MB download and 215 MB of disk space.
    #[arg(long, conflicts_with = "things")]
    pub minimal: bool,
}

/// The prefix of an output line that reports a missing tool.
const MISSING: &str = "missing  ";

/// Installs the requested tools, and prints the scripts' output line by line.
///
/// # Errors
/// This system is not Linux, bash is missing, the location of the tools folder is unknown, or a
/// script failed. If something could not be installed, the exit code is 3.
pub(crate) fn setup(args: &SetupArgs) -> anyhow::Result<Exit> {
    if !cfg!(target_os = "linux") {
        bail!("{}", elsewhere());
    }
    let Some(bash) = on_path("bash") else {
        bail!("the set-up is a bash script, but bash is not on the PATH; install bash");
    };
    let folder = ToolsFolder::place()?;
    let scripts = write_scripts().context("writing the set-up's scripts to a temporary folder")?;

    let mut command = Command::new(bash);
    command.arg(scripts.path().join("ci/setup.sh")).arg("--without-build");
    command.args(&args.things).args(args.minimal.then_some("--minimal"));
    command.env(tools_folder::VARIABLE, folder.path()).stdin(Stdio::null()).stderr(Stdio::piped());
    keep_absolute_path(&mut command);
    let mut child = command.spawn().context("starting bash")?;

    let mut missing = 0;
    for line in child.stderr.take().into_iter().flat_map(|stderr| BufReader::new(stderr).lines()) {
        let line = line.context("reading the output of the set-up")?;
        missing += usize::from(line.starts_with(MISSING));
        warn(&format!("{line}\n"));
    }
    let status = child.wait().context("waiting for the set-up")?;
    if !status.success() {
        bail!("the set-up ended with {status}");
    }

    let place = folder.path().display();
    if missing > 0 {
        print(&format!(
            "Missing {missing} of the requested tools, see above; the rest is in {place} or comes from the system\n"
        ));
        return Ok(Exit::Missing);
    }
    print(&format!(
        "Ready   the requested tools are in {place} or come from the system; `layoutproof doctor` lists them\n"
    ));
    Ok(Exit::Agree)
}

/// The tools that the scripts can install. Each has its own script, whose first comment says what it
/// is.
fn tools() -> impl Iterator<Item = PossibleValue> {
    SETUP_PARTS.iter().filter_map(|script| {
        let name = script.name.strip_prefix("tools/")?.strip_suffix(".sh")?;
        let mut comments = script.text.lines().filter_map(|line| line.strip_prefix("# "));
        let tool = comments.find(|comment| !comment.starts_with("shellcheck"))?;
        Some(PossibleValue::new(name).help(tool.trim_end_matches('.')))
    })
}

/// Writes the scripts and the sources that they read, in the folders of the repository.
fn write_scripts() -> anyhow::Result<TempDir> {
    let place = tempfile::Builder::new().prefix("layoutproof-setup-").tempdir()?;
    for script in SETUP_SCRIPTS {
        write(place.path(), &format!("ci/{}", script.name), script.text)?;
    }
    for part in SETUP_PARTS {
        write(place.path(), &format!("ci/setup/{}", part.name), part.text)?;
    }
    for source in SETUP_SOURCES {
        write(place.path(), &format!("runners/compilers/{}", source.path), source.text)?;
    }
    Ok(place)
}

fn write(root: &Path, name: &str, text: &str) -> anyhow::Result<()> {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap_or(root))?;
    fs::write(&path, text).with_context(|| format!("writing {}", path.display()))
}

/// Advice for systems that the scripts do not support.
fn elsewhere() -> String {
    let system = std::env::consts::OS;
    if !cfg!(windows) {
        return format!(
            "the set-up is for Linux only; on {system} put compilers on the PATH, such as glslang, spirv-tools and spirv-cross of \
             Homebrew and a release of Slang; devices come from the system"
        );
    }
    let (release, file, digest) =
        (pinned("WINDOWS_DXC_RELEASE"), pinned("WINDOWS_DXC_FILE"), pinned("WINDOWS_DXC_SHA256"));
    let (slang, version, slang_digest) =
        (pinned("SLANG_PYPI_NAME"), pinned("SLANG_PYPI_VERSION"), pinned("SLANG_PYPI_SHA256_WINDOWS"));
    format!(
        "the set-up is for Linux only; devices come from Windows. Download DXC from \
         https://github.com/microsoft/DirectXShaderCompiler/releases/download/{release}/{file} (SHA-256 {digest}), unpack it, \
         and put its bin\\x64 on the PATH. slangc is in bin of the wheel that `pip download {slang}=={version} --no-deps \
         --only-binary=:all: --platform win_amd64` gets (SHA-256 {slang_digest}), which is a zip archive; glslang and spirv-val \
         are in the Vulkan SDK"
    )
}

/// A value of `ci/versions.sh`.
fn pinned(name: &str) -> &'static str {
    let scripts = SETUP_SCRIPTS.iter().filter(|script| script.name == "versions.sh");
    let mut values = scripts.flat_map(|script| script.text.lines()).filter_map(|line| line.strip_prefix(name));
    values.find_map(|rest| rest.strip_prefix('=')).unwrap_or("unknown")
}

#[cfg(test)]
mod tests {
    use layoutproof_compilers::compiler::Compiler;

    use super::*;

    #[test]
    fn values_are_those_of_the_list_of_versions() {
        assert_eq!(pinned("DXC_PYPI_NAME"), "coalpy");
        assert_eq!(pinned("WINDOWS_DXC_SHA256").len(), 64);
        assert_eq!(pinned("SLANG_PYPI_SHA256_WINDOWS").len(), 64);
        assert_eq!(pinned("NO_SUCH_NAME"), "unknown");
    }

    #[test]
    fn the_advice_for_a_missing_compiler_names_a_tool() {
        let tools: Vec<PossibleValue> = tools().collect();
        for compiler in Compiler::known() {
            assert!(tools.iter().any(|tool| tool.get_name() == compiler.setup_name), "{compiler:?}");
        }
        assert!(tools.iter().all(|tool| tool.get_help().is_some()));
    }
}
