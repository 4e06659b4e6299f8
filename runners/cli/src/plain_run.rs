//! What a plain `layoutproof run` takes, for the trials of `cargo test`.

use std::sync::Arc;

use layoutproof_core::check::{BindingCheck, Subject};
use layoutproof_core::results::known::KnownFailure;
use layoutproof_device::RunnerKind;
use layoutproof_events::CheckId;
use layoutproof_inputs::refused_input::RefusedInput;

use crate::args::RunArgs;
use crate::output::warn_rendered;
use crate::select::lists::{BuiltInKnown, known_lists};
use crate::select::run_part::RunPart;
use crate::select::selection::select_part;

/// The selection of a plain run, and what may differ in it.
#[derive(Debug)]
pub struct PlainRun {
    pub subjects: Vec<Arc<Subject>>,
    pub placed: Vec<BindingCheck>,
    pub known: Vec<KnownFailure>,
}

impl PlainRun {
    /// Every case, or that of `one` check alone. Known differences of a narrowed run are never stale.
    ///
    /// # Errors
    /// A case or a list of known differences cannot be read; refusals of texts were printed.
    pub fn select(one: Option<CheckId>, is_narrowed: bool) -> anyhow::Result<Self> {
        let part = one.map_or_else(RunPart::default, RunPart::of_trial);
        let built_in = if is_narrowed { BuiltInKnown::OfNarrowedRun } else { BuiltInKnown::OfWholeRun };
        let selection = select_part(&RunArgs::of_plain_run(), part, &[]).inspect_err(|error| {
            if let Some(refused) = error.downcast_ref::<RefusedInput>() {
                warn_rendered(&refused.text(false));
            }
        })?;
        Ok(Self { subjects: selection.subjects, placed: selection.placed, known: known_lists(&[], built_in)? })
    }
}

/// The APIs whose devices a run lists: all, or that of `one` check. This matters for tools that run every trial in its
/// own process, thousands of times.
pub fn apis(one: Option<&CheckId>) -> Vec<RunnerKind> {
    let is_listed = |driven: &RunnerKind| {
        one.is_none_or(|check| check.device.as_ref().is_some_and(|device| device.runner == *driven))
    };
    RunnerKind::driven().filter(is_listed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_lists_the_devices_of_its_api() {
        let of =
            |check: &str| apis(Some(&check.parse().unwrap())).into_iter().map(RunnerKind::as_str).collect::<Vec<_>>();
        assert_eq!(of("a::b::std140::rspirv::lavapipe::ash"), ["ash"]);
        assert_eq!(of("a::b::std140::naga::llvmpipe-gl::wgpu"), ["wgpu"]);
        assert!(of("a::b::std140::rspirv::model::model").is_empty());
        assert!(of("a::b::d3d12.dxc::none::none::none").is_empty());
        assert_eq!(apis(None), RunnerKind::driven().collect::<Vec<_>>());
    }

    #[test]
    fn a_check_needs_its_case_alone() {
        let check: CheckId = "arrays::three_dimensions::std140::rspirv::model::model".parse().unwrap();
        let run = PlainRun::select(Some(check), true).unwrap();
        assert!(!run.subjects.is_empty());
        assert!(run.subjects.iter().all(|subject| subject.source.id == "arrays/three_dimensions"));
    }
}
