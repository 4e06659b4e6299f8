//! Each case about a space is reached there by the code of a compiler that writes such code. A case that
//! is silently left out would agree without it. Ignored, not passed, if the compiler is missing.

use std::collections::BTreeSet;
use std::sync::Arc;

use layoutproof_built_in::CASES;
use layoutproof_compilers::toolchains::Toolchains;
use layoutproof_compilers::tools_folder::ToolsFolder;
use layoutproof_core::case::Case;
use layoutproof_core::check::{Settings, Source, Subject, SubjectShaders};
use layoutproof_layout::{ElementChoice, find};
use layoutproof_probes::AddressSpace;
use layoutproof_readers::toolchain::{CodeTarget, Compilers, Toolchain, toolchains};
use layoutproof_source::sources::SourceMap;
use libtest_mimic::{Arguments, Failed, Trial};

/// A folder of cases with their space, a toolchain, and the name in cases of the compiler that they need.
const REACHED: [(&str, AddressSpace, &str, &str); 4] = [
    ("pointers/", AddressSpace::Address, "slang-vulkan", "slang"),
    ("shader_records/", AddressSpace::ShaderRecord, "slang-vulkan", "slang"),
    ("shader_records/", AddressSpace::ShaderRecord, "dxc-spirv", "dxc"),
    ("workgroup/", AddressSpace::Workgroup, "glslang", "glslang"),
];

fn main() {
    let arguments = Arguments::from_args();
    let tools = ToolsFolder::find().ok();
    let found = Arc::new(Toolchains::find(tools.as_ref()));
    let trials = REACHED.map(|(folder, space, name, compiler)| {
        let toolchain = toolchains().iter().find(|known| known.name == name).filter(|known| found.has(known));
        let found = Arc::clone(&found);
        let test = move || reaches(&found, toolchain.ok_or("no such compiler")?, folder, space, compiler);
        Trial::test(format!("{folder}{name}"), test).with_ignored_flag(toolchain.is_none())
    });
    libtest_mimic::run(&arguments, trials.into()).exit();
}

fn reaches(
    found: &Toolchains,
    toolchain: &'static Toolchain,
    folder: &str,
    space: AddressSpace,
    compiler: &str,
) -> Result<(), Failed> {
    let settings = Settings { spaces: Some([space].into()), ..Settings::usual(ElementChoice::Sample) };
    let mut sources = SourceMap::default();
    let mut missed = Vec::new();
    for file in CASES.iter().filter(|file| file.name.starts_with(folder)) {
        let text = sources.add(format!("cases/{}.toml", file.name), file.text);
        let case = Case::read(file.name, text, &mut sources).expect("built-in cases are read without error");
        let source = Source::of_case(&case, &mut sources).expect("and so are their declarations");
        if let Some(source) = source.map(Arc::new) {
            // A case without numbers of this compiler may be one that it rejects.
            if !source.expect.iter().any(|it| it.authority.to_string().contains(compiler)) {
                continue;
            }
            let mut reached = BTreeSet::new();
            for rules in source.expect.iter().filter_map(|expectation| find(&expectation.rules)) {
                let subject = Subject::new(Arc::clone(&source), rules);
                let made = SubjectShaders::compiled(&subject, toolchain, found, CodeTarget::Newest, &settings);
                let followed = made.modules.iter().filter(|module| !module.compiled.is_empty());
                reached.extend(followed.flat_map(|module| &module.plan.entries).map(|entry| entry.space));
            }
            if !reached.contains(&space) {
                missed.push(file.name);
            }
        }
    }
    if missed.is_empty() {
        Ok(())
    } else {
        Err(format!("{} does not reach {space:?} in {missed:?}", toolchain.name).into())
    }
}
