//! `layoutproof run --own`: what a user's own module did on each device, compared with what its code says.
//!
//! `text` is for people, `json` for programs. Both show the same [`OwnReport`].

mod json;
mod text;

use std::fmt;

use layoutproof_readers::spirv::accesses::instrument::OwnModule;
use layoutproof_readers::spirv::accesses::own_log::{Entry, ReadLog};
use layoutproof_readers::spirv::accesses::{Access, Fault, SourcePlace};
use layoutproof_show::style::counted;
use layoutproof_source::shader_language::ShaderLanguage;

use crate::accesses::{accesses, member_of, sentence};

pub use json::json;
pub use text::text;

/// A module that was executed.
#[derive(Clone, Debug)]
pub struct OwnReport {
    pub file: String,
    /// The language in whose words people read types.
    pub language: ShaderLanguage,
    /// The compiler that made the module, with its version.
    pub compiler: Option<String>,
    pub module: OwnModule,
    pub dispatch: [u32; 3],
    /// Why spirv-val rejects the module.
    pub invalid: Option<String>,
    /// Why spirv-val did not judge the module.
    pub not_validated: Option<String>,
    /// The bytes of each buffer, in the module's order, and whether the user chose how many.
    pub sizes: Vec<(u64, bool)>,
    pub devices: Vec<OwnDevice>,
}

#[derive(Clone, Debug)]
pub struct OwnDevice {
    pub name: String,
    pub outcome: OwnOutcome,
}

impl OwnDevice {
    fn is_broken(&self) -> bool {
        matches!(self.outcome, OwnOutcome::Broken(_) | OwnOutcome::Ran { plain: PlainRun::Broken(_), .. })
    }
}

#[derive(Clone, Debug)]
pub enum OwnOutcome {
    /// The device lacks something that the module needs.
    Skipped(String),
    /// The device refused the module, died or did not answer in time.
    Broken(String),
    Ran {
        log: ReadLog,
        differences: Vec<Difference>,
        /// How the module ran without the log.
        plain: PlainRun,
    },
}

/// The run of the module without the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlainRun {
    /// It wrote the same bytes.
    Same,
    /// It wrote other bytes, both times the same.
    Differs,
    /// Two runs of it wrote different bytes, so nothing is compared.
    Varies,
    /// The device died or did not answer in time.
    Broken(String),
    /// It was not run, because it writes no buffer that could be compared.
    NoBuffer,
    /// It was not run, because an access was caught, has no address, or is not in the log.
    NotRun,
}

/// Something that is wrong, apart from the faults of the static answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// An index was out of range `count` times, for the byte `most` at the farthest. Not certain if the size, or what leads
    /// there, is made up.
    Beyond { site: u32, count: u32, most: u32, certain: bool },
    /// An address did not have the alignment that its access promises.
    Misaligned { site: u32, count: u32, promised: u32, certain: bool },
    /// An access is not where the code says; `everywhere` on all devices that ran, so that our answer may be wrong.
    Elsewhere { site: u32, entry: Entry, everywhere: bool },
    /// The module without the log writes another byte.
    Bytes { buffer: u32, at: u64 },
    /// The bytes after a buffer changed, although every index was in range.
    Guard { buffer: u32 },
}

/// Who is to blame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Culprit {
    YourCode,
    Compiler,
    Device,
    /// The device, or our static answer.
    Unclear,
}

impl Culprit {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::YourCode => "your code",
            Self::Compiler => "compiler",
            Self::Device => "device",
            Self::Unclear => "unclear",
        }
    }

    fn id(self) -> &'static str {
        match self {
            Self::YourCode => "your-code",
            Self::Compiler => "compiler",
            Self::Device => "device",
            Self::Unclear => "unclear",
        }
    }
}

impl Difference {
    /// `None` if nothing is certain.
    pub fn culprit(&self) -> Option<Culprit> {
        match self {
            Self::Beyond { certain, .. } | Self::Misaligned { certain, .. } => certain.then_some(Culprit::YourCode),
            Self::Elsewhere { everywhere: true, .. } => Some(Culprit::Unclear),
            // Invocations that share bytes may have another order.
            Self::Bytes { .. } => None,
            Self::Elsewhere { .. } | Self::Guard { .. } => Some(Culprit::Device),
        }
    }

    /// The site that it is about.
    fn site(&self) -> Option<u32> {
        match self {
            Self::Beyond { site, .. } | Self::Misaligned { site, .. } | Self::Elsewhere { site, .. } => Some(*site),
            Self::Bytes { .. } | Self::Guard { .. } => None,
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Beyond { .. } => "beyond-end",
            Self::Misaligned { .. } => "alignment",
            Self::Elsewhere { .. } => "elsewhere",
            Self::Bytes { .. } => "other-bytes",
            Self::Guard { .. } => "after-end",
        }
    }
}

impl OwnReport {
    fn accesses(&self) -> &[Access] {
        &self.module.accesses.accesses
    }

    /// The access of a site, as the static answer has it.
    fn access(&self, site: u32) -> Option<&Access> {
        let expected = self.module.log.sites().get(site as usize)?.expected.first()?;
        self.accesses().get(expected.access as usize)
    }

    fn access_name(&self, site: u32) -> String {
        let Some(access) = self.access(site) else { return format!("access {site}") };
        let view = access.view.and_then(|view| self.module.accesses.views.get(view as usize));
        let member = member_of(view.map_or("", |view| &view.name), &access.member);
        format!("{} of `{member}`", access.kind.as_str())
    }

    fn place(&self, site: u32) -> Option<&SourcePlace> {
        self.access(site)?.place.as_ref()
    }

    fn place_of(&self, difference: &Difference) -> Option<&SourcePlace> {
        self.place(difference.site()?)
    }

    fn buffer_name(&self, buffer: u32) -> &str {
        self.module.buffers.get(buffer as usize).map_or("", |buffer| &buffer.name)
    }

    fn difference_text(&self, difference: &Difference) -> String {
        match difference {
            Difference::Beyond { site, count, most, certain } => {
                let times = counted((*count).into(), "time");
                format!("{} is out of range {times}, up to byte {most}{}", self.access_name(*site), advice(*certain))
            }
            Difference::Misaligned { site, count, promised, certain } => {
                let (times, name) = (counted((*count).into(), "time"), self.access_name(*site));
                format!("{name} promises an alignment of {promised} bytes and breaks it {times}{}", advice(*certain))
            }
            Difference::Elsewhere { site, entry, .. } => {
                let at = self.access(*site).map(|access| access.at.to_string()).unwrap_or_default();
                format!("{} is at {entry}, and the code says {at}", self.access_name(*site))
            }
            Difference::Bytes { buffer, at } => {
                format!(
                    "byte {at} of `{}` is another without the log: invocations share bytes, or the device is wrong",
                    self.buffer_name(*buffer)
                )
            }
            Difference::Guard { buffer } => {
                format!("bytes after `{}` changed, although every index was in range", self.buffer_name(*buffer))
            }
        }
    }

    fn static_faults(&self) -> impl Iterator<Item = (&Fault, String)> {
        let accesses = self.accesses();
        self.module.accesses.faults.iter().map(move |fault| (fault, sentence(fault, accesses, self.language)))
    }

    /// The differences of all devices, with the device's name.
    fn differences(&self) -> impl Iterator<Item = (&str, &Difference)> {
        self.devices.iter().flat_map(|device| match &device.outcome {
            OwnOutcome::Ran { differences, .. } => {
                differences.iter().map(|difference| (device.name.as_str(), difference)).collect::<Vec<_>>()
            }
            OwnOutcome::Skipped(_) | OwnOutcome::Broken(_) => Vec::new(),
        })
    }

    fn invalid_culprit(&self) -> Culprit {
        if self.compiler.is_some() { Culprit::Compiler } else { Culprit::YourCode }
    }

    /// Marks the accesses that no device has where the code says.
    pub fn weigh(&mut self) {
        let sites = |device: &OwnDevice| match &device.outcome {
            OwnOutcome::Ran { log, .. } => {
                Some(log.sites.iter().map(|site| site.elsewhere.is_some()).collect::<Vec<bool>>())
            }
            OwnOutcome::Skipped(_) | OwnOutcome::Broken(_) => None,
        };
        let all: Vec<Vec<bool>> = self.devices.iter().filter_map(sites).collect();
        for device in &mut self.devices {
            let OwnOutcome::Ran { differences, .. } = &mut device.outcome else { continue };
            for difference in differences {
                if let Difference::Elsewhere { site, everywhere, .. } = difference {
                    *everywhere = all.iter().all(|sites| sites.get(*site as usize) == Some(&true));
                }
            }
        }
    }

    /// How many devices executed the module.
    pub fn ran(&self) -> usize {
        self.devices.iter().filter(|device| matches!(device.outcome, OwnOutcome::Ran { .. })).count()
    }

    /// True if something is wrong.
    pub fn fails(&self) -> bool {
        self.invalid.is_some()
            || !self.module.accesses.faults.is_empty()
            || self.devices.iter().any(OwnDevice::is_broken)
            || self.differences().any(|(_, difference)| difference.culprit().is_some())
    }

    /// True if something was not compared: an access is not in the log, the bytes without the log are not known, or a
    /// buffer was too small for the code and nothing states its size.
    pub fn is_open(&self) -> bool {
        let is_partial = |device: &OwnDevice| match &device.outcome {
            OwnOutcome::Ran { log, plain, .. } => log.lost > 0 || matches!(plain, PlainRun::Varies | PlainRun::NotRun),
            OwnOutcome::Skipped(_) | OwnOutcome::Broken(_) => false,
        };
        !self.module.not_logged.is_empty()
            || self.devices.iter().any(is_partial)
            || self.differences().any(|(_, difference)| difference.culprit().is_none())
    }

    /// How many accesses no device got to.
    fn never_executed(&self) -> usize {
        let is_reached = |site: usize| {
            self.devices.iter().any(|device| match &device.outcome {
                OwnOutcome::Ran { log, .. } => log.sites.get(site).is_some_and(|seen| seen.count > 0),
                OwnOutcome::Skipped(_) | OwnOutcome::Broken(_) => false,
            })
        };
        (0..self.module.log.sites().len()).filter(|site| self.ran() > 0 && !is_reached(*site)).count()
    }

    /// The sentence that sums it up.
    pub fn headline(&self) -> String {
        Headline(self).to_string()
    }
}

/// What to do about numbers that are made up.
fn advice(is_certain: bool) -> &'static str {
    if is_certain { "" } else { "; sizes or numbers that lead there are made up: give them with --count and --buffer" }
}

struct Headline<'a>(&'a OwnReport);

impl fmt::Display for Headline<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let report = self.0;
        let mut culprits: Vec<Culprit> = report.differences().filter_map(|(_, it)| it.culprit()).collect();
        culprits.extend((!report.module.accesses.faults.is_empty()).then_some(Culprit::YourCode));
        culprits.extend(report.invalid.as_ref().map(|_| report.invalid_culprit()));
        culprits.sort_unstable();
        culprits.dedup();
        let broken = report.devices.iter().filter(|device| device.is_broken()).count();
        if !culprits.is_empty() {
            let culprits: Vec<&str> = culprits.into_iter().map(Culprit::as_str).collect();
            write!(f, "{}: ", culprits.join(", "))?;
        } else if report.is_open() {
            f.write_str("incomplete: ")?;
        } else if report.ran() == 0 {
            f.write_str("not run: ")?;
        } else if broken == 0 {
            f.write_str("ok: ")?;
        }
        let sites = report.module.log.sites().len() as u64;
        let not_logged: u64 = report.module.not_logged.values().sum();
        write!(f, "{} logged on {}", accesses(sites), counted(report.ran() as u64, "device"))?;
        if broken > 0 {
            write!(f, "; {} broke", counted(broken as u64, "device"))?;
        }
        if not_logged > 0 {
            write!(f, "; {} not logged", accesses(not_logged))?;
        }
        let never = report.never_executed();
        if never > 0 {
            write!(f, "; {} never executed", accesses(never as u64))?;
        }
        Ok(())
    }
}
