//! The types that a program passes to its buffers, as the names of its templates show: `Buffer<GpuLight>`, `upload<Camera>`,
//! `bytes_of::<Frame>`. That a type is passed only breaks ties between structs that fit.

use std::collections::BTreeSet;

use layoutproof_hostcheck::is_reserved_name;
use layoutproof_hostcheck::matching::{names_a_buffer, names_an_upload};

/// Most levels of templates in templates.
const MOST_LEVELS: u32 = 4;

/// The types that buffers have as arguments among these names of types, and those with which functions that upload are
/// instantiated, each as the function and the type.
pub(crate) fn passed_types<'a>(
    types: impl Iterator<Item = &'a str>,
    functions: impl Iterator<Item = (&'a str, &'a str)>,
) -> BTreeSet<&'a str> {
    let mut passed = BTreeSet::new();
    for name in types.filter(|name| name.contains('<')) {
        add_arguments(name, false, 0, &mut passed);
    }
    for (function, argument) in functions {
        if !is_reserved_name(function) && names_an_upload(function) {
            add_arguments(argument, true, 0, &mut passed);
        }
    }
    passed
}

fn add_arguments<'a>(name: &'a str, is_passed: bool, level: u32, passed: &mut BTreeSet<&'a str>) {
    let name = name.trim().trim_start_matches("const ").trim_start_matches('&').trim_end_matches(['&', '*', ' ']);
    let Some((own, arguments)) = name.split_once('<').filter(|_| level < MOST_LEVELS) else {
        if is_passed && !name.is_empty() {
            passed.insert(name);
        }
        return;
    };
    let own = own.trim_end_matches("::");
    let is_buffer = !is_reserved_name(own) && names_a_buffer(own);
    // `Buffer<Light[4]>` and `Buffer<std::array<Light, 4>>` pass `Light`, too.
    let (mut depth, mut start) = (0_u32, 0);
    for (at, letter) in arguments.char_indices() {
        match letter {
            '<' | '(' => depth += 1,
            '>' | ')' if depth > 0 => depth -= 1,
            ',' | '>' if depth == 0 => {
                let argument = arguments[start..at].split('[').next().unwrap_or_default();
                add_arguments(argument, is_passed || is_buffer, level + 1, passed);
                start = at + 1;
                if letter == '>' {
                    return;
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names as GCC 12, Clang and rustc 1.95 write them.
    #[test]
    fn arguments_of_buffers_are_passed() {
        for (name, expected) in [
            ("Buffer<GpuLight>", vec!["GpuLight"]),
            ("gfx::UniformBuffer<engine::Camera, 2>", vec!["2", "engine::Camera"]),
            ("ConstantBuffer<const Frame&>", vec!["Frame"]),
            ("StorageBuffer<std::array<Light, 4>>", vec!["4", "Light"]),
            ("UniformBuffer<Light[4]>", vec!["Light"]),
            ("std::vector<Light>", vec![]),
            ("std::unique_ptr<Buffer<Light>>", vec!["Light"]),
            ("Pair<A, B>", vec![]),
            ("Buffer", vec![]),
            ("Buffer<", vec![]),
        ] {
            let found: Vec<&str> = passed_types(std::iter::once(name), std::iter::empty()).into_iter().collect();
            assert_eq!(found, expected, "{name}");
        }
    }

    #[test]
    fn functions_that_upload_pass_what_they_are_instantiated_with() {
        for (function, is_upload) in [
            ("upload", true),
            ("gfx::CommandList::setGraphicsConstants", true),
            ("Device::update_uniform_buffer", true),
            ("bytemuck::bytes_of", true),
            ("bytemuck::cast_slice", true),
            ("encase::rts::buffers::UniformBuffer::write", false),
            ("pushConstants", true),
            ("smallvec::SmallVec::push", false),
            ("load", false),
            ("std::bytes_of", false),
            ("readback", false),
        ] {
            let found = passed_types(std::iter::empty(), std::iter::once((function, "GpuLight")));
            assert_eq!(found.contains("GpuLight"), is_upload, "{function}");
        }
        let arrays = passed_types(std::iter::empty(), std::iter::once(("upload", "eng::Span<Light>")));
        assert_eq!(arrays.into_iter().collect::<Vec<_>>(), ["Light"]);
    }
}
