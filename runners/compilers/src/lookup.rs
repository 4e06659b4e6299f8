//! Looks for compilers on this machine, going through the programs of all drivers.
//!
//! An environment variable may name a compiler (`DXC`, `SLANGC` ...). Otherwise the search covers
//! the `PATH`, without its relative entries, and then the tools that `layoutproof setup` fetched.
//! The first program that prints its version is used.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::panic::resume_unwind;
use std::thread;

use layoutproof_readers::toolchain::Toolchain;

use crate::compiler::{Compiler, Invocation, NoCompiler, ProgramOrigin};
use crate::drivers::{CompilerDriver, DRIVERS};
pub use crate::programs::{ProgramLookup, ProgramName};
use crate::search_path::{named, on_path};
use crate::tools_folder::ToolsFolder;

#[derive(Clone, Debug, Default)]
pub struct CompilersOfMachine {
    /// The compilers that were found, in the order of listings.
    pub compilers: Vec<Compiler>,
    /// The compilers that are here but do not work.
    pub broken: Vec<BrokenCompiler>,
    /// Notes for the user about the others ([`CompilerSearch::notes`]).
    pub notes: Vec<String>,
}

/// A compiler that is here but does not work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenCompiler {
    pub name: &'static str,
    /// How it failed, as a sentence.
    pub reason: String,
}

#[derive(Debug)]
pub struct CompilerSearch {
    /// The compiler, or the reason why it is missing.
    pub compiler: Result<Compiler, NoCompiler>,
    /// The compiler's usual name here; empty for an unknown one.
    pub name: &'static str,
    /// Sentences for the user: about a variable that names no compiler, and about files in the
    /// tools folder that are not loaded or that belong to another user.
    pub notes: Vec<String>,
}

impl Compiler {
    pub fn look(tools: Option<&ToolsFolder>) -> CompilersOfMachine {
        Self::look_among(tools, driven_programs().collect())
    }

    /// Looks only for the compilers of these toolchains.
    pub fn look_for(tools: Option<&ToolsFolder>, wanted: &[&'static Toolchain]) -> CompilersOfMachine {
        let needed: BTreeSet<&str> = wanted
            .iter()
            .flat_map(|toolchain| [Some(toolchain.compiler), toolchain.second_compiler()])
            .flatten()
            .collect();
        // A driver may need a second program.
        let is_needed = |driver: &dyn CompilerDriver| {
            needed.contains(driver.name()) || driver.programs().iter().any(|program| needed.contains(program.name))
        };
        Self::look_among(tools, driven_programs().filter(|program| is_needed(program.driver)).collect())
    }

    /// Looks for these programs in parallel, because each one takes a while to print its version.
    fn look_among(tools: Option<&ToolsFolder>, programs: Vec<DrivenProgram>) -> CompilersOfMachine {
        let searches: Vec<CompilerSearch> = thread::scope(|scope| {
            let started: Vec<_> =
                programs.into_iter().map(|program| scope.spawn(move || program.search(tools))).collect();
            let end =
                |search: thread::ScopedJoinHandle<'_, _>| search.join().unwrap_or_else(|panic| resume_unwind(panic));
            started.into_iter().map(end).collect()
        });

        let mut machine = CompilersOfMachine::default();
        for search in searches {
            match search.compiler {
                Ok(compiler) => machine.compilers.push(compiler),
                Err(reason) if reason.is_broken() => {
                    machine.broken.push(BrokenCompiler { name: search.name, reason: reason.to_string() });
                }
                Err(_) => {}
            }
            // A warning about the whole folder comes with each tool in it, and is shown once.
            for note in search.notes {
                if !machine.notes.contains(&note) {
                    machine.notes.push(note);
                }
            }
        }
        machine
    }

    /// All compilers that lookups know, found or not, with the programs that some of them need.
    pub fn known() -> impl Iterator<Item = &'static ProgramLookup> {
        driven_programs().map(|program| program.lookup)
    }

    pub fn named(name: &str, tools: Option<&ToolsFolder>) -> CompilerSearch {
        match driven_programs().find(|program| program.lookup.name == name) {
            Some(program) => program.search(tools),
            None => {
                CompilerSearch { compiler: Err(NoCompiler::UnknownName(name.to_owned())), name: "", notes: Vec::new() }
            }
        }
    }
}

/// A program to look for, with the driver that can run it.
#[derive(Clone, Copy, Debug)]
struct DrivenProgram {
    driver: &'static dyn CompilerDriver,
    lookup: &'static ProgramLookup,
}

/// Every program of every driver, in the order of listings.
fn driven_programs() -> impl Iterator<Item = DrivenProgram> {
    DRIVERS
        .iter()
        .copied()
        .flat_map(|driver| driver.programs().iter().map(move |lookup| DrivenProgram { driver, lookup }))
}

impl DrivenProgram {
    /// Uses only the program that the variable names, if the variable is set; else the program on
    /// the `PATH`, then the fetched one.
    fn search(self, tools: Option<&ToolsFolder>) -> CompilerSearch {
        let variable = self.lookup.named.map(|named| named.variable);
        if let Some((variable, program)) = variable.and_then(|name| Some((name, std::env::var_os(name)?))) {
            let compiler = self.of_variable(variable, &program);
            let note = compiler.as_ref().err().map(|reason| format!("{variable} names no compiler: {reason}"));
            return CompilerSearch { compiler, name: self.lookup.name, notes: note.into_iter().collect() };
        }

        let absent = NoCompiler::Absent(self.lookup.name);
        let mut search = CompilerSearch { compiler: Err(absent), name: self.lookup.name, notes: Vec::new() };
        if let Some(program) = self.lookup.named.and_then(|named| on_path(named.program)) {
            search.compiler = self.identify(Invocation::of(program, ProgramOrigin::SearchPath));
        }
        if let (Err(_), Some(tools)) = (&search.compiler, tools) {
            let on_path = search.compiler.as_ref().err().filter(|reason| reason.is_broken()).map(ToString::to_string);
            self.search_tools_folder(tools, &mut search);
            if let (Ok(used), Some(reason)) = (&search.compiler, on_path) {
                search.notes.push(format!("{reason}; {} is used instead", used.file().display()));
            }
        }
        search
    }

    /// The compiler in the variable: a program, or for DXC also a library.
    fn of_variable(self, variable: &'static str, program: &OsStr) -> Result<Compiler, NoCompiler> {
        let missing = || NoCompiler::NotOnPath(program.to_string_lossy().into_owned());
        let file = named(program).ok_or_else(missing)?;
        let mut failed = None;
        for invocation in self.driver.invocations(&file)? {
            match self.identify(Invocation { origin: ProgramOrigin::Variable(variable), ..invocation }) {
                Ok(compiler) => return Ok(compiler),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        Err(failed.unwrap_or(NoCompiler::Absent(self.lookup.name)))
    }

    /// Looks in the tools folder, but runs nothing that other users can change. If the program is
    /// not there, `search` stays unchanged.
    fn search_tools_folder(self, tools: &ToolsFolder, search: &mut CompilerSearch) {
        let fetched = &self.lookup.fetched;
        let Some(invocation) = fetched.invocation(tools.path()) else { return };

        match fetched.inspect(tools) {
            Ok(warnings) => {
                search.notes.extend(warnings);
                search.compiler = self.identify(Invocation { origin: ProgramOrigin::ToolsFolder, ..invocation });
            }
            Err(untrusted) => {
                search.notes.push(untrusted.to_string());
                search.compiler = Err(untrusted.into());
            }
        }
    }

    /// Identifies the compiler that this invocation starts, if it prints its version.
    fn identify(self, invocation: Invocation) -> Result<Compiler, NoCompiler> {
        self.driver.identify(self.lookup.name, invocation)
    }
}
