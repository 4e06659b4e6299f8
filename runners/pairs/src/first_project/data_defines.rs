//! Finds the macros of single shaders in a project's data: lists of passes, techniques and materials in JSON that name
//! shaders next to their macros.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use layoutproof_compilers::regular_file::read_text;
use layoutproof_source::shader_language::ShaderLanguage;
use serde_json::{Map, Value};

use super::build_defines::{LONGEST, MOST_SETS, is_name, is_plain};

/// The keys of macros, in lowercase.
const KEYS: [&str; 7] = ["define", "defines", "definitions", "macro", "macros", "preprocessor", "preprocessordefines"];

/// Adds the sets of macros that JSON files state, by the names of the shaders' files. An object's macros also count for the
/// shaders in objects below it.
pub(super) fn add_sets_of_data(
    folder: &Path,
    files: &BTreeSet<String>,
    found: &mut BTreeMap<String, Vec<Vec<String>>>,
) {
    let shaders: BTreeSet<&str> = files.iter().filter_map(|file| Path::new(file).file_name()?.to_str()).collect();
    let is_shader = |name: &&str| shaders.contains(name) && ShaderLanguage::of(None, Path::new(name)).is_some();
    for file in files.iter().filter(|file| Path::new(file).extension().is_some_and(|end| end == "json")) {
        let Ok(text) = read_text(&folder.join(file), LONGEST) else { continue };
        // Most data names no macro.
        let lowercase = text.to_ascii_lowercase();
        if !KEYS.iter().any(|key| lowercase.contains(&format!("\"{key}\""))) {
            continue;
        }
        let Ok(value) = serde_json::from_str::<Value>(&text) else { continue };
        let mut open = vec![(&value, BTreeMap::new())];
        while let Some((value, outer)) = open.pop() {
            match value {
                Value::Array(values) => open.extend(values.iter().map(|value| (value, outer.clone()))),
                Value::Object(object) => {
                    let mut set: BTreeMap<String, String> = outer;
                    set.extend(macros_of(object));
                    let others = object.iter().filter(|(key, _)| !is_key(key));
                    open.extend(others.map(|(_, value)| (value, set.clone())));
                }
                Value::String(path) if !outer.is_empty() => {
                    let Some(name) = path.rsplit(['/', '\\']).next().filter(is_shader) else { continue };
                    let set: Vec<String> = outer.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
                    let sets = found.entry(name.to_owned()).or_default();
                    if sets.len() < MOST_SETS && !sets.contains(&set) {
                        sets.push(set);
                    }
                }
                _ => {}
            }
        }
    }
}

/// A shader that the program puts together with other files before it is compiled, as data states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct JoinedShader {
    /// The file with the data.
    pub data: String,
    /// The files that come before the shader.
    pub before: Vec<String>,
}

/// The shaders that JSON files name next to a list of other files of the project, under a key like `includes`, by the
/// names of their files. If a shader has several lists, the longest one counts.
pub(super) fn joined_shaders(folder: &Path, files: &BTreeSet<String>) -> BTreeMap<String, JoinedShader> {
    let names: BTreeSet<&str> = files.iter().filter_map(|file| Path::new(file).file_name()?.to_str()).collect();
    let mut found: BTreeMap<String, JoinedShader> = BTreeMap::new();
    for file in files.iter().filter(|file| Path::new(file).extension().is_some_and(|end| end == "json")) {
        let Ok(text) = read_text(&folder.join(file), LONGEST) else { continue };
        if !text.contains("include") {
            continue;
        }
        let Ok(value) = serde_json::from_str::<Value>(&text) else { continue };
        let mut open = vec![&value];
        while let Some(value) = open.pop() {
            let Value::Object(object) = value else {
                open.extend(value.as_array().into_iter().flatten());
                continue;
            };
            open.extend(object.values());
            let lists = object.iter().filter(|(key, _)| key.to_ascii_lowercase().starts_with("include"));
            let before = lists.filter_map(|(_, list)| {
                let list: Option<Vec<&str>> = list.as_array()?.iter().map(Value::as_str).collect();
                list.filter(|list| !list.is_empty() && list.iter().all(|name| names.contains(name)))
            });
            let Some(before) = before.max_by_key(Vec::len) else { continue };
            for name in object.values().filter_map(Value::as_str) {
                let language = ShaderLanguage::of(None, Path::new(name)).filter(|_| names.contains(name));
                let is_shader = language.is_some_and(|language| language != ShaderLanguage::Wgsl);
                let known = found.get(name).map_or(0, |known| known.before.len());
                if is_shader && known < before.len() {
                    let before = before.iter().map(|name| (*name).to_owned()).collect();
                    found.insert(name.to_owned(), JoinedShader { data: file.clone(), before });
                }
            }
        }
    }
    found
}

fn is_key(key: &str) -> bool {
    KEYS.contains(&key.to_ascii_lowercase().as_str())
}

/// The macros of an object: `["GPU", "LANES=4"]`, `"GPU LANES=4"`, `{"LANES": 4}` or `[{"name": "LANES", "value": 4}]`.
fn macros_of(object: &Map<String, Value>) -> BTreeMap<String, String> {
    let mut macros = BTreeMap::new();
    for (_, value) in object.iter().filter(|(key, _)| is_key(key)) {
        match value {
            Value::String(words) => macros.extend(words.split([' ', ';', ',']).filter_map(definition)),
            Value::Array(values) => macros.extend(values.iter().filter_map(|value| match value {
                Value::String(word) => definition(word),
                Value::Object(named) => named_macro(named.get("name")?.as_str()?, named.get("value")),
                _ => None,
            })),
            Value::Object(named) => {
                macros.extend(named.iter().filter_map(|(name, value)| named_macro(name, Some(value))));
            }
            _ => {}
        }
    }
    macros
}

fn definition(word: &str) -> Option<(String, String)> {
    let word = word.trim().trim_start_matches("-D");
    let (name, value) = word.split_once('=').unwrap_or((word, "1"));
    (is_name(name) && is_plain(value)).then(|| (name.to_owned(), value.to_owned()))
}

/// `None` for `false`, which leaves a macro out.
fn named_macro(name: &str, value: Option<&Value>) -> Option<(String, String)> {
    let value = match value {
        None | Some(Value::Null | Value::Bool(true)) => "1".to_owned(),
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::String(text)) if text.is_empty() => "1".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(_) => return None,
    };
    (is_name(name) && is_plain(&value)).then(|| (name.to_owned(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_states_files_before_shaders() {
        let folder = tempfile::tempdir().unwrap();
        let passes = r#"{"pipelines": [{"name": "depth", "shaders": [
            {"stage": "mesh", "shader": "meshlet.glsl", "includes": ["platform.h"]},
            {"stage": "task", "shader": "meshlet.glsl", "includes": ["platform.h", "scene.h"]},
            {"stage": "vertex", "shader": "sky.vert", "Includes": ["platform.h", "absent.h"]},
            {"stage": "vertex", "shader": "plain.vert", "includes": []}]}]}"#;
        std::fs::write(folder.path().join("passes.json"), passes).unwrap();
        let files = ["passes.json", "s/meshlet.glsl", "s/sky.vert", "s/plain.vert", "s/platform.h", "s/scene.h"];
        let found = joined_shaders(folder.path(), &files.map(str::to_owned).into());
        let before = ["platform.h", "scene.h"].map(str::to_owned).to_vec();
        let joined = JoinedShader { data: "passes.json".to_owned(), before };
        assert_eq!(found, [("meshlet.glsl".to_owned(), joined)].into());
    }

    #[test]
    fn data_states_macros_of_shaders() {
        let folder = tempfile::tempdir().unwrap();
        let passes = r#"{"passes": [
            {"name": "sky", "defines": ["SKY", "LANES=4"], "stages": [{"shader": "shaders/sky.frag"}, {"shader": "sky.vert", "macros": {"UP": 2, "OFF": false}}]},
            {"name": "blur", "shader": "blur.comp", "Defines": [{"name": "TAPS", "value": "9"}, {"name": "WIDE"}]},
            {"name": "again", "shader": "blur.comp", "define": "TAPS=5;WIDE -DFAST"},
            {"name": "plain", "shader": "copy.comp", "defines": []},
            {"name": "computed", "shader": "other.comp", "defines": ["A=${X}", "2B"]}]}"#;
        std::fs::write(folder.path().join("passes.json"), passes).unwrap();
        std::fs::write(folder.path().join("broken.json"), "{\"defines\": [").unwrap();
        let files =
            ["passes.json", "broken.json", "shaders/sky.frag", "sky.vert", "blur.comp", "copy.comp", "other.comp"];
        let mut found = BTreeMap::new();
        add_sets_of_data(folder.path(), &files.map(str::to_owned).into(), &mut found);
        assert_eq!(found["sky.frag"], [["LANES=4", "SKY=1"]]);
        assert_eq!(found["sky.vert"], [["LANES=4", "SKY=1", "UP=2"]]);
        let mut blur = found["blur.comp"].clone();
        blur.sort();
        assert_eq!(blur, [&["FAST=1", "TAPS=5", "WIDE=1"][..], &["TAPS=9", "WIDE=1"]]);
        assert_eq!(found.len(), 3, "{found:?}");
    }
}
