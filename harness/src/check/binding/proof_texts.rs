//! Prepares the shader texts for the record of a placement that a device reads differently.

use std::collections::BTreeSet;

use layoutproof_device::Shader;

use super::binding_jobs::ProofAnswers;
use super::binding_shaders::{ProofCheck, ProofModule};
use crate::check::shader_texts::{MOST_MODULES, ShaderText, disassembled};
use crate::check::verdict::{CodeOrigin, differing};
use layoutproof_events::producer::Producer;
use layoutproof_events::{RecordedShader, Row};
use layoutproof_probes::binding::ENTRY;

/// Limit on the parameters in a shader's name. For the rest it gives a count.
const NAMED_PARAMETERS: usize = 3;

impl ProofCheck {
    /// Returns the texts of the modules that read from a wrong place. If there are none (the case
    /// differs, or a module is refused or invalid), returns the modules that bind a differing
    /// parameter, or else the first modules.
    pub(super) fn shader_texts(&self, rows: &[Row], code: CodeOrigin, answers: &ProofAnswers) -> Vec<RecordedShader> {
        let modules = &self.proof.modules;
        let mut shown: Vec<&ProofModule> = answers.wrong_modules().into_iter().map(|index| &modules[index]).collect();
        if shown.is_empty() {
            let differing: BTreeSet<&str> =
                differing(rows, code).into_iter().map(|(index, _)| rows[index].path.as_str()).collect();
            let binds_one = |module: &&ProofModule| {
                module.program.bound.iter().any(|probed| differing.contains(probed.path.as_str()))
            };
            shown = modules.iter().filter(binds_one).collect();
        }
        if shown.is_empty() {
            shown = modules.iter().collect();
        }
        shown.into_iter().take(MOST_MODULES).flat_map(|module| self.texts_of(module)).collect()
    }

    /// Lists the compiler's input before its output.
    fn texts_of(&self, module: &ProofModule) -> Vec<RecordedShader> {
        let language = match self.proof.producer {
            Producer::Compiler(toolchain) => toolchain.language(),
            Producer::Generator(_) => None,
        };
        let given = language.zip(module.source.as_ref()).map(|(language, text)| ShaderText {
            form: language.title(),
            suffix: language.suffixes()[0],
            text: text.clone(),
        });
        let made = match &module.shader {
            Shader::Spirv(words) => disassembled("SPIR-V (disassembly)", words),
            Shader::Wgsl(text) => Some(ShaderText { form: "WGSL", suffix: "wgsl", text: text.clone() }),
            // Containers are binary, and no device runs the other forms here.
            _ => None,
        };
        let listing = module.listing.as_ref().map(|text| ShaderText {
            form: "DXIL (listing)",
            suffix: "dxil.txt",
            text: text.clone(),
        });

        let parameters = parameters(module);
        let texts = given.into_iter().chain(made).chain(listing);
        texts.map(|text| text.recorded(&parameters, &[self.proof.placed.source.reserved.entry(ENTRY)])).collect()
    }
}

/// Formats the names as `a, b, c and 2 more`.
fn parameters(module: &ProofModule) -> String {
    let mut names: Vec<&str> = Vec::new();
    for probed in &module.program.bound {
        if !names.contains(&probed.path.as_str()) {
            names.push(&probed.path);
        }
    }
    let told = names.iter().take(NAMED_PARAMETERS).copied().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMED_PARAMETERS) {
        0 => told,
        others => format!("{told} and {others} more"),
    }
}
