//! The cases notice every planted fault, wrong rules and misreading devices, except those with an
//! explanation.

use std::process::{Command, Output};

fn mutants(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_layoutproof"));
    command.arg("--ascii").arg("mutants").args(arguments).output().expect("the command was built for this test")
}

#[test]
fn no_mutant_survives_unexplained() {
    let output = mutants(&[]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains(" survive, 0 stale"), "{text}");
    assert!(text.contains("array-stride-four"), "{text}");
}

#[test]
fn one_rule_set_is_listed_mutant_by_mutant() {
    let output = mutants(&["--rules", "std430", "--format", "json"]);
    let table: serde_json::Value = serde_json::from_slice(&output.stdout).expect("the output is JSON");
    let lines = table["rules"].as_array().expect("rule mutants are a list");
    let line = lines.iter().find(|line| line["parameter"] == "vectors" && line["to"] == "component");
    let killers = &line.expect("vectors have three other alignments")["killers"]["cases"];
    // OpenGL 4.6, 7.6.2.2: a vec3 is aligned to 16 bytes.
    let expected = serde_json::json!("vectors/three_component_vector_behind_a_scalar");
    assert!(killers.as_array().is_some_and(|ids| ids.contains(&expected)), "{killers}");
    assert_eq!(table["devices"], serde_json::json!([]));
}

#[test]
fn an_unknown_rule_set_is_refused() {
    assert_eq!(mutants(&["--rules", "std141"]).status.code(), Some(2));
}
