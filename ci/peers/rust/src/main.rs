//! Prints one line of JSON for each file or generated struct: the numbers of naga's layouter and of
//! spirv-reflect for a module, and the bytes that encase and crevice write for a struct.
//!
//! `GENERATED` is the file of structs that `ci/peers/run` writes; arguments are shader files.

use std::collections::BTreeMap;
use std::{env, fs, panic};

use serde_json::{Value, json};

include!(env!("GENERATED"));

/// A vector that encase can write; it has none of its own.
#[derive(Clone, Copy)]
struct Vector<T, const N: usize>([T; N]);

/// A matrix by its contiguous vectors.
#[derive(Clone, Copy)]
struct Matrix<const C: usize, const R: usize>([[f32; R]; C]);

impl<T, const N: usize> From<[T; N]> for Vector<T, N> {
    fn from(components: [T; N]) -> Self {
        Self(components)
    }
}

impl<const C: usize, const R: usize> From<[[f32; R]; C]> for Matrix<C, R> {
    fn from(vectors: [[f32; R]; C]) -> Self {
        Self(vectors)
    }
}

impl<T, const N: usize> AsRef<[T; N]> for Vector<T, N> {
    fn as_ref(&self) -> &[T; N] {
        &self.0
    }
}

impl<const C: usize, const R: usize> AsRef<[[f32; R]; C]> for Matrix<C, R> {
    fn as_ref(&self) -> &[[f32; R]; C] {
        &self.0
    }
}

impl<T, const N: usize> AsMut<[T; N]> for Vector<T, N> {
    fn as_mut(&mut self) -> &mut [T; N] {
        &mut self.0
    }
}

impl<const C: usize, const R: usize> AsMut<[[f32; R]; C]> for Matrix<C, R> {
    fn as_mut(&mut self) -> &mut [[f32; R]; C] {
        &mut self.0
    }
}

macro_rules! encased {
    (vectors $($n:literal)*) => { $(encase::impl_vector!($n, Vector<T, $n>; using AsRef AsMut From);)* };
    (matrices $($c:literal $r:literal),*) => { $(encase::impl_matrix!($c, $r, Matrix<$c, $r>, f32; using AsRef AsMut From);)* };
}
encased!(vectors 2 3 4);
encased!(matrices 2 2, 2 3, 2 4, 3 2, 3 3, 3 4, 4 2, 4 3, 4 4);

fn main() {
    for file in env::args().skip(1) {
        let answer = if file.ends_with(".wgsl") { naga_layout(&file) } else { reflected(&file) };
        println!("{}", json!({ "file": file, "answer": answer.unwrap_or_else(|error| json!({ "error": error })) }));
    }
    // Encase refuses some structs at run time. The others still get their answers.
    panic::set_hook(Box::new(|_| {}));
    for (name, bytes) in STRUCTS {
        let answer = match panic::catch_unwind(bytes) {
            Ok(bytes) => json!({ "bytes": bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>() }),
            Err(message) => json!({ "error": message.downcast_ref::<String>().map_or("panics", String::as_str) }),
        };
        println!("{}", json!({ "file": name, "answer": answer }));
    }
}

#[derive(Default)]
struct Numbers {
    offsets: BTreeMap<String, u32>,
    array_strides: BTreeMap<String, u32>,
    sizes: BTreeMap<String, u32>,
}

impl Numbers {
    fn json(&self) -> Value {
        json!({ "offsets": self.offsets, "array_strides": self.array_strides, "sizes": self.sizes })
    }
}

fn naga_layout(file: &str) -> Result<Value, String> {
    let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
    let module = naga::front::wgsl::parse_str(&text).map_err(|error| error.message().to_owned())?;
    let mut layouter = naga::proc::Layouter::default();
    layouter.update(module.to_ctx()).map_err(|error| error.to_string())?;
    let (_, root) = module.global_variables.iter().next().ok_or("no variable")?;
    let mut numbers = Numbers::default();
    numbers.sizes.insert("root".to_owned(), layouter[root.ty].size);
    walk_naga(&module, root.ty, "root", 0, &mut numbers);
    Ok(numbers.json())
}

fn walk_naga(module: &naga::Module, ty: naga::Handle<naga::Type>, path: &str, base: u32, numbers: &mut Numbers) {
    match &module.types[ty].inner {
        naga::TypeInner::Struct { members, .. } => {
            for member in members {
                let path = format!("{path}.{}", member.name.as_deref().unwrap_or_default());
                numbers.offsets.insert(path.clone(), base + member.offset);
                walk_naga(module, member.ty, &path, base + member.offset, numbers);
            }
        }
        naga::TypeInner::Array { base: element, stride, .. } => {
            numbers.array_strides.insert(path.to_owned(), *stride);
            walk_naga(module, *element, &format!("{path}[]"), base, numbers);
        }
        _ => {}
    }
}

fn reflected(file: &str) -> Result<Value, String> {
    let bytes = fs::read(file).map_err(|error| error.to_string())?;
    let module = spirv_reflect::ShaderModule::load_u8_data(&bytes)?;
    let bindings = module.enumerate_descriptor_bindings(None)?;
    let block = &bindings.iter().find(|it| it.binding == 0).ok_or(format!("lists {} bindings, not that of the block", bindings.len()))?.block;
    let mut numbers = Numbers::default();
    // spirv-reflect sets the size of every storage buffer to 0.
    if block.size > 0 {
        numbers.sizes.insert("root".to_owned(), block.size);
    }
    walk_reflected(&block.members, "root", 0, &mut numbers);
    Ok(numbers.json())
}

fn walk_reflected(members: &[spirv_reflect::types::ReflectBlockVariable], path: &str, base: u32, numbers: &mut Numbers) {
    for member in members {
        let mut path = format!("{path}.{}", member.name);
        // Within an array of structs, `absolute_offset` is always 0.
        let offset = base + member.offset;
        numbers.offsets.insert(path.clone(), offset);
        if !member.array.dims.is_empty() {
            // For an array of arrays, spirv-reflect gives the stride of the innermost dimension alone.
            if member.array.dims.len() == 1 {
                numbers.array_strides.insert(path.clone(), member.array.stride);
            }
            path.push_str(&"[]".repeat(member.array.dims.len()));
        }
        walk_reflected(&member.members, &path, offset, numbers);
    }
}
