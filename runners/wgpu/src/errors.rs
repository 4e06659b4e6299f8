//! Catches errors that wgpu would otherwise print or panic about, and converts them to
//! [`RunnerError`].

use std::sync::{Arc, Mutex};

use layoutproof_device::RunnerError;
use wgpu::{Device, ErrorFilter};

/// Runs `make` and returns its value, or wgpu's first error of any kind.
pub(crate) fn checked<T>(device: &Device, make: impl FnOnce() -> T) -> Result<T, wgpu::Error> {
    let scopes = [ErrorFilter::OutOfMemory, ErrorFilter::Internal, ErrorFilter::Validation]
        .map(|filter| device.push_error_scope(filter));
    let value = make();
    // The innermost scope must be popped first.
    let errors = scopes.into_iter().rev().map(|scope| pollster::block_on(scope.pop()));
    // All scopes must be popped, so this runs the iterator to its end.
    match errors.collect::<Vec<_>>().into_iter().flatten().next() {
        Some(error) => Err(error),
        None => Ok(value),
    }
}

pub(crate) fn failed(call: &'static str) -> impl Fn(wgpu::Error) -> RunnerError {
    move |error| api_error(call, text(&error))
}

/// The error of a failed call that compiles a shader: everything except lack of memory is the
/// shader's fault.
pub(crate) fn shader_failed(call: &'static str) -> impl Fn(wgpu::Error) -> RunnerError {
    move |error| match error {
        wgpu::Error::OutOfMemory { .. } => failed(call)(error),
        wgpu::Error::Validation { .. } | wgpu::Error::Internal { .. } => RunnerError::ShaderRefused(text(&error)),
    }
}

/// A failed call and its reason.
pub(crate) fn api_error(call: &str, reason: impl Into<String>) -> RunnerError {
    RunnerError::Api { call: call.to_owned(), reason: reason.into() }
}

fn text(error: &wgpu::Error) -> String {
    error.to_string().trim().to_owned()
}

/// Collects wgpu's messages from outside of any call: a lost device, and errors that no scope
/// caught.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mailbox {
    first: Arc<Mutex<Option<RunnerError>>>,
}

impl Mailbox {
    /// A mailbox for all messages about `device`.
    pub(crate) fn of(device: &Device) -> Self {
        let mailbox = Self::default();
        let (lost, uncaptured) = (mailbox.clone(), mailbox.clone());
        device.set_device_lost_callback(move |_, message| lost.put(RunnerError::DeviceLost(message)));
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| uncaptured.put(failed("wgpu")(error))));
        mailbox
    }

    /// Takes the message, if there is one.
    pub(crate) fn take(&self) -> Option<RunnerError> {
        self.first.lock().ok().and_then(|mut first| first.take())
    }

    /// Keeps the first message, except that a lost device outweighs all else.
    fn put(&self, error: RunnerError) {
        if let Ok(mut first) = self.first.lock() {
            if first.is_none() || matches!(error, RunnerError::DeviceLost(_)) {
                *first = Some(error);
            }
        }
    }
}
