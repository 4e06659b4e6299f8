//! Decodes a device's reads into one site per answer. It does not judge them.

use std::fmt;

use layoutproof_device::{Job, ReadBack, words_of};

use super::jobs::FIRST_ANSWER;
use super::program::{BindingProgram, Pass};
use super::site::BindingSite;
use crate::image::{self, DecodedWord};

/// The answer to one read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BindingAnswer {
    /// Index into [`BindingProgram::bound`].
    pub of: usize,
    /// The site that the device should have read.
    pub wanted: BindingSite,
    /// The returned word.
    pub word: u32,
}

/// Why a job has no answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoAnswer {
    /// The job did not run: the output's first word is not the nonce.
    NotRun {
        nonce: u32,
        /// The first word of the output.
        found: u32,
    },
    /// Fewer words came back than the job has answers.
    Short,
}

impl BindingAnswer {
    /// Returns the site that was really read; `None` if the word names no site.
    pub fn site(&self) -> Option<BindingSite> {
        BindingSite::of_word(self.word)
    }

    /// Returns the site in words, or the word itself if it names no site.
    pub fn found(&self) -> String {
        self.site().map_or_else(|| format!("0x{:08X}", self.word), BindingSite::register_text)
    }

    /// Returns true if the device read the right site.
    pub fn is_right(&self) -> bool {
        self.site() == Some(self.wanted)
    }
}

impl fmt::Display for BindingAnswer {
    /// Formats as `set 0 binding 2 gave 0x50000300, the word of set 0 binding 3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} gave 0x{:08X}, ", self.wanted.register_text(), self.word)?;
        match (self.site(), image::decode(self.word)) {
            (Some(site), _) => write!(f, "the word of {}", site.register_text()),
            (None, DecodedWord::Before) => f.write_str("the memory around a buffer"),
            (None, DecodedWord::Refill) => f.write_str("what stood in the output, or in no sampler's mip level"),
            (
                None,
                other @ (DecodedWord::Data(_)
                | DecodedWord::Unwritten(_)
                | DecodedWord::OtherDispatch(_)
                | DecodedWord::Padding(_)
                | DecodedWord::Guard(_)
                | DecodedWord::Nonce(_)
                | DecodedWord::Element(_)
                | DecodedWord::Zero
                | DecodedWord::Unknown(_)),
            ) => write!(f, "{other}"),
        }
    }
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRun { nonce, found } => {
                write!(f, "the job did not run: its first word is 0x{found:08X}, not the nonce 0x{nonce:08X}")
            }
            Self::Short => f.write_str("fewer words came back than there are answers"),
        }
    }
}

/// Returns the answers of `program`'s job, in the program's order.
///
/// # Errors
///
/// The job did not run, or answers are missing.
pub fn observe(program: &BindingProgram, job: &Job, read_back: &ReadBack) -> Result<Vec<BindingAnswer>, NoAnswer> {
    let words = match program.pass {
        Pass::Compute => answers(job, read_back)?,
        Pass::Varyings => read_back.targets.iter().flatten().copied().collect(),
        Pass::Targets => {
            let target = |site| match site {
                BindingSite::Target { location } => read_back.targets.get(location as usize).map(|texel| texel[0]),
                _ => None,
            };
            let all = program.reads.iter().map(|read| target(read.site));
            all.collect::<Option<Vec<u32>>>().ok_or(NoAnswer::Short)?
        }
    };

    if words.len() < program.reads.len() {
        return Err(NoAnswer::Short);
    }
    let seen =
        program.reads.iter().zip(words).map(|(read, word)| BindingAnswer { of: read.of, wanted: read.site, word });
    Ok(seen.collect())
}

/// Returns the words after the nonce of a dispatch that ran.
fn answers(job: &Job, read_back: &ReadBack) -> Result<Vec<u32>, NoAnswer> {
    // The output is the last buffer of the job.
    let (before, after) = job.buffers.last().zip(read_back.buffers.last()).ok_or(NoAnswer::Short)?;
    let (before, after) = (words_of(&before.bytes), words_of(&after.bytes));
    match (before.get(1), after.split_at_checked(FIRST_ANSWER as usize)) {
        (Some(nonce), Some(([found, ..], answers))) if found == nonce => Ok(answers.to_vec()),
        (Some(nonce), Some(([found, ..], _))) => Err(NoAnswer::NotRun { nonce: *nonce, found: *found }),
        (_, _) => Err(NoAnswer::Short),
    }
}
