//! Almost valid inputs for every command that reads them.

mod answers;
mod corpus;
mod lists;
mod texts;

use fastrand::Rng;

use crate::unix::assault::{Assault, Extent, Outcome};
use crate::unix::mutation::mutated;
use crate::unix::program::Call;
use crate::unix::sandbox::Sandbox;

/// Number of inputs of all readers together with `--full`.
const FULL: u64 = 20_000;

/// A kind of file, and the commands that read it.
struct Reader {
    /// Name in the table.
    name: &'static str,
    /// Valid or almost valid files.
    corpus: Vec<Vec<u8>>,
    /// Words of its language.
    words: &'static [&'static str],
    /// The name under which the commands read the file.
    file: &'static str,
    /// Other files that the commands need.
    others: Vec<(&'static str, Vec<u8>)>,
    /// A shell script in place of a compiler, and the variable that names it.
    compiler: Option<FakeCompiler>,
    commands: &'static [&'static str],
    /// True if the commands must fail for any content of the file.
    never_green: bool,
}

impl Reader {
    /// A reader with the commands that read this file.
    fn new(name: &'static str, corpus: Vec<Vec<u8>>, file: &'static str, commands: &'static [&'static str]) -> Self {
        Self { name, corpus, words: &[], file, others: Vec::new(), compiler: None, commands, never_green: false }
    }

    /// Sets words of the file's language.
    fn words(self, words: &'static [&'static str]) -> Self {
        Self { words, ..self }
    }

    /// Adds other files.
    fn others(self, others: Vec<(&'static str, Vec<u8>)>) -> Self {
        Self { others, ..self }
    }

    /// Adds a compiler.
    fn compiler(self, variable: &'static str, script: &str) -> Self {
        Self { compiler: Some(FakeCompiler { variable, script: script.to_owned() }), ..self }
    }

    /// States that no change of the file may make the commands succeed.
    fn never_green(self) -> Self {
        Self { never_green: true, ..self }
    }
}

/// A shell script in place of a compiler.
struct FakeCompiler {
    /// Variable that names it.
    variable: &'static str,
    script: String,
}

/// All readers.
pub(crate) fn assaults() -> Vec<Box<dyn Assault>> {
    let mut readers = texts::readers();
    readers.extend(lists::readers());
    readers.extend(answers::readers());
    let full = FULL.div_ceil(u64::try_from(readers.len()).unwrap());
    readers.into_iter().map(|reader| Box::new(Mutations { reader, full }) as Box<dyn Assault>).collect()
}

/// Mutations of the input of one reader.
struct Mutations {
    reader: Reader,
    full: u64,
}

impl Assault for Mutations {
    fn name(&self) -> &'static str {
        self.reader.name
    }

    fn extent(&self) -> Extent {
        Extent::Endless { full: self.full }
    }

    fn attack(&self, _: u64, rng: &mut Rng, sandbox: &Sandbox) -> Outcome {
        let Reader { name: _, corpus, words, file, others, compiler, commands, never_green } = &self.reader;
        for (name, bytes) in others {
            sandbox.write(name, bytes);
        }
        sandbox.write(file, mutated(rng, corpus, words));
        let mut call = Call::new(sandbox, commands[rng.usize(..commands.len())]);
        if let Some(FakeCompiler { variable, script }) = compiler {
            sandbox.write_script("compiler", script);
            call = call.variable(variable, sandbox.path("compiler"));
        }
        let end = call.run();
        let end = if *never_green { end.exits(&[1, 2, 3, 4]) } else { end.orderly() };
        end.map(drop).into()
    }
}
