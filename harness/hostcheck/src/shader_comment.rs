//! Reads `// layoutproof: host=engine::PerFrame rules=native:dxc-dxil` on the line of a block or
//! before it.

use layoutproof_layout::{Block, FileId, Span, Type};

use layoutproof_source::sources::{LinePlace, SourceMap};

/// The first word of such a comment.
const MARK: &str = "layoutproof:";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockComment {
    /// Name of the host type.
    pub host: Option<String>,
    /// Rule set, or a native rule set of a compiler.
    pub rules: Option<String>,
    /// Words that the reader does not understand.
    pub unknown: Vec<String>,
}

/// Returns the comment of a block: the one on its own line or on the lines before it. Falls back to
/// the comment of the struct that the block holds.
pub fn comment_of(block: &Block, sources: &SourceMap) -> Option<BlockComment> {
    let of_struct = match &block.element {
        Type::Struct(structure) => Some(structure.span),
        _ => None,
    };
    let mut spans = [Some(block.span), of_struct].into_iter().flatten().filter(|span| span.end > 0);
    spans.find_map(|span| comment_at(span, sources))
}

/// The comment of a block that another reader laid out, at the line of its declaration.
pub fn comment_at_place(place: &LinePlace, sources: &SourceMap) -> Option<BlockComment> {
    let line = usize::try_from(place.line?.checked_sub(1)?).ok()?;
    let (number, file) = (0..).zip(sources.files()).find(|(_, file)| file.name == place.file)?;
    let start: usize = file.text.split_inclusive('\n').take(line).map(str::len).sum();
    let start = u32::try_from(start).ok()?;
    comment_at(Span { file: FileId(number), start, end: start.saturating_add(1) }, sources)
}

fn comment_at(span: Span, sources: &SourceMap) -> Option<BlockComment> {
    let text = sources.files().get(span.file.0 as usize)?.text.as_str();
    let start = span.start as usize;
    let line_end = text.get(start..)?.find('\n').map_or(text.len(), |at| start + at);
    let before = text.get(..line_end)?;

    let mut lines = before.lines().rev();
    let own = lines.next().and_then(read_line);
    // Above the block: comments, attributes and empty lines.
    let mut above = lines
        .map(str::trim)
        .take_while(|line| line.is_empty() || line.starts_with("//") || line.starts_with(['[', '@']));
    own.or_else(|| above.find_map(read_line))
}

fn read_line(line: &str) -> Option<BlockComment> {
    let (_, comment) = line.split_once("//")?;
    let words = comment.trim().strip_prefix(MARK)?;
    let mut read = BlockComment::default();
    for word in words.split_whitespace() {
        match word.split_once('=') {
            Some(("host", name)) => read.host = Some(name.to_owned()),
            Some(("rules", name)) => read.rules = Some(name.to_owned()),
            _ => read.unknown.push(word.to_owned()),
        }
    }
    Some(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_comment_are_read() {
        let read = read_line("cbuffer A { // layoutproof: host=engine::A rules=std140 colour=red").unwrap();
        assert_eq!((read.host.as_deref(), read.rules.as_deref()), (Some("engine::A"), Some("std140")));
        assert_eq!(read.unknown, ["colour=red"]);
        assert_eq!(read_line("cbuffer A { // the host=engine::A"), None);
    }
}
