//! The explorer of the site: what is typed on the page goes in, byte maps, bindings, padding and texts to copy come out.
//!
//! Compiled to WebAssembly and called by a Web Worker of the page, which ends it when it takes too long or crashes. A question
//! is JSON, [`ExploreRequest`]; it is read and laid out by the core as `layoutproof show` does it, and drawn by the same
//! functions. Nothing here reads a file or reaches a network.
#![forbid(unsafe_code)]

mod answer;
mod case_text;
mod choices;
mod reading;
mod request;
mod texts;

pub use answer::{ExploreAnswer, ExploreProblem, explore};
pub use choices::{ExplorerChoices, choices};
pub use reading::{EXPLORED_FILE_STEM, ExploreReading};
pub use request::{CopiedText, ExploreMatrix, ExploreRequest};
pub use texts::copied_text;
use wasm_bindgen::prelude::wasm_bindgen;

/// Answers the [`ExploreRequest`] in `request` with an [`ExploreAnswer`].
///
/// # Errors
/// A sentence about a request that is no such JSON.
#[wasm_bindgen(js_name = explore)]
pub fn explore_json(request: &str) -> Result<String, String> {
    let request: ExploreRequest = serde_json::from_str(request).map_err(|error| error.to_string())?;
    serde_json::to_string(&explore(&request)).map_err(|error| error.to_string())
}

/// The text of the kind that `kind` names, for the [`ExploreRequest`] in `request`.
///
/// # Errors
/// A sentence about a request that is no such JSON, or why there is no such text.
#[wasm_bindgen(js_name = copiedText)]
pub fn copied_text_json(request: &str, kind: &str) -> Result<String, String> {
    let request: ExploreRequest = serde_json::from_str(request).map_err(|error| error.to_string())?;
    let kind = CopiedText::named(kind).ok_or_else(|| format!("no text is called `{kind}`"))?;
    copied_text(&request, kind)
}

/// The [`ExplorerChoices`].
///
/// # Errors
/// None: they can be written as JSON.
#[wasm_bindgen(js_name = choices)]
pub fn choices_json() -> Result<String, String> {
    serde_json::to_string(&choices()).map_err(|error| error.to_string())
}
