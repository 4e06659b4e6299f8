//! Job objects of Windows: groups of processes that end together.
//!
//! Processes that a member starts are members too, so a job holds whole process trees. Jobs may
//! nest (since Windows 8), so this works even if a terminal or a CI service has put this process
//! into a job.
//!
//! Source: Microsoft's "Job Objects" and "Nested Jobs" in the Win32 documentation.

use std::io;
use std::os::windows::io::{AsRawHandle, BorrowedHandle, FromRawHandle, OwnedHandle};
use std::ptr;

use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE, JOBOBJECT_BASIC_LIMIT_INFORMATION,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation, SetInformationJobObject,
    TerminateJobObject,
};
use windows_sys::Win32::System::Threading::GetCurrentProcess;
use windows_sys::core::BOOL;

/// Exit code of the processes that a job ends, the same as for `std::process::Child::kill`.
const KILLED: u32 = 1;

/// A job object. Dropping it ends no process, unless [`JobObject::end_with_handle`] was called.
#[derive(Debug)]
pub(crate) struct JobObject(OwnedHandle);

impl JobObject {
    pub(crate) fn new() -> io::Result<Self> {
        // SAFETY: the call needs no attributes and no name.
        let handle = unsafe { CreateJobObjectW(ptr::null(), ptr::null()) };
        if handle.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the handle is new, and no other code closes it.
        Ok(Self(unsafe { OwnedHandle::from_raw_handle(handle) }))
    }

    /// Makes Windows end the job's processes when the handle is closed, also when the owner of the
    /// handle ends.
    pub(crate) fn end_with_handle(&self) -> io::Result<()> {
        let basic = JOBOBJECT_BASIC_LIMIT_INFORMATION {
            LimitFlags: JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
            ..JOBOBJECT_BASIC_LIMIT_INFORMATION::default()
        };
        let limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION { BasicLimitInformation: basic, ..Default::default() };
        let size = u32::try_from(size_of_val(&limits)).expect("the structure has some hundred bytes");

        let kind = JobObjectExtendedLimitInformation;
        let handle = self.0.as_raw_handle();
        // SAFETY: the limits live until the call returns, and are of this kind and size.
        succeeded(unsafe { SetInformationJobObject(handle, kind, (&raw const limits).cast(), size) })
    }

    /// Adds a process to the job, and with it the processes that it starts from now on.
    pub(crate) fn add(&self, process: BorrowedHandle<'_>) -> io::Result<()> {
        // SAFETY: both handles are open.
        succeeded(unsafe { AssignProcessToJobObject(self.0.as_raw_handle(), process.as_raw_handle()) })
    }

    pub(crate) fn add_this_process(&self) -> io::Result<()> {
        // SAFETY: the call has no requirements.
        let this = unsafe { GetCurrentProcess() };
        // SAFETY: the pseudo-handle refers to this process for its whole life, and need not be
        // closed.
        self.add(unsafe { BorrowedHandle::borrow_raw(this) })
    }

    pub(crate) fn end_all(&self) -> io::Result<()> {
        // SAFETY: the handle is open.
        succeeded(unsafe { TerminateJobObject(self.0.as_raw_handle(), KILLED) })
    }
}

/// Converts the result of a call that returns 0 on failure.
fn succeeded(answer: BOOL) -> io::Result<()> {
    if answer == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
