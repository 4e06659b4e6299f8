//! The settings of Slang's placement: rule sets, parameter blocks with or without spaces, shifts.
//!
//! Reads a [`BindingRequest`] into [`SlangSettings`]. Source: measurements of the options of slangc
//! 2026.14.1.

use layoutproof_layout::native::Native;
use layoutproof_layout::scalar::SixteenBit;
use layoutproof_layout::shape::MatrixOrder;
use layoutproof_layout::{Column, LayoutOptions, LayoutUnit, LayoutVariant, ShaderCompiler, Span};

use crate::options::class_named;
use crate::request::layout_option;
use crate::{BindingRequest, Convention, Target};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::version_range::VersionRange;

/// An option such as `-fvk-t-shift 10 all`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ShiftOption {
    /// The registers: `b`, `t`, `u` or `s`.
    pub(super) class: LayoutUnit,
    /// The number that is added to the register.
    pub(super) by: u32,
    /// The space to shift; `None` for all.
    pub(super) space: Option<u32>,
}

/// Everything that placement depends on besides the module.
#[derive(Clone, Debug)]
pub(super) struct SlangSettings {
    pub(super) target: Target,
    /// True if the user guide wins over slangc.
    pub(super) documented: bool,
    /// Byte rule sets.
    pub(super) native: &'static Native,
    /// Matrix order: columns unless an option sets it, as in slangc (sessions made by its API begin
    /// with rows).
    pub(super) layout: LayoutOptions,
    /// The major and minor number of the shader model in the profile.
    model: Option<(u32, u32)>,
    /// True if the compiler's version accepts `[[vk::binding]]` on entry-point parameters.
    knows_entry_bindings: bool,
    /// Shifts of registers on Vulkan and WebGPU.
    pub(super) shifts: Vec<ShiftOption>,
    /// Binding and set of the buffer of loose globals.
    pub(super) globals: Option<(u32, u32)>,
    /// The requested space for bindless resources.
    pub(super) bindless: Option<u32>,
    pub(super) stage: Option<&'static str>,
}

impl SlangSettings {
    pub(super) fn of(request: &BindingRequest) -> Result<Self, Vec<Diagnostic>> {
        let mut settings = Self {
            target: request.target,
            documented: request.convention == Convention::SlangDocumented,
            native: native(request.target, None),
            layout: LayoutOptions {
                matrix: MatrixOrder::Column,
                sixteen_bit: SixteenBit::On,
                ..LayoutOptions::default()
            },
            model: request.profile.as_deref().and_then(shader_model),
            knows_entry_bindings: request.version.as_deref().is_none_or(knows_entry_bindings),
            shifts: Vec::new(),
            globals: None,
            bindless: None,
            stage: request.profile.as_deref().and_then(profile_stage),
        };

        let problems: Vec<_> = request.options.iter().filter_map(|option| settings.read(option).err()).collect();
        if problems.is_empty() { Ok(settings) } else { Err(problems) }
    }

    /// Reads one option. Ignores options that change neither bindings nor bytes.
    fn read(&mut self, option: &str) -> Result<(), Diagnostic> {
        let words: Vec<&str> = option.split_whitespace().collect();
        let bad = || {
            Diagnostic::error(Code::BadOption, Span::default(), format!("a value of `{option}` is missing or wrong"))
        };
        let number = |at: usize| words.get(at).and_then(|word| word.parse::<u32>().ok()).ok_or_else(bad);

        match words.first().copied().unwrap_or_default() {
            shift @ ("-fvk-b-shift" | "-fvk-t-shift" | "-fvk-u-shift" | "-fvk-s-shift") => {
                let class = class_named(&shift[5..6]).ok_or_else(bad)?;
                self.shift(class, number(1)?, words.get(2).copied()).ok_or_else(bad)?;
            }
            "-fvk-bind-globals" if self.speaks_spirv() => self.globals = Some((number(1)?, number(2)?)),
            "-bindless-space-index" => self.bindless = Some(number(1)?),
            "-matrix-layout-row-major" => self.layout.matrix = MatrixOrder::Row,
            "-matrix-layout-column-major" => self.layout.matrix = MatrixOrder::Column,
            // Slang's GL layout changes only raw loads from buffers.
            "-fvk-use-gl-layout" => {}
            word => {
                if let Some(layout) = layout_option(word) {
                    self.native = native(self.target, Some(layout));
                }
            }
        }
        Ok(())
    }

    fn shift(&mut self, class: LayoutUnit, by: u32, space: Option<&str>) -> Option<()> {
        let space = match space? {
            "all" => None,
            number => Some(number.parse().ok()?),
        };
        if self.speaks_spirv() {
            self.shifts.push(ShiftOption { class, by, space });
        }
        Some(())
    }

    /// True if a parameter block takes a register space (from shader model 5.1 on), a descriptor
    /// set or a group.
    pub(super) fn blocks_have_spaces(&self) -> bool {
        match self.target {
            Target::D3d12 => self.model.is_some_and(|model| model >= (5, 1)),
            Target::Vulkan | Target::Webgpu => true,
            Target::Metal => false,
        }
    }

    /// True if there are bindless resources: on D3D from shader model 6.6 on, and on every other target.
    pub(super) fn has_bindless(&self) -> bool {
        self.target != Target::D3d12 || self.model.is_some_and(|model| model >= (6, 6))
    }

    /// True if each render target of a fragment shader takes the `u` register of its number: on D3D before shader model
    /// 5.1, and without a profile (Slang 2026.14.1).
    pub(super) fn render_targets_are_views(&self) -> bool {
        self.target == Target::D3d12 && self.model.is_none_or(|model| model < (5, 1))
    }

    /// True if descriptors have bindings rather than registers of several classes.
    pub(super) fn speaks_spirv(&self) -> bool {
        match self.target {
            Target::Vulkan | Target::Webgpu => true,
            Target::D3d12 | Target::Metal => false,
        }
    }

    /// True if `[[vk::binding]]` counts on entry-point parameters.
    pub(super) fn binds_entry_parameters(&self) -> bool {
        self.speaks_spirv() && self.knows_entry_bindings
    }

    /// Returns the number that is added to a register of `class` in `space`; `None` if no shift
    /// applies.
    pub(super) fn shift_of(&self, class: LayoutUnit, space: u32) -> Option<u32> {
        let fits = |shift: &&ShiftOption| shift.class == class && shift.space.is_none_or(|only| only == space);
        self.shifts.iter().rev().find(fits).map(|shift| shift.by)
    }

    /// True if registers of `class` are counted apart from bindings and shifted at the end.
    pub(super) fn is_shifted(&self, class: LayoutUnit) -> bool {
        self.shifts.iter().any(|shift| shift.class == class)
    }
}

/// Returns the rule sets of a target with one of Vulkan's layout options, which the other targets
/// ignore.
fn native(target: Target, layout: Option<LayoutVariant>) -> &'static Native {
    let plain = Column::new(target.into(), ShaderCompiler::Slang);
    let with_layout = Native::of_column(Column { variant: layout, ..plain });
    with_layout.or_else(|| Native::of_column(plain)).expect("slangc has rule sets for each target with bindings")
}

/// Parses the major and minor number of `sm_6_6` or `ps_5_0`.
fn shader_model(profile: &str) -> Option<(u32, u32)> {
    let mut numbers = profile.rsplitn(3, '_').map(str::parse::<u32>);
    let minor = numbers.next()?.ok()?;
    Some((numbers.next()?.ok()?, minor))
}

/// Returns the stage of a profile such as `ps_5_0`; `sm_6_6` has none.
fn profile_stage(profile: &str) -> Option<&'static str> {
    match profile.split('_').next()? {
        "vs" => Some("vertex"),
        "hs" => Some("hull"),
        "ds" => Some("domain"),
        "gs" => Some("geometry"),
        "ps" => Some("fragment"),
        "cs" => Some("compute"),
        "ms" => Some("mesh"),
        "as" => Some("amplification"),
        _ => None,
    }
}

/// Slang 2026.12 ignores `[[vk::binding]]` on entry-point parameters (its warning E38010);
/// 2026.14.1 accepts it.
fn knows_entry_bindings(version: &str) -> bool {
    ">= 2026.14".parse::<VersionRange>().is_ok_and(|range| range.contains(version))
}
