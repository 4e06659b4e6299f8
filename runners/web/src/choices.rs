//! The choices of the page, from the tables of the core crate.

use layoutproof_bindings::{Convention, Target};

use layoutproof_layout::native::natives;
use layoutproof_layout::table;
use layoutproof_show::front_ends::{FrontEnd, TextFrontEnd};
use layoutproof_show::shipping;
use layoutproof_source::shader_language::ShaderLanguage;
use serde::Serialize;

/// All choices of the page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExplorerChoices {
    /// Languages by name, each with its initial columns.
    pub languages: Vec<LanguageChoice>,
    /// Compilers' own layout choices.
    pub compilers: Vec<ColumnChoice>,
    /// Rule sets.
    pub rules: Vec<ColumnChoice>,
    /// Targets with the convention that places parameters: `d3d12.dxc` ...
    pub bindings: Vec<String>,
}

/// A language of the page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LanguageChoice {
    /// The language's name, such as `hlsl`.
    pub name: &'static str,
    /// The names of the columns that ship; empty for a language whose texts declare their own
    /// offsets.
    pub columns: Vec<&'static str>,
}

/// A column of the page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ColumnChoice {
    /// Its name on the command line.
    pub name: &'static str,
    /// The label for people: the column's title, or the name.
    pub label: String,
}

/// Collects all choices of the page.
pub fn choices() -> ExplorerChoices {
    let columns = |language| {
        let has_columns = !FrontEnd::Text(TextFrontEnd::of(language)).fixes_offsets();
        shipping(language).filter(|_| has_columns).map(|native| native.name).collect()
    };
    let asked = |target: Target| {
        let answers = Convention::ALL.into_iter().filter(move |convention| convention.targets().contains(&target));
        answers.map(move |convention| format!("{target}.{convention}"))
    };
    ExplorerChoices {
        languages: ShaderLanguage::ALL
            .map(|language| LanguageChoice { name: language.as_str(), columns: columns(language) })
            .to_vec(),
        compilers: natives()
            .iter()
            .map(|native| ColumnChoice { name: native.name, label: native.column.to_string() })
            .collect(),
        rules: table().iter().map(|rules| ColumnChoice { name: rules.name, label: rules.name.to_owned() }).collect(),
        bindings: Target::ALL.into_iter().flat_map(asked).collect(),
    }
}
