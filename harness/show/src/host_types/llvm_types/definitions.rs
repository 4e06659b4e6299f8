//! Collects named LLVM types in the order in which the module first needs them.

#[derive(Clone, Debug, Default)]
pub(super) struct Definitions {
    known: Vec<TypeDefinition>,
}

/// `%name = type content`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TypeDefinition {
    /// The requested name.
    wanted: String,
    /// The name with its sigil, in quotes if LLVM needs them.
    name: String,
    /// Right side of the definition.
    content: String,
}

impl Definitions {
    /// The name of the type with this content, and the line that defines it, or `None` if it is
    /// already defined.
    ///
    /// If the name already has other content, the new type gets a number, as in LLVM.
    pub(super) fn define(&mut self, wanted: &str, content: String) -> (String, Option<String>) {
        let same = |known: &&TypeDefinition| known.wanted == wanted && known.content == content;
        if let Some(known) = self.known.iter().find(same) {
            return (known.name.clone(), None);
        }
        let namesakes = self.known.iter().filter(|known| known.wanted == wanted).count();
        let name = match namesakes.checked_sub(1) {
            None => sigil(wanted),
            Some(number) => sigil(&format!("{wanted}.{number}")),
        };
        let line = format!("{name} = type {content}");
        self.known.push(TypeDefinition { wanted: wanted.to_owned(), name: name.clone(), content });
        (name, Some(line))
    }

    pub(super) fn named(&self, content: &str) -> Option<&str> {
        self.known.iter().find(|known| known.content == content).map(|known| known.name.as_str())
    }
}

/// `%name`, in quotes unless all characters are letters, digits, `$`, `.`, `_` or `-` (LLVM
/// Language Reference, Identifiers). LLVM's printer also quotes a dollar sign.
fn sigil(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if name.chars().all(plain) { format!("%{name}") } else { format!("%\"{}\"", escaped(name)) }
}

/// Escapes characters that quotes cannot contain, as `\xx`.
fn escaped(name: &str) -> String {
    let mut text = String::new();
    for byte in name.bytes() {
        match byte {
            b'"' | b'\\' | 0..0x20 | 0x7f.. => text = format!("{text}\\{byte:02X}"),
            _ => text.push(char::from(byte)),
        }
    }
    text
}
