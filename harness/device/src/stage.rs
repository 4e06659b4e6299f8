//! The stages of pipelines.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    #[default]
    Compute,
    Vertex,
    Fragment,
    /// The stage that a launch of rays starts, the one with the first shader record.
    RayGeneration,
    /// A stage that a ray generation reaches by the number of a shader record.
    Record(RecordStage),
}

/// The stages with shader records, besides the ray generation.
///
/// All but a callable stage need a ray. The runner then writes the address of an acceleration
/// structure, little-endian, to the first 8 bytes of the push constants. A ray from (0, 0, 0) along
/// the z axis meets a triangle if its mask has bit 0, and a box of its own intersection stage if it
/// has bit 1. Both have 1 as offset in the table of hit groups, so the record of a ray is the one
/// after its own offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum RecordStage {
    /// A stage that another ray-tracing stage calls.
    Callable,
    /// The stage of a ray that hits nothing.
    Miss,
    /// Of the triangle.
    ClosestHit,
    /// Of the triangle.
    AnyHit,
    /// Of the box.
    Intersection,
}

impl Stage {
    pub const ALL: [Self; 9] = {
        let [callable, miss, closest_hit, any_hit, intersection] = RecordStage::ALL;
        [
            Self::Compute,
            Self::Vertex,
            Self::Fragment,
            Self::RayGeneration,
            Self::Record(callable),
            Self::Record(miss),
            Self::Record(closest_hit),
            Self::Record(any_hit),
            Self::Record(intersection),
        ]
    };

    /// The word in records, in messages and on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::Vertex => "vertex",
            Self::Fragment => "fragment",
            Self::RayGeneration => "raygeneration",
            Self::Record(stage) => stage.as_str(),
        }
    }

    /// Returns the stage if a ray generation reaches it by the number of a shader record.
    pub fn record_stage(self) -> Option<RecordStage> {
        match self {
            Self::Compute | Self::Vertex | Self::Fragment | Self::RayGeneration => None,
            Self::Record(stage) => Some(stage),
        }
    }

    /// Returns true for a stage that a ray generation reaches by the number of a shader record.
    pub fn is_reached(&self) -> bool {
        self.record_stage().is_some()
    }

    /// Returns true for a stage of a launch of rays.
    pub fn is_traced(&self) -> bool {
        *self == Self::RayGeneration || self.is_reached()
    }

    /// Returns true for a stage of a draw.
    pub fn is_drawn(&self) -> bool {
        matches!(self, Self::Vertex | Self::Fragment)
    }

    /// Returns true if records leave the stage out.
    pub fn is_compute(&self) -> bool {
        *self == Self::Compute
    }
}

impl RecordStage {
    pub const ALL: [Self; 5] = [Self::Callable, Self::Miss, Self::ClosestHit, Self::AnyHit, Self::Intersection];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Callable => "callable",
            Self::Miss => "miss",
            Self::ClosestHit => "closesthit",
            Self::AnyHit => "anyhit",
            Self::Intersection => "intersection",
        }
    }

    /// Returns true if a ray reaches the stage, rather than a call.
    pub fn needs_ray(self) -> bool {
        self != Self::Callable
    }
}

impl Serialize for Stage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Stage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        const NAMES: [&str; Stage::ALL.len()] = {
            let mut names = [""; Stage::ALL.len()];
            let mut index = 0;
            while index < names.len() {
                names[index] = Stage::ALL[index].as_str();
                index += 1;
            }
            names
        };
        let name = String::deserialize(deserializer)?;
        let found = Self::ALL.into_iter().find(|stage| stage.as_str() == name);
        found.ok_or_else(|| serde::de::Error::unknown_variant(&name, &NAMES))
    }
}

#[cfg(test)]
mod tests {
    use serde::de::IntoDeserializer;
    use serde::de::value::{Error, StrDeserializer};

    use super::*;

    /// Records of schema 1 hold these words.
    #[test]
    fn every_stage_reads_as_it_is_written() {
        let read = |name: &'static str| {
            let text: StrDeserializer<'_, Error> = name.into_deserializer();
            Stage::deserialize(text)
        };
        let names = Stage::ALL.map(Stage::as_str);
        let rays = ["raygeneration", "callable", "miss", "closesthit", "anyhit", "intersection"];
        assert_eq!(names.to_vec(), [&["compute", "vertex", "fragment"], rays.as_slice()].concat());
        assert_eq!(names.map(|name| read(name).unwrap()), Stage::ALL);
        assert!(Stage::ALL.is_sorted());
        assert!(read("hull").unwrap_err().to_string().starts_with("unknown variant `hull`, expected one of `compute`"));
    }
}
