//! Finds the rule set that the user names.

use anyhow::{Context, bail};
use layoutproof_layout::{DECLARED, RuleSet, find, table};

/// The rule set of this name.
///
/// # Errors
/// A sentence with the names that exist.
pub(crate) fn rule_set(name: &str) -> anyhow::Result<&'static RuleSet> {
    if name == DECLARED {
        bail!(
            "`{DECLARED}` is what .spv, .wgsl and .glsl files say themselves: declarations cannot be laid out under it"
        );
    }
    let known = || table().iter().map(|rules| rules.name).collect::<Vec<_>>().join(", ");
    find(name).with_context(|| format!("unknown rule set `{name}`; known are {}", known()))
}
