//! Tests of the reports. `export` and `host_structs` are programs of their own, because their tests
//! report what this machine lacks.

#[path = "../../tests/fixture/mod.rs"]
mod fixture;
mod golden;
mod mutated_inputs;
mod proofs;
mod records_schema;
mod report_properties;
