//! What the validator says about the modules of a check.

use std::fmt;

use layoutproof_device::Feature;

/// The result of the module validator.
///
/// Saved records hold its text; `saved_text` reads that text back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Validation {
    Valid,
    /// The validator did not run, for this reason.
    NotRun(String),
    /// The module is invalid under the promised rules but valid on a device that allows more.
    ValidOnlyWith {
        /// The feature of such a device.
        feature: Feature,
        /// The validator's message under the promised rules.
        message: String,
    },
    /// The module is invalid, with the validator's message.
    Invalid(String),
}

impl fmt::Display for Validation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Valid => f.write_str("valid"),
            Self::NotRun(reason) => write!(f, "not run: {reason}"),
            Self::ValidOnlyWith { feature, message } => write!(f, "valid only with {feature}: {message}"),
            Self::Invalid(message) => f.write_str(message),
        }
    }
}

impl Validation {
    /// Returns true if the validator rejected the module under the promised rules.
    pub fn is_rejection(&self) -> bool {
        !matches!(self, Self::Valid | Self::NotRun(_))
    }

    /// Adds the validator's result to that of a check of our own on the same module. The module is invalid
    /// if either says so, and the text has both messages.
    #[must_use]
    pub fn and(self, validator: Self) -> Self {
        match (self, validator) {
            (Self::Invalid(own), Self::Invalid(other)) => Self::Invalid(format!("{own}; {other}")),
            (Self::Invalid(own), _) => Self::Invalid(own),
            (_, validator) => validator,
        }
    }

    /// Combines the validation results of a check's modules. Without modules, the validator did not
    /// run.
    pub fn of_all<'a>(modules: impl Iterator<Item = &'a Self>) -> Self {
        // The worst result counts, and among equal ones the first.
        let weight = |validation: &&Self| match validation {
            Self::Invalid(_) => 0,
            Self::ValidOnlyWith { .. } => 1,
            Self::NotRun(_) => 2,
            Self::Valid => 3,
        };
        modules.min_by_key(weight).cloned().unwrap_or_else(|| Self::NotRun("no module".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_that_two_checks_reject_has_both_messages() {
        let invalid = |message: &str| Validation::Invalid(message.to_owned());
        assert_eq!(invalid("promise").and(invalid("line 3")), invalid("promise; line 3"));
        assert_eq!(invalid("promise").and(Validation::Valid), invalid("promise"));
        assert_eq!(Validation::NotRun("not yet".to_owned()).and(Validation::Valid), Validation::Valid);
    }
}
