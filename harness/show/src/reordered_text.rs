//! Writes the members of a struct in another order, as an edit of the user's own text with its unified diff.
//!
//! Works on the characters between the braces: it splits them into declarations and knows the names
//! that each one declares, in HLSL, Slang, GLSL (`float a, b[2];`) and WGSL (`a: f32,`). Comments go
//! with the declaration below or beside them. Text that it does not understand, such as directives
//! or methods, has no diff.

use std::fmt::Write as _;
use std::ops::Range;

use layoutproof_source::shader_language::ShaderLanguage;

/// Lines around a change.
const CONTEXT: usize = 3;
/// Bodies with more lines have no diff.
const MAX_LINES: usize = 4000;

/// The body of the struct whose members are `names`: the text between the braces around `inside`, a
/// byte of one of the members.
pub(crate) fn body_around(text: &str, inside: usize) -> Option<Range<usize>> {
    let mut open = Vec::new();
    for (at, letter) in code(text) {
        match letter {
            '{' if at < inside => open.push(at),
            '}' if at < inside => {
                open.pop();
            }
            '{' => open.push(at),
            '}' => {
                let start = open.pop()?;
                if start < inside {
                    return Some(start + 1..at);
                }
            }
            _ => {}
        }
    }
    None
}

/// The body of the struct or block `name`, for texts without places.
pub(crate) fn body_named(text: &str, name: &str) -> Option<Range<usize>> {
    let letters: Vec<(usize, char)> = code(text).collect();
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    for (at, _) in text.match_indices(name) {
        let before = text[..at].chars().next_back();
        let rest = &text[at + name.len()..];
        let is_whole = before.is_none_or(|letter| !is_word(letter)) && rest.trim_start().starts_with('{');
        if is_whole && letters.binary_search_by_key(&at, |(at, _)| *at).is_ok() {
            let brace = at + name.len() + rest.find('{')?;
            return body_around(text, brace + 1).or_else(|| body_around(text, brace + 2));
        }
    }
    None
}

/// The members of a struct in another order, in the user's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReorderedText {
    /// The name of the file.
    pub file: String,
    /// The bytes between the braces.
    pub body: Range<usize>,
    /// The text to write in their place.
    pub text: String,
    /// The same as a unified diff of the file.
    pub diff: String,
}

/// Gives the members of a body another order. `names` are the members in declaration order, `order`
/// their indices in the new one.
pub(crate) fn reordered(
    file: &str,
    text: &str,
    body: Range<usize>,
    names: &[&str],
    order: &[usize],
    language: ShaderLanguage,
) -> Option<ReorderedText> {
    let declarations = declarations(text, body.clone(), language)?;
    let declared: Vec<&str> = declarations.iter().flat_map(|it| it.names.iter().map(String::as_str)).collect();
    if declared != names {
        return None;
    }
    let new_body = rewritten(text, &body, &declarations, order, language)?;
    let new = format!("{}{new_body}{}", &text[..body.start], &text[body.end..]);
    let diff = unified(file, text, &new)?;
    Some(ReorderedText { file: file.to_owned(), body, text: new_body, diff })
}

/// The places of the names that the declarations of a body declare; `None` for text that is not understood.
pub(crate) fn declared_names(text: &str, body: Range<usize>, language: ShaderLanguage) -> Option<Vec<Range<usize>>> {
    let declarations = declarations(text, body, language)?;
    Some(declarations.into_iter().flat_map(|declaration| declaration.places).collect())
}

/// One declaration of a body: the code with its separator, and what it declares.
#[derive(Debug)]
struct Declaration {
    code: Range<usize>,
    names: Vec<String>,
    /// Where each name is.
    places: Vec<Range<usize>>,
    /// One declaration for each name: `float a;` and `float b;` of `float a, b;`.
    single: Vec<String>,
}

/// The characters that are code: no comments, no strings.
fn code(text: &str) -> impl Iterator<Item = (usize, char)> + '_ {
    let mut rest = text.char_indices().peekable();
    std::iter::from_fn(move || {
        loop {
            let (at, letter) = rest.next()?;
            match (letter, rest.peek().map(|(_, next)| *next)) {
                ('/', Some('/')) => {
                    while rest.peek().is_some_and(|(_, letter)| *letter != '\n') {
                        rest.next();
                    }
                }
                ('/', Some('*')) => {
                    rest.next();
                    let mut last = ' ';
                    for (_, letter) in rest.by_ref() {
                        if last == '*' && letter == '/' {
                            break;
                        }
                        last = letter;
                    }
                }
                ('"', _) => {
                    let mut last = ' ';
                    for (_, letter) in rest.by_ref() {
                        if letter == '"' && last != '\\' {
                            break;
                        }
                        last = letter;
                    }
                }
                _ => return Some((at, letter)),
            }
        }
    })
}

fn declarations(text: &str, body: Range<usize>, language: ShaderLanguage) -> Option<Vec<Declaration>> {
    let separator = if language == ShaderLanguage::Wgsl { ',' } else { ';' };
    let inside = code(&text[body.clone()]).map(|(at, letter)| (at + body.start, letter));
    let mut found = Vec::new();
    let mut start: Option<usize> = None;
    let mut end = body.start;
    let mut commas = Vec::new();
    let mut depth = 0_usize;
    for (at, letter) in inside {
        match letter {
            '#' => return None,
            _ if letter.is_whitespace() => continue,
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 && separator != ',' => commas.push(at),
            _ => {}
        }
        start.get_or_insert(at);
        end = at + letter.len_utf8();
        if letter == separator && depth == 0 {
            found.push(declaration(text, start.take()?..end, &std::mem::take(&mut commas), language)?);
        }
    }
    match start {
        // WGSL needs no comma after the last member.
        Some(start) if separator == ',' => {
            found.push(declaration(text, start..end, &[], language)?);
        }
        Some(_) => return None,
        None => {}
    }
    Some(found)
}

fn declaration(text: &str, code: Range<usize>, commas: &[usize], language: ShaderLanguage) -> Option<Declaration> {
    let words = &text[code.clone()];
    if language == ShaderLanguage::Wgsl {
        let head = words[..words.find(':')?].trim_end();
        let name = head.split_whitespace().next_back()?.to_owned();
        let end = code.start + head.len();
        let place = end - name.len()..end;
        return Some(Declaration {
            code,
            names: vec![name],
            places: vec![place],
            single: vec![words.trim_end_matches(',').to_owned()],
        });
    }
    if words.contains('{') || words.contains("/*") || words.contains("//") {
        return None;
    }
    let ends: Vec<usize> = commas.iter().copied().chain([code.end - 1]).collect();
    let starts: Vec<usize> = std::iter::once(code.start).chain(commas.iter().map(|comma| comma + 1)).collect();
    let (mut names, mut places, mut single) = (Vec::new(), Vec::new(), Vec::new());
    let mut ty = "";
    for (index, (start, end)) in starts.into_iter().zip(ends).enumerate() {
        let part = &text[start..end];
        let head = part[..name_end(part)].trim_end();
        let name = head.rsplit(|letter: char| !letter.is_alphanumeric() && letter != '_').next()?;
        if name.is_empty() {
            return None;
        }
        let at = head.len() - name.len();
        if index == 0 {
            ty = part[..at].trim_end();
            if ty.is_empty() {
                return None;
            }
        } else if !head[..at].trim().is_empty() {
            return None;
        }
        names.push(name.to_owned());
        places.push(start + at..start + head.len());
        single.push(format!("{ty} {};", part[at..].trim()));
    }
    if let [only] = single.as_mut_slice() {
        words.clone_into(only);
    }
    Some(Declaration { code, names, places, single })
}

/// Where a declarator's name ends: at its dimensions, its semantic or its value.
fn name_end(part: &str) -> usize {
    let letters = part.as_bytes();
    let is_colon = |at: usize| letters.get(at) == Some(&b':');
    let ends = |at: &usize| match letters[*at] {
        b'[' | b'=' => true,
        b':' => !(is_colon(at + 1) || at.checked_sub(1).is_some_and(is_colon)),
        _ => false,
    };
    (0..letters.len()).find(ends).unwrap_or(part.len())
}

/// The body with its declarations in the new order.
fn rewritten(
    text: &str,
    body: &Range<usize>,
    declarations: &[Declaration],
    order: &[usize],
    language: ShaderLanguage,
) -> Option<String> {
    let chunks = chunks(text, body, declarations);
    let owner: Vec<(usize, usize)> = (0..declarations.len())
        .flat_map(|index| (0..declarations[index].names.len()).map(move |member| (index, member)))
        .collect();
    let separator = if language == ShaderLanguage::Wgsl { "," } else { "" };
    let mut sequence = order.iter().map(|member| owner[*member]).peekable();

    // Whole lines move with their comments. Where several declarations share a line, only the code
    // changes places.
    if let Some(chunks) = chunks {
        let mut new = text[body.start..chunks.first()?.start].to_owned();
        while let Some((index, member)) = sequence.next() {
            let Declaration { code, names, single, .. } = &declarations[index];
            let chunk = &chunks[index];
            let mut taken = 1;
            while member == 0 && taken < names.len() && sequence.peek() == Some(&(index, taken)) {
                sequence.next();
                taken += 1;
            }
            let lines = &text[chunk.clone()];
            if taken == names.len() {
                let is_last = lines[..].trim_end().ends_with(single[0].as_str());
                let missing = if separator == "," && is_last { "," } else { "" };
                match lines.find(single[0].as_str()).filter(|_| !missing.is_empty()) {
                    Some(at) => {
                        let end = at + single[0].len();
                        new += &[&lines[..end], missing, &lines[end..]].concat();
                    }
                    None => new += lines,
                }
            } else {
                let before = if member == 0 { &text[chunk.start..code.start] } else { "" };
                let indent: String =
                    text[..code.start].rsplit('\n').next()?.chars().take_while(|c| c.is_whitespace()).collect();
                let first = if before.is_empty() { indent.clone() } else { before.to_owned() };
                for (place, single) in single[member..member + taken].iter().enumerate() {
                    new += if place == 0 { &first } else { &indent };
                    new += single;
                    new += "\n";
                }
            }
        }
        new += &text[chunks.last()?.end..body.end];
        return Some(new);
    }

    let mut new = String::new();
    let mut from = body.start;
    for Declaration { code, names, .. } in declarations {
        new += &text[from..code.start];
        let taken: Vec<(usize, usize)> = sequence.by_ref().take(names.len()).collect();
        let is_whole = taken.first().is_some_and(|(index, _)| {
            let whole = &declarations[*index];
            whole.names.len() == taken.len() && taken.iter().enumerate().all(|(place, it)| *it == (*index, place))
        });
        if is_whole {
            let whole = &declarations[taken[0].0].code;
            new += text[whole.clone()].trim_end_matches(',');
        } else {
            let singles: Vec<&str> =
                taken.iter().map(|(index, member)| declarations[*index].single[*member].as_str()).collect();
            new += &singles.join(" ");
        }
        if separator == "," && text[code.clone()].ends_with(',') {
            new += ",";
        }
        from = code.end;
    }
    new += &text[from..body.end];
    Some(new)
}

/// The lines of each declaration, with the comments above and beside it; `None` if a line has code
/// of two.
fn chunks(text: &str, body: &Range<usize>, declarations: &[Declaration]) -> Option<Vec<Range<usize>>> {
    let line_end = |at: usize| text[at..].find('\n').map_or(text.len(), |end| at + end + 1);
    // The rest of the line of the brace belongs to the brace.
    let first = line_end(body.start);
    if first > declarations.first()?.code.start {
        return None;
    }
    let mut chunks = Vec::new();
    let mut start = first;
    for (index, declaration) in declarations.iter().enumerate() {
        let end = line_end(declaration.code.end);
        let next = declarations.get(index + 1).map_or(body.end, |next| next.code.start);
        if end > next || declaration.code.start < start {
            return None;
        }
        chunks.push(start..end);
        start = end;
    }
    Some(chunks)
}

/// A unified diff; `None` if nothing differs or the texts are too long.
fn unified(file: &str, old: &str, new: &str) -> Option<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let head = old.iter().zip(&new).take_while(|(one, other)| one == other).count();
    let backwards = old[head..].iter().rev().zip(new[head..].iter().rev());
    let tail = backwards.take_while(|(one, other)| one == other).count();
    let (middle, changed) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    if (middle.is_empty() && changed.is_empty()) || middle.len().max(changed.len()) > MAX_LINES {
        return None;
    }

    let mut edits: Vec<(char, &str)> =
        old[head.saturating_sub(CONTEXT)..head].iter().map(|line| (' ', *line)).collect();
    let start = head - edits.len();
    edits.extend(middle_edits(middle, changed));
    edits.extend(old[old.len() - tail..].iter().take(CONTEXT).map(|line| (' ', *line)));

    let mut text = format!("--- {file}\n+++ {file}\n");
    for hunk in hunks(&edits) {
        let count =
            |sign: char, edits: &[(char, &str)]| edits.iter().filter(|(it, _)| *it == ' ' || *it == sign).count();
        let before = [count('-', &edits[..hunk.start]), count('+', &edits[..hunk.start])];
        let lines = [count('-', &edits[hunk.clone()]), count('+', &edits[hunk.clone()])];
        let [from, to] = before.map(|before| start + before + 1);
        let _ = writeln!(text, "@@ -{from},{} +{to},{} @@", lines[0], lines[1]);
        for (sign, line) in &edits[hunk] {
            text.push(*sign);
            text += line;
            text.push('\n');
        }
    }
    Some(text)
}

/// The edits by the longest common subsequence of lines.
fn middle_edits<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<(char, &'t str)> {
    let mut longest = vec![vec![0_u32; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            longest[i][j] =
                if old[i] == new[j] { longest[i + 1][j + 1] + 1 } else { longest[i + 1][j].max(longest[i][j + 1]) };
        }
    }
    let (mut i, mut j, mut edits) = (0, 0, Vec::new());
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            edits.push((' ', old[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == new.len() || (i < old.len() && longest[i + 1][j] >= longest[i][j + 1]) {
            edits.push(('-', old[i]));
            i += 1;
        } else {
            edits.push(('+', new[j]));
            j += 1;
        }
    }
    edits
}

/// The ranges of edits to print: changes with their context.
fn hunks(edits: &[(char, &str)]) -> Vec<Range<usize>> {
    let mut hunks: Vec<Range<usize>> = Vec::new();
    for at in (0..edits.len()).filter(|at| edits[*at].0 != ' ') {
        let range = at.saturating_sub(CONTEXT)..(at + CONTEXT + 1).min(edits.len());
        match hunks.last_mut() {
            Some(last) if range.start <= last.end => last.end = range.end,
            Some(_) | None => hunks.push(range),
        }
    }
    hunks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diff(text: &str, names: &[&str], order: &[usize], language: ShaderLanguage) -> Option<String> {
        let body = body_named(text, "S").unwrap();
        reordered("a", text, body, names, order, language).map(|edit| edit.diff)
    }

    #[test]
    fn lines_move_with_their_comments() {
        let text =
            "cbuffer S\n{\n    // where it is\n    float3 a; // metres\n    float2 b, c;\n    float d[2] : D;\n};\n";
        let moved = diff(text, &["a", "b", "c", "d"], &[3, 1, 0, 2], ShaderLanguage::Hlsl).unwrap();
        let expected = "--- a\n+++ a\n@@ -1,7 +1,8 @@\n cbuffer S\n {\n+    float d[2] : D;\n+    float2 b;\n     // where it is\n     \
            float3 a; // metres\n-    float2 b, c;\n-    float d[2] : D;\n+    float2 c;\n };\n";
        assert_eq!(moved, expected);
    }

    #[test]
    fn a_declaration_in_one_line_stays_in_one() {
        let text = "cbuffer S { float3 a; float b[2], c; };";
        let moved = diff(text, &["a", "b", "c"], &[1, 0, 2], ShaderLanguage::Hlsl).unwrap();
        assert!(
            moved.ends_with(
                "-cbuffer S { float3 a; float b[2], c; };\n+cbuffer S { float b[2]; float3 a; float c; };\n"
            ),
            "{moved}"
        );
    }

    #[test]
    fn the_last_member_of_wgsl_needs_no_comma() {
        let text = "struct S {\n  a: f32,\n  @size(16) b: vec3<f32>\n}\n";
        let moved = diff(text, &["a", "b"], &[1, 0], ShaderLanguage::Wgsl).unwrap();
        assert!(moved.contains("+  @size(16) b: vec3<f32>,\n   a: f32,\n-  @size(16) b: vec3<f32>\n }"), "{moved}");
    }

    #[test]
    fn what_is_not_understood_has_no_diff() {
        for text in [
            "struct S { float a; float f() { return a; } float b; };",
            "struct S {\n#if X\n float a;\n#endif\n float b; };",
            "struct S { FIELDS float b; };",
            "struct S { float c; float b; };",
        ] {
            assert_eq!(diff(text, &["a", "b"], &[1, 0], ShaderLanguage::Hlsl), None, "{text}");
        }
    }
}
