//! The tools folder of this machine, or the reason why there is none.

use layoutproof_compilers::tools_folder::{NoToolsFolder, ToolsFolder, ToolsFolderOrigin};

/// The tools folder, or why there is none.
#[derive(Clone, Debug)]
pub struct MachineTools(Result<ToolsFolder, NoToolsFolder>);

impl MachineTools {
    /// The tools folder of this machine.
    ///
    /// # Errors
    /// `LAYOUTPROOF_TOOLS` is not an absolute path: what the user meant would depend on the working folder.
    pub fn find() -> anyhow::Result<Self> {
        match ToolsFolder::find() {
            Err(error @ NoToolsFolder::Relative(_)) => Err(error.into()),
            found => Ok(Self(found)),
        }
    }

    /// The folder, if there is one.
    pub fn folder(&self) -> Option<&ToolsFolder> {
        self.0.as_ref().ok()
    }

    /// Why there is no folder, if there is none.
    pub fn absence(&self) -> Option<&NoToolsFolder> {
        self.0.as_ref().err()
    }

    /// A sentence for the user about the missing folder; `None` where nothing was fetched yet, which is usual.
    pub fn note(&self) -> Option<String> {
        match self.absence()? {
            NoToolsFolder::Absent { origin: ToolsFolderOrigin::Installation | ToolsFolderOrigin::UserData, .. } => None,
            absence @ (NoToolsFolder::Absent { origin: ToolsFolderOrigin::Variable, .. }
            | NoToolsFolder::Relative(_)
            | NoToolsFolder::NoHome) => Some(absence.to_string()),
        }
    }
}
