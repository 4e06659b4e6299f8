//! The stage of a draw that an entry point's varyings belong to.

use layoutproof_layout::Argument;

use crate::module::EntryPoint;

/// The stages that a draw of the probe has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DrawStage {
    /// Vertex.
    Vertex,
    /// Fragment.
    Fragment,
}

/// The stage of `entry` by its `[shader("...")]`, else by `profile` (`vs_6_0`, `ps_6_0`); `None` for any other.
pub(super) fn of(entry: Option<&EntryPoint>, profile: Option<&str>) -> Option<DrawStage> {
    let attribute = entry.and_then(|entry| entry.annotations.attribute(None, "shader"));
    let named = attribute.and_then(|attribute| match attribute.arguments.first()? {
        Argument::Text(stage) => Some(stage.as_str()),
        Argument::Integer(_) | Argument::Other(_) => None,
    });
    match named.or_else(|| profile?.split('_').next())? {
        "vertex" | "vs" => Some(DrawStage::Vertex),
        "fragment" | "pixel" | "ps" => Some(DrawStage::Fragment),
        _ => None,
    }
}
