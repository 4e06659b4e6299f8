//! `dev vectors`: the packages' data is what their schema says, the same each time, and agrees with
//! the case files that it comes from.

use std::time::Duration;

use serde_json::Value;

use super::folder::Folder;

/// Time limit; without optimisation, reading all cases takes seconds.
const LIMIT: Duration = Duration::from_secs(120);

fn written() -> Folder {
    let folder = Folder::with(&[]).within(LIMIT);
    folder.run("dev vectors all").exits(0).prints("wrote");
    folder
}

fn json(folder: &Folder, name: &str) -> Value {
    serde_json::from_str(&folder.read(name)).unwrap()
}

/// The shortest single-precision value of the bytes at `offset`.
fn float_at(image: &Value, offset: u64) -> f32 {
    let digits = image["bytes"].as_str().unwrap();
    let byte = |index: usize| u8::from_str_radix(&digits[2 * index..2 * index + 2], 16).unwrap();
    let first = usize::try_from(offset).unwrap();
    f32::from_le_bytes([byte(first), byte(first + 1), byte(first + 2), byte(first + 3)])
}

/// The first place where `data` breaks a rule of the schema, for the keywords that this schema has. `ci/vectors` applies it with
/// the reference implementation, which would bring 36 crates into every build of the tests.
fn problem(schema: &Value, rule: &Value, data: &Value, at: &str) -> Option<String> {
    let is_type = |name: &str| match name {
        "object" => data.is_object(),
        "array" => data.is_array(),
        "string" => data.is_string(),
        "boolean" => data.is_boolean(),
        "integer" => data.is_u64() || data.is_i64(),
        "null" => data.is_null(),
        other => panic!("{other} is no type of this schema"),
    };
    let fits = |rule: &Value| problem(schema, rule, data, at).is_none();
    for (keyword, value) in rule.as_object().unwrap() {
        let list = || value.as_array().unwrap().iter();
        let holds = match keyword.as_str() {
            "description" | "properties" => true,
            "$ref" => {
                let target = schema.pointer(value.as_str().unwrap().trim_start_matches('#')).unwrap();
                if let Some(problem) = problem(schema, target, data, at) {
                    return Some(problem);
                }
                true
            }
            "type" if value.is_array() => list().any(|name| is_type(name.as_str().unwrap())),
            "type" => is_type(value.as_str().unwrap()),
            "const" => data == value,
            "enum" => list().any(|known| known == data),
            "minimum" => data.as_u64().is_none_or(|number| number >= value.as_u64().unwrap()),
            "maximum" => data.as_u64().is_none_or(|number| number <= value.as_u64().unwrap()),
            "required" => list().all(|key| data.get(key.as_str().unwrap()).is_some()),
            "uniqueItems" => {
                let items = data.as_array().unwrap();
                items.iter().enumerate().all(|(index, item)| !items[..index].contains(item))
            }
            "oneOf" => list().filter(|rule| fits(rule)).count() == 1,
            "anyOf" => list().any(fits),
            "items" => {
                for (index, item) in data.as_array()?.iter().enumerate() {
                    if let Some(problem) = problem(schema, value, item, &format!("{at}[{index}]")) {
                        return Some(problem);
                    }
                }
                true
            }
            "additionalProperties" => {
                let properties = |key: &str| rule.get("properties").and_then(|all| all.get(key));
                for (key, data) in data.as_object()? {
                    let at = format!("{at}.{key}");
                    match properties(key).unwrap_or(value) {
                        Value::Bool(false) => return Some(format!("{at} is unknown")),
                        rule => {
                            if let Some(problem) = problem(schema, rule, data, &at) {
                                return Some(problem);
                            }
                        }
                    }
                }
                true
            }
            "pattern" => data.as_str().is_some_and(|text| matches(text, value.as_str().unwrap())),
            other => panic!("the test does not know the keyword {other}"),
        };
        if !holds {
            return Some(format!("{at}: {keyword} {value}"));
        }
    }
    None
}

/// True if `text` matches one of the schema's two patterns.
fn matches(text: &str, pattern: &str) -> bool {
    let consists_of = |text: &str, is_known: fn(u8) -> bool| !text.is_empty() && text.bytes().all(is_known);
    match pattern {
        "^[a-z0-9_]+(/[a-z0-9_]+)+$" => {
            let is_known = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
            text.contains('/') && text.split('/').all(|part| consists_of(part, is_known))
        }
        "^([0-9a-f]{2})+$" => {
            text.len().is_multiple_of(2)
                && consists_of(text, |byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
        }
        other => panic!("the test does not know the pattern {other}"),
    }
}

#[test]
fn patterns_of_the_schema_refuse_what_they_should() {
    let id = "^[a-z0-9_]+(/[a-z0-9_]+)+$";
    assert!(matches("arrays/array_of_bool", id));
    for text in ["", "arrays", "arrays/", "/a", "a//b", "Arrays/a", "a/b c"] {
        assert!(!matches(text, id), "{text}");
    }
    let bytes = "^([0-9a-f]{2})+$";
    assert!(matches("00a5", bytes));
    for text in ["", "0", "0a5", "A5", "0g"] {
        assert!(!matches(text, bytes), "{text}");
    }
}

#[test]
fn the_data_follows_its_schema_and_is_the_same_each_time() {
    let folder = written();
    let schema = json(&folder, "all/npm/vectors.schema.json");
    for (name, root) in [("vectors.json", "vectors"), ("rules.json", "rules")] {
        let root = &schema["$defs"][root];
        let mut data = json(&folder, &format!("all/npm/{name}"));
        if let Some(problem) = problem(&schema, root, &data, name) {
            panic!("{problem}");
        }
        data["extra"] = Value::from(1);
        assert!(problem(&schema, root, &data, name).is_some(), "the schema of {name} takes anything");
    }

    folder.run("dev vectors again").exits(0);
    for package in ["rust/data", "npm", "python/layoutproof_vectors"] {
        for name in ["vectors.json", "rules.json"] {
            let one = folder.read(&format!("all/{package}/{name}"));
            assert!(one == folder.read(&format!("again/{package}/{name}")), "{package}/{name} differs");
            assert!(one == folder.read(&format!("all/npm/{name}")), "{package}/{name} is not npm's");
        }
    }
    folder.run("dev vectors again").exits(2).warns("error: again is not empty");
}

/// The offsets are those of glslang 12.0.0, in the case file. The n-th scalar has the value n.
#[test]
fn an_image_has_each_value_at_the_offset_of_the_authority() {
    let folder = written();
    let all = json(&folder, "all/npm/vectors.json");
    let vectors = all["vectors"].as_array().unwrap();
    let vector = vectors.iter().find(|it| it["id"] == "arrays/scalar_packs_behind_the_last_element").unwrap();
    let layout = vector["layouts"].as_array().unwrap().iter().find(|it| it["rules"] == "std140").unwrap();
    assert_eq!(layout["authority"]["compiler"], "glslang");
    assert_eq!(layout["offsets"], serde_json::json!({ "S.a": 0, "S.b": 16, "S.c": 48, "S.d": 56 }));
    assert_eq!(layout["sizes"]["S"], 64);

    let image = &layout["images"]["S"];
    let read: Vec<f32> = [0, 4, 8, 16, 32, 48, 56, 60].map(|offset| float_at(image, offset)).to_vec();
    assert_eq!(read, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
    assert_eq!(image["values"]["S.b[1]"], 5);
    assert_eq!(image["bytes"].as_str().unwrap().len(), 2 * 64);
}

/// Every float that an authority places, read from the image at that place, is the value listed.
#[test]
fn all_images_agree_with_the_authorities_offsets() {
    let folder = written();
    let all = json(&folder, "all/npm/vectors.json");
    let mut compared = 0;
    for vector in all["vectors"].as_array().unwrap() {
        for layout in vector["layouts"].as_array().unwrap() {
            for (block, image) in layout["images"].as_object().into_iter().flatten() {
                for member in vector["blocks"].as_array().unwrap().iter().filter(|it| it["name"] == *block) {
                    for member in member["type"]["members"].as_array().into_iter().flatten() {
                        let path = format!("{block}.{}", member["name"].as_str().unwrap());
                        let is_float = member["type"] == serde_json::json!({ "kind": "scalar", "scalar": "float" });
                        let Some(offset) = layout["offsets"][&path].as_u64().filter(|_| is_float) else { continue };
                        let value = image["values"][&path].as_f64().unwrap();
                        assert_eq!(
                            f64::from(float_at(image, offset)).to_bits(),
                            value.to_bits(),
                            "{}: {path}",
                            vector["id"]
                        );
                        compared += 1;
                    }
                }
            }
        }
    }
    assert!(compared > 500, "only {compared} values were compared");
}
