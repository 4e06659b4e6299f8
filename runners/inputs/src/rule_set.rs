//! Finds the rule sets that the user names: single ones, patterns, or a compiler's choice for each
//! block.

use std::path::Path;

use anyhow::bail;
use layoutproof_layout::column::ColumnError;
use layoutproof_layout::native::{Native, find_native, natives};
use layoutproof_layout::{Column, DECLARED, RuleChoice, RuleSet, ShaderTarget, TargetChoice, find, table};
use layoutproof_show::columns;
use layoutproof_show::front_ends::FrontEnd;
use layoutproof_source::nearest_name::known_names;
use layoutproof_source::shader_language::{ShaderLanguage, alternatives};
use wildmatch::WildMatch;

/// The prefix for a compiler's choice.
const NATIVE: &str = "native:";

/// The end of a message about a name that is not near any other.
const LISTING: &str = "`layoutproof list --rules` lists all";

/// The rule set of this name.
///
/// # Errors
/// A message with the nearest name.
pub fn rule_set(name: &str) -> anyhow::Result<&'static RuleSet> {
    if name == DECLARED {
        let suffixes = alternatives(&FrontEnd::suffixes_with_offsets());
        bail!("`{DECLARED}` is what {suffixes} files declare: other declarations have no such layout");
    }
    match find(&name.to_ascii_lowercase()) {
        Some(rules) => Ok(rules),
        None => bail!("{}", unknown_rules(name)),
    }
}

/// The rule set of this name or, with the prefix `native:`, the choice of a compiler.
///
/// # Errors
/// See [`rule_set`].
pub fn rule_choice(name: &str) -> anyhow::Result<RuleChoice> {
    if !name.starts_with(NATIVE) {
        return rule_set(name).map(RuleChoice::Rules);
    }
    match find_native(name) {
        Some(native) => Ok(RuleChoice::Native(native)),
        None => {
            let known = natives().iter().map(|native| native.name);
            bail!("unknown compiler `{name}`{}", known_names(name, known, LISTING))
        }
    }
}

/// The column of a target word, as `vulkan/scalar` or `vulkan.slangc`, for a file in `language`; `None`
/// for other words.
///
/// # Errors
/// The word begins with a target, and the rest is unknown; or the target has no such column.
pub fn target_choice(word: &str, language: Option<ShaderLanguage>) -> anyhow::Result<Option<RuleChoice>> {
    let column = match Column::parse(word) {
        Ok(column) => column,
        Err(ColumnError::Target(_)) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let compilers: Vec<_> = column.compiler.iter().map(|compiler| (*compiler, column.version)).collect();
    let found = columns(&[column.choice()], &compilers, language)?;
    Ok(found.into_iter().find_map(Native::of_column).map(RuleChoice::Native))
}

/// The target of a word for a column: `vulkan/scalar`, `native:dxc-spirv`. `None` for rule sets.
pub fn target_of(word: &str) -> Option<ShaderTarget> {
    match Column::parse(word) {
        Ok(column) => Some(column.target),
        Err(_) => find_native(word).map(|native| native.column.target),
    }
}

/// True if the compiler of a target, by a word for a column or rule set, defines `__spirv__`; `None` for a word without one.
pub fn defines_spirv(word: &str) -> Option<bool> {
    match Column::parse(word) {
        Ok(column) => Some(column.defines_spirv()),
        Err(_) => find_native(word).map(|native| native.column.defines_spirv()),
    }
}

/// True if a word on the command line is a target, not a file.
pub fn is_target_word(word: &str) -> bool {
    !matches!(Column::parse(word), Err(ColumnError::Target(_))) && !Path::new(word).exists()
}

/// The distinct choices of `--rules`. A name with `*` or `?` selects all that it matches.
///
/// # Errors
/// See [`rule_choice`]; also if a pattern matches nothing.
pub fn rule_choices(names: &[String]) -> anyhow::Result<Vec<RuleChoice>> {
    let mut choices: Vec<RuleChoice> = Vec::new();
    for name in names {
        let found = if name.contains(['*', '?']) { matching(name)? } else { vec![rule_choice(name)?] };
        for choice in found {
            if !choices.contains(&choice) {
                choices.push(choice);
            }
        }
    }
    Ok(choices)
}

/// True if a word on the command line is the name of a rule set, not of a file or case.
pub fn is_rules_word(word: &str) -> bool {
    word == DECLARED
        || word.starts_with(NATIVE)
        || (find(&word.to_ascii_lowercase()).is_some() && !Path::new(word).is_file())
}

fn matching(pattern: &str) -> anyhow::Result<Vec<RuleChoice>> {
    let is_matched = WildMatch::new(pattern);
    let choices = if pattern.starts_with(NATIVE) {
        natives().iter().map(RuleChoice::Native).filter(|choice| is_matched.matches(choice.name())).collect::<Vec<_>>()
    } else {
        table().iter().map(RuleChoice::Rules).filter(|choice| is_matched.matches(choice.name())).collect()
    };
    if choices.is_empty() {
        bail!("no rule set matches `{pattern}`; {LISTING}");
    }
    Ok(choices)
}

/// The message about an unknown rule set.
pub fn unknown_rules(name: &str) -> String {
    if let Ok(choice) = name.parse::<TargetChoice>() {
        return format!("unknown rule set `{name}`: did you mean `--target {choice}`?");
    }
    // The user may have forgotten the prefix `native:`.
    let native = format!("{NATIVE}{name}");
    if find_native(&native).is_some() {
        return format!("unknown rule set `{name}`: did you mean `{native}`?");
    }
    let known = table().iter().map(|rules| rules.name);
    format!("unknown rule set `{name}`{}", known_names(name, known, LISTING))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(words: &[&str]) -> Result<String, String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let choices = rule_choices(&words).map_err(|error| error.to_string())?;
        Ok(choices.iter().map(|choice| choice.name()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn names_and_patterns_stand_for_rule_sets() {
        assert_eq!(names(&["std140", "std140"]), Ok("std140".into()));
        let expected = "hlsl-cbuffer hlsl-cbuffer-struct hlsl-structured hlsl-structured@slang";
        assert_eq!(names(&["hlsl-*"]), Ok(expected.into()));
        assert_eq!(names(&["native:dxc-dxil", "scalar"]), Ok("native:dxc-dxil scalar".into()));
        assert_eq!(names(&["native:slang-d?d12"]), Ok("native:slang-d3d12".into()));
    }

    #[test]
    fn unknown_names_come_with_the_nearest() {
        for (word, expected) in [
            ("std14", "unknown rule set `std14`: did you mean `std140`?"),
            ("dxc-dxil", "unknown rule set `dxc-dxil`: did you mean `native:dxc-dxil`?"),
            ("native:dxc-dxl", "unknown compiler `native:dxc-dxl`: did you mean `native:dxc-dxil`?"),
            ("nonsense", "unknown rule set `nonsense`; `layoutproof list --rules` lists all"),
            ("wgls-*", "no rule set matches `wgls-*`"),
        ] {
            let error = names(&[word]).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
