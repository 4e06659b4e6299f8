//! Wine, and the prefix that `ci/setup.sh --wine` makes for it.
//!
//! Wine's own `d3dcompiler_47` is a different compiler, so an override selects Microsoft's. The
//! prefix is ours; the user's prefix stays untouched.

use std::path::Path;

use crate::compiler::{Invocation, ProgramOrigin, Service};
use crate::search_path::on_path;

/// Path of the prefix, relative to the tools folder.
pub(crate) const PREFIX: &str = "tools/wine-prefix";

/// A file in the prefix with the date of the Wine that last updated it.
const UPDATED: &str = ".update-timestamp";

/// One of Microsoft's compilers for Windows, in a folder with our program that calls it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WindowsCompiler {
    /// Its name in `layoutproof-d3d.exe`.
    pub(crate) name: &'static str,
    /// Its folder, relative to the tools folder.
    pub(crate) folder: &'static str,
    /// Its library in that folder.
    pub(crate) library: &'static str,
}

impl WindowsCompiler {
    /// The invocation of `layoutproof-d3d.exe` for it; `None` if Wine or a part of the set-up is
    /// missing.
    pub(crate) fn invocation(&self, fetched: &Path) -> Option<Invocation> {
        let wine = on_path("wine")?;
        // Wine accepts only absolute prefixes.
        let fetched = fetched.canonicalize().ok()?;
        let (folder, prefix) = (fetched.join(self.folder), fetched.join(PREFIX));
        let (program, library) = (folder.join("layoutproof-d3d.exe"), folder.join(self.library));

        let environment = vec![
            ("WINEPREFIX", prefix.clone().into_os_string()),
            ("WINEDEBUG", "-all".into()),
            // Without the first two, Wine offers to download Mono and Gecko.
            ("WINEDLLOVERRIDES", "mscoree,mshtml,winemenubuilder.exe=;d3dcompiler_47=n".into()),
        ];
        // Wine writes the second file when a new version of it first uses the prefix.
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
