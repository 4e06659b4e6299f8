//! Finds the existing name that a person may have meant.

/// Returns the entry of `known` that is nearest to `name`, counting changed, missing, added and
/// swapped letters. `None` if no entry is near.
///
/// Ignores case. A third of the letters may differ, and always at least one.
pub fn nearest_name<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let written = name.to_lowercase();
    let allowed = (written.chars().count() / 3).max(1);
    let distances = known
        .into_iter()
        .map(|known| NameDistance { distance: strsim::damerau_levenshtein(&written, &known.to_lowercase()), known });
    let near = distances.filter(|near| near.distance <= allowed && near.distance < near.known.chars().count());
    near.min_by_key(|near| near.distance).map(|near| near.known)
}

/// Returns a suffix for messages, ``: did you mean `std140`?``, or an empty string if no known name is near.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest_name(name, known).map(|meant| format!(": did you mean `{meant}`?")).unwrap_or_default()
}

struct NameDistance<'a> {
    distance: usize,
    known: &'a str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let known = ["std140", "std430", "scalar", "hlsl-cbuffer", "float3", "c"];
        for (name, meant) in [
            ("std14", Some("std140")),
            ("STD140", Some("std140")),
            ("st430", Some("std430")),
            ("hlsl-cbufer", Some("hlsl-cbuffer")),
            ("flaot3", Some("float3")),
            ("uniform", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(nearest_name(name, known), meant, "{name}");
        }
        assert_eq!(did_you_mean("std14", known), ": did you mean `std140`?");
        assert_eq!(did_you_mean("uniform", known), "");
    }
}
