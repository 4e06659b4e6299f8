//! `layoutproof-bindgen FILE.wasm FOLDER` writes the module for browsers, and the script that calls
//! it, to the folder.
//! It does the same as `wasm-bindgen --target no-modules`, through its library. A classic worker
//! can load the script.

use std::env;

use anyhow::bail;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [module, folder] = arguments.as_slice() else {
        bail!("usage: layoutproof-bindgen FILE.wasm FOLDER");
    };
    let mut bindgen = Bindgen::new();
    bindgen.input_path(module).no_modules(true)?.typescript(false);
    bindgen.remove_name_section(true).remove_producers_section(true);
    bindgen.generate(folder)
}
