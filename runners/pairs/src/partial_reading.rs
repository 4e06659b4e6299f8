//! Reads a shader that all readers refuse without the declarations that they refuse. What is left has no error, so its
//! blocks need nothing of the rest.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use layoutproof_layout::FileId;
use layoutproof_show::front_ends::FrontEnd;
use layoutproof_source::diagnostics::{Code, Diagnostic, Severity};
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::SourceMap;
use layoutproof_source::text_limits::glsl_words;
use layoutproof_source::top_level::{TopLevel, without};

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
    let Some(FrontEnd::Text(front_end)) = FrontEnd::of(job.declare.lang, &job.path) else { return Ok(None) };
    let (mut problems, mut sources) = (problems.to_vec(), sources.clone());
    let mut texts: BTreeMap<String, String> = (*job.declare.texts).clone();
    let mut macros: BTreeSet<String> = BTreeSet::new();
    for _ in 0..MOST_ROUNDS {
        let Some(changed) = without_problems(&problems, &sources, front_end.language) else { return Ok(None) };
        texts.extend(changed);
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
) -> Option<BTreeMap<String, String>> {
    let files: Vec<TopLevel> =
        sources.files().iter().map(|file| TopLevel::new(&file.text, language)).collect::<Option<_>>()?;
    let has_parts = files.iter().any(|file| file.includes_parts);
    let mut left_out: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    let mut macros: BTreeSet<&str> = BTreeSet::new();
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

/// True for errors about a name or a sign of a declaration. The others may concern what follows.
fn is_in_declaration(code: Code) -> bool {
    matches!(
        code,
        Code::UnknownType | Code::UnknownConstant | Code::NotConstant | Code::UnexpectedToken | Code::BadModule
    )
}
