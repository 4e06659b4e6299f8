//! A small ordered tree of keys and values, printed as JSON or as YAML.
//!
//! The YAML of the reflection chapter quotes names, leaves kinds bare and explains each unit in a
//! comment. No YAML crate writes comments next to chosen values, and the output needs no other
//! feature of YAML, so this module prints it itself.

use layoutproof_layout::shape::Count;
use serde::ser::{Serialize, SerializeMap, Serializer};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum ReflectionNode {
    Number(u32),
    Integer(i64),
    Float(f32),
    Bool(bool),
    /// Text, in quotes.
    Text(String),
    /// A word of a fixed vocabulary: bare in YAML, in quotes in JSON.
    Word(&'static str),
    /// A word from the tree, such as a stage; bare in YAML.
    Bare(String),
    /// A word with its meaning, which YAML prints as a comment.
    Explained(&'static str, &'static str),
    Null,
    List(Vec<ReflectionNode>),
    /// Keys with values, in order.
    Map(NodeFields),
}

/// Keys and values in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct NodeFields(Vec<(&'static str, ReflectionNode)>);

impl NodeFields {
    /// Makes fields that begin with the kind of a type or a unit.
    pub(super) fn kind(kind: &'static str) -> Self {
        Self::default().with("kind", kind)
    }

    pub(super) fn with(mut self, key: &'static str, value: impl Into<ReflectionNode>) -> Self {
        self.0.push((key, value.into()));
        self
    }

    /// Appends a field if there is a value.
    pub(super) fn with_some(self, key: &'static str, value: Option<impl Into<ReflectionNode>>) -> Self {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    pub(super) fn and(mut self, more: Self) -> Self {
        self.0.extend(more.0);
        self
    }
}

/// Conversions for the values of [`NodeFields::with`]: a `&'static str` is a word, a `String` a text.
macro_rules! node_from {
    ($($from:ty => $variant:ident),*) => {
        $(impl From<$from> for ReflectionNode {
            fn from(value: $from) -> Self {
                Self::$variant(value)
            }
        })*
    };
}

node_from!(NodeFields => Map, Vec<ReflectionNode> => List, u32 => Number, bool => Bool, &'static str => Word, String => Text);

impl From<Count> for ReflectionNode {
    /// Makes a number, or the word for an unbounded count.
    fn from(count: Count) -> Self {
        match count {
            Count::Finite(count) => Self::Number(count),
            Count::Unbounded => Self::Word("unbounded"),
        }
    }
}

impl ReflectionNode {
    pub(super) fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    /// Returns indented JSON that ends with a line feed.
    pub(super) fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a tree of numbers and strings has no key to refuse");
        text.push('\n');
        text
    }

    /// Returns YAML that ends with a line feed.
    pub(super) fn to_yaml(&self) -> String {
        let mut lines = Vec::new();
        self.yaml_lines(&mut lines);
        lines.push(String::new());
        lines.join("\n")
    }

    /// Appends the lines of this value as a block, from column 0.
    fn yaml_lines(&self, lines: &mut Vec<String>) {
        match self {
            Self::List(items) => {
                for item in items {
                    let first = lines.len();
                    item.yaml_lines(lines);
                    indent(&mut lines[first..], "- ");
                }
            }
            Self::Map(NodeFields(fields)) => {
                for (key, value) in fields {
                    if let Some(line) = value.yaml_line() {
                        lines.push(format!("{key}: {line}"));
                        continue;
                    }

                    lines.push(format!("{key}:"));
                    let first = lines.len();
                    value.yaml_lines(lines);
                    indent(&mut lines[first..], "  ");
                }
            }
            _ => lines.extend(self.yaml_line()),
        }
    }

    /// Returns the text of this value for the line of its key; `None` for a value that needs its
    /// own lines.
    fn yaml_line(&self) -> Option<String> {
        match self {
            Self::Number(number) => Some(number.to_string()),
            Self::Integer(number) => Some(number.to_string()),
            Self::Float(number) => Some(number.to_string()),
            Self::Bool(switch) => Some(switch.to_string()),
            Self::Text(text) => Some(quoted(text)),
            Self::Word(word) => Some((*word).to_owned()),
            Self::Bare(word) => Some(word.clone()),
            Self::Explained(word, meaning) => Some(format!("{word} # {meaning}")),
            Self::Null => Some("null".to_owned()),
            Self::List(items) => items.is_empty().then(|| "[]".to_owned()),
            Self::Map(NodeFields(fields)) => fields.is_empty().then(|| "{}".to_owned()),
        }
    }
}

/// Puts `first` before the first of `lines` and as many blanks before the others.
fn indent(lines: &mut [String], first: &str) {
    let mut lead = first;
    let blanks = " ".repeat(first.len());
    for line in lines {
        line.insert_str(0, lead);
        lead = &blanks;
    }
}

/// Returns `text` as a double-quoted scalar, which YAML shares with JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

impl Serialize for ReflectionNode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(number) => serializer.serialize_u32(*number),
            Self::Integer(number) => serializer.serialize_i64(*number),
            Self::Float(number) => serializer.serialize_f32(*number),
            Self::Bool(switch) => serializer.serialize_bool(*switch),
            Self::Text(text) | Self::Bare(text) => serializer.serialize_str(text),
            Self::Word(word) | Self::Explained(word, _) => serializer.serialize_str(word),
            Self::Null => serializer.serialize_unit(),
            Self::List(items) => serializer.collect_seq(items),
            Self::Map(NodeFields(fields)) => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                for (key, value) in fields {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// YAML 1.2, chapters 8.2 (block styles) and 7.3.1 (double-quoted style).
    #[test]
    fn blocks_nest_by_indentation() {
        let unit = NodeFields::default()
            .with("value", ReflectionNode::Number(1))
            .with("unit", ReflectionNode::Explained("Uniform", "bytes"));
        let tree = NodeFields::default()
            .with("name", ReflectionNode::text("a \"b\""))
            .with("sizes", ReflectionNode::List(vec![unit.clone().into(), unit.into()]))
            .with("fields", ReflectionNode::List(Vec::new()))
            .with("inner", NodeFields::kind("Struct"));
        let expected = "name: \"a \\\"b\\\"\"\nsizes:\n- value: 1\n  unit: Uniform # bytes\n- value: 1\n  unit: Uniform # bytes\n\
            fields: []\ninner:\n  kind: Struct\n";
        let expected = expected.replace("\n- ", "\n  - ").replace("\n  unit", "\n    unit");
        assert_eq!(ReflectionNode::from(tree).to_yaml(), expected);
    }
}
