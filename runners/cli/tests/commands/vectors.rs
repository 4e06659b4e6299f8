//! `dev vectors`: the packages' data is what their schema says, the same each time, and agrees with
//! the case files that it comes from.

use std::time::Duration;

use boon::{Compiler, Schemas};
use serde_json::Value;

use super::folder::Folder;

/// Time limit; without optimisation, reading all cases takes seconds.
const LIMIT: Duration = Duration::from_secs(120);

fn written() -> Folder {
    let folder = Folder::with(&[]).within(LIMIT);
    folder.run("dev vectors all").exits(0).prints("packages rust, npm, python");
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

#[test]
fn the_data_follows_its_schema_and_is_the_same_each_time() {
    let folder = written();
    let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
    compiler.add_resource("schema.json", json(&folder, "all/npm/vectors.schema.json")).unwrap();
    for (name, root) in [("vectors.json", "vectors"), ("rules.json", "rules")] {
        let schema = compiler.compile(&format!("schema.json#/$defs/{root}"), &mut schemas).unwrap();
        let mut data = json(&folder, &format!("all/npm/{name}"));
        if let Err(problem) = schemas.validate(&data, schema) {
            panic!("{name}: {problem}");
        }
        data["extra"] = Value::from(1);
        assert!(schemas.validate(&data, schema).is_err(), "the schema of {name} takes anything");
    }

    folder.run("dev vectors again").exits(0);
    for package in ["rust/data", "npm", "python/layoutproof_vectors"] {
        for name in ["vectors.json", "rules.json"] {
            let one = folder.read(&format!("all/{package}/{name}"));
            assert!(one == folder.read(&format!("again/{package}/{name}")), "{package}/{name} differs");
            assert!(one == folder.read(&format!("all/npm/{name}")), "{package}/{name} is not npm's");
        }
    }
    folder.run("dev vectors again").exits(2).warns("is not empty");
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
                        assert!(f64::from(float_at(image, offset)) == value, "{}: {path}", vector["id"]);
                        compared += 1;
                    }
                }
            }
        }
    }
    assert!(compared > 500, "only {compared} values were compared");
}
