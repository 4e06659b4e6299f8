//! Parses the arguments with which a build compiles a shader, as far as they change layouts.

use anyhow::bail;

/// The arguments of dxc, fxc or slangc that affect layouts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CompileArguments {
    /// `NAME=VALUE`.
    pub defines: Vec<String>,
    pub includes: Vec<String>,
    pub entry: Option<String>,
    pub profile: Option<String>,
    /// True if matrices without a declared order are row-major.
    pub row_major: Option<bool>,
    /// True if `half` has two bytes; `None` if the arguments do not identify the compiler.
    pub sixteen_bit: Option<bool>,
    /// The layout choice for the target and layout options, such as `native:dxc-spirv`.
    pub native: Option<&'static str>,
}

/// Options whose value is the next word or follows in the same word.
const VALUED: [&str; 14] =
    ["-Fo", "-Fh", "-Fd", "-Fc", "-Fe", "-Fre", "-Frs", "-Vn", "-HV", "-o", "-stage", "-O", "-W", "-fspv-target-env"];

impl CompileArguments {
    /// Parses the text, split into words as by a shell.
    ///
    /// # Errors
    /// A quote is not closed, or an option lacks its value.
    pub(crate) fn read(text: &str) -> anyhow::Result<Self> {
        let words = split_words(text)?;
        let mut read = Self::default();
        let mut layout = "";
        let mut slang_target = None;
        let mut is_spirv = false;
        let mut is_dxc = false;

        let mut rest = words.iter().map(String::as_str);
        while let Some(word) = rest.next() {
            // fxc and dxc accept a slash too.
            let word = word.strip_prefix('/').map_or_else(|| word.to_owned(), |option| format!("-{option}"));
            let mut value = |option: &str| -> anyhow::Result<Option<String>> {
                match word.strip_prefix(option) {
                    Some("") => match rest.next() {
                        Some(value) => Ok(Some(value.to_owned())),
                        None => bail!("--args: `{option}` has no value"),
                    },
                    Some(behind) => Ok(Some(behind.trim_start_matches('=').to_owned())),
                    None => Ok(None),
                }
            };

            match word.as_str() {
                "-spirv" => (is_spirv, is_dxc) = (true, true),
                "-Zpr" | "-matrix-layout-row-major" => read.row_major = Some(true),
                "-Zpc" | "-matrix-layout-column-major" => read.row_major = Some(false),
                "-enable-16bit-types" => (read.sixteen_bit, is_dxc) = (Some(true), true),
                "-fvk-use-dx-layout" => layout = "dx",
                "-fvk-use-gl-layout" => layout = "gl",
                "-fvk-use-scalar-layout" | "-force-glsl-scalar-layout" => layout = "scalar",
                "-entry" => read.entry = value("-entry")?,
                "-target" => slang_target = value("-target")?,
                "-profile" => read.profile = value("-profile")?,
                _ if VALUED.contains(&word.as_str()) => drop(rest.next()),
                _ if word.starts_with("-D") => read.defines.extend(value("-D")?),
                _ if word.starts_with("-I") => read.includes.extend(value("-I")?),
                _ if word.starts_with("-E") && !word.starts_with("-Ex") => read.entry = value("-E")?,
                _ if word.starts_with("-T") => (read.profile, is_dxc) = (value("-T")?, true),
                // Other options change code, warnings or files, but no layout.
                _ => {}
            }
        }

        if is_dxc && read.sixteen_bit.is_none() {
            read.sixteen_bit = Some(false);
        }
        read.native = match (slang_target.as_deref(), is_spirv, layout) {
            (Some("spirv" | "spirv-asm" | "glsl"), _, "scalar") => Some("native:slang-vulkan-scalar"),
            (Some("spirv" | "spirv-asm" | "glsl"), _, "dx") => Some("native:slang-vulkan-dx"),
            (Some("spirv" | "spirv-asm" | "glsl"), ..) => Some("native:slang-vulkan"),
            (Some("dxil" | "hlsl" | "dxbc"), ..) => Some("native:slang-d3d12"),
            (Some("wgsl"), ..) => Some("native:slang-webgpu"),
            (Some("metal" | "metallib"), ..) => Some("native:slang-metal"),
            (None, true, "dx") => Some("native:dxc-spirv-dx"),
            (None, true, "gl") => Some("native:dxc-spirv-gl"),
            (None, true, "scalar") => Some("native:dxc-spirv-scalar"),
            (None, true, _) => Some("native:dxc-spirv"),
            (None, false, _) if is_dxc => Some("native:dxc-dxil"),
            (Some(_) | None, ..) => None,
        };
        Ok(read)
    }
}

/// Splits the text at spaces, except within quotes.
fn split_words(text: &str) -> anyhow::Result<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for character in text.chars() {
        match quote {
            Some(end) if character == end => quote = None,
            None if character == '"' || character == '\'' => {
                word.get_or_insert_default();
                quote = Some(character);
            }
            None if character.is_whitespace() => words.extend(word.take()),
            Some(_) | None => word.get_or_insert_default().push(character),
        }
    }
    if quote.is_some() {
        bail!("--args: a quote is not closed");
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_compilers_are_read() {
        for (text, native, sixteen_bit) in [
            ("-T cs_6_6 -D QUALITY=2", Some("native:dxc-dxil"), Some(false)),
            ("-T ps_6_6 -enable-16bit-types", Some("native:dxc-dxil"), Some(true)),
            ("-spirv -T vs_6_0 -fvk-use-dx-layout", Some("native:dxc-spirv-dx"), Some(false)),
            ("/T ps_5_1 /Fo a.cso", Some("native:dxc-dxil"), Some(false)),
            ("-target spirv -profile glsl_450", Some("native:slang-vulkan"), None),
            ("-DX", None, None),
        ] {
            let read = CompileArguments::read(text).unwrap();
            assert_eq!((read.native, read.sixteen_bit), (native, sixteen_bit), "{text}");
        }
        let read = CompileArguments::read("-D A=1 -DB -I inc -I'my includes' -E main -Zpr -Fo out.dxil").unwrap();
        assert_eq!(read.defines, ["A=1", "B"]);
        assert_eq!(read.includes, ["inc", "my includes"]);
        assert_eq!((read.entry.as_deref(), read.row_major), (Some("main"), Some(true)));
        assert!(CompileArguments::read("-D 'A").is_err());
        assert!(CompileArguments::read("-T").is_err());
    }
}
