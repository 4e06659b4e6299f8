//! Wine, and what `ci/setup.sh --wine` made for it.
//!
//! Wine's own `d3dcompiler_47` is another compiler, so Microsoft's is asked for by an override. The prefix is ours: the
//! user's is not touched.

use std::path::Path;

use crate::compiler::{Invocation, ProgramOrigin, Service};
use crate::search_path::on_path;

/// Where the prefix is, below the tools folder.
pub(crate) const PREFIX: &str = "tools/wine-prefix";

/// A file in the prefix with the date of the Wine that last set it up.
const UPDATED: &str = ".update-timestamp";

/// One of Microsoft's compilers for Windows, in a folder with our program that calls it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WindowsCompiler {
    /// As `layoutproof-d3d.exe` calls it.
    pub(crate) name: &'static str,
    /// Its folder, below the tools folder.
    pub(crate) folder: &'static str,
    /// Its library, in this folder.
    pub(crate) library: &'static str,
}

impl WindowsCompiler {
    /// How `layoutproof-d3d.exe` is started for it; `None` where Wine or a part of the set-up is missing.
    pub(crate) fn invocation(&self, fetched: &Path) -> Option<Invocation> {
        let wine = on_path("wine")?;
        // Wine takes absolute prefixes only.
        let fetched = fetched.canonicalize().ok()?;
        let (folder, prefix) = (fetched.join(self.folder), fetched.join(PREFIX));
        let (program, library) = (folder.join("layoutproof-d3d.exe"), folder.join(self.library));

        let environment = vec![
            ("WINEPREFIX", prefix.clone().into_os_string()),
            ("WINEDEBUG", "-all".into()),
            // Without the first two, Wine offers to download Mono and Gecko.
            ("WINEDLLOVERRIDES", "mscoree,mshtml,winemenubuilder.exe=;d3dcompiler_47=n".into()),
        ];
        // Wine writes the second when another version of it first uses the prefix.
        let fetched = vec![folder.clone(), prefix.join(UPDATED)];
        let leading = vec![program.clone().into_os_string(), self.name.into()];
        let is_complete = program.is_file() && library.is_file() && prefix.is_dir();
        is_complete.then_some(Invocation {
            program: wine,
            leading,
            environment,
            library: Some(library),
            fetched,
            headers: Vec::new(),
            service: Service::Lines,
            origin: ProgramOrigin::ToolsFolder,
        })
    }
}
