//! The JSON of `check` has the keys that the book describes.

use std::collections::BTreeSet;

use serde_json::Value;

use super::folder_of;

/// The keys of all objects in a value.
fn keys_of(value: &Value, keys: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (key, inner) in object {
                keys.insert(key.clone());
                keys_of(inner, keys);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| keys_of(item, keys)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn the_book_describes_all_keys() {
    let shader = "struct Light { float3 position; float3 color; };\nStructuredBuffer<Light> lights;\n\
                  cbuffer Parameters { float3x4 transform; float4 tint; };\n\
                  struct Lamp { float3 place; float3 tint; };\nStructuredBuffer<Lamp> lamps;\n\
                  cbuffer Greek { float alpha; float beta; float gamma; };\n\
                  cbuffer Absent { float4 a; };\ncbuffer Latin { float a; float b; float c; };\n";
    let host = "struct Light { float position[3], color[3]; } l; struct Lamp { float place[3], tint[3]; } q; struct Parameters { float transform[3][4], tint[4]; } p; \
                struct Moved { float alpha, beta, pad, gamma; } m; \
                struct Few { float c, x, b, y, z, w; } f;";
    let Some(folder) = folder_of(("a.slang", shader), host) else { return };
    folder.write("broken.slang", b"cbuffer Broken { flot a; };");
    let answer = folder.run("check a.slang broken.slang host.o --map Absent=Nothing --format json").exits(2).json();
    let mut keys = BTreeSet::new();
    keys_of(&answer, &mut keys);
    for expected in ["agrees_for", "agrees_with", "better_targets", "difference", "unmatched_hosts", "reason", "state"]
    {
        assert!(keys.contains(expected), "{expected}: {answer}");
    }
    let page = include_str!("../../../../../harness/book/records.md");
    let (_, page) = page.split_once("## The JSON of `check`").unwrap();
    let missing: Vec<&String> = keys.iter().filter(|key| !page.contains(&format!("`{key}`"))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
