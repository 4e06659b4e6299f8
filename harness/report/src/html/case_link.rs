//! Names and links of the cases on a page.

use std::fmt::Write;

use layoutproof_show::style::one_line;

/// The fragment of the case's part of the page.
pub(super) fn case_link(case: &str) -> String {
    let mut address = String::from("#");
    for byte in case_anchor(case).bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/:@".contains(&byte) {
            address.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(address, "%{byte:02X}");
        }
    }
    address
}

/// The name of a case as an anchor, which must not contain spaces.
pub(super) fn case_anchor(case: &str) -> String {
    one_line(case).replace(char::is_whitespace, "_")
}
