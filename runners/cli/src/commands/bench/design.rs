//! The designs that are measured: how cases become modules, with which settings of the driver.

use layoutproof_core::probe::{Fold, Form, FusedSpace, Tuning};
use layoutproof_executor::drivers::{self, DriverCompilation, Setting};

use super::args::{BenchArgs, BenchDesign, BenchLoad};

/// The form of a single probe: leaf by leaf, whatever is best for the device.
const SINGLE: Form = Form::Leaf;

/// A way to run cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Design {
    /// Which of the designs.
    pub(super) kind: BenchDesign,
    /// Where blocks live.
    pub(super) space: FusedSpace,
    /// How leaves are loaded.
    pub(super) form: Form,
    /// Cases of a module.
    pub(super) group: usize,
    /// How the words of a case become one; `None` where each is stored.
    pub(super) fold: Option<Fold>,
    /// Worker processes, each with a device of its own.
    pub(super) workers: usize,
}

impl Design {
    /// The design of that kind for a device; `args` may say otherwise than its tuning.
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

    /// The variables that its workers find in their environment.
    pub(super) fn settings(&self) -> Vec<Setting> {
        let compilation = match self.kind {
            BenchDesign::Single => DriverCompilation::Own,
            BenchDesign::Fused | BenchDesign::Floor => DriverCompilation::Fast,
        };
        compilation.settings().into_iter().chain(drivers::uncached()).collect()
    }

    /// The design in a few words.
    pub(super) fn name(&self) -> String {
        let loads = if self.form == SINGLE { String::new() } else { format!(", {} loads", self.form.as_str()) };
        match self.kind {
            BenchDesign::Single => "one pipeline per case".to_owned(),
            BenchDesign::Fused => format!("fused by {}{loads}", self.group),
            BenchDesign::Floor => format!("floor of that, by {}{loads}", self.group),
        }
    }
}
