//! Full disks and places that cannot be written: every lost output ends with exit code 2 and a
//! message.

use std::fs::OpenOptions;
use std::io;
use std::time::{Duration, Instant};

use fastrand::Rng;
use rustix::process::Signal;

use crate::unix::assault::{Assault, Extent, Outcome};
use crate::unix::program::{Call, LONG_TIME};
use crate::unix::sandbox::Sandbox;

/// Commands that print a result.
const PRINTING: [&str; 14] = [
    "show pair.hlsl",
    "show pair.hlsl --format json",
    "show pair.hlsl --format rust-asserts --rules std140",
    "show pair.hlsl --format cpp-asserts --rules std140",
    "show pair.hlsl --target d3d12 --convention dxc",
    "diff pair.hlsl std140 scalar",
    "show pair.hlsl --target vulkan --convention slang --format slang-yaml",
    "dev export vectors/two_pairs_fill_a_register --format amber",
    "list",
    "list --rules",
    "list --coverage",
    "doctor compilers",
    "report r.jsonl",
    "run vectors/two_pairs --rules std140 --form leaf --device model",
];

/// Commands that write a file, with `FILE` in its place.
const WRITING: [&str; 7] = [
    "run vectors/two_pairs --rules std140 --form leaf --device model --json FILE",
    "run vectors/two_pairs --rules std140 --form leaf --device model --junit FILE",
    "run vectors/two_pairs --rules std140 --form leaf --device model --csv FILE",
    "report r.jsonl --json FILE",
    "report r.jsonl --junit FILE",
    "report r.jsonl --csv FILE",
    "dev fuzz --count 1 --compiler naga-glsl --json FILE",
];

/// Commands that write a folder, with `FILE` in its place.
const WRITING_FOLDERS: [&str; 2] = [
    "run pair.hlsl --rules std140 --compiler naga-glsl --runner model --keep FILE",
    "compare dxc=./compiler --no-cache vectors/two_pairs --save FILE",
];

/// Paths that cannot be written.
const PLACES: [&str; 3] = ["/dev/full", "nowhere/at/all", "tmp"];

/// Paths at which no folder can be created.
const FOLDER_PLACES: [&str; 2] = ["/dev/full/a", "pair.hlsl/a"];

/// A way to lose output.
#[derive(Clone, Copy, Debug)]
enum Loss {
    /// Standard output is a full disk.
    FullOutput(&'static str),
    /// Standard output is a pipe without a reader.
    ClosedPipe(&'static str),
    /// The file cannot be written.
    BadPlace { words: &'static str, place: &'static str },
    /// The disk has room for one KiB.
    SmallDisk(&'static str),
    /// Another run is writing the same records.
    TwoWriters,
}

fn losses() -> Vec<Loss> {
    let mut losses: Vec<Loss> = PRINTING.into_iter().map(Loss::FullOutput).collect();
    losses.extend(PRINTING.map(Loss::ClosedPipe));
    let pairs = |all: &'static [&'static str], places: &'static [&'static str]| {
        all.iter().flat_map(move |words| places.iter().map(move |place| Loss::BadPlace { words, place }))
    };
    losses.extend(pairs(&WRITING, &PLACES));
    losses.extend(pairs(&WRITING_FOLDERS, &FOLDER_PLACES));
    losses.extend(WRITING.map(Loss::SmallDisk));
    losses.push(Loss::TwoWriters);
    losses
}

/// All ways to lose output.
pub(crate) fn assaults() -> Vec<Box<dyn Assault>> {
    vec![Box::new(Outputs { losses: losses() })]
}

struct Outputs {
    losses: Vec<Loss>,
}

impl Assault for Outputs {
    fn name(&self) -> &'static str {
        "outputs"
    }

    fn extent(&self) -> Extent {
        Extent::List(u64::try_from(self.losses.len()).unwrap())
    }

    fn attack(&self, number: u64, _: &mut Rng, sandbox: &Sandbox) -> Outcome {
        sandbox.write("pair.hlsl", "cbuffer S { float a; float2 b; };\n");
        sandbox.write_script("compiler", "case \"$*\" in *-version*) echo '1.8 - 1.8.1 (test)'; exit 0;; esac; exit 1");
        let made = "run arrays/scalar_packs vectors/two_pairs --rules std140 --form leaf --device model --json r.jsonl";
        let made = Call::new(sandbox, made).long().run().exits(&[0]).map(drop);
        made.and_then(|()| lose(sandbox, self.losses[usize::try_from(number).unwrap()])).into()
    }
}

fn lose(sandbox: &Sandbox, loss: Loss) -> Result<(), String> {
    // `fuzz` writes nothing if no device can run the compiler's output.
    let call = |words: &str| {
        let call = Call::new(sandbox, words);
        if words.starts_with("dev fuzz") { call.with_drivers() } else { call.long() }
    };
    match loss {
        Loss::FullOutput(words) => {
            let full = OpenOptions::new().write(true).open("/dev/full").map_err(|error| error.to_string())?;
            call(words).stdout(full).run().exits(&[2]).map(drop)
        }
        Loss::ClosedPipe(words) => {
            let (reader, writer) = io::pipe().map_err(|error| error.to_string())?;
            drop(reader);
            call(words).stdout(writer).run().orderly().map(drop)
        }
        Loss::BadPlace { words, place } => call(&words.replace("FILE", place)).run().exits(&[2]).map(drop),
        Loss::SmallDisk(words) => {
            let end = call(&words.replace("FILE", "written")).with_files_of(1).run().orderly()?;
            // Up to one KiB can be written.
            let fits = sandbox.read("written").len() < 1024 && end.code() == Some(0);
            if fits { Ok(()) } else { end.exits(&[2]).map(drop) }
        }
        Loss::TwoWriters => two_writers(sandbox),
    }
}

/// A second run that writes the same records is refused, and the first loses nothing.
fn two_writers(sandbox: &Sandbox) -> Result<(), String> {
    let words = "run arrays/ --rules std140 --form leaf --device model --json two.jsonl";
    let hangs = format!("{words} --plant-fault hang@scalar_packs --time-limit 60");
    let mut first = Call::new(sandbox, &hangs).long().start();
    let started = Instant::now();
    while sandbox.read("two.jsonl").lines().count() < 2 && !first.is_over() && started.elapsed() < LONG_TIME {
        std::thread::sleep(Duration::from_millis(5));
    }
    let before = sandbox.read("two.jsonl");
    let second = Call::new(sandbox, words).long().run().exits(&[2]);
    let after = sandbox.read("two.jsonl");
    first.signal(Signal::KILL);
    first.end();
    second?;
    if after.starts_with(&before) {
        Ok(())
    } else {
        Err("the second run wrote into the first one's records".to_owned())
    }
}
