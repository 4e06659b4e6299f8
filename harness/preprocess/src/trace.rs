//! Records the origin of tokens for diagnostics.

use std::collections::{BTreeMap, HashMap};

use layoutproof_layout::{FileId, Span};

use layoutproof_source::diagnostics::Diagnostic;
use layoutproof_source::sources::SourceMap;

/// Uses of macros and included files, by place.
#[derive(Debug, Default)]
pub struct Trace {
    /// For each use of a macro, the place of its definition.
    uses: HashMap<(FileId, u32), Span>,
    /// For each file, the first `#include` of it.
    includes: BTreeMap<FileId, Span>,
}

impl Trace {
    /// Records a use at `span` of the macro defined at `definition`. At one place, the outermost macro counts.
    pub(super) fn used(&mut self, span: Span, definition: Span) {
        self.uses.entry((span.file, span.start)).or_insert(definition);
    }

    pub(super) fn included(&mut self, file: FileId, span: Span) {
        self.includes.entry(file).or_insert(span);
    }

    pub(super) fn is_included(&self, file: FileId) -> bool {
        self.includes.contains_key(&file)
    }

    /// Adds to a diagnostic the definition of the macro around it, and the files that included its file.
    pub fn explain(&self, diagnostic: Diagnostic, sources: &SourceMap) -> Diagnostic {
        let main = diagnostic.span();
        let mut said: Vec<String> = diagnostic.help.iter().cloned().collect();
        let mut explained = diagnostic;
        if let Some(definition) = self.uses.get(&(main.file, main.start)) {
            let name = text(*definition, sources);
            if definition.file == main.file {
                explained = explained.with_label(*definition, format!("`{name}` is a macro, defined here"));
            } else {
                said.push(format!("`{name}` is a macro, defined at {}", place(*definition, sources)));
            }
        }

        // A label in another file cannot be drawn, so the help names its place.
        let elsewhere = explained.labels.iter().filter(|label| label.span.file != main.file && !label.text.is_empty());
        said.extend(elsewhere.map(|label| format!("{} at {}", label.text, place(label.span, sources))));
        said.extend(self.chain(main.file).map(|include| format!("included at {}", place(include, sources))));
        explained.help = (!said.is_empty()).then(|| said.join("\n"));
        explained
    }

    /// Returns the `#include` of `file`, then that of the including file, and so on.
    fn chain(&self, file: FileId) -> impl Iterator<Item = Span> {
        let first = self.includes.get(&file).copied();
        let next = |span: &Span| self.includes.get(&span.file).copied();
        // Files that include each other form a cycle. No other chain is longer than the number of files.
        std::iter::successors(first, next).take(self.includes.len().min(LONGEST_CHAIN))
    }
}

/// Maximum number of links to show.
const LONGEST_CHAIN: usize = 8;

fn text(span: Span, sources: &SourceMap) -> &str {
    sources.file(span.file).text.get(span.start as usize..span.end as usize).unwrap_or_default()
}

fn place(span: Span, sources: &SourceMap) -> String {
    let position = sources.position(span);
    format!("{}:{}:{}", sources.file(span.file).name, position.line, position.column)
}
