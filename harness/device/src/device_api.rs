//! The trait of device APIs. One crate implements it per API; the executor has the registry.

use std::fmt;
use std::time::Duration;

use crate::devices::Enumeration;
use crate::{DeviceInfo, Runner, RunnerError, RunnerKind};

/// An API through which jobs reach devices.
///
/// If drivers provide its devices, only worker processes call [`discover`](Self::discover) and
/// [`open`](Self::open), so both may crash or hang.
pub trait DeviceApi: fmt::Debug + Sync {
    /// Its row in the list of APIs, with its name and the forms of shaders that its devices take.
    fn kind(&self) -> RunnerKind;

    /// Lists the devices. A missing library or driver results in a note, not in an error.
    ///
    /// # Errors
    /// `Api` if library and drivers exist but a call fails.
    fn discover(&self) -> Result<Enumeration, RunnerError>;

    /// Opens a device that [`discover`](Self::discover) listed, with the time limit `job_limit` for
    /// each job. A [`SessionRunner`](crate::SessionRunner) handles devices that hang or get lost.
    ///
    /// # Errors
    /// `Api` if the device is gone or a call fails.
    fn open(&self, device: &DeviceInfo, job_limit: Duration) -> Result<Box<dyn Runner>, RunnerError>;

    /// Environment variables of the API that change the devices or their answers. Records have their
    /// values.
    fn variables(&self) -> &'static [&'static str] {
        &[]
    }

    /// True if vkd3d can provide the devices. If vkd3d was fetched, the workers start with it.
    fn loads_vkd3d(&self) -> bool {
        false
    }
}
