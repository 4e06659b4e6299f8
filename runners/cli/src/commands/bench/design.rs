//! The designs that are measured: how cases become modules, and the driver settings.

use layoutproof_executor::drivers::{self, DriverCompilation, Setting};
use layoutproof_probes::{Fold, Form, FusedSpace, Tuning};

use super::args::{BenchArgs, BenchDesign, BenchLoad};

/// The form of a single probe: always leaf by leaf, even if another form is faster on the device.
const SINGLE: Form = Form::Leaf;

/// A way to run cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Design {
    pub(super) kind: BenchDesign,
    /// The kind of buffer that holds the blocks.
    pub(super) space: FusedSpace,
    /// How leaves are loaded.
    pub(super) form: Form,
    /// Number of cases per module.
    pub(super) group: usize,
    /// How a case's words are folded into one; `None` if each word is stored.
    pub(super) fold: Option<Fold>,
    /// Number of worker processes; each opens the device.
    pub(super) workers: usize,
}

impl Design {
    /// The design of a kind, tuned for a device unless `args` overrides the tuning.
    pub(super) fn new(kind: BenchDesign, device: &str, space: FusedSpace, args: &BenchArgs) -> Self {
        let fold = match kind {
            BenchDesign::Single => return Self { kind, space, form: SINGLE, group: 1, fold: None, workers: 1 },
            BenchDesign::Fused => Fold::Hash,
            BenchDesign::Floor => Fold::Xor,
        };

        let tuning = Tuning::of(device, space);
        let form = match args.load {
            None => tuning.form,
            Some(BenchLoad::Leaf) => Form::Leaf,
            Some(BenchLoad::Vector) => Form::Vector,
            Some(BenchLoad::Whole) => Form::Whole,
        };
        let group = args.group.map_or(tuning.cases, |group| group as usize);
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        let workers = args.workers.map_or_else(processors, |workers| workers as usize);
        Self { kind, space, form, group, fold: Some(fold), workers }
    }

    /// The environment variables of its workers.
    pub(super) fn settings(&self) -> Vec<Setting> {
        let compilation = match self.kind {
            BenchDesign::Single => DriverCompilation::Own,
            BenchDesign::Fused | BenchDesign::Floor => DriverCompilation::Fast,
        };
        compilation.settings().into_iter().chain(drivers::uncached()).collect()
    }

    /// A short name of the design.
    pub(super) fn name(&self) -> String {
        let loads = if self.form == SINGLE { String::new() } else { format!(", {} loads", self.form.as_str()) };
        match self.kind {
            BenchDesign::Single => "one pipeline per case".to_owned(),
            BenchDesign::Fused => format!("fused by {}{loads}", self.group),
            BenchDesign::Floor => format!("floor of that, by {}{loads}", self.group),
        }
    }
}
