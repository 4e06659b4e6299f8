//! The buffers of a job during evaluation: bytes at registers.

/// The class of a resource, with Direct3D's letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// `t`.
    ShaderResource,
    /// `u`.
    UnorderedAccess,
    /// `b`.
    ConstantBuffer,
}

impl Class {
    /// The other class in which a shader may declare the same storage buffer.
    fn other_storage(self) -> Option<Self> {
        match self {
            Self::ShaderResource => Some(Self::UnorderedAccess),
            Self::UnorderedAccess => Some(Self::ShaderResource),
            Self::ConstantBuffer => None,
        }
    }

    /// The letter of its registers.
    fn letter(self) -> char {
        match self {
            Self::ShaderResource => 't',
            Self::UnorderedAccess => 'u',
            Self::ConstantBuffer => 'b',
        }
    }
}

/// The register of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RegisterSite {
    pub class: Class,
    pub space: u32,
    pub register: u32,
}

/// A buffer and its register.
#[derive(Clone, Debug)]
pub(crate) struct BoundBuffer {
    pub(crate) site: RegisterSite,
    pub(crate) bytes: Vec<u8>,
}

/// The buffers of a job.
#[derive(Debug)]
pub(crate) struct BoundBuffers<'a>(pub(crate) &'a mut [BoundBuffer]);

impl BoundBuffers<'_> {
    /// Loads `size` bytes, at most 8, from byte `start` as a little-endian number. Bytes beyond the
    /// buffer are zeros, as in Direct3D 12.
    ///
    /// # Errors
    /// Nothing is bound there.
    pub(crate) fn load(&self, place: RegisterSite, start: u64, size: u64) -> Result<u64, String> {
        let buffer = &self.0[self.bound(place)?];
        let byte = |at: u64| usize::try_from(at).ok().and_then(|at| buffer.bytes.get(at)).copied().unwrap_or(0);
        Ok((0..size).rev().fold(0, |bits, at| bits << 8 | u64::from(byte(start.saturating_add(at)))))
    }

    /// Stores the low `size` bytes of `bits` at `start`. Bytes beyond the buffer are lost.
    ///
    /// # Errors
    /// Nothing is bound there.
    pub(crate) fn store(&mut self, place: RegisterSite, start: u64, size: u64, bits: u64) -> Result<(), String> {
        let index = self.bound(place)?;
        for (at, byte) in (start..start.saturating_add(size)).zip(bits.to_le_bytes()) {
            let stored = usize::try_from(at).ok().and_then(|at| self.0[index].bytes.get_mut(at));
            if let Some(stored) = stored {
                *stored = byte;
            }
        }
        Ok(())
    }

    fn bound(&self, site: RegisterSite) -> Result<usize, String> {
        let find = |class| self.0.iter().position(|buffer| buffer.site == RegisterSite { class, ..site });
        let found = find(site.class).or_else(|| find(site.class.other_storage()?));
        found.ok_or_else(|| {
            let RegisterSite { class, space, register } = site;
            format!("nothing is bound at {}{register}, space{space}", class.letter())
        })
    }
}
