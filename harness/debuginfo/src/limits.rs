//! Limits on the cost of one read, so that damaged or hostile debug information ends in an error.

/// Limits of one read. The defaults are far above the needs of real programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DebugLimits {
    /// Maximum nesting of types.
    pub depth: u32,
    /// Maximum number of types in one read.
    pub types: u32,
    /// Maximum number of members in one record.
    pub members: u32,
    /// Maximum number of type names in the index.
    pub names: u32,
    /// Maximum decompressed size of a section, in bytes.
    pub section_bytes: u64,
    /// Maximum number of object files in an archive.
    pub objects: u32,
    /// Maximum number of threads; 0 means one per core.
    pub threads: u32,
}

impl Default for DebugLimits {
    fn default() -> Self {
        Self {
            depth: 200,
            types: 1_000_000,
            members: 100_000,
            names: 20_000_000,
            section_bytes: 4 << 30,
            objects: 1_000_000,
            threads: 0,
        }
    }
}
