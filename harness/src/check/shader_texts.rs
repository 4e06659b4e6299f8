//! Prepares the shaders of a differing check as texts for its record.

use rspirv::binary::Disassemble;

use crate::check::check::Check;
use crate::check::produce::shader_module::{ModuleCode, ModuleSource, ShaderModule};
use crate::check::verdict::{CodeOrigin, differing};
use layoutproof_events::{Access, RecordedShader, Row};
use layoutproof_readers::spirv::load;

/// Limit on the modules in a record.
pub(super) const MOST_MODULES: usize = 2;
/// Limit on each text in a record, in bytes.
const MOST_BYTES: usize = 16 << 10;

/// A readable form of a module.
#[derive(Clone, Debug)]
pub struct ShaderText {
    /// The form's name: `HLSL`, `SPIR-V (disassembly)` ...
    pub form: &'static str,
    /// The usual suffix of its files.
    pub suffix: &'static str,
    pub text: String,
}

impl ShaderText {
    /// Shortens the text for a record. `subject` names the block or the parameters that the entry
    /// points read.
    pub(super) fn recorded(self, subject: &str, entries: &[String]) -> RecordedShader {
        let Self { form, mut text, .. } = self;
        let end = whole_characters(&text, MOST_BYTES);
        let left_out = (text.len() - end) as u64;
        text.truncate(end);
        RecordedShader { block: subject.to_owned(), entries: entries.to_vec(), form: form.to_owned(), text, left_out }
    }
}

impl Check {
    /// Returns the texts of the modules that gave the differing rows. If no module did (a report
    /// differs, or a module is invalid), returns the first modules. A compiler's input comes before
    /// its output.
    pub(super) fn shader_texts(&self, rows: &[Row], code: CodeOrigin) -> Vec<RecordedShader> {
        let differing = differing(rows, code);
        let wrong: Vec<&Row> = differing.iter().map(|(index, _)| &rows[*index]).collect();
        let modules = &self.produced.modules;
        let has_answered = |module: &&ShaderModule| wrong.iter().any(|row| gave(module, row));
        let mut shown: Vec<&ShaderModule> = modules.iter().filter(has_answered).take(MOST_MODULES).collect();
        if shown.is_empty() {
            shown = modules.iter().take(MOST_MODULES).collect();
        }
        shown.into_iter().flat_map(texts_of).collect()
    }
}

/// Returns true if the module's shader reads or writes the row's leaf in the row's space,
/// direction, stage and form.
fn gave(module: &ShaderModule, row: &Row) -> bool {
    let block = &module.layout.name;
    let is_of_block = names_block(&row.path, block);
    let is_asked = module.plan.entries.iter().any(|entry| {
        row.access.is_some_and(|Access { space, stage, direction, form }| {
            let has_form = form.is_none_or(|form| entry.forms.contains(&form));
            (entry.space, entry.stage, entry.direction) == (space, stage, direction) && has_form
        })
    });
    is_of_block && is_asked
}

fn texts_of(module: &ShaderModule) -> Vec<RecordedShader> {
    let block = &module.layout.name;
    let entries: Vec<String> = module.plan.entries.iter().map(|entry| entry.name.clone()).collect();
    module.texts().into_iter().map(|text| text.recorded(block, &entries)).collect()
}

/// Returns true if a row's path is in this block.
pub(super) fn names_block(path: &str, block: &str) -> bool {
    path.strip_prefix(block).is_some_and(|rest| rest.is_empty() || !is_name(rest))
}

/// Returns true if the rest of a path continues the same name.
fn is_name(rest: &str) -> bool {
    rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_')
}

impl ShaderModule {
    /// Returns the readable forms: the compiler's input and its output.
    pub fn texts(&self) -> Vec<ShaderText> {
        let given =
            |ModuleSource { language, text }: &ModuleSource| as_text(language.title(), language.suffixes()[0], text);
        let mut texts: Vec<ShaderText> = self.source.iter().map(given).collect();

        match &self.code {
            ModuleCode::Naga { wgsl, spirv } => {
                texts.push(as_text("WGSL", "wgsl", wgsl));
                texts.extend(disassembled("SPIR-V that naga made of the WGSL (disassembly)", spirv));
            }
            ModuleCode::Wgsl(wgsl) => texts.push(as_text("WGSL", "wgsl", wgsl)),
            ModuleCode::Spirv(words) => texts.extend(disassembled("SPIR-V (disassembly)", words)),
            ModuleCode::Dxil { listing, .. } => texts.push(as_text("DXIL (listing)", "dxil.txt", listing)),
            ModuleCode::Dxbc { spirv, .. } => {
                texts.extend(disassembled("SPIR-V that vkd3d made of the DXBC (disassembly)", spirv));
            }
            ModuleCode::ClangIr(ir) => texts.push(as_text("LLVM IR", "ll", ir)),
        }
        texts
    }
}

fn as_text(form: &'static str, suffix: &'static str, text: &str) -> ShaderText {
    ShaderText { form, suffix, text: text.to_owned() }
}

/// Disassembles SPIR-V; `None` if the words are not a module.
pub(super) fn disassembled(form: &'static str, words: &[u32]) -> Option<ShaderText> {
    let module = load(words).ok()?;
    Some(ShaderText { form, suffix: "spvasm", text: module.disassemble() })
}

/// Returns the largest number of bytes up to `most` that ends at a character boundary.
fn whole_characters(text: &str, most: usize) -> usize {
    let start = most.min(text.len());
    (0..=start).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!([whole_characters("ab", 9), whole_characters("aä", 2), whole_characters("aä", 3)], [2, 1, 3]);
    }

    #[test]
    fn a_name_that_begins_alike_is_another() {
        assert_eq!([is_name("s.a"), is_name(".a"), is_name("[0]"), is_name("_2")], [true, false, false, true]);
    }
}
