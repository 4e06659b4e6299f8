//! The tools folder of this machine, or the reason why it is missing.

use layoutproof_compilers::tools_folder::{NoToolsFolder, ToolsFolder, ToolsFolderOrigin};

/// The tools folder, or the reason why it is missing.
#[derive(Clone, Debug)]
pub struct MachineTools(Result<ToolsFolder, NoToolsFolder>);

impl MachineTools {
    /// Finds the tools folder of this machine.
    ///
    /// # Errors
    /// `LAYOUTPROOF_TOOLS` is not an absolute path: its meaning would depend on the working folder.
    pub fn find() -> anyhow::Result<Self> {
        match ToolsFolder::find() {
            Err(error @ NoToolsFolder::Relative(_)) => Err(error.into()),
            found => Ok(Self(found)),
        }
    }

    pub fn folder(&self) -> Option<&ToolsFolder> {
        self.0.as_ref().ok()
    }

    /// The reason why the folder is missing, if it is.
    pub fn absence(&self) -> Option<&NoToolsFolder> {
        self.0.as_ref().err()
    }

    /// A sentence for the user about the missing folder; `None` if nothing was fetched yet, which
    /// is usual.
    pub fn note(&self) -> Option<String> {
        match self.absence()? {
            NoToolsFolder::Absent { origin: ToolsFolderOrigin::Installation | ToolsFolderOrigin::UserData, .. } => None,
            absence @ (NoToolsFolder::Absent { origin: ToolsFolderOrigin::Variable, .. }
            | NoToolsFolder::Relative(_)
            | NoToolsFolder::NoHome) => Some(absence.to_string()),
        }
    }
}
