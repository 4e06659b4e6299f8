//! Finds the names, register spaces and bindings that a user's text does not use, for the probe.
//!
//! A probe follows the user's own declarations, so any name or number in it could clash. The usual
//! ones are chosen if they are free, so that the probes of most texts, and their cache entries,
//! look alike.

use std::collections::BTreeSet;

use layoutproof_layout::{Annotations, Argument};

use layoutproof_frontend::module::Module;

/// Placeholder for the prefix in generated text until [`Reserved::place`] replaces it. No language
/// allows this character in a name, so user names next to ours keep their spelling.
pub const MARK: &str = "\u{1}";

/// The usual prefix of our names, without its end.
const STEM: &str = "layoutproof";

/// The names, register spaces and bindings that a text leaves free, and the text's macros, which
/// must not change a probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reserved {
    /// The start of every name of a probe.
    prefix: String,
    /// Register space of the probe's output (`u0`) and input (`t1`, for FXC `u1`). The next space
    /// is free as well, for a byte-address buffer with the block's bytes.
    space: u32,
    /// Binding of the probe's output in descriptor set or group 0. [`Self::BINDINGS`] bindings from
    /// it on are free.
    binding: u32,
    /// True if entry points need the prefix, too.
    prefixes_entries: bool,
    macros: BTreeSet<String>,
}

impl Default for Reserved {
    fn default() -> Self {
        Self {
            prefix: format!("{STEM}_"),
            space: Self::SPACE,
            binding: Self::BINDING,
            prefixes_entries: false,
            macros: BTreeSet::new(),
        }
    }
}

impl Reserved {
    /// The usual register space.
    pub const SPACE: u32 = 1000;

    /// The usual first binding. WebGPU allows none above 999.
    pub const BINDING: u32 = 990;

    /// The number of bindings that a probe needs.
    pub const BINDINGS: u32 = 3;

    /// Starts of the names of probes' entry points ([`crate::ProbeEntry::name`]).
    const ENTRIES: [&str; 2] = ["read_", "write_"];

    /// Finds the names and numbers that `texts` and the module that they declare leave free.
    /// `texts` is everything that the compiler reads: the source, its includes, and macros from the
    /// command line.
    pub fn free_in(texts: &[&str], module: &Module) -> Self {
        let has = |words: &str| texts.iter().any(|text| text.contains(words));
        let prefixes = std::iter::once(format!("{STEM}_")).chain((2_u32..).map(|number| format!("{STEM}{number}_")));

        let taken = TakenNumbers::of(module);
        let spaces = (Self::SPACE..).step_by(2);
        let bindings = (0..=Self::BINDING).rev().step_by(Self::BINDINGS as usize);
        Self {
            prefix: prefixes.into_iter().find(|prefix| !has(prefix)).unwrap_or_default(),
            space: spaces.into_iter().find(|space| taken.are_spaces_free(*space, 2)).unwrap_or(Self::SPACE),
            binding: bindings
                .into_iter()
                .find(|first| taken.are_indices_free(*first, Self::BINDINGS))
                .unwrap_or(Self::BINDING),
            prefixes_entries: Self::ENTRIES.iter().any(|begin| has(begin)),
            macros: texts.iter().flat_map(|text| macros(text)).collect(),
        }
    }

    /// The start of every name of a probe.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Register space of the probe's output (`u0`) and input.
    pub fn space(&self) -> u32 {
        self.space
    }

    /// Register space of the byte-address buffer that holds the block's bytes.
    pub fn bytes_space(&self) -> u32 {
        self.space + 1
    }

    /// Binding of the probe's output. The input has the next one, and the byte-address buffer with
    /// the block's bytes the one after that.
    pub fn binding(&self) -> u32 {
        self.binding
    }

    /// Returns true if a binding belongs to the probe.
    pub fn has_binding(&self, binding: u32) -> bool {
        (self.binding..self.binding + Self::BINDINGS).contains(&binding)
    }

    /// Returns the name of the entry point `name`, with the prefix if the text has such names.
    pub fn entry(&self, name: &str) -> String {
        if self.prefixes_entries { format!("{}{name}", self.prefix) } else { name.to_owned() }
    }

    /// Prepares a generator's text `own` to follow the user's: replaces each [`MARK`] by the
    /// prefix, and adds an `#undef` for each of the user's macros that would change it. User names
    /// in `own` are already macro-expanded.
    pub fn place(&self, own: &str) -> String {
        let own = own.replace(MARK, &self.prefix);
        if self.macros.is_empty() {
            return own;
        }
        let words: BTreeSet<&str> = own.split(|c: char| !is_of_word(c)).collect();
        let changing = self.macros.iter().filter(|name| words.contains(name.as_str()));
        let mut placed = String::new();
        for name in changing {
            placed.extend(["#undef ", name, "\n"]);
        }
        placed + &own
    }
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Returns the names after `#define`. Text that only looks like a directive (in a comment) adds an
/// undefined name, and `#undef` of such a name does nothing.
fn macros(text: &str) -> impl Iterator<Item = String> {
    text.split("define").skip(1).filter_map(|after| {
        let after = after.trim_start_matches([' ', '\t', '\\', '\r', '\n']);
        let name = after.split(|c: char| !is_of_word(c)).next().unwrap_or_default();
        (!name.is_empty()).then(|| name.to_owned())
    })
}

/// The numbers that a module's parameters name.
#[derive(Default)]
struct TakenNumbers {
    /// Register spaces and descriptor sets.
    spaces: BTreeSet<u32>,
    /// Registers and bindings.
    indices: BTreeSet<u32>,
}

impl TakenNumbers {
    fn of(module: &Module) -> Self {
        let globals = module.parameters.iter().map(|parameter| &parameter.annotations);
        let entries = module.entry_points.iter().flat_map(|entry| &entry.parameters);
        let mut taken = Self::default();
        globals.chain(entries.map(|parameter| &parameter.annotations)).for_each(|it| taken.add(it));
        taken
    }

    fn add(&mut self, annotations: &Annotations) {
        for register in &annotations.registers {
            self.spaces.extend(register.space);
            self.indices.extend(register.index);
        }
        for attribute in &annotations.attributes {
            let mut numbers = attribute.arguments.iter().filter_map(|argument| match argument {
                Argument::Integer(number) => u32::try_from(*number).ok(),
                Argument::Text(_) | Argument::Other(_) => None,
            });
            self.indices.extend(numbers.next());
            self.spaces.extend(numbers.next());
        }
        for qualifier in &annotations.layout {
            let number = qualifier.value.and_then(|value| u32::try_from(value).ok());
            match qualifier.name.as_str() {
                "set" => self.spaces.extend(number),
                _ => self.indices.extend(number),
            }
        }
    }

    fn are_spaces_free(&self, first: u32, count: u32) -> bool {
        self.spaces.range(first..first.saturating_add(count)).next().is_none()
    }

    fn are_indices_free(&self, first: u32, count: u32) -> bool {
        self.indices.range(first..first.saturating_add(count)).next().is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use layoutproof_frontend::{DeclareOptions, declare};
    use layoutproof_layout::Span;
    use layoutproof_source::sources::SourceMap;

    fn reserved(text: &str) -> Reserved {
        let mut sources = SourceMap::default();
        let end = u32::try_from(text.len()).unwrap();
        let span = Span { file: sources.add("user.hlsl", text), start: 0, end };
        let module = declare(&mut sources, span, &DeclareOptions::default()).unwrap();
        Reserved::free_in(&[text], &module)
    }

    #[test]
    fn the_usual_names_and_numbers_are_taken_where_they_are_free() {
        assert_eq!(reserved("cbuffer C : register(b3, space7) { float a; };"), Reserved::default());
    }

    #[test]
    fn names_and_numbers_of_the_text_are_left_to_it() {
        let text = "Texture2D layoutproof_output : register(t0, space1001);
                    [[vk::binding(991, 0)]] Texture2D b;
                    Texture2D c : register(t985);
                    float read_uniform() { return 1; }";
        let reserved = reserved(text);
        assert_eq!(reserved.prefix(), "layoutproof2_");
        // 1000 would need 1001 as well; 990 and 987 meet 991 and, as 987 to 989 are free, only the
        // first does.
        assert_eq!((reserved.space(), reserved.binding()), (1002, 987));
        assert_eq!(reserved.entry("read_uniform"), "layoutproof2_read_uniform");
    }

    #[test]
    fn macros_of_the_text_do_not_reach_a_probe() {
        let reserved = reserved("#define Store Stored\n#define unused 1\n# define u0 u7\ncbuffer C { float a; };");
        let own = reserved.place("\u{1}output.Store(0u, a) : register(u0);");
        assert_eq!(own, "#undef Store\n#undef u0\nlayoutproof_output.Store(0u, a) : register(u0);");
    }
}
