//! The run of all cases on the GPU of a visitor's browser, compiled to WebAssembly for the site.
//!
//! `gpu.mjs` of the site calls it. Nothing here reads a file, uses a network or knows WebGPU: jobs go out as messages to
//! `host.mjs`, and its answers come back.
#![forbid(unsafe_code)]

mod gpu_run;

use std::time::Duration;

pub use gpu_run::{GpuProgress, GpuRun, GpuRunError, Tally};
use wasm_bindgen::prelude::wasm_bindgen;

/// [`GpuRun`] for the page: answers and progress are JSON, times are milliseconds.
#[wasm_bindgen(js_name = GpuRun)]
#[derive(Debug)]
pub struct PageRun(GpuRun);

#[wasm_bindgen(js_class = GpuRun)]
impl PageRun {
    /// Plans the run. `opened` is what `host.mjs` says about an opened device.
    #[wasm_bindgen(constructor)]
    pub fn new(opened: &str) -> Result<Self, String> {
        let opened = serde_json::from_str(opened).map_err(|error| error.to_string())?;
        GpuRun::new(&opened).map(Self).map_err(|error| error.to_string())
    }

    pub fn progress(&self) -> String {
        serde_json::to_string(&self.0.progress()).expect("progress has only numbers and texts")
    }

    #[wasm_bindgen(js_name = next)]
    pub fn next_check(&mut self) -> Option<String> {
        self.0.next_check()
    }

    pub fn answer(&mut self, answers: &str, took: u32) -> Result<(), String> {
        self.0.answer(answers, Duration::from_millis(took.into())).map_err(|error| error.to_string())
    }

    pub fn records(&self, took: u32) -> String {
        self.0.records(Duration::from_millis(took.into()))
    }

    pub fn page(&self, took: u32) -> String {
        self.0.page(Duration::from_millis(took.into()))
    }

    pub fn failures(&self) -> String {
        self.0.failures()
    }
}
