//! Reads the tests of a checkout of LLVM's offload test suite, to compare their declarations with
//! those of cases.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, bail};
use layoutproof_exports::BlockSignature;
use layoutproof_layout::LayoutOptions;
use layoutproof_layout::shape::MatrixOrder;

const SUFFIX: &str = "test";

#[derive(Debug, Default)]
pub(super) struct SuiteTree {
    pub(super) tests: usize,
    /// Number of shaders that layoutproof cannot parse.
    pub(super) unread: usize,
    declared: BTreeSet<BlockSignature>,
}

impl SuiteTree {
    pub(super) fn read(folder: &Path) -> anyhow::Result<Self> {
        let mut tree = Self::default();
        tree.add_folder(folder)?;
        if tree.tests == 0 {
            bail!("{} has no tests (files that end in .{SUFFIX})", folder.display());
        }
        Ok(tree)
    }

    /// True if a test declares a block with these members.
    pub(super) fn declares(&self, signature: &BlockSignature) -> bool {
        self.declared.contains(signature)
    }

    /// Number of distinct blocks in all tests.
    pub(super) fn blocks(&self) -> usize {
        self.declared.len()
    }

    fn add_folder(&mut self, folder: &Path) -> anyhow::Result<()> {
        let reading = || format!("reading {}", folder.display());
        for entry in fs::read_dir(folder).with_context(reading)? {
            let entry = entry.with_context(reading)?;
            let (path, kind) = (entry.path(), entry.file_type().with_context(reading)?);
            if kind.is_dir() {
                self.add_folder(&path)?;
            } else if kind.is_file() && path.extension().is_some_and(|extension| extension == SUFFIX) {
                let bytes = fs::read(&path).with_context(|| format!("reading {}", path.display()))?;
                self.add_test(&String::from_utf8_lossy(&bytes));
            }
        }
        Ok(())
    }

    fn add_test(&mut self, text: &str) {
        self.tests += 1;
        let is_by_rows = text.lines().any(|line| line.contains("RUN:") && line.contains("-Zpr"));
        let matrix = if is_by_rows { MatrixOrder::Row } else { MatrixOrder::Column };
        let options = LayoutOptions { matrix, ..LayoutOptions::default() };

        for shader in shaders(text) {
            match BlockSignature::of_text(&shader, options) {
                Some(signatures) => self.declared.extend(signatures),
                None => self.unread += 1,
            }
        }
    }
}

/// The shaders of a test: the parts that `split-file` writes to files ending in `.hlsl`.
fn shaders(text: &str) -> Vec<String> {
    let mut shaders: Vec<String> = Vec::new();
    let mut is_shader = false;
    for line in text.lines() {
        let part = ["#--- ", "//--- "].iter().find_map(|mark| line.strip_prefix(mark));
        match part {
            Some(name) => {
                is_shader = Path::new(name.trim()).extension().is_some_and(|extension| extension == "hlsl");
                shaders.extend(is_shader.then(String::new));
            }
            None if is_shader => {
                if let Some(shader) = shaders.last_mut() {
                    shader.push_str(line);
                    shader.push('\n');
                }
            }
            None => {}
        }
    }
    shaders
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: &str = "#--- source.hlsl\ncbuffer A : register(b0) { float3 a; float b; };\nvoid main() {}\n\
                        //--- pipeline.yaml\n---\nShaders:\n...\n#--- end\n# RUN: %dxc_target -T cs_6_0\n";

    fn signature(text: &str, matrix: MatrixOrder) -> BlockSignature {
        let options = LayoutOptions { matrix, ..LayoutOptions::default() };
        BlockSignature::of_text(text, options).unwrap().remove(0)
    }

    #[test]
    fn a_test_is_known_by_what_it_declares() {
        let mut tree = SuiteTree::default();
        tree.add_test(TEST);
        assert!(tree.declares(&signature("cbuffer S { float3 x; float y; };", MatrixOrder::Column)));
        assert!(!tree.declares(&signature("cbuffer S { float4 x; };", MatrixOrder::Column)));
        tree.add_test("#--- a.hlsl\nthis is no shader\n");
        assert_eq!((tree.tests, tree.unread, tree.blocks()), (2, 1, 1));
    }

    #[test]
    fn the_order_of_matrices_is_that_of_the_command_line() {
        let mut tree = SuiteTree::default();
        let matrix = TEST.replace("float3 a; float b;", "float2x3 m;");
        tree.add_test(&matrix.replace("cs_6_0", "cs_6_0 -Zpr"));
        let own = "cbuffer S { float2x3 m; };";
        assert!(
            tree.declares(&signature(own, MatrixOrder::Row)) && !tree.declares(&signature(own, MatrixOrder::Column))
        );
    }
}
