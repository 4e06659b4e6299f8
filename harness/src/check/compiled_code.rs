//! The code that a compiler made, and where it bound the buffers of the probe.
//!
//! A shader in, [`Code`] and [`Interface`] out: the probe's own buffers are where its declarations put them, and the block
//! is the only other one.

use crate::check::shader_module::Code;
use crate::dxil::bindings::resource_bindings;
use crate::generate::hlsl;
use crate::probe::{Interface, Socket};
use crate::read_spirv::{bound_variables, without_source};
use crate::record::Space;
use crate::runner::Shader;

/// What the compiler made as the module's code, with the places where it bound the buffers.
pub(super) fn code_of(shader: &Shader, space: Space) -> Result<(Code, Interface), String> {
    match shader {
        Shader::Spirv(words) => {
            let words = without_source(words);
            let interface = spirv_interface(&words, space)?;
            Ok((Code::Spirv(words), interface))
        }
        Shader::Dxil(listing) => Ok((Code::Dxil(listing.clone()), dxil_interface(listing)?)),
        Shader::Wgsl(_) | Shader::Dxbc(_) | Shader::Msl(_) => Err("no device takes such code".to_owned()),
    }
}

/// The sockets of a module of SPIR-V: beside the probe's own buffers only the block is left.
fn spirv_interface(words: &[u32], space: Space) -> Result<Interface, String> {
    let ours = Interface { output: (0, hlsl::BINDING), input: (0, hlsl::BINDING + 1), ..Interface::default() };
    if space == Space::PushConstant {
        return Ok(ours);
    }
    let bound = bound_variables(words).map_err(|error| error.to_string())?;
    let sockets = bound.iter().map(|variable| (variable.set, variable.binding));
    let others: Vec<Socket> = sockets.filter(|socket| *socket != ours.output && *socket != ours.input).collect();
    Ok(Interface { block: only(&others)?, ..ours })
}

/// The same of DXIL's listing, by the table of resource bindings.
fn dxil_interface(listing: &str) -> Result<Interface, String> {
    let rows = resource_bindings(listing)?;
    let sockets = rows.iter().map(|row| (row.space, row.index));
    let others: Vec<Socket> = sockets.filter(|(space, _)| *space != hlsl::SPACE).collect();
    Ok(Interface {
        block: only(&others)?,
        output: (hlsl::SPACE, 0),
        input: (hlsl::SPACE, 1),
        copy: Interface::default().copy,
    })
}

fn only(sockets: &[Socket]) -> Result<Socket, String> {
    match sockets {
        [socket] => Ok(*socket),
        others => Err(format!("the compiler binds {} buffers beside the probe's own, not one", others.len())),
    }
}
