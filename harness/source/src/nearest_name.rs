//! Finds the existing names that a person may have meant.

const MOST_NAMES: usize = 3;

/// The longest list of all names in a message, in bytes. A longer one hides the rest of the message.
const LONGEST_LIST: usize = 80;

/// Returns the entry of `known` that is nearest to `name`, counting changed, missing, added and
/// swapped letters. `None` if no entry is near.
///
/// Ignores case, hyphens, underscores and spaces. A third of the letters may differ, and always at
/// least one.
pub fn nearest_name<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let written = letters(name);
    let length = written.chars().count();
    let allowed = (length / 3).max(1);
    let mut nearest: Option<NameDistance<'a>> = None;
    for known in known {
        let letters = letters(known);
        // Comparing takes time and memory for both lengths, and a name may have megabytes.
        if letters.chars().count().abs_diff(length) > allowed {
            continue;
        }
        let distance = strsim::damerau_levenshtein(&written, &letters);
        let is_near = distance <= allowed && distance < known.chars().count();
        if is_near && nearest.as_ref().is_none_or(|nearest| distance < nearest.distance) {
            nearest = Some(NameDistance { distance, known });
        }
    }
    nearest.map(|nearest| nearest.known)
}

/// Returns the entries of `known` that are meant by `name`: up to three that have it as a part, such as
/// `dxc-dxil` for `dxil`, or else the nearest one.
pub fn nearest_names<'a>(name: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> Vec<&'a str> {
    let written = name.to_lowercase();
    let is_part = |known: &&str| known.to_lowercase().split(['-', '_', '/', ':', '@', '.']).any(|part| part == written);
    let wholes: Vec<&str> = known.clone().into_iter().filter(is_part).take(MOST_NAMES).collect();
    if wholes.is_empty() { nearest_name(name, known).into_iter().collect() } else { wholes }
}

/// Returns a suffix for messages, ``: did you mean `std140`?``, or an empty string if no known name is near.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest_name(name, known).map(|meant| format!(": did you mean `{meant}`?")).unwrap_or_default()
}

/// Returns a suffix for messages about an unknown name: the nearest names, all names if they are few,
/// or else `listing`, which says how to list them: `` `layoutproof list` lists the cases``. Empty if
/// `listing` is, too.
pub fn known_names<'a>(name: &str, known: impl IntoIterator<Item = &'a str> + Clone, listing: &str) -> String {
    let near: Vec<String> = nearest_names(name, known.clone()).iter().map(|near| format!("`{near}`")).collect();
    match near.as_slice() {
        [] => {}
        [only] => return format!(": did you mean {only}?"),
        [first @ .., last] => return format!(": did you mean {} or {last}?", first.join(", ")),
    }

    let all = known.into_iter().collect::<Vec<_>>().join(", ");
    if !all.is_empty() && all.len() <= LONGEST_LIST {
        format!("; known are {all}")
    } else if listing.is_empty() {
        String::new()
    } else {
        format!("; {listing}")
    }
}

/// The letters of a name, without what people type in different ways.
fn letters(name: &str) -> String {
    name.to_lowercase().replace(['-', '_', ' '], "")
}

struct NameDistance<'a> {
    distance: usize,
    known: &'a str,
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 6] = ["std140", "std430", "scalar", "hlsl-cbuffer", "float3", "c"];

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        for (name, meant) in [
            ("std14", Some("std140")),
            ("std_140", Some("std140")),
            ("STD140", Some("std140")),
            ("st430", Some("std430")),
            ("hlsl-cbufer", Some("hlsl-cbuffer")),
            ("flaot3", Some("float3")),
            ("uniform", None),
            (&"long".repeat(1 << 20), None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(nearest_name(name, KNOWN), meant, "{name}");
        }
        assert_eq!(did_you_mean("std14", KNOWN), ": did you mean `std140`?");
        assert_eq!(did_you_mean("uniform", KNOWN), "");
    }

    #[test]
    fn a_message_suggests_near_names_or_few_names_or_a_listing() {
        assert_eq!(known_names("std14", KNOWN, "see"), ": did you mean `std140`?");
        assert_eq!(known_names("cbuffer", KNOWN, "see"), ": did you mean `hlsl-cbuffer`?");
        let cbuffers = ["dx-cbuffer", "hlsl-cbuffer"];
        assert_eq!(known_names("cbuffer", cbuffers, ""), ": did you mean `dx-cbuffer` or `hlsl-cbuffer`?");
        assert_eq!(known_names("dxil", ["dxc-dxil", "clang-dxil"], ""), ": did you mean `dxc-dxil` or `clang-dxil`?");
        assert_eq!(known_names("purple", ["red", "blue"], "see"), "; known are red, blue");
        let many = ["a-long-name"; 20];
        assert_eq!(known_names("purple", many, "`layoutproof list` lists them"), "; `layoutproof list` lists them");
        assert_eq!(known_names("purple", many, ""), "");
    }
}
