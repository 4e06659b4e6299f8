//! Compilers that lie, refuse, crash, hang and flood: no run with one of them may succeed.

use fastrand::Rng;
use layoutproof_compilers::compiler::Compiler;
use layoutproof_compilers::lookup::ProgramLookup;
use layoutproof_device::ShaderForm;
use layoutproof_readers::toolchain::toolchains;

use crate::unix::assault::{Assault, Extent, Outcome};
use crate::unix::planted;
use crate::unix::program::{Call, End};
use crate::unix::sandbox::Sandbox;

/// DXC's listing of a probe of [`PAIR`]; `commands/regress.rs` says how it was made.
const LISTING: &str = include_str!("../../files/pair.dxil.txt");

/// The declarations that the listing is of.
const PAIR: &str = "cbuffer S { float a; float2 b; };\n";

/// A compiler's behaviour for every source, as a shell script.
struct Deed {
    what: &'static str,
    script: &'static str,
}

/// Behaviours that no run may accept as an answer.
const DEEDS: [Deed; 16] = [
    Deed { what: "refuses", script: "echo 'probe.hlsl:1:1: error: no moon' >&2; exit 1" },
    Deed { what: "refuses without a word", script: "exit 1" },
    Deed { what: "refuses with an unknown code", script: "echo no >&2; exit 77" },
    Deed { what: "crashes", script: "kill -SEGV $$" },
    Deed { what: "aborts", script: "echo 'assertion failed' >&2; kill -ABRT $$" },
    Deed { what: "hangs", script: "exec sleep 1000" },
    Deed { what: "hangs in a child", script: "sleep 1000" },
    Deed { what: "floods its output", script: "exec yes" },
    Deed { what: "floods its errors", script: "exec yes >&2" },
    Deed {
        what: "fills its folder",
        script: "head -c 200000000 /dev/zero >probe.spv; cp probe.spv probe.dxil; cat probe.spv",
    },
    Deed { what: "makes nothing", script: "exit 0" },
    Deed { what: "prints zeros", script: "head -c 3000 /dev/zero" },
    Deed { what: "makes nonsense", script: "echo 'lorem ipsum ; %1 ='; echo lorem >probe.spv; echo lorem >probe.json" },
    Deed { what: "prints half a listing", script: "head -c 4000 \"$here/listing\"" },
    Deed { what: "prints its source", script: "cat probe.*" },
    Deed { what: "removes its folder", script: "rm -rf \"$PWD\"" },
];

/// Behaviours of a compiler that knows the plain names of [`PAIR`], as sed scripts over its
/// listing. The first is honest: it shows that the run succeeds only with the true listing.
const LIES: [Deed; 4] = [
    Deed { what: "tells the truth", script: "" },
    Deed { what: "reports another offset", script: "s/Offset:    4/Offset:    8/" },
    Deed {
        what: "reads another register",
        script: r"s/i32 59, %dx.types.Handle %\([0-9]*\), i32 0/i32 59, %dx.types.Handle %\1, i32 1/",
    },
    Deed {
        what: "reads another component",
        script: r"s/%dx.types.CBufRet.f32 %\([0-9]*\), 0/%dx.types.CBufRet.f32 %\1, 2/",
    },
];

/// A compiler and a run that uses it.
struct Impersonated {
    /// Variable that names it.
    variable: &'static str,
    /// Its output for the version.
    says: &'static str,
    words: String,
    /// True if only a device runs its output.
    needs_lavapipe: bool,
}

/// The compiler of [`LIES`].
fn liar() -> Impersonated {
    Impersonated {
        variable: "DXC",
        says: "dxc of a test",
        words: "run pair.hlsl --rules hlsl-cbuffer --compiler dxc-dxil --runner dxil".to_owned(),
        needs_lavapipe: false,
    }
}

/// Every compiler that a variable can name, with its first toolchain, and three runs with DXC: the
/// liar, the authority of a case, and one for devices.
fn impersonated() -> Vec<Impersonated> {
    let authority = Impersonated {
        says: "libdxcompiler: 1.7 (4006, 69e54e29)",
        words: "run arrays/scalar_packs vectors/two_pairs --compiler rspirv,dxc-dxil --runner dxil,model".to_owned(),
        ..liar()
    };
    let for_devices = Impersonated {
        words: "run pair.hlsl --rules relaxed140 --compiler dxc-spirv --device lavapipe --runner ash".to_owned(),
        needs_lavapipe: true,
        ..liar()
    };
    let any_compiler = |known: &ProgramLookup| {
        let toolchain = toolchains().iter().find(|toolchain| toolchain.compiler == known.name)?;
        let needs_lavapipe = !matches!(toolchain.output, ShaderForm::Dxil | ShaderForm::ClangIr);
        let runner = if needs_lavapipe { "--device lavapipe --runner ash" } else { "--runner dxil" };
        Some(Impersonated {
            variable: known.named?.variable,
            says: "1.0",
            words: format!("run vectors/two_pairs --compiler {toolchain} {runner}"),
            needs_lavapipe,
        })
    };
    let known = Compiler::known().filter_map(any_compiler);
    [liar(), authority, for_devices].into_iter().chain(known).collect()
}

/// The attacks with every compiler and behaviour, and with one that lies.
pub(crate) fn assaults() -> Vec<Box<dyn Assault>> {
    vec![Box::new(BadCompilers { impersonated: impersonated() }), Box::new(LyingCompilers)]
}

/// Compilers that give no usable answer.
struct BadCompilers {
    impersonated: Vec<Impersonated>,
}

impl Assault for BadCompilers {
    fn name(&self) -> &'static str {
        "bad-compilers"
    }

    fn extent(&self) -> Extent {
        Extent::List(u64::try_from(DEEDS.len() * self.impersonated.len()).unwrap())
    }

    fn attack(&self, number: u64, _: &mut Rng, sandbox: &Sandbox) -> Outcome {
        let number = usize::try_from(number).unwrap();
        let Deed { what, script } = DEEDS[number / self.impersonated.len()];
        let impersonated = &self.impersonated[number % self.impersonated.len()];
        let device = if impersonated.needs_lavapipe { planted::lavapipe() } else { Ok(()) };
        if let Err(reason) = device {
            return Outcome::NotTried(reason);
        }
        let end = run(sandbox, impersonated, script);
        let judged = end.exits(&[1, 2, 3, 4]).and_then(|end| {
            // If nothing is selected, the compiler was not run.
            if end.text().contains("nothing is selected") {
                Err(end.told("the compiler was not asked"))
            } else {
                Ok(())
            }
        });
        judged
            .map_err(|reason| format!("a {} that {what}: {reason}", impersonated.variable))
            .and_then(|()| sandbox.wait_for_processes())
            .and_then(|()| sandbox.has_no_temporary_files())
            .into()
    }
}

/// Runs a compiler with this behaviour.
fn run(sandbox: &Sandbox, impersonated: &Impersonated, script: &str) -> End {
    let Impersonated { variable, says, words, needs_lavapipe } = impersonated;
    sandbox.write("pair.hlsl", PAIR);
    sandbox.write("listing", LISTING);
    let version = format!("case \"$*\" in *-version*|-v) echo '{says}'; exit 0;; esac");
    sandbox.write_script("compiler", &format!("{version}\nhere=$(dirname \"$0\")\n{script}"));
    let call = Call::new(sandbox, &format!("{words} --compile-limit 2")).variable(variable, sandbox.path("compiler"));
    if *needs_lavapipe { call.with_drivers().run() } else { call.long().run() }
}

/// A compiler with wrong answers.
struct LyingCompilers;

impl Assault for LyingCompilers {
    fn name(&self) -> &'static str {
        "lying-compilers"
    }

    fn extent(&self) -> Extent {
        Extent::List(u64::try_from(LIES.len()).unwrap())
    }

    fn attack(&self, number: u64, _: &mut Rng, sandbox: &Sandbox) -> Outcome {
        let Deed { what, script } = LIES[usize::try_from(number).unwrap()];
        // It does not know the listing of members that go through a function.
        let refuses = "if grep -q layoutproof_whole probe.hlsl; then echo 'probe.hlsl:1:1: error: no' >&2; exit 1; fi";
        let end = run(sandbox, &liar(), &format!("{refuses}\nsed '{script}' \"$here/listing\""));
        let code = i32::from(!script.is_empty());
        end.exits(&[code]).map(drop).map_err(|reason| format!("a compiler that {what}: {reason}")).into()
    }
}
