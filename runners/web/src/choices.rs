//! What can be chosen on the page, from the tables of the core.

use layoutproof_core::bindings::{Convention, Target};
use layoutproof_core::show::{ShaderLanguage, ShippingTarget};
use layoutproof_layout::native::natives;
use layoutproof_layout::table;
use serde::Serialize;

/// Everything that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExplorerChoices {
    /// Languages by name, with the columns that are shown of them first.
    pub languages: Vec<LanguageChoice>,
    /// What compilers do by themselves.
    pub compilers: Vec<ColumnChoice>,
    /// Rule sets.
    pub rules: Vec<ColumnChoice>,
    /// `d3d12.dxc` ...: whose rules place parameters, by target.
    pub bindings: Vec<String>,
}

/// A language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LanguageChoice {
    /// `hlsl`.
    pub name: &'static str,
    /// The names of the columns that ship; none for a language whose texts say their own offsets.
    pub columns: Vec<&'static str>,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ColumnChoice {
    /// Its name on the command line.
    pub name: &'static str,
    /// What people call it: the command that has it, or the name.
    pub label: &'static str,
}

/// Everything that can be chosen.
pub fn choices() -> ExplorerChoices {
    let columns = |language| match language {
        ShaderLanguage::Hlsl | ShaderLanguage::Slang => {
            ShippingTarget::of(language).iter().map(|target| target.native).collect()
        }
        ShaderLanguage::Glsl | ShaderLanguage::Wgsl => Vec::new(),
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
            .map(|native| ColumnChoice {
                name: native.name,
                label: ShippingTarget::label_of(native.name).unwrap_or(native.summary),
            })
            .collect(),
        rules: table().iter().map(|rules| ColumnChoice { name: rules.name, label: rules.name }).collect(),
        bindings: Target::ALL.into_iter().flat_map(asked).collect(),
    }
}
