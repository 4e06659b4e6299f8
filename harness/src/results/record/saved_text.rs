//! Reads the sentences of saved records back into types.
//!
//! A record holds the validator's result as one sentence (schema 1). This module is the only place
//! that reads such a sentence; everything else matches on the type and prints it with `Display`.
//! Each type prints exactly the text that it was read from, so a file that is read and written again
//! keeps its bytes.

use layoutproof_device::Feature;

use crate::check::verdict::Validation;

/// Serde functions for the field `validation` of a record.
pub(super) mod validation {
    use serde::{Deserialize, Deserializer, Serializer};

    use super::Validation;

    pub(in crate::results::record) fn serialize<S: Serializer>(
        validation: &Validation,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(validation)
    }

    pub(in crate::results::record) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Validation, D::Error> {
        String::deserialize(deserializer).map(super::read_validation)
    }
}

/// A text that no other variant prints is a validator's message.
fn read_validation(text: String) -> Validation {
    if text == "valid" {
        return Validation::Valid;
    }
    if let Some(reason) = text.strip_prefix("not run: ") {
        return Validation::NotRun(reason.to_owned());
    }
    let limited = text.strip_prefix("valid only with ").and_then(|rest| rest.split_once(": "));
    let known = limited.and_then(|(name, message)| {
        let feature = Feature::ALL.into_iter().find(|feature| feature.to_string() == name)?;
        Some(Validation::ValidOnlyWith { feature, message: message.to_owned() })
    });
    known.unwrap_or(Validation::Invalid(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_validation_reads_as_it_was_written() {
        let message = "error: line 4: valid only with luck: no".to_owned();
        let feature = Feature::UniformBufferStandardLayout;
        let limited = Validation::ValidOnlyWith { feature, message: message.clone() };
        assert_eq!(limited.to_string(), format!("valid only with uniformBufferStandardLayout: {message}"));
        let others = [Validation::Valid, Validation::NotRun("no spirv-val".to_owned()), Validation::Invalid(message)];
        for validation in others.into_iter().chain([limited]) {
            assert_eq!(read_validation(validation.to_string()), validation);
        }
    }

    /// Another version may know other features.
    #[test]
    fn a_validation_of_another_version_keeps_its_text() {
        for text in ["", "not run", "valid only with luck: no", "valid only with scalarBlockLayout"] {
            assert_eq!(read_validation(text.to_owned()), Validation::Invalid(text.to_owned()), "{text}");
        }
    }
}
