//! The shaders of a page's checks, folded: each text once, until the page is full.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::components::plain_code;
use layoutproof_events::CheckId;
use layoutproof_events::{CheckRecord, RecordedShader};
use layoutproof_show::style::{grouped, one_line};

/// Bytes for all shader texts of a page.
const ROOM: usize = 96 << 10;

#[derive(Debug)]
pub struct PageShaders<'a> {
    shown: BTreeMap<&'a str, ShownShader<'a>>,
}

#[derive(Debug)]
struct ShownShader<'a> {
    /// Number on the page, from 1.
    number: usize,
    /// The check that shows it; other checks link there.
    check: &'a CheckId,
}

impl<'a> PageShaders<'a> {
    /// The texts of these checks in the order of the page, until there is no room left.
    pub(super) fn of(checks: impl IntoIterator<Item = &'a CheckRecord>) -> Self {
        let mut shown = BTreeMap::new();
        let mut room = ROOM;
        for check in checks {
            for RecordedShader { text, .. } in shaders_of(check) {
                if text.len() <= room && !shown.contains_key(text.as_str()) {
                    room -= text.len();
                    let number = shown.len() + 1;
                    shown.insert(text.as_str(), ShownShader { number, check: &check.id });
                }
            }
        }
        Self { shown }
    }

    pub(super) fn has(check: &CheckRecord) -> bool {
        !shaders_of(check).is_empty()
    }

    /// The shaders of a check, the first one unfolded.
    pub(super) fn draw(&self, check: &CheckRecord) -> Markup {
        self.draw_all(check, true)
    }

    pub(super) fn draw_folded(&self, check: &CheckRecord) -> Markup {
        self.draw_all(check, false)
    }

    /// A shader that is shown elsewhere becomes a link; for those without
    /// room, the command that writes them is shown.
    fn draw_all(&self, check: &CheckRecord, is_first_open: bool) -> Markup {
        let has_no_room = |shader: &&RecordedShader| !self.shown.contains_key(shader.text.as_str());
        let without_room = shaders_of(check).iter().filter(has_no_room).count();
        html! {
            @for (index, shader) in shaders_of(check).iter().enumerate() {
                @match self.shown.get(shader.text.as_str()) {
                    Some(shown) if *shown.check == check.id => { (drawn(shown.number, shader, is_first_open && index == 0)) },
                    Some(shown) => p { a href=(format!("#shader-{}", shown.number)) { (title(shader)) } },
                    None => {},
                }
            }
            @if let Some(story) = check.outcome.story().filter(|_| without_room > 0) {
                p.dim { "Shaders that the page has no room for are written by " code { (one_line(&story.again.to_string())) " --keep DIR" } }
            }
        }
    }
}

fn shaders_of(check: &CheckRecord) -> &[RecordedShader] {
    check.outcome.story().map_or(&[], |story| &story.shaders)
}

fn drawn(number: usize, shader: &RecordedShader, is_open: bool) -> Markup {
    let RecordedShader { form, text, left_out, .. } = shader;
    html! {
        details.inner id=(format!("shader-{number}")) open[is_open] {
            summary { (title(shader)) }
            (plain_code(&one_line(form), text.trim_matches('\n')))
            @if *left_out > 0 { p.dim { "and " (grouped(*left_out)) " more bytes" } }
        }
    }
}

/// `Shader for S, read_by_name: HLSL`.
fn title(shader: &RecordedShader) -> String {
    let RecordedShader { block, entries, form, .. } = shader;
    one_line(&format!("Shader for {block}, {}: {form}", entries.join(", ")))
}
