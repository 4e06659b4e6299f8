//! The code that a compiler made, and where it bound the buffers of the probe.
//!
//! `compile_probe` needs both to run the code on the model device. The probe's own buffers are where its
//! declarations put them, and the block is the only other one.

use std::collections::BTreeSet;

use layoutproof_device::Shader;
use layoutproof_layout::LayoutUnit;

use crate::check::produce::shader_module::ModuleCode;
use crate::check::verdict::Validation;
use crate::generate::reserved::Reserved;
use crate::inspect::dxil::bindings::{ListedBinding, resource_bindings};
use crate::inspect::module_reader::{ModuleReader, wgsl_code};
use crate::inspect::naga_offsets::{NagaError, WgslCode};
use crate::inspect::spirv::{BoundVariable, bound_variables, without_source};
use crate::inspect::toolchain::{Language, Output};
use crate::inspect::{clang_ir, fxc};
use crate::probe::{AddressSpace, Interface, ProbeEntry, Socket};

/// The buffers that a probe declares for itself.
#[derive(Clone, Debug)]
pub(super) struct OwnBuffers {
    /// Where they are.
    pub(super) interface: Interface,
    /// Part of each of their names, in code that keeps names.
    pub(super) prefix: String,
}

/// The code of a module.
#[derive(Clone, Debug)]
pub(super) struct CompiledCode {
    pub(super) code: ModuleCode,
    /// Where the compiler bound the buffers.
    pub(super) interface: Interface,
    /// Least bytes of the block that the language lets a host bind.
    pub(super) binding_size: u32,
    /// naga's answer for WGSL; other code is not validated yet.
    pub(super) validation: Validation,
}

/// Why a compiler's output gives no module.
pub(super) enum Unusable {
    /// It is not what it should be; the fault is the compiler's.
    Unread(String),
    /// It is more than we can follow.
    NotFollowed(String),
}

impl Unusable {
    fn unread(error: &impl ToString) -> Self {
        Self::Unread(error.to_string())
    }
}

impl CompiledCode {
    /// The code of `shader`, made of a probe whose own buffers are declared as `ours` says, of which `entry` is the one
    /// entry point; `reader` reads what only naga can.
    ///
    /// # Errors
    /// Code that cannot be read, or binds more or less than the block and the probe's own buffers.
    pub(super) fn new(
        shader: &Shader,
        ours: &OwnBuffers,
        entry: &ProbeEntry,
        reader: &dyn ModuleReader,
    ) -> Result<Self, Unusable> {
        match shader {
            Shader::Spirv(words) => {
                let words = without_source(words);
                let interface = spirv_interface(&words, entry.space, ours)?;
                Ok(Self::unvalidated(ModuleCode::Spirv(words), interface))
            }
            Shader::DxilListing(listing) => {
                let interface = dxil_interface(listing, ours.interface)?;
                Ok(Self::unvalidated(ModuleCode::Dxil { listing: listing.clone(), container: None }, interface))
            }
            Shader::ClangIr(text) => {
                let interface = clang_interface(text, &entry.name, ours.interface)?;
                Ok(Self::unvalidated(ModuleCode::ClangIr(text.clone()), interface))
            }
            Shader::Wgsl(text) => Self::of_wgsl(text, entry, ours, reader),
            Shader::Dxbc(_) | Shader::Dxil(_) | Shader::Msl(_) => {
                Err(Unusable::NotFollowed("no device takes such code".to_owned()))
            }
        }
    }

    /// Code that still has to be validated.
    fn unvalidated(code: ModuleCode, interface: Interface) -> Self {
        let validation = Validation::NotRun("no spirv-val".to_owned());
        Self { code, interface, binding_size: 0, validation }
    }

    /// WGSL, which naga judges and turns into SPIR-V. What naga refuses is a module that is not valid.
    fn of_wgsl(text: &str, entry: &ProbeEntry, ours: &OwnBuffers, reader: &dyn ModuleReader) -> Result<Self, Unusable> {
        let read = wgsl_code(reader, text, &entry.name).map_err(|failure| Unusable::unread(&failure))?;
        let WgslCode { spirv, binding_sizes } = match read {
            Ok(code) => code,
            Err(error @ (NagaError::Unreadable(_) | NagaError::Invalid(_))) => {
                let validation = Validation::Invalid(error.to_string());
                let code = ModuleCode::Wgsl(text.to_owned());
                return Ok(Self { validation, ..Self::unvalidated(code, Interface::default()) });
            }
            Err(error @ (NagaError::NoSpirv(_) | NagaError::NoGlsl(_) | NagaError::NoHlsl(_))) => {
                return Err(Unusable::NotFollowed(error.to_string()));
            }
        };

        let interface = spirv_interface(&spirv, entry.space, ours)?;
        let binding_size = binding_sizes.get(&interface.block).copied().unwrap_or(0);
        Ok(Self { binding_size, ..Self::unvalidated(ModuleCode::Naga { spirv, wgsl: text.to_owned() }, interface) })
    }

    /// The form in which the code is followed on the CPU.
    pub(super) fn followed(&self) -> Shader {
        match &self.code {
            ModuleCode::Spirv(words)
            | ModuleCode::Naga { spirv: words, .. }
            | ModuleCode::Dxbc { spirv: words, .. } => Shader::Spirv(words.clone()),
            ModuleCode::Wgsl(text) => Shader::Wgsl(text.clone()),
            ModuleCode::Dxil { listing, .. } => Shader::DxilListing(listing.clone()),
            ModuleCode::ClangIr(text) => Shader::ClangIr(text.clone()),
        }
    }
}

/// Where code in this form has the own buffers of a probe in this language, after a text that leaves `reserved` free.
pub(super) fn own_buffers(language: Language, output: Output, reserved: &Reserved) -> OwnBuffers {
    // Our GLSL and our WGSL are the whole text.
    let usual = Reserved::default();
    let reserved = if language == Language::Glsl { &usual } else { reserved };
    let interface = match (language, output) {
        // naga's registers have the numbers of groups and bindings.
        (Language::Wgsl, _) => Interface::default(),
        (
            Language::Hlsl | Language::ClangHlsl | Language::OldHlsl | Language::Slang | Language::Glsl,
            Output::Dxil | Output::ClangIr,
        ) => own_registers(reserved),
        (
            Language::Hlsl | Language::ClangHlsl | Language::OldHlsl | Language::Slang | Language::Glsl,
            Output::Spirv | Output::SpirvOfDxbc | Output::Wgsl,
        ) => Interface::in_user_text((0, reserved.binding()), (0, reserved.binding() + 1)),
    };
    OwnBuffers { interface, prefix: reserved.prefix().to_owned() }
}

/// The registers that a probe in HLSL declares for its own buffers.
fn own_registers(reserved: &Reserved) -> Interface {
    Interface::in_user_text((reserved.space(), 0), (reserved.space(), 1))
}

/// The sockets of a module of SPIR-V: beside the probe's own buffers only the block is left.
fn spirv_interface(words: &[u32], space: AddressSpace, ours: &OwnBuffers) -> Result<Interface, Unusable> {
    let OwnBuffers { interface: ours, prefix } = ours;
    if space == AddressSpace::PushConstant {
        return Ok(*ours);
    }
    let bound = bound_variables(words).map_err(|error| Unusable::unread(&error))?;
    let is_own = |variable: &BoundVariable| [ours.output, ours.input].contains(&(variable.set, variable.binding));
    // An option or a rule of the compiler's can bind a parameter of the user's to a number that the text does not have.
    let is_named_ours = |variable: &BoundVariable| variable.name.contains(prefix.as_str());
    let is_beside_ours = |variable: &BoundVariable| {
        let place = (variable.set, variable.binding);
        bound.iter().any(|other| is_named_ours(other) && (other.set, other.binding) == place)
    };
    let shares = |variable: &&BoundVariable| is_own(variable) && !is_named_ours(variable) && is_beside_ours(variable);
    if let Some(BoundVariable { name, set, binding }) = bound.iter().find(shares) {
        let reason =
            format!("the compiler binds `{name}` to set {set} binding {binding}, which the probe has for itself");
        return Err(Unusable::NotFollowed(reason));
    }
    // slangc declares a byte-address buffer once for each type that is loaded from it.
    let others = bound.iter().filter(|variable| !is_own(variable)).map(|variable| (variable.set, variable.binding));
    let others: BTreeSet<Socket> = others.collect();
    let others: Vec<Socket> = others.into_iter().collect();
    Ok(Interface { block: only(&others)?, ..*ours })
}

/// The same of DXIL's listing, by the table of resource bindings.
fn dxil_interface(listing: &str, ours: Interface) -> Result<Interface, Unusable> {
    let rows = resource_bindings(listing).map_err(Unusable::Unread)?;
    let interface = registers(rows.iter().map(|row| (row.space, row.index)), ours)?;
    Ok(with_block(interface, &rows))
}

/// The same of FXC's listing of DXBC, in which the probe's input is bound as what shaders write.
pub(super) fn fxc_interface(listing: &str, reserved: &Reserved) -> Result<Interface, Unusable> {
    let rows = fxc::resource_bindings(listing).map_err(Unusable::Unread)?;
    let rows: Vec<_> = rows.into_iter().map(|row| row.binding).collect();
    let interface = registers(rows.iter().map(|row| (row.space, row.index)), own_registers(reserved))?;
    Ok(Interface { is_input_writable: true, ..with_block(interface, &rows) })
}

/// The interface with what the listing says of the block: the registers of its array, and whether it can be written.
fn with_block(interface: Interface, rows: &[ListedBinding]) -> Interface {
    let Some(row) = rows.iter().find(|row| (row.space, row.index) == interface.block) else { return interface };
    let is_block_writable = row.unit == LayoutUnit::UnorderedAccess;
    Interface { block_count: row.count, is_block_writable, ..interface }
}

/// The same of Clang's IR, in which every buffer of the source has a handle, by the buffers that the code reads or writes.
fn clang_interface(text: &str, entry: &str, ours: Interface) -> Result<Interface, Unusable> {
    let program = clang_ir::ClangProgram::read(text, entry).map_err(Unusable::Unread)?;
    let survey = program.survey();
    match survey.stopped {
        Some(reason) => Err(Unusable::NotFollowed(format!("code not followed: {reason}"))),
        None => registers(survey.sites.iter().map(|site| (site.space, site.register)), ours),
    }
}

/// The sockets of code for Direct3D: beside the probe's own buffers only the block is left.
fn registers(sockets: impl Iterator<Item = Socket>, ours: Interface) -> Result<Interface, Unusable> {
    let is_own = |socket: &Socket| *socket == ours.output || *socket == ours.input;
    let others: Vec<Socket> = sockets.filter(|socket| !is_own(socket)).collect();
    Ok(Interface { block: only(&others)?, has_root_constants: true, ..ours })
}

fn only(sockets: &[Socket]) -> Result<Socket, Unusable> {
    match sockets {
        [socket] => Ok(*socket),
        others => Err(Unusable::NotFollowed(format!(
            "the compiler binds {} buffers beside the probe's own, not one",
            others.len()
        ))),
    }
}
