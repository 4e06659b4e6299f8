//! Bounds on what one read may cost, so that damaged or hostile debug information ends in an error instead of never.

/// Bounds of one read. The defaults are far above what real programs need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DebugLimits {
    /// How deep types may contain each other.
    pub depth: u32,
    /// How many types one read may bring.
    pub types: u32,
    /// How many members one record may have.
    pub members: u32,
    /// How many names of types the index may hold.
    pub names: u32,
    /// How many bytes one compressed section may become.
    pub section_bytes: u64,
    /// How many object files an archive may hold.
    pub objects: u32,
    /// How many threads may work at once; 0 stands for as many as the machine has.
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
