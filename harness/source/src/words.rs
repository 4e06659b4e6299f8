//! Lists of words as text.

/// Splits `text` at its blanks while the program compiles, so that a long list of words reads as text.
///
/// # Panics
/// If `text` does not have exactly `N` words; in a constant this is an error of the compiler.
pub const fn words<const N: usize>(text: &'static str) -> [&'static str; N] {
    let mut found = [""; N];
    let mut count = 0;
    let mut rest = text.as_bytes().trim_ascii_start();
    while !rest.is_empty() {
        let mut end = 0;
        while end < rest.len() && !rest[end].is_ascii_whitespace() {
            end += 1;
        }
        let (word, after) = rest.split_at(end);
        assert!(count < N, "there are more words");
        found[count] = match std::str::from_utf8(word) {
            Ok(word) => word,
            Err(_) => panic!("blanks are no part of other characters"),
        };
        count += 1;
        rest = after.trim_ascii_start();
    }
    assert!(count == N, "there are fewer words");
    found
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn words_are_split_at_all_blanks() {
        const FOUND: [&str; 4] = words("\n    a  operator()\n    élan b\n");
        assert_eq!(FOUND, ["a", "operator()", "élan", "b"]);
        assert_eq!(words::<0>(" "), [""; 0]);
    }
}
