//! Tables of sources with the registers that DXC gives.

mod effects;
mod hostile;
mod liveness;
mod methods;
mod names;
mod old;
mod order;
mod proposal;
mod registers;
mod statics;
mod uses;
mod varyings;
mod vulkan;

use layoutproof_layout::Span;
use layoutproof_layout::shape::Count;

use crate::{BindingRequest, Convention, Target, bind};
use layoutproof_frontend::module::Module;
use layoutproof_frontend::{DeclareOptions, declare};
use layoutproof_source::sources::SourceMap;

fn read(source: &str) -> Module {
    let mut sources = SourceMap::default();
    let file = sources.add("test.hlsl", source);
    let end = u32::try_from(source.len()).unwrap();
    let module = declare(&mut sources, Span { file, start: 0, end }, &DeclareOptions::default());
    module.unwrap_or_else(|problems| panic!("{}", layoutproof_render::render(&problems, &sources, false)))
}

/// Returns `B u3[4] space1`, one text for each row, or the messages if the source is refused.
pub(crate) fn placed(source: &str, request: &BindingRequest) -> Vec<String> {
    match bind(&read(source), request) {
        Ok(bound) => bound.bindings.iter().map(row).collect(),
        Err(problems) => problems.iter().map(|problem| format!("error: {}", problem.message)).collect(),
    }
}

fn row(binding: &crate::Binding) -> String {
    let count = match binding.count {
        Count::Finite(1) => String::new(),
        count => format!("[{count}]"),
    };
    let space = if binding.space == 0 { String::new() } else { format!(" space{}", binding.space) };
    format!("{} {}{}{count}{space}", binding.path, binding.unit, binding.index)
}

pub(super) fn d3d12(source: &str) -> Vec<String> {
    placed(source, &BindingRequest::new(Target::D3d12, Convention::Dxc))
}

/// Places `declarations` with the statements of a compute shader, with options that change
/// bindings.
fn shader_with(target: Target, options: &[&str], declarations: &str, statements: &str) -> Vec<String> {
    let mut request = BindingRequest::new(target, Convention::Dxc);
    request.options = options.iter().map(|option| (*option).to_owned()).collect();
    placed(&format!("{declarations} [numthreads(1, 1, 1)] void main() {{ {statements} }}"), &request)
}

fn shader(declarations: &str, statements: &str) -> Vec<String> {
    shader_with(Target::D3d12, &[], declarations, statements)
}
