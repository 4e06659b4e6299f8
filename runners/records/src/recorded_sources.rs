//! The declarations of a run that its records keep, so that reports can draw cases whose checks all
//! agree.

use std::collections::HashMap;
use std::sync::Arc;

use layoutproof_core::check::{BindingCheck, Source, Subject};
use layoutproof_events::{RecordedLayout, RecordedSource, StoryBlock};
use layoutproof_layout::{BlockLayout, table};

/// Maximum length in bytes of a recorded declaration. For a longer one, records keep only the
/// layouts.
const MAX_TEXT: usize = 64 << 10;

/// The distinct sources of the selected checks whose ids `is_recorded` accepts, by name.
pub fn recorded_sources(
    subjects: &[Arc<Subject>],
    placed: &[BindingCheck],
    is_recorded: impl Fn(&str) -> bool,
) -> Vec<RecordedSource> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut recorded: Vec<RecordedSource> = Vec::new();
    let of_subjects = subjects.iter().map(|subject| (&subject.source, Some(subject)));
    let of_bindings = placed.iter().map(|placed| (&placed.source, None));
    for (source, subject) in of_subjects.chain(of_bindings).filter(|(source, _)| is_recorded(&source.id)) {
        let place = *places.entry(&source.id).or_insert_with(|| {
            recorded.push(without_layouts(source));
            recorded.len() - 1
        });
        recorded[place].layouts.extend(subject.map(|subject| layout(subject)));
    }
    sort(&mut recorded);
    recorded
}

/// Sorts sources by name and layouts in the order of the table of rules, without duplicates, so
/// that shards of a run produce the same as the run.
fn sort(sources: &mut [RecordedSource]) {
    let place = |layout: &RecordedLayout| table().iter().position(|rules| rules.name == layout.rules);
    sources.sort_by(|a, b| (&a.case, &a.declaration).cmp(&(&b.case, &b.declaration)));
    for source in sources {
        source.layouts.sort_by_cached_key(place);
        source.layouts.dedup();
    }
}

/// Merges the sources of several files, without duplicates.
pub fn add_sources(all: &mut Vec<RecordedSource>, more: &[RecordedSource]) {
    for source in more {
        let is_same = |known: &&mut RecordedSource| {
            (&known.case, &known.declaration, &known.summary) == (&source.case, &source.declaration, &source.summary)
        };
        match all.iter_mut().find(is_same) {
            // Shards have different rule sets of one case.
            Some(known) => {
                let missing = source.layouts.iter().filter(|layout| !known.layouts.contains(layout));
                let missing: Vec<RecordedLayout> = missing.cloned().collect();
                known.layouts.extend(missing);
            }
            None => all.push(source.clone()),
        }
    }
    sort(all);
}

fn without_layouts(source: &Source) -> RecordedSource {
    let text = source.text.as_ref().map(|text| &text.text);
    RecordedSource {
        case: source.id.clone(),
        summary: source.summary.clone(),
        place: source.place.clone(),
        declaration: text.filter(|text| text.len() <= MAX_TEXT).cloned(),
        layouts: Vec::new(),
    }
}

fn layout(subject: &Subject) -> RecordedLayout {
    let block = |layout: &BlockLayout| {
        let laid_out = layout.result.as_ref().ok()?;
        let size = layout.stride.or(laid_out.size.finite());
        Some(StoryBlock { name: layout.name.clone(), size, members: layout.rows() })
    };
    RecordedLayout {
        rules: subject.rules.to_owned(),
        authority: subject.authority.clone(),
        blocks: subject.layouts.iter().filter_map(block).collect(),
    }
}
