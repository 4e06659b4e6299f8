//! The convention `slang`.

use super::{Bound, Request};
use crate::diagnostics::Diagnostic;
use crate::module::Module;

/// Places the parameters of `module`.
pub(super) fn bind(_module: &Module, _request: &Request) -> Result<Bound, Vec<Diagnostic>> {
    Err(Vec::new())
}
