//! Reads a shader that all readers refuse without the declarations that they refuse. What is left has no error, so its
//! blocks need nothing of the rest.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use layoutproof_inputs::shared_suffixes::language_of_file;
use layoutproof_layout::FileId;
use layoutproof_show::front_ends::FrontEnd;
use layoutproof_source::diagnostics::{Code, Diagnostic, Severity};
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::SourceMap;
use layoutproof_source::text_limits::{glsl_tokens, glsl_words, placed_glsl_tokens};
use layoutproof_source::top_level::{TopLevel, is_like_macro, without};

use crate::shader_blocks::{ShaderBlocks, ShaderJob, read_without_compilers};

/// Most attempts. Each leaves out what depends on the declarations of the one before, and glslang names one error at a time.
const MOST_ROUNDS: usize = 12;

/// What is read of a shader that has problems.
#[derive(Debug)]
pub struct PartialReading {
    pub read: ShaderBlocks,
    pub sources: SourceMap,
    /// The macros that the rest needs.
    pub macros: BTreeSet<String>,
}

/// The blocks of a shader with these problems, without the declarations that have them; `None` if these cannot be told from
/// the others, or no block is left.
///
/// # Errors
/// The file can no longer be read.
pub fn read_in_part(
    job: &ShaderJob,
    problems: &[Diagnostic],
    sources: &SourceMap,
) -> anyhow::Result<Option<PartialReading>> {
    let Some(FrontEnd::Text(front_end)) = FrontEnd::of(language_of_file(job.declare.lang, &job.path), &job.path) else {
        return Ok(None);
    };
    let (mut problems, mut sources) = (problems.to_vec(), sources.clone());
    let mut texts = (*job.declare.texts).clone();
    let is_glsl = front_end.language == ShaderLanguage::Glsl;
    let mut macros = if is_glsl { missing_types(&sources, &job.declare.define) } else { BTreeSet::new() };
    for _ in 0..MOST_ROUNDS {
        let Some(changed) = without_problems(&problems, &sources, front_end.language, &macros) else { return Ok(None) };
        for (name, text) in changed {
            texts.insert(name, text);
        }
        macros.extend(problems.iter().flat_map(Diagnostic::missing_macros).cloned());
        let mut reduced = job.clone();
        reduced.declare.texts = Arc::new(texts.clone());
        sources = SourceMap::default();
        match read_without_compilers(&reduced, &mut sources)? {
            Ok(read) if read.blocks.is_empty() => return Ok(None),
            Ok(read) => return Ok(Some(PartialReading { read, sources, macros })),
            Err(found) => problems = found,
        }
    }
    Ok(None)
}

/// The files that change if the declarations with these problems are left out, with their new texts; `None` if a problem
/// is in no declaration, or others may depend on one without naming it.
fn without_problems(
    problems: &[Diagnostic],
    sources: &SourceMap,
    language: ShaderLanguage,
    known: &BTreeSet<String>,
) -> Option<BTreeMap<String, String>> {
    let files: Vec<TopLevel> =
        sources.files().iter().map(|file| TopLevel::new(&file.text, language)).collect::<Option<_>>()?;
    let has_parts = files.iter().any(|file| file.includes_parts);
    let mut left_out: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    let mut macros: BTreeSet<&str> = known.iter().map(String::as_str).collect();
    for problem in problems.iter().filter(|problem| problem.severity == Severity::Error) {
        let span = problem.span();
        let index = Some(span.file.0 as usize)
            .filter(|index| is_in_declaration(problem.code) && (*index == 0 || !has_parts))?;
        let text = &sources.file(FileId(span.file.0)).text;
        // glslang names lines.
        let line_end =
            text.get(span.start as usize..)?.find('\n').map_or(text.len(), |length| span.start as usize + length);
        let end = if span.end > span.start { span.end as usize } else { line_end };
        let is_hit = |range: &Range<usize>| range.start < end && span.start as usize <= range.end;
        let hits = files[index].declarations.iter().enumerate().filter(|(_, declaration)| is_hit(&declaration.range));
        let hits: Vec<usize> = hits.map(|(hit, _)| hit).collect();
        if hits.is_empty() || hits.iter().any(|hit| files[index].declarations[*hit].is_default(text)) {
            return None;
        }
        left_out.entry(index).or_default().extend(hits);
        macros.extend(problem.missing_macros().iter().map(String::as_str));
    }
    for (index, file) in files.iter().enumerate().filter(|(index, _)| *index == 0 || !has_parts) {
        let text = &sources.files()[index].text;
        for (own, declaration) in file.declarations.iter().enumerate() {
            // No block depends on the body of a function, where glslang reports one error after the other.
            let is_idle = language == ShaderLanguage::Glsl && declaration.is_function;
            let needs_macro = || {
                let words = glsl_words(&text[declaration.range.clone()]);
                words.iter().any(|word| macros.contains(word)) && !declaration.is_default(text)
            };
            if is_idle || (!macros.is_empty() && needs_macro()) {
                left_out.entry(index).or_default().insert(own);
            }
        }
    }
    let changed = left_out.into_iter().map(|(index, own)| {
        let file = &sources.files()[index];
        let ranges = own.into_iter().map(|declaration| files[index].declarations[declaration].range.clone());
        (file.name.clone(), without(&file.text, ranges, language))
    });
    Some(changed.collect())
}

/// The names of types that GLSL certainly lacks, such as `A_TYPE`: macros without a definition, right before another name in a
/// declaration that no condition hides. glslang ends at the first, and each of the others would take a start of it.
pub(crate) fn missing_types(sources: &SourceMap, defines: &[String]) -> BTreeSet<String> {
    let files = sources.files();
    let words_of =
        |directive: &str| glsl_tokens(directive.trim_start_matches('#')).map(str::to_owned).collect::<Vec<_>>();
    let mut known: BTreeSet<String> =
        defines.iter().filter_map(|word| Some(word.split(['=', '(']).next()?.to_owned())).collect();
    for file in files {
        let tokens: Vec<&str> = glsl_tokens(&file.text).collect();
        known.extend(tokens.windows(2).filter(|pair| pair[0] == "struct").map(|pair| pair[1].to_owned()));
        let definitions = tokens.iter().filter(|token| token.starts_with('#')).map(|directive| words_of(directive));
        known.extend(definitions.filter(|words| words.first().is_some_and(|word| word == "define")).flatten().skip(1));
    }

    // The file itself, and those that it includes under no condition.
    let mut open: Vec<usize> = vec![0];
    let mut missing = BTreeSet::new();
    let mut place = 0;
    while let Some(file) = open.get(place).and_then(|file| files.get(*file)) {
        place += 1;
        let Some(top) = TopLevel::new(&file.text, ShaderLanguage::Glsl) else { continue };
        let is_declared = |start: usize| {
            top.declarations.iter().any(|declaration| !declaration.is_function && declaration.range.contains(&start))
        };
        let mut depth = 0_usize;
        let tokens: Vec<(usize, &str)> = placed_glsl_tokens(&file.text).collect();
        for (index, (start, token)) in tokens.iter().enumerate() {
            if !token.starts_with('#') {
                let is_type = tokens.get(index + 1).is_some_and(|(_, next)| next.starts_with(char::is_alphabetic));
                if depth == 0 && is_type && is_like_macro(token) && !known.contains(*token) && is_declared(*start) {
                    missing.insert((*token).to_owned());
                }
                continue;
            }
            match words_of(token).first().map(String::as_str) {
                Some("if" | "ifdef" | "ifndef") => depth += 1,
                Some("endif") => depth = depth.saturating_sub(1),
                Some("include") if depth == 0 => {
                    let name = token.split(['"', '<', '>']).nth(1).unwrap_or_default();
                    let is_it = |other: &str| Path::new(other).ends_with(name) && !name.is_empty();
                    let included = files.iter().position(|other| is_it(&other.name));
                    open.extend(included.filter(|included| !open.contains(included)));
                }
                _ => {}
            }
        }
    }
    missing
}

/// True for errors about a name or a sign of a declaration. The others may concern what follows.
fn is_in_declaration(code: Code) -> bool {
    matches!(
        code,
        Code::UnknownType | Code::UnknownConstant | Code::NotConstant | Code::UnexpectedToken | Code::BadModule
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing(files: &[(&str, &str)], defines: &[&str]) -> String {
        let mut sources = SourceMap::default();
        for (name, text) in files {
            sources.add((*name).to_owned(), *text);
        }
        let defines: Vec<String> = defines.iter().map(|word| (*word).to_owned()).collect();
        missing_types(&sources, &defines).into_iter().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn types_without_a_definition_are_certainly_missing() {
        let main = "#version 450\n#include \"types.glsl\"\nlayout(binding = 0) buffer A { A_TYPE a[]; };\n\
                    layout(binding = 1) buffer B { B_TYPE b[]; };\nuint count(BLOCK_SIZE x) { return N; }\n\
                    #ifdef HALF\nbuffer C { C_TYPE c[]; };\n#endif\nlayout(constant_id = 0) const uint LANES = 4;\n";
        let types = "struct Item { ITEM_TYPE value; OTHER x; };\n#ifndef OTHER\n#define OTHER float\n#endif\n";
        let files = [("k.comp", main), ("shaders/types.glsl", types)];
        assert_eq!(missing(&files, &[]), "A_TYPE B_TYPE ITEM_TYPE");
        assert_eq!(missing(&files, &["A_TYPE=float", "ITEM_TYPE"]), "B_TYPE");
        // A condition may hide what a file has, and what it includes.
        let hidden = main.replace("#include \"types.glsl\"", "#if 1\n#include \"types.glsl\"\n#endif");
        assert_eq!(missing(&[("k.comp", &hidden), ("types.glsl", types)], &[]), "A_TYPE B_TYPE");
        assert_eq!(missing(&[("k.comp", "struct A_TYPE { uint a; }; buffer A { A_TYPE a[]; };")], &[]), "");
    }
}
