//! Compiles an exported test with DXC, with the options of its `RUN` line.

use anyhow::bail;
use layoutproof_compilers::compiler::Compiler;
use layoutproof_compilers::typed_command::{TypedCommand, TypedEnd};
use layoutproof_executor::tools::MachineTools;
use layoutproof_report::export::{OffloadApis, OffloadTest};

/// The options that the suite adds for Vulkan.
const FOR_VULKAN: [&str; 2] = ["-spirv", "-fspv-target-env=vulkan1.3"];

/// A build of DXC that compiles exported tests.
pub(super) struct CompileCheck {
    compiler: Compiler,
}

impl CompileCheck {
    /// The compiler of this name; `None` if it was not found.
    pub(super) fn with(name: &str) -> anyhow::Result<Option<Self>> {
        if !name.starts_with("dxc") || !Compiler::known().any(|known| known.name == name) {
            bail!("--check needs a build of DXC, as `layoutproof doctor compilers` lists them: `{name}` is not one");
        }
        let search = Compiler::named(name, MachineTools::find()?.folder());
        Ok(search.compiler.ok().map(|compiler| Self { compiler }))
    }

    /// What the compiler does instead of accepting the test, for Direct3D or for Vulkan.
    pub(super) fn refusal(&self, test: &OffloadTest) -> anyhow::Result<Option<&'static str>> {
        let (direct_x, vulkan) = match test.apis {
            OffloadApis::DirectX => (true, false),
            OffloadApis::Vulkan => (false, true),
            OffloadApis::Both => (true, true),
        };
        let command_lines = [direct_x.then_some(&[][..]), vulkan.then_some(&FOR_VULKAN[..])];

        for added in command_lines.into_iter().flatten() {
            let options = test.options.iter().map(String::as_str);
            let arguments: Vec<&str> =
                added.iter().copied().chain(options).chain(["-Fo", "out.o", "source.hlsl"]).collect();
            let command = TypedCommand { arguments: &arguments, file: "source.hlsl", text: &test.hlsl, outputs: &[] };
            match command.run(&self.compiler)?.end {
                TypedEnd::Accepted => {}
                TypedEnd::Refused => return Ok(Some("DXC refuses it")),
                TypedEnd::Silent | TypedEnd::Broken(_) => return Ok(Some("DXC crashes on it")),
            }
        }
        Ok(None)
    }
}
