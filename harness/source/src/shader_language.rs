//! The languages that people write shaders in, by their names and the extensions of files.

use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ShaderLanguage {
    Hlsl,
    Slang,
    Glsl,
    Wgsl,
}

/// Extensions of GLSL files: its name, then the stages, in which glslang's names are the extensions.
const GLSL_SUFFIXES: [&str; 15] = [
    "glsl", "comp", "vert", "frag", "geom", "tesc", "tese", "mesh", "task", "rgen", "rint", "rahit", "rchit", "rmiss",
    "rcall",
];

/// glslang's names of the stages; the most common come first.
pub const STAGES: &[&str] = GLSL_SUFFIXES.split_at(1).1;

/// Other suffixes of stages, most of which GLSL and HLSL share, with glslang's names. GitHub's Linguist counts them as GLSL.
pub const SHORT_STAGES: [(&str, &str); 24] = [
    ("vs", "vert"),
    ("fs", "frag"),
    ("ps", "frag"),
    ("gs", "geom"),
    ("hs", "tesc"),
    ("ds", "tese"),
    ("cs", "comp"),
    ("vsh", "vert"),
    ("fsh", "frag"),
    ("psh", "frag"),
    ("gsh", "geom"),
    ("csh", "comp"),
    ("vp", "vert"),
    ("fp", "frag"),
    ("tcs", "tesc"),
    ("tes", "tese"),
    ("glslv", "vert"),
    ("glslf", "frag"),
    ("vshader", "vert"),
    ("fshader", "frag"),
    ("gshader", "geom"),
    ("vrx", "vert"),
    ("frg", "frag"),
    ("geo", "geom"),
];

impl ShaderLanguage {
    pub const ALL: [Self; 4] = [Self::Hlsl, Self::Slang, Self::Glsl, Self::Wgsl];

    /// Its name, which is the usual extension of its files.
    pub fn as_str(self) -> &'static str {
        self.suffixes()[0]
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.as_str() == name)
    }

    /// The names of all languages, for messages: `hlsl, slang, glsl or wgsl`.
    pub fn names() -> String {
        alternatives(&Self::ALL.map(Self::as_str))
    }

    /// Its name in prose.
    pub fn title(self) -> &'static str {
        match self {
            Self::Hlsl => "HLSL",
            Self::Slang => "Slang",
            Self::Glsl => "GLSL",
            Self::Wgsl => "WGSL",
        }
    }

    /// The extensions of its files, in lowercase and without the full stop; the usual one comes first.
    pub fn suffixes(self) -> &'static [&'static str] {
        match self {
            Self::Hlsl => &["hlsl", "hlsli", "fx", "fxh"],
            Self::Slang => &["slang", "slangh"],
            Self::Glsl => &GLSL_SUFFIXES,
            Self::Wgsl => &["wgsl", "wesl"],
        }
    }

    /// `named`, or else the language for the extension of `path`, or for the one before it: `water.hlsl.vs`.
    pub fn of(named: Option<Self>, path: &Path) -> Option<Self> {
        let of_suffix = |path: &Path| {
            let suffix = path.extension()?.to_string_lossy().to_lowercase();
            Self::ALL.into_iter().find(|language| language.suffixes().contains(&suffix.as_str()))
        };
        let is_stage = |suffix: &str| SHORT_STAGES.iter().any(|(short, _)| suffix.eq_ignore_ascii_case(short));
        named.or_else(|| of_suffix(path)).or_else(|| {
            let stage = path.extension()?.to_str().filter(|suffix| is_stage(suffix));
            stage.and_then(|_| of_suffix(Path::new(path.file_stem()?)))
        })
    }
}

/// The names as one phrase: `a, b or c`.
pub fn alternatives<T: AsRef<str>>(names: &[T]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.as_slice() {
        [others @ .., last] if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        few => few.concat(),
    }
}
