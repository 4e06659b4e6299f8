//! The explorer of the site: turns text typed on the page into byte maps, bindings, padding and
//! texts to copy.
//!
//! Compiled to WebAssembly and called by a Web Worker of the page, which ends it if it takes too
//! long or crashes. A request is JSON, [`ExploreRequest`]. The core crate parses and lays out its
//! text like `layoutproof show`, and draws it with the same functions. Nothing here reads a file or
//! uses a network.
#![forbid(unsafe_code)]

mod answer;
mod choices;
mod reading;
mod request;
mod texts;

pub use answer::{ExploreAnswer, ExploreProblem, PaddingAnswer, TextEdit, explore, padding};
pub use choices::{ExplorerChoices, choices};
pub use reading::{EXPLORED_FILE_STEM, ExploreReading};
pub use request::{CopiedText, ExploreMatrix, ExploreRequest};
pub use texts::{NothingToCopy, copied_text};
use wasm_bindgen::prelude::wasm_bindgen;

/// Answers the [`ExploreRequest`] in `request` with an [`ExploreAnswer`].
#[wasm_bindgen(js_name = explore)]
pub fn explore_json(request: &str) -> Result<String, String> {
    let request: ExploreRequest = serde_json::from_str(request).map_err(|error| error.to_string())?;
    serde_json::to_string(&explore(&request)).map_err(|error| error.to_string())
}

/// Answers the [`ExploreRequest`] in `request` with a [`PaddingAnswer`].
#[wasm_bindgen(js_name = padding)]
pub fn padding_json(request: &str) -> Result<String, String> {
    let request: ExploreRequest = serde_json::from_str(request).map_err(|error| error.to_string())?;
    serde_json::to_string(&padding(&request)).map_err(|error| error.to_string())
}

/// The text to copy of the kind `kind`, for the [`ExploreRequest`] in `request`.
#[wasm_bindgen(js_name = copiedText)]
pub fn copied_text_json(request: &str, kind: &str) -> Result<String, String> {
    let request: ExploreRequest = serde_json::from_str(request).map_err(|error| error.to_string())?;
    let kind = CopiedText::named(kind).ok_or_else(|| format!("no text is called `{kind}`"))?;
    copied_text(&request, kind).map_err(|error| error.to_string())
}

/// The [`ExplorerChoices`] as JSON.
#[wasm_bindgen(js_name = choices)]
pub fn choices_json() -> Result<String, String> {
    serde_json::to_string(&choices()).map_err(|error| error.to_string())
}
