//! Parses the options of DXC and slangc that change bindings.
//!
//! One text holds one option with its values: `-fvk-t-shift 10 all`. Sources: DXC's guide to SPIR-V
//! code generation, Vulkan Command-line Options; slangc's command line reference, which shares
//! `-fvk-*-shift` and `-fvk-bind-globals` with DXC.

use layoutproof_layout::Span;

use super::place::number;
use super::request::layout_option;
use layoutproof_layout::LayoutUnit;
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// Command-line options that change bindings, parsed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub struct BindingOptions {
    /// `-fvk-{b,t,s,u}-shift N SPACE|all`, in order.
    pub shifts: Vec<RegisterShift>,
    /// `-fvk-auto-shift-bindings`: shifts also apply to resources without a register.
    pub auto_shift: bool,
    /// `-fvk-bind-globals N S`: the place of `$Globals`.
    pub globals: Option<DescriptorPlace>,
    /// `-fvk-bind-register TYPE-NUMBER SPACE BINDING SET`, or `-vkbr`, in order.
    pub registers: Vec<BoundRegister>,
    /// `-auto-binding-space N`: the space of resources that declare none.
    pub auto_space: Option<u32>,
    /// `-fspv-flatten-resource-arrays`: an array takes a binding for each element.
    pub flatten: bool,
    /// `-Od`, `-fspv-preserve-bindings`: unused resources stay in a SPIR-V module (measured with
    /// DXC 1.7.2308).
    pub unused: UnusedResources,
    /// `-flegacy-resource-reservation`: unused resources keep the registers that the source gives
    /// them.
    pub legacy_reservation: bool,
    /// `-fvk-stage-io-order=alpha`: the semantics order the locations of inputs and outputs.
    pub stage_order: StageOrder,
    /// `-Vd`: DXC does not run its validator.
    pub unvalidated: bool,
    /// `-fvk-bind-resource-heap BINDING SET` and the like, the first: DXC 1.9 has them.
    pub heap: Option<String>,
}

/// Handling of unused resources in a SPIR-V module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnusedResources {
    #[default]
    Dropped,
    Kept,
}

/// The order in which inputs and outputs get their locations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StageOrder {
    /// The order of the declarations.
    #[default]
    Declared,
    /// The order of the semantics.
    Alphabetical,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DescriptorPlace {
    pub binding: u32,
    pub set: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterShift {
    pub class: LayoutUnit,
    /// The shift, in bindings.
    pub by: u32,
    /// The space; `None` for all spaces.
    pub space: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundRegister {
    pub class: LayoutUnit,
    pub register: u32,
    pub space: u32,
    pub to: DescriptorPlace,
}

impl BindingOptions {
    pub fn parse(texts: &[String]) -> Result<Self, Vec<Diagnostic>> {
        let mut options = Self::default();
        let unread = texts.iter().filter(|text| options.read(text).is_none());
        let problems: Vec<Diagnostic> = unread
            .map(|text| {
                let message = negative_shift(text).unwrap_or_else(|| {
                    format!("`{text}` is not an option that changes bindings, or one of its values is missing or wrong")
                });
                Diagnostic::error(Code::BadOption, Span::default(), message)
            })
            .collect();
        if problems.is_empty() { Ok(options) } else { Err(problems) }
    }

    /// Returns the shift of the registers of `class` in `space`: that of the last option that names
    /// the space, else that of the last option for all spaces.
    pub fn shift(&self, class: LayoutUnit, space: u32) -> u32 {
        let of = |wanted: Option<u32>| {
            let mut found = self.shifts.iter().rev();
            found.find(|shift| shift.class == class && shift.space == wanted).map(|shift| shift.by)
        };
        of(Some(space)).or_else(|| of(None)).unwrap_or(0)
    }

    fn read(&mut self, text: &str) -> Option<()> {
        let words: Vec<&str> = text.split_whitespace().collect();
        match words.as_slice() {
            ["-fvk-auto-shift-bindings"] => self.auto_shift = true,
            ["-fspv-flatten-resource-arrays"] => self.flatten = true,
            ["-Od" | "-fspv-preserve-bindings"] => self.unused = UnusedResources::Kept,
            // These options choose what the code may contain, not where it is bound.
            [target] if target.starts_with("-fspv-target-env=") => {}
            [layout] if layout_option(layout).is_some() => {}
            ["-fvk-stage-io-order=alpha"] => self.stage_order = StageOrder::Alphabetical,
            ["-fvk-stage-io-order=decl"] => self.stage_order = StageOrder::Declared,
            ["-flegacy-resource-reservation"] => self.legacy_reservation = true,
            ["-Vd"] => self.unvalidated = true,
            ["-auto-binding-space", space] => self.auto_space = Some(number(space)?),
            ["-fvk-bind-globals", binding, set] => {
                self.globals = Some(DescriptorPlace { binding: number(binding)?, set: number(set)? });
            }
            ["-fvk-bind-resource-heap" | "-fvk-bind-sampler-heap" | "-fvk-bind-counter-heap", binding, set] => {
                let _: (u32, u32) = (number(binding)?, number(set)?);
                self.heap.get_or_insert_with(|| words[0].to_owned());
            }
            ["-fvk-bind-register" | "-vkbr", register, space, binding, set] => {
                let (class, digits) = register.split_at_checked(1)?;
                self.registers.push(BoundRegister {
                    class: class_named(class)?,
                    register: number(digits)?,
                    space: number(space)?,
                    to: DescriptorPlace { binding: number(binding)?, set: number(set)? },
                });
            }
            [shift, by, space] => {
                let class = class_named(shift.strip_prefix("-fvk-")?.strip_suffix("-shift")?)?;
                let space = if *space == "all" { None } else { Some(number(space)?) };
                self.shifts.push(RegisterShift { class, by: number(by)?, space });
            }
            _ => return None,
        }
        Some(())
    }
}

/// Returns DXC 1.7.2308's message for a negative shift, or for a shift in a negative space.
fn negative_shift(text: &str) -> Option<String> {
    let mut words = text.split_whitespace();
    let option = words.next().filter(|option| option.starts_with("-fvk-") && option.ends_with("-shift"))?;
    let value = words.find(|value| value.starts_with('-'))?;
    Some(format!("negative {option} argument: {value}"))
}

/// `b`, `t`, `u` or `s`.
pub(crate) fn class_named(letter: &str) -> Option<LayoutUnit> {
    letter.parse().ok().filter(|unit: &LayoutUnit| unit.is_register())
}
