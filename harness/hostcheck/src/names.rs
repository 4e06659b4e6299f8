//! Strips conventions from the names of members and types: `m_viewProj` becomes `view_proj`.

/// One-letter prefixes before an underscore. `n_` is not among them: `n_lights` is the number of
/// `lights`.
const LETTERS_BEFORE_UNDERSCORE: &str = "bcfgikmpsuv";

/// One-letter prefixes before a capital letter that say where a member is declared.
const LETTERS_BEFORE_CAPITAL: &str = "gkmu";

/// Prefixes before a capital letter that say the type: `fExposure`, `vSun`, `matWorld`. Without `n`
/// and `d`: `nLights` is a number of lights, and `dTheta` a difference.
const TYPE_PREFIXES: [&str; 12] = ["b", "f", "h", "i", "p", "s", "v", "dw", "ui", "fl", "vec", "mat"];

/// Suffix words that mark a type as a buffer's.
const BUFFER_WORDS: [&str; 16] = [
    "cb",
    "cbuffer",
    "buffer",
    "buf",
    "constant",
    "constants",
    "data",
    "params",
    "parameters",
    "uniform",
    "uniforms",
    "ubo",
    "ssbo",
    "block",
    "struct",
    "t",
];

/// Other words of names that say nothing: `PushConstants`, `GlobalUniform`. They are no suffixes.
const GENERIC_WORDS: [&str; 5] = ["push", "consts", "const", "global", "globals"];

/// Words in the names of types for the form in which a program uploads another type: `GpuLight`, `VertexStd430`.
const UPLOADED_WORDS: [&str; 13] = [
    "device", "glsl", "gpu", "hlsl", "packed", "raw", "shader", "std140", "std430", "upload", "uploaded", "vulkan",
    "wgsl",
];

/// Shortest first word of members that is no prefix for a type, in letters.
const SHORTEST_WORD: usize = 3;

/// Shortest name that says something about a member, in letters. Vectors, colours and rectangles all have `x`, `r`
/// and `w`.
pub(super) const SHORTEST_TELLING: usize = 3;

/// Names of members, as [`loose_key`] writes them, that structs of many kinds have.
const COMMON_NAMES: [&str; 24] = [
    "center",
    "color",
    "colour",
    "count",
    "data",
    "direction",
    "flags",
    "height",
    "index",
    "max",
    "min",
    "normal",
    "offset",
    "pos",
    "position",
    "rotation",
    "scale",
    "size",
    "time",
    "type",
    "value",
    "velocity",
    "width",
    "uv",
];

/// First words in the names of members that only fill space, those before others that they begin with.
const PADDING_WORDS: [&str; 8] = ["padding", "pad", "unused", "reserved", "dummy", "filler", "alignment", "spare"];

/// Further words in such names: `padTailBytes`.
const FILLING_WORDS: [&str; 17] = [
    "align", "bits", "block", "bool", "byte", "bytes", "data", "end", "float", "floats", "int", "space", "struct",
    "tail", "uint", "vec", "words",
];

/// What follows in such names says where or why: `padAfterColor`.
const PREPOSITIONS: [&str; 6] = ["after", "at", "before", "between", "for", "to"];

/// The name of a member without prefix, underscores and case.
pub(super) fn member_key(name: &str) -> String {
    folded(without_prefix(name))
}

/// The name of a member also without a prefix for its type: `iRenderSize` is `renderSize`.
pub(super) fn loose_key(name: &str) -> String {
    folded(loose(without_prefix(name)))
}

/// A name without the prefix for its type.
fn loose(scoped: &str) -> &str {
    without_type_prefix(scoped.trim_start_matches('_'))
}

/// The names of members without the word that all of them start with, as [`loose_key`] writes them. `None` if they
/// share no word, or a name would be empty.
pub(super) fn without_common_word(names: &[&str]) -> Option<Vec<String>> {
    let [first, _, ..] = names else { return None };
    let words_of = |name: &str| words(loose(without_prefix(name)));
    let common = words_of(first).into_iter().next().filter(|word| word.len() >= SHORTEST_WORD)?;
    let rest = |name: &&str| match words_of(name).as_slice() {
        [word, rest @ ..] if *word == common && !rest.is_empty() => Some(rest.concat()),
        _ => None,
    };
    names.iter().map(rest).collect()
}

/// True for a name, as [`loose_key`] writes it, that structs of many kinds have.
pub(super) fn is_common(key: &str) -> bool {
    COMMON_NAMES.contains(&key)
}

/// Lowercase, without underscores.
pub(super) fn folded(name: &str) -> String {
    // Trials fold the names of all members of a program.
    if name.is_ascii() {
        return name.chars().filter(|letter| *letter != '_').map(|letter| letter.to_ascii_lowercase()).collect();
    }
    name.chars().filter(|character| *character != '_').flat_map(char::to_lowercase).collect()
}

/// The name of a member in the forms in which another name may equal it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NameKeys {
    exact: String,
    plain: String,
    without_scope: String,
    without_type: String,
}

impl NameKeys {
    pub(super) fn new(name: &str) -> Self {
        let scoped = without_prefix(name);
        Self {
            exact: name.to_owned(),
            plain: folded(name),
            without_scope: folded(scoped),
            without_type: folded(loose(scoped)),
        }
    }

    pub(super) fn exact(&self) -> &str {
        &self.exact
    }

    /// Without underscores and case.
    pub(super) fn plain(&self) -> &str {
        &self.plain
    }

    /// Also without a prefix for the place of its declaration: `m_sun`, `gSun`.
    pub(super) fn without_scope(&self) -> &str {
        &self.without_scope
    }

    /// Also without a prefix for its type: `m_vSun`, `vSun`.
    pub(super) fn without_type(&self) -> &str {
        &self.without_type
    }
}

/// The path of a member of `parent`.
pub(super) fn join_path(parent: &str, name: &str) -> String {
    if parent.is_empty() || name.is_empty() { format!("{parent}{name}") } else { format!("{parent}.{name}") }
}

/// True for the name of a member that only fills space: `_pad0`, `reserved[2]`, not `paddingColor`.
pub(super) fn is_padding(name: &str) -> bool {
    let name = name.rsplit('.').next().unwrap_or(name);
    let scoped = without_prefix(name.split('[').next().unwrap_or(name));
    let is_number = |text: &str| text.chars().all(|character| character.is_ascii_digit() || character == '_');
    // `lpad00` of a light.
    let numbered = scoped.get(1..).and_then(|rest| rest.strip_prefix("pad")).filter(|number| !number.is_empty());
    is_number(scoped)
        || numbered.is_some_and(is_number)
        || [scoped, loose(scoped)].iter().any(|name| has_padding_words(&words(name)))
}

/// True if the first word is one of padding, and no other names data.
fn has_padding_words(words: &[String]) -> bool {
    let [first, others @ ..] = words else { return false };
    let Some(end) = PADDING_WORDS.iter().find_map(|word| first.strip_prefix(word)) else { return false };
    let fills = |word: &str| {
        let word = word.trim_end_matches(|letter: char| letter.is_ascii_digit());
        // A letter or two number members as digits do: `padA`, `pad_0x10`.
        word.len() <= 2 || FILLING_WORDS.contains(&word) || PADDING_WORDS.contains(&word)
    };
    let tells_where = others.first().is_some_and(|word| PREPOSITIONS.contains(&word.as_str()));
    fills(end) && (tells_where || others.iter().all(|word| fills(word)))
}

/// True if a name starts with a word, apart from underscores and case.
fn starts_folded(name: &str, word: &str) -> bool {
    let mut letters = name.chars().filter(|letter| *letter != '_').flat_map(char::to_lowercase);
    word.chars().all(|letter| letters.next() == Some(letter))
}

/// True for padding whose name cannot belong to data. `alignment` may be data, such as that of a
/// text, and compilers use numbers as names of members without one: those of tuples, and of
/// stripped SPIR-V.
pub(super) fn is_filler(name: &str) -> bool {
    let leaf = without_prefix(name.rsplit('.').next().unwrap_or(name));
    let is_data = || ["alignment", "spare"].iter().any(|word| starts_folded(leaf, word));
    is_padding(name) && leaf.chars().any(char::is_alphabetic) && !is_data()
}

/// The name of a type or block in lowercase, without namespaces, prefixes, and suffixes like `CB`,
/// `Constants`, `Data` or `Uniform3D`.
pub(super) fn type_key(name: &str) -> String {
    let is_buffer_word = |word: &String| BUFFER_WORDS.contains(&word.as_str());
    let name = without_prefix(last_segment(name));
    let without_dimension = name.strip_suffix("2D").or_else(|| name.strip_suffix("3D"));
    let without_dimension = without_dimension.filter(|name| words(name).last().is_some_and(is_buffer_word));
    let all = words(without_dimension.unwrap_or(name));
    let mut own = all.as_slice();
    while let [before @ .., last] = own
        && !before.is_empty()
        && is_buffer_word(last)
    {
        own = before;
    }
    while let [first, behind @ ..] = own
        && !behind.is_empty()
        && ["cb", "ubo", "ssbo", "cbuffer"].contains(&first.as_str())
    {
        own = behind;
    }
    // The remainders of `CBuffer` and `UBOParams` are not names.
    let says_nothing = matches!(own, [only] if is_buffer_word(only) || only.chars().count() == 1);
    if says_nothing { all.concat() } else { own.concat() }
}

/// True if a name consists of words for buffers: `UBO`, `UniformData`, `PushConstants`. Any struct may be called so.
pub fn is_generic(name: &str) -> bool {
    let is_generic_word = |word: &String| BUFFER_WORDS.iter().chain(&GENERIC_WORDS).any(|known| known == word);
    words(without_prefix(last_segment(name))).iter().all(is_generic_word)
}

/// True for a struct of a graphics API, such as `VkDrawIndirectCommand` or `D3D12_DRAW_ARGUMENTS`. The API defines its
/// members, so a block that has others is another thing.
pub fn is_of_graphics_api(name: &str) -> bool {
    let own = last_segment(name);
    let has_capital_after = |prefix: &str| {
        own.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_uppercase()))
    };
    ["Vk", "Xr", "WGPU", "MTL"].iter().any(|prefix| has_capital_after(prefix))
        || ["D3D11_", "D3D12_", "DXGI_"].iter().any(|prefix| own.starts_with(prefix))
}

/// True if a template's name has a word for buffers: `UniformBuffer`, `gfx::Ssbo`, `PushConstants`.
pub fn names_a_buffer(name: &str) -> bool {
    const WORDS: [&str; 11] =
        ["buffer", "buf", "cb", "cbuffer", "constant", "constants", "push", "ssbo", "ubo", "uniform", "uniforms"];
    words(without_prefix(last_segment(name))).iter().any(|word| WORDS.contains(&word.as_str()))
}

/// True if a function's name says that it makes bytes of values or copies them to a buffer: `upload`, `setConstants`,
/// `bytemuck::bytes_of`. What a collection's `push` takes is not in a buffer yet.
pub fn names_an_upload(name: &str) -> bool {
    const WORDS: [&str; 9] =
        ["buffer", "cbuffer", "constant", "constants", "ssbo", "ubo", "uniform", "uniforms", "upload"];
    const BYTES: [&str; 5] = ["bytesof", "asbytes", "castslice", "asstd140", "asstd430"];
    let own = words(last_segment(name));
    own.iter().any(|word| WORDS.contains(&word.as_str())) || BYTES.contains(&own.concat().as_str())
}

/// Shortest name of a file that a struct may be named after, in letters.
const SHORTEST_FILE_NAME: usize = 3;

/// True if a type's name ends with that of a file, apart from words for buffers: `vk_op_pool2d_push_constants` of
/// `pool2d.comp`.
pub fn is_named_after(type_name: &str, file_name: &str) -> bool {
    let stem = file_name.split('.').next().unwrap_or_default();
    let wanted = folded(stem).replace(['-', ' '], "");
    if wanted.len() < SHORTEST_FILE_NAME || is_generic(stem) {
        return false;
    }
    let is_telling =
        |word: &String| !BUFFER_WORDS.iter().chain(&GENERIC_WORDS).chain(&UPLOADED_WORDS).any(|known| known == word);
    let telling = |name: &str| -> Vec<String> { words(without_prefix(name)).into_iter().filter(is_telling).collect() };
    let mut own = telling(last_segment(type_name));
    if let (true, Some((outer, _))) = (own.is_empty(), type_name.rsplit_once("::")) {
        // `triangle::Uniforms` is the struct of `triangle.wgsl`.
        own = telling(last_segment(outer));
    }
    (0..own.len()).any(|start| own[start..].concat() == wanted)
}

/// How a type's name extends that of another type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kinship {
    /// It has more words: `PhysicsVertexRecord` next to `PhysicsVertex`, `LightUniform` next to `Light`.
    Longer,
    /// Its other words say that it is what the program uploads: `GpuLight` next to `Light`.
    UploadedForm,
}

/// How a type's name extends another; `None` if it does not, or the other is generic.
pub fn kinship(type_name: &str, other: &str) -> Option<Kinship> {
    let (own, uploaded) = core_words(type_name);
    let (base, base_uploaded) = core_words(other);
    if base.is_empty() || type_name.contains('<') {
        None
    } else if own == base {
        let count = |name: &str| words(without_prefix(last_segment(name))).len();
        let is_longer = count(type_name) > count(other);
        if uploaded > base_uploaded { Some(Kinship::UploadedForm) } else { is_longer.then_some(Kinship::Longer) }
    } else {
        let is_longer = own.starts_with(&base) || own.ends_with(&base);
        is_longer.then_some(Kinship::Longer)
    }
}

/// The key under which a type and its uploaded forms are found; `None` for a type that is no such form.
pub(super) fn uploaded_key(type_name: &str) -> Option<String> {
    let (own, uploaded) = core_words(type_name);
    (uploaded > 0 && !own.is_empty() && !type_name.contains('<')).then(|| own.concat())
}

/// The key of a name without all words for buffers and uploads.
pub(super) fn core_key(name: &str) -> String {
    core_words(name).0.concat()
}

/// The words of a type's name without those for buffers and uploads, and the number of words for uploads.
pub(super) fn core_words(name: &str) -> (Vec<String>, usize) {
    let mut own = words(without_prefix(last_segment(name)));
    let is_uploaded = |word: &String| UPLOADED_WORDS.contains(&word.as_str());
    let uploaded = own.iter().filter(|word| is_uploaded(word)).count();
    own.retain(|word| !is_uploaded(word) && !BUFFER_WORDS.contains(&word.as_str()));
    (own, uploaded)
}

/// A shader's name in the form that hosts can use: `$Entry.main` is `Entry_main`, `N::S` is `N_S`.
pub(super) fn as_identifier(name: &str) -> String {
    let parts = name.split(|character: char| !character.is_ascii_alphanumeric() && character != '_');
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("_")
}

/// The name after the last `::` outside of template arguments.
pub(super) fn last_segment(name: &str) -> &str {
    let end = name.find('<').unwrap_or(name.len());
    let start = name[..end].rfind("::").map_or(0, |at| at + 2);
    &name[start..]
}

fn without_prefix(name: &str) -> &str {
    let name = name.trim_start_matches('_');
    let mut characters = name.chars();
    let (Some(first), Some(second)) = (characters.next(), characters.next()) else { return name };

    let before_underscore = second == '_' && LETTERS_BEFORE_UNDERSCORE.contains(first);
    let before_capital = second.is_uppercase() && LETTERS_BEFORE_CAPITAL.contains(first);
    if (before_underscore && name.len() > 2) || before_capital { &name[1..] } else { name }
}

fn without_type_prefix(name: &str) -> &str {
    let rest = |prefix: &&str| name.strip_prefix(*prefix).filter(|rest| rest.starts_with(char::is_uppercase));
    TYPE_PREFIXES.iter().find_map(rest).unwrap_or(name)
}

/// Splits a name into lowercase words: at underscores, and before capitals that start a word.
fn words(name: &str) -> Vec<String> {
    let characters: Vec<char> = name.chars().collect();
    let mut words: Vec<String> = vec![String::new()];
    for (index, &character) in characters.iter().enumerate() {
        let behind_lowercase =
            index.checked_sub(1).is_some_and(|before| !characters[before].is_uppercase() && characters[before] != '_');
        let before_lowercase = characters.get(index + 1).is_some_and(|next| next.is_lowercase());
        if character == '_' || (character.is_uppercase() && (behind_lowercase || before_lowercase)) {
            words.push(String::new());
        }
        if character != '_' {
            words.last_mut().expect("there is one from the start").extend(character.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conventions_of_types_do_not_count() {
        for (name, key) in [
            ("PerFrame", "perframe"),
            ("PerFrameCB", "perframe"),
            ("per_frame_constants", "perframe"),
            ("engine::PerFrameData", "perframe"),
            ("cbPerFrame", "perframe"),
            ("CB_PerFrame", "perframe"),
            ("gPerFrame", "perframe"),
            ("PerFrameUniforms", "perframe"),
            ("DrawUniform3D", "draw"),
            ("Blur2D", "blur2d"),
            ("Uniform2D", "uniform"),
            ("Constants", "constants"),
            ("SceneCBuffer", "scenec"),
            ("scene_t", "scene"),
            ("ubo", "ubo"),
            ("UBOParams", "uboparams"),
            ("BufferData", "bufferdata"),
            ("CBuffer", "cbuffer"),
            ("_CData", "cdata"),
        ] {
            assert_eq!(type_key(name), key, "{name}");
        }
    }

    /// The spellings of shaders in the wild: `iRenderSize`, `fPreExposure`, `vSun`.
    #[test]
    fn prefixes_for_types_are_the_last_to_go() {
        for name in ["fExposure", "m_fExposure", "exposure", "g_Exposure", "u_exposure"] {
            assert_eq!(NameKeys::new(name).without_type(), "exposure", "{name}");
        }
        for (name, key) in [("nLights", "nlights"), ("dTheta", "dtheta"), ("view", "view"), ("matWorld", "world")] {
            assert_eq!(NameKeys::new(name).without_type(), key, "{name}");
        }
    }

    #[test]
    fn names_of_buffer_words_are_generic() {
        for name in ["UBO", "engine::UniformData", "cbParams", "Constants", "PushConsts", "Pass::GlobalUniform"] {
            assert!(is_generic(name), "{name}");
        }
        for name in ["Frame", "FrameData", "Camera", "UBOBlur", "PushLight"] {
            assert!(!is_generic(name), "{name}");
        }
    }

    #[test]
    fn a_struct_is_named_after_a_file_if_its_name_ends_so() {
        for (name, file, is_named) in [
            ("vk_op_pool2d_push_constants", "pool2d.comp", true),
            ("vk_op_im2col_push_constants", "im2col.comp", true),
            ("vk_op_im2col_3d_push_constants", "im2col.comp", false),
            ("vk_op_im2col_3d_push_constants", "im2col_3d.comp", true),
            ("engine::DepthOfFieldParams", "DepthOfField.frag.glsl", true),
            ("GpuBloom", "bloom.hlsl", true),
            ("BloomThreshold", "bloom.hlsl", false),
            ("PushConstants", "constants.glsl", false),
            ("iced_wgpu::triangle::Uniforms", "triangle.wgsl", true),
            ("iced_wgpu::image::Uniforms", "triangle.wgsl", false),
            ("triangle::Image", "triangle.wgsl", false),
            ("A", "a.hlsl", false),
        ] {
            assert_eq!(is_named_after(name, file), is_named, "{name} {file}");
        }
    }

    #[test]
    fn uploaded_forms_have_the_name_of_their_type() {
        use Kinship::{Longer, UploadedForm};
        for (name, other, found) in [
            ("GpuLight", "Light", Some(UploadedForm)),
            ("render::LightGPU", "scene::Light", Some(UploadedForm)),
            ("PhysicsVertexGpuData", "PhysicsVertex", Some(UploadedForm)),
            ("Std140Material", "MaterialData", Some(UploadedForm)),
            ("raw_light", "Light", Some(UploadedForm)),
            ("LightRecord", "Light", Some(Longer)),
            ("Light", "GpuLight", None),
            ("LightUniform", "Light", Some(Longer)),
            ("Lightmap", "Light", None),
            ("GpuData", "Data", None),
            ("Buffer<GpuLight>", "Light", None),
        ] {
            assert_eq!(kinship(name, other), found, "{name} {other}");
        }
    }

    #[test]
    fn conventions_of_members_do_not_count() {
        for name in ["m_viewProj", "view_proj", "viewProj", "ViewProj", "mViewProj", "_viewProj", "u_ViewProj"] {
            assert_eq!(member_key(name), "viewproj", "{name}");
        }
        for name in
            ["_pad0", "padding1", "__pad", "m_pad", "_0", "reserved[2]", "light.unused", "fPad", "m_vPadding", "lpad00"]
        {
            assert!(is_padding(name), "{name}");
        }
        for name in
            ["padA", "PAD_1", "alignmentPad", "padTo16", "padAfterColor", "padding_bytes", "unusedFloats", "pad0x10"]
        {
            assert!(is_padding(name), "{name}");
        }
        for name in ["position", "exposure", "x", "lights[0].pos", "ipad", "keypad2"] {
            assert!(!is_padding(name), "{name}");
        }
        for name in [
            "paddingColor",
            "padding_left",
            "unusedBones",
            "spareTransform",
            "paddle",
            "reservedSlots",
            "alignmentGrid",
        ] {
            assert!(!is_padding(name), "{name}");
        }
    }
}
