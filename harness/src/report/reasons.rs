//! Maps a reason (of a skip or a broken check) to its kind: the reason without sizes, names and
//! paths.
//!
//! Records keep every reason in full; tables and groups count kinds.

/// Reasons that state a device limit. They have no colon or bracket to cut at, so each has its kind
/// here.
const LIMITS: [DeviceLimit; 2] = [
    DeviceLimit { quantity: "bytes of push constants, not ", kind: "push constants too small" },
    DeviceLimit { quantity: "bytes of uniform buffer, not ", kind: "uniform buffers too small" },
];

/// A device limit in the words that reasons use.
struct DeviceLimit {
    quantity: &'static str,
    kind: &'static str,
}

/// The kind of the reason for a skip or an omitted part: `push constants too small` for `device has
/// 128 bytes of push constants, not 144`. If the text lists several reasons, the first one counts.
pub fn kind_of_reason(reason: &str) -> &str {
    let first = reason.split("; ").next().unwrap_or(reason);
    if let Some(limit) = LIMITS.iter().find(|limit| first.contains(limit.quantity)) {
        return limit.kind;
    }

    // Details follow a colon or are in brackets.
    let end = [": ", " ("].iter().filter_map(|start| first.find(start)).min();
    &first[..end.unwrap_or(first.len())]
}

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
    fn sizes_and_names_are_no_part_of_a_kind() {
        for (reason, kind) in [
            ("device has 128 bytes of push constants, not 144", "push constants too small"),
            ("device has 256 bytes of push constants, not 66012; device lacks shaderInt8", "push constants too small"),
            ("device binds 65536 bytes of uniform buffer, not 66076", "uniform buffers too small"),
            ("device lacks shaderInt16", "device lacks shaderInt16"),
            ("device lacks shaderFloat64; device lacks shaderInt16", "device lacks shaderFloat64"),
            ("not expressible in WGSL: `a`, a bit-field", "not expressible in WGSL"),
            ("leaves not probed (byte 4 is no multiple of 8); not expressible in WGSL: `b`", "leaves not probed"),
            ("refused by dxc-spirv: error: a; b", "refused by dxc-spirv"),
            ("", ""),
        ] {
            assert_eq!(kind_of_reason(reason), kind, "{reason}");
        }
    }

    #[test]
    fn messages_of_one_cause_are_one_text() {
        let lines = ["line 12: `S.a` at 4096 bytes", "line 7: `T` at 16 bytes"].map(without_details);
        assert_eq!(lines[0], lines[1]);
        assert_ne!(without_details("a died of SIGSEGV"), without_details("a died of SIGABRT"));
    }
}
