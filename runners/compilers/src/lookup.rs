//! Looks for compilers on this machine: goes through the programs of all drivers.
//!
//! The environment can name one (`DXC`, `SLANGC` ...); then come the `PATH`, without its relative entries, and what
//! `layoutproof setup` fetched into the tools folder. The first that answers with its version is taken.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::panic::resume_unwind;
use std::thread;

use layoutproof_core::inspect::toolchain::Toolchain;

use crate::compiler::{Compiler, Invocation, ProgramOrigin};
use crate::drivers::{CompilerDriver, DRIVERS};
use crate::program_lookup::ProgramLookup;
use crate::search_path::{named, on_path};
use crate::tools_folder::ToolsFolder;

/// A compiler that is looked for, whether it is there or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownCompiler {
    /// Its name.
    pub name: &'static str,
    /// The way to get it where it is not found.
    pub advice: String,
}

/// The compilers of a machine.
#[derive(Clone, Debug, Default)]
pub struct CompilersOfMachine {
    /// Those that are there, in the order in which they are listed.
    pub compilers: Vec<Compiler>,
    /// What the user should know of the others ([`CompilerSearch::notes`]).
    pub notes: Vec<String>,
}

/// The result of looking for one compiler.
#[derive(Clone, Debug)]
pub struct CompilerSearch {
    /// The compiler, or why it is not here.
    pub compiler: Result<Compiler, String>,
    /// What the user should know, a sentence each: about a variable that names no compiler, and about something in the
    /// tools folder that is not loaded or that belongs to somebody else.
    pub notes: Vec<String>,
}

impl Compiler {
    /// Looks for every compiler.
    pub fn look(tools: Option<&ToolsFolder>) -> CompilersOfMachine {
        Self::look_among(tools, driven_programs().collect())
    }

    /// Looks for the compilers of these toolchains alone.
    pub fn look_for(tools: Option<&ToolsFolder>, wanted: &[&'static Toolchain]) -> CompilersOfMachine {
        let needed: BTreeSet<&str> = wanted
            .iter()
            .flat_map(|toolchain| [Some(toolchain.compiler), toolchain.second_compiler])
            .flatten()
            .collect();
        // A driver may need a second program of its own.
        let is_needed = |driver: &dyn CompilerDriver| {
            needed.contains(driver.name()) || driver.programs().iter().any(|program| needed.contains(program.name))
        };
        Self::look_among(tools, driven_programs().filter(|program| is_needed(program.driver)).collect())
    }

    /// Looks for these programs at once, for each of them is started and takes its time to say its version.
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
            machine.compilers.extend(search.compiler);
            // A warning about the whole folder comes with each tool in it, and is told once.
            for note in search.notes {
                if !machine.notes.contains(&note) {
                    machine.notes.push(note);
                }
            }
        }
        machine
    }

    /// All compilers that are looked for.
    pub fn known() -> impl Iterator<Item = KnownCompiler> {
        driven_programs()
            .map(|DrivenProgram { lookup, .. }| KnownCompiler { name: lookup.name, advice: lookup.advice() })
    }

    /// Looks for the compiler of a name in [`Compiler::known`].
    pub fn named(name: &str, tools: Option<&ToolsFolder>) -> CompilerSearch {
        match driven_programs().find(|program| program.lookup.name == name) {
            Some(program) => program.search(tools),
            None => CompilerSearch { compiler: Err(format!("no compiler is called `{name}`")), notes: Vec::new() },
        }
    }
}

/// A program that is looked for, with the driver that knows how to talk to it.
#[derive(Clone, Copy, Debug)]
struct DrivenProgram {
    driver: &'static dyn CompilerDriver,
    lookup: &'static ProgramLookup,
}

/// Every program of every driver, in the order in which they are listed.
fn driven_programs() -> impl Iterator<Item = DrivenProgram> {
    DRIVERS.into_iter().flat_map(|driver| driver.programs().iter().map(move |lookup| DrivenProgram { driver, lookup }))
}

impl DrivenProgram {
    /// Takes the program that the variable names, and no other where it is set; else the one on the `PATH`, then the fetched
    /// one.
    fn search(self, tools: Option<&ToolsFolder>) -> CompilerSearch {
        let variable = self.lookup.named.map(|named| named.variable);
        if let Some((variable, program)) = variable.and_then(|name| Some((name, std::env::var_os(name)?))) {
            let compiler = self.of_variable(variable, &program);
            let note = compiler.as_ref().err().map(|reason| format!("{variable} names no compiler: {reason}"));
            return CompilerSearch { compiler, notes: note.into_iter().collect() };
        }

        let absent = format!("no `{}` is here", self.lookup.name);
        let mut search = CompilerSearch { compiler: Err(absent), notes: Vec::new() };
        if let Some(program) = self.lookup.named.and_then(|named| on_path(named.program)) {
            search.compiler = self.identify(Invocation::of(program, ProgramOrigin::SearchPath));
        }
        if let (Err(_), Some(tools)) = (&search.compiler, tools) {
            self.search_tools_folder(tools, &mut search);
        }
        search
    }

    fn of_variable(self, variable: &'static str, program: &OsStr) -> Result<Compiler, String> {
        let missing = || format!("no `{}` is on the PATH", program.to_string_lossy());
        let program = named(program).ok_or_else(missing)?;
        self.identify(Invocation::of(program, ProgramOrigin::Variable(variable)))
    }

    /// Looks in the tools folder, where nothing is run that others can change. Without a program there, `search` stays as
    /// it is.
    fn search_tools_folder(self, tools: &ToolsFolder, search: &mut CompilerSearch) {
        let fetched = &self.lookup.fetched;
        let Some(invocation) = fetched.invocation(tools.path()) else { return };

        match fetched.inspect(tools) {
            Ok(warnings) => {
                search.notes.extend(warnings);
                search.compiler = self.identify(Invocation { origin: ProgramOrigin::ToolsFolder, ..invocation });
            }
            Err(untrusted) => {
                search.compiler = Err(untrusted.to_string());
                search.notes.push(untrusted.to_string());
            }
        }
    }

    /// The compiler that is started so, if it answers with its version.
    fn identify(self, invocation: Invocation) -> Result<Compiler, String> {
        self.driver.identify(self.lookup.name, invocation)
    }
}
