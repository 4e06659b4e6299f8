//! Records and layouts in the formats of other programs: JSON, `JUnit`, CSV, annotations of GitHub.

pub mod deqp_csv;
pub mod github;
pub mod json_lines;
pub mod junit;
pub mod show_json;
