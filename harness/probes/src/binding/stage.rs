//! Finds the draw stage of an entry point's varyings.

use layoutproof_layout::Argument;

use layoutproof_frontend::module::EntryPoint;

/// The stages of the probe's draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DrawStage {
    Vertex,
    Fragment,
}

/// Returns the stage of `entry` from its `[shader("...")]`, else from `profile` (`vs_6_0`,
/// `ps_6_0`); `None` for any other stage.
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
