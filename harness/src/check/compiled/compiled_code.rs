//! Reads a compiler's code and finds the bindings of the probe's buffers in it.
//!
//! `compile_probe` needs both to run the code on the model device. The probe's declarations fix the
//! places of its own buffers, so the one remaining buffer is the block.

use std::collections::BTreeSet;

use layoutproof_device::Shader;
use layoutproof_layout::LayoutUnit;
use thiserror::Error;

use crate::check::produce::shader_module::ModuleCode;
use crate::check::verdict::Validation;
use layoutproof_device::ShaderForm;
use layoutproof_generators::hlsl::OWN_REGISTERS;
use layoutproof_model::CompiledError;
use layoutproof_probes::reserved::Reserved;
use layoutproof_probes::{AddressSpace, Interface, ProbeEntry, Socket};
use layoutproof_readers::dxil::{ListedBinding, resource_bindings};
use layoutproof_readers::module_reader::{ModuleReader, wgsl_code};
use layoutproof_readers::naga_offsets::{NagaError, WgslCode};
use layoutproof_readers::spirv::{BoundVariable, bound_variables, for_devices};
use layoutproof_readers::toolchain::{TextLanguage, Toolchain};
use layoutproof_readers::{ReadError, fxc, llvm};
use layoutproof_source::shader_language::ShaderLanguage;

/// The buffers that a probe declares for itself.
#[derive(Clone, Debug)]
pub(super) struct OwnBuffers {
    /// Their bindings.
    pub(super) interface: Interface,
    /// A part of each of their names, for code that keeps names.
    pub(super) prefix: String,
}

#[derive(Clone, Debug)]
pub(super) struct CompiledCode {
    pub(super) code: ModuleCode,
    /// The buffers' bindings in the code.
    pub(super) interface: Interface,
    /// The smallest size of the block, in bytes, that the language lets a host bind.
    pub(super) binding_size: u32,
    /// naga's result for WGSL; other code is not validated yet.
    pub(super) validation: Validation,
}

/// Why a compiler's output gives no module.
#[derive(Debug, Error)]
pub(crate) enum Unusable {
    /// The output is malformed, which is the compiler's fault.
    #[error(transparent)]
    Unread(#[from] ReadError),
    /// The output uses something that we cannot follow.
    #[error("{0}")]
    NotFollowed(String),
    #[error("code not followed: {0}")]
    Code(#[from] CompiledError),
}

impl CompiledCode {
    /// Reads the code of `shader`. The probe has the single entry point `entry` and declares its
    /// own buffers as in `ours`; `reader` handles what only naga can read.
    ///
    /// # Errors
    ///
    /// The code cannot be read, or it does not bind exactly the block and the probe's own buffers.
    pub(super) fn new(
        shader: &Shader,
        ours: &OwnBuffers,
        entry: &ProbeEntry,
        reader: &dyn ModuleReader,
    ) -> Result<Self, Unusable> {
        match shader {
            Shader::Spirv(words) => {
                let words = for_devices(words);
                let interface = spirv_interface(&words, entry.space, ours)?;
                Ok(Self::unvalidated(ModuleCode::Spirv(words), interface))
            }
            Shader::DxilListing(listing) => {
                let interface = dxil_interface(listing, &entry.name, ours.interface)?;
                Ok(Self::unvalidated(ModuleCode::Dxil { listing: listing.clone(), container: None }, interface))
            }
            Shader::ClangIr(text) => {
                let interface = interface_of_code(text, &entry.name, ours.interface)?;
                Ok(Self::unvalidated(ModuleCode::ClangIr(text.clone()), interface))
            }
            Shader::Wgsl(text) => Self::of_wgsl(text, entry, ours, reader),
            Shader::Dxbc(_) | Shader::Dxil(_) => {
                Err(Unusable::NotFollowed("no device accepts this form of code".to_owned()))
            }
        }
    }

    /// Wraps code that still needs validation.
    fn unvalidated(code: ModuleCode, interface: Interface) -> Self {
        let validation = Validation::NotRun("no spirv-val".to_owned());
        Self { code, interface, binding_size: 0, validation }
    }

    /// Reads WGSL, which naga validates and compiles to SPIR-V. If naga refuses it, the module
    /// counts as invalid.
    fn of_wgsl(text: &str, entry: &ProbeEntry, ours: &OwnBuffers, reader: &dyn ModuleReader) -> Result<Self, Unusable> {
        let read = wgsl_code(reader, text, &entry.name).map_err(ReadError::from)?;
        let WgslCode { spirv, binding_sizes } = match read {
            Ok(code) => code,
            Err(error @ (NagaError::Unreadable(_) | NagaError::Invalid(_))) => {
                let validation = Validation::Invalid(error.to_string());
                let code = ModuleCode::Wgsl(text.to_owned());
                return Ok(Self { validation, ..Self::unvalidated(code, Interface::default()) });
            }
            Err(
                error @ (NagaError::NoSpirv(_)
                | NagaError::NoGlsl(_)
                | NagaError::UnknownGlsl(_)
                | NagaError::NoHlsl(_)),
            ) => {
                return Err(Unusable::NotFollowed(error.to_string()));
            }
        };

        let interface = spirv_interface(&spirv, entry.space, ours)?;
        let binding_size = binding_sizes.get(&interface.block).copied().unwrap_or(0);
        Ok(Self { binding_size, ..Self::unvalidated(ModuleCode::Naga { spirv, wgsl: text.to_owned() }, interface) })
    }

    /// Returns the form of the code that we follow on the CPU.
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

/// Returns the places of a probe's own buffers in this form of code, for a text that leaves
/// `reserved` free.
pub(super) fn own_buffers(toolchain: &Toolchain, reserved: &Reserved) -> OwnBuffers {
    let language = toolchain.language();
    // For GLSL and WGSL we generate the whole text, so the usual numbers are free.
    let usual = Reserved::default();
    let reserved = if language == Some(ShaderLanguage::Glsl) { &usual } else { reserved };
    let interface = match (language, toolchain.output) {
        // naga numbers registers by group and binding, and translators keep the bindings of our modules.
        (Some(ShaderLanguage::Wgsl) | None, _) => Interface::default(),
        (_, ShaderForm::Dxil | ShaderForm::ClangIr) => {
            // Metal has no spaces.
            let space = if writes_msl(toolchain) { 0 } else { reserved.space() };
            let [output, input] = own_registers(toolchain, reserved);
            Interface::in_user_text((space, output), (space, input))
        }
        (_, ShaderForm::Spirv | ShaderForm::Dxbc | ShaderForm::Wgsl) => {
            Interface::in_user_text((0, reserved.binding()), (0, reserved.binding() + 1))
        }
    };
    OwnBuffers { interface, prefix: reserved.prefix().to_owned() }
}

fn writes_msl(toolchain: &Toolchain) -> bool {
    toolchain.text_language() == Some(TextLanguage::Msl)
}

/// The registers that an HLSL or Slang probe declares for its own buffers, in a space of its own. For Metal, slangc ignores
/// spaces and classes, so there the numbers must be free too.
pub(super) fn own_registers(toolchain: &Toolchain, reserved: &Reserved) -> [u32; 2] {
    if writes_msl(toolchain) { [reserved.binding(), reserved.binding() + 1] } else { OWN_REGISTERS }
}

/// Finds the buffers in a SPIR-V module. Apart from the probe's own buffers, only the block is
/// bound.
fn spirv_interface(words: &[u32], space: AddressSpace, ours: &OwnBuffers) -> Result<Interface, Unusable> {
    use AddressSpace::{Address, HeapStorage, HeapUniform, PushConstant, ShaderRecord};
    let OwnBuffers { interface: ours, prefix } = ours;
    // The push constants, the address in them or the heap lead to the block, and a shader record has no binding.
    if matches!(space, PushConstant | Address | HeapUniform | HeapStorage | ShaderRecord) {
        return Ok(*ours);
    }
    let bound = bound_variables(words).map_err(ReadError::from)?;
    let is_own = |variable: &BoundVariable| [ours.output, ours.input].contains(&(variable.set, variable.binding));
    // A compiler option or rule can bind one of the user's parameters to a number that is not in
    // the text.
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
    // slangc declares a byte-address buffer once for each type that the code loads from it.
    let others = bound.iter().filter(|variable| !is_own(variable)).map(|variable| (variable.set, variable.binding));
    let others: BTreeSet<Socket> = others.collect();
    let others: Vec<Socket> = others.into_iter().collect();
    Ok(Interface { block: only(&others)?, ..*ours })
}

/// Finds the buffers in a DXIL listing, by its table of resource bindings, or if the block is in a descriptor heap, by the
/// code.
fn dxil_interface(listing: &str, entry: &str, ours: Interface) -> Result<Interface, Unusable> {
    let rows = resource_bindings(listing)?;
    if listing.contains("@dx.op.createHandleFromHeap(") {
        return interface_of_code(listing, entry, ours);
    }
    let interface = registers(rows.iter().map(|row| (row.space, row.index)), ours)?;
    Ok(with_block(interface, &rows))
}

/// Finds the buffers in FXC's listing of DXBC, where the probe's input is bound as a writable
/// buffer.
pub(super) fn fxc_interface(listing: &str, reserved: &Reserved) -> Result<Interface, Unusable> {
    let rows = fxc::resource_bindings(listing)?;
    let rows: Vec<_> = rows.into_iter().map(|row| row.binding).collect();
    let [output, input] = OWN_REGISTERS.map(|register| (reserved.space(), register));
    let ours = Interface::in_user_text(output, input);
    let interface = registers(rows.iter().map(|row| (row.space, row.index)), ours)?;
    Ok(Interface { is_input_writable: true, ..with_block(interface, &rows) })
}

/// Adds the listing's facts about the block: the register count of its array, and whether shaders
/// can write to it.
fn with_block(interface: Interface, rows: &[ListedBinding]) -> Interface {
    let Some(row) = rows.iter().find(|row| (row.space, row.index) == interface.block) else { return interface };
    let is_block_writable = row.unit == LayoutUnit::UnorderedAccess;
    Interface { block_count: row.count, is_block_writable, ..interface }
}

/// Finds the buffers that the code reads or writes. In Clang's IR every buffer of the source has a handle.
fn interface_of_code(text: &str, entry: &str, ours: Interface) -> Result<Interface, Unusable> {
    let program = llvm::Program::read(text, entry).map_err(ReadError::from)?;
    let survey = program.survey();
    match survey.stopped {
        Some(error) => Err(Unusable::NotFollowed(format!("code not followed: {error}"))),
        None => registers(survey.sites.iter().map(|site| (site.space, site.register)), ours),
    }
}

/// Finds the buffers of Direct3D code. Apart from the probe's own buffers, only the block is bound.
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
