//! The files of the packages: Rust, npm and Python, each with the same data.

use crate::VERSION;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageFile {
    /// Path with `/`.
    pub path: String,
    pub text: String,
}

/// The files of all packages, from the texts of `vectors.json` and `rules.json`.
pub fn packages(vectors: &str, rules: &str) -> Vec<PackageFile> {
    let mut files = Vec::new();
    let mut add = |path: &str, text: &str| {
        files.push(PackageFile { path: path.to_owned(), text: text.replace("@VERSION@", VERSION) });
    };
    add("README.md", include_str!("../packages/README.md"));
    for (package, data) in [("rust", "rust/data"), ("npm", "npm"), ("python", "python/layoutproof_vectors")] {
        add(&format!("{package}/README.md"), include_str!("../packages/README.md"));
        add(&format!("{data}/vectors.json"), vectors);
        add(&format!("{data}/rules.json"), rules);
        add(&format!("{data}/vectors.schema.json"), crate::VECTORS_SCHEMA);
    }
    add("rust/Cargo.toml", include_str!("../packages/rust/Cargo.toml.in"));
    add("rust/src/lib.rs", include_str!("../packages/rust/lib.rs"));
    add("rust/src/format.rs", include_str!("format.rs"));
    add("npm/package.json", include_str!("../packages/npm/package.json"));
    add("npm/index.js", include_str!("../packages/npm/index.js"));
    add("npm/index.d.ts", include_str!("../packages/npm/index.d.ts"));
    add("python/pyproject.toml", include_str!("../packages/python/pyproject.toml"));
    add("python/layoutproof_vectors/__init__.py", include_str!("../packages/python/__init__.py"));
    files
}
