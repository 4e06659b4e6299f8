//! What a run of files checks by default: the targets that programs in their languages ship for, as
//! `show` chooses its columns, each by the compiler that makes its code.

use layoutproof_compilers::toolchains::Toolchains;
use layoutproof_events::producer::Producer;
use layoutproof_executor::plan::PlannedCheck;
use layoutproof_inputs::inputs::InputWord;
use layoutproof_layout::native::Native;
use layoutproof_readers::toolchain::{AppliedRules, Compilers, Toolchain, toolchains};
use layoutproof_show::shipping;

use crate::args::RunArgs;

/// A target that ships, with the compiler that checks it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShippedTarget {
    native: &'static Native,
    /// The first compiler for the target that was found.
    toolchain: Option<&'static Toolchain>,
}

/// The targets of the files that the arguments name; `None` if they select checks in another way:
/// by rule sets, producers, a target, or all of them.
pub(crate) fn shipping_targets(args: &RunArgs) -> Option<Vec<&'static Native>> {
    let names_checks = !args.rules.is_empty() || !args.producer.is_empty() || !args.placement.target.is_empty();
    if args.all || names_checks || args.inputs.is_empty() {
        return None;
    }
    let mut targets: Vec<&'static Native> = Vec::new();
    for word in &args.inputs {
        // Cases, and files that declare their own offsets, say what they are checked under.
        let InputWord::Shader(file) = InputWord::of(word, args.declare.lang) else { return None };
        let language = file.front_end.language().filter(|_| !file.fixes_offsets())?;
        let new: Vec<_> = shipping(language).filter(|target| !targets.contains(target)).collect();
        targets.extend(new);
    }
    Some(targets)
}

/// Finds the compilers of these targets: the usual build of each, and only if one is missing the
/// others, since some take a second to start.
pub(crate) fn find_compilers(
    targets: &[&'static Native],
    find: impl Fn(&[String]) -> anyhow::Result<Toolchains>,
) -> anyhow::Result<Toolchains> {
    let names = |toolchains: Vec<&'static Toolchain>| {
        toolchains.into_iter().map(|toolchain| toolchain.name.to_owned()).collect::<Vec<_>>()
    };
    let usual: Vec<_> = targets.iter().filter_map(|target| toolchains_of(target).next()).collect();
    let found = find(&names(usual.clone()))?;
    let all: Vec<_> = targets.iter().flat_map(|target| toolchains_of(target)).collect();
    if all.len() == usual.len() || usual.iter().all(|toolchain| found.has(toolchain)) {
        return Ok(found);
    }
    find(&names(all))
}

/// The compilers of these targets that were found.
pub(crate) fn shipped(targets: &[&'static Native], found: &Toolchains) -> Vec<ShippedTarget> {
    let of_target = |target: &&'static Native| ShippedTarget {
        native: target,
        toolchain: toolchains_of(target).find(|toolchain| found.has(toolchain)),
    };
    targets.iter().map(of_target).collect()
}

fn toolchains_of(target: &Native) -> impl Iterator<Item = &'static Toolchain> {
    toolchains().iter().filter(|toolchain| toolchain.follows == AppliedRules::Native(target.name))
}

/// The producers of the targets' code; our own generators if no compiler was found.
pub(crate) fn producers(shipped: &[ShippedTarget]) -> Vec<Producer> {
    let mut compilers: Vec<Producer> =
        shipped.iter().filter_map(|target| target.toolchain).map(Producer::Compiler).collect();
    if compilers.is_empty() {
        return Producer::BUILT_IN.to_vec();
    }
    compilers.sort();
    compilers.dedup();
    compilers
}

/// A sentence about the targets that no check of the plan is about.
pub(crate) fn unchecked(shipped: &[ShippedTarget], plan: &[Vec<PlannedCheck<'_>>]) -> Option<String> {
    let is_planned = |target: &&ShippedTarget| {
        let mut ids = plan.iter().flatten().map(PlannedCheck::id);
        target.toolchain.is_some_and(|own| ids.any(|id| id.producer.producer() == Some(Producer::Compiler(own))))
    };
    let (without_compiler, without_device): (Vec<&ShippedTarget>, Vec<&ShippedTarget>) =
        shipped.iter().filter(|target| !is_planned(target)).partition(|target| target.toolchain.is_none());
    let labels = |targets: &[&ShippedTarget]| {
        targets.iter().map(|target| target.native.column.to_string()).collect::<Vec<_>>().join(", ")
    };

    let mut reasons = Vec::new();
    if !without_compiler.is_empty() {
        reasons.push(format!("{} (no compiler; `layoutproof doctor` names the command)", labels(&without_compiler)));
    }
    if !without_device.is_empty() {
        reasons.push(format!("{} (no device here runs this code)", labels(&without_device)));
    }
    (!reasons.is_empty()).then(|| format!("not checked: {}", reasons.join("; ")))
}
