//! Compares messages that differ only in their details.

/// The message without its numbers and quoted names. Two messages that differ only in these have
/// the same cause.
pub(super) fn without_details(message: &str) -> String {
    let mut text = String::new();
    let mut quoted = false;
    for letter in message.chars() {
        match letter {
            '`' => quoted = !quoted,
            _ if quoted => {}
            '0'..='9' if text.ends_with('0') => {}
            '0'..='9' => text.push('0'),
            other => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_one_cause_are_one_text() {
        let lines = ["line 12: `S.a` at 4096 bytes", "line 7: `T` at 16 bytes"].map(without_details);
        assert_eq!(lines[0], lines[1]);
        assert_ne!(without_details("a died of SIGSEGV"), without_details("a died of SIGABRT"));
    }
}
