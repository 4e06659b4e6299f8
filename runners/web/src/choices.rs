//! The choices of the page, from the tables of the core crate.

use layoutproof_bindings::{Convention, Target};

use layoutproof_layout::native::{Native, natives};
use layoutproof_layout::{Column, RuleSet, table};
use layoutproof_show::shipping;
use layoutproof_source::shader_language::ShaderLanguage;
use serde::Serialize;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExplorerChoices {
    /// Languages by name, each with its initial columns.
    pub languages: Vec<LanguageChoice>,
    /// Compilers' own layout choices.
    pub compilers: Vec<ColumnChoice>,
    pub rules: Vec<ColumnChoice>,
    /// Targets with the convention that places parameters: `d3d12.dxc` ...
    pub bindings: Vec<ColumnChoice>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LanguageChoice {
    /// The language's name, such as `hlsl`.
    pub name: &'static str,
    /// The names of the columns that ship; empty for a language whose texts declare their own
    /// offsets.
    pub columns: Vec<&'static str>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ColumnChoice {
    /// Its name on the command line.
    pub name: String,
    /// Its title, or the name of a rule set.
    pub label: String,
    /// The title of its target, under which the page lists it; empty for a rule set.
    pub target: &'static str,
}

pub fn choices() -> ExplorerChoices {
    let columns = |language| shipping(language).map(|native| native.name).collect();
    let of_target = |target: Target| {
        let conventions = Convention::ALL.into_iter().filter(move |convention| convention.targets().contains(&target));
        conventions.filter_map(move |convention| {
            let name = format!("{target}.{convention}");
            let column = Column::parse(&name).ok()?;
            let (label, target) = (column.to_string(), column.target.title());
            Some(ColumnChoice { name, label, target })
        })
    };
    let native = |native: &Native| {
        let column = native.column;
        ColumnChoice { name: native.name.to_owned(), label: column.to_string(), target: column.target.title() }
    };
    let rule_set =
        |rules: &RuleSet| ColumnChoice { name: rules.name.to_owned(), label: rules.name.to_owned(), target: "" };
    ExplorerChoices {
        languages: ShaderLanguage::ALL
            .map(|language| LanguageChoice { name: language.as_str(), columns: columns(language) })
            .to_vec(),
        compilers: natives().iter().map(native).collect(),
        rules: table().iter().map(rule_set).collect(),
        bindings: Target::ALL.into_iter().flat_map(of_target).collect(),
    }
}
