//! Writes records and layouts in formats for other programs: JSON, `JUnit`, CSV, SARIF, GitHub
//! annotations.

pub mod deqp_csv;
pub mod github;
pub mod json_lines;
pub mod junit;
pub mod sarif;
