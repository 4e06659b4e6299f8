//! Wine, and what `ci/setup.sh --wine` made for it.
//!
//! Wine's own `d3dcompiler_47` is another compiler, so Microsoft's is asked for by an override. The prefix is ours: the
//! user's is not touched.

use std::path::Path;

use crate::compiler::{Invocation, ProgramOrigin};
use crate::search_path::on_path;

/// Where Microsoft's libraries and our program that calls them are, below the tools folder.
pub(crate) const LIBRARIES: &str = "tools/d3d";

/// Where the prefix is, below the tools folder.
pub(crate) const PREFIX: &str = "tools/wine-prefix";

/// How `layoutproof-d3d.exe` is started for the compiler that it calls `name`, in the library of this name; `None` where
/// Wine or a part of the set-up is missing.
pub(crate) fn invocation(fetched: &Path, (name, library): (&str, &str)) -> Option<Invocation> {
    let wine = on_path("wine")?;
    // Wine takes absolute prefixes only.
    let tools = fetched.canonicalize().ok()?;
    let (program, prefix) = (tools.join(LIBRARIES).join("layoutproof-d3d.exe"), tools.join(PREFIX));
    let library = Some(tools.join(LIBRARIES).join(library));
    let environment = vec![
        ("WINEPREFIX", prefix.clone().into_os_string()),
        ("WINEDEBUG", "-all".into()),
        // Without the first two, Wine offers to download Mono and Gecko.
        ("WINEDLLOVERRIDES", "mscoree,mshtml,winemenubuilder.exe=;d3dcompiler_47=n".into()),
    ];
    let leading = vec![program.clone().into_os_string(), name.into()];
    (program.is_file() && prefix.is_dir()).then_some(Invocation {
        program: wine,
        leading,
        environment,
        library,
        origin: ProgramOrigin::ToolsFolder,
    })
}
