//! Compilers behind names, limits, kept folders, and answers from the cache. Shell scripts stand in
//! for compilers.

use super::*;

/// FXC is called directly, through an object that is made before the limit is known.
#[cfg(unix)]
#[test]
fn a_limit_reaches_compilers_that_are_asked_by_calls() {
    let hangs = |name| Compiler::script(name, "read -r line; exec sleep 1000");
    let compilers = vec![hangs("fxc"), hangs("vkd3d")];
    let machine = CompilersOfMachine { compilers, ..CompilersOfMachine::default() };
    let asked = Toolchains::of(machine).limit(Duration::from_millis(200));
    let toolchain = toolchains().iter().find(|toolchain| toolchain.compiler == "fxc").unwrap();

    let request = CompileRequest::of_text(toolchain, "");
    assert_eq!(asked.compile(&request).outcome, CompileOutcome::Failed("fxc gave no answer within 200ms".to_owned()));
}

#[test]
fn what_is_kept_is_below_the_folder() {
    for name in ["a/my.hlsl/dxc/S", "/a/my.hlsl/dxc/S", "../a/./my.hlsl/dxc/S"] {
        assert_eq!(folder_name(name), Path::new("a/my.hlsl/dxc/S"));
    }
}

/// Answers of shell scripts in place of compilers, kept in a separate cache.
#[cfg(target_os = "linux")]
mod cached {
    use std::fs;
    use std::path::PathBuf;

    use layoutproof_device::Shader;
    use layoutproof_readers::toolchain::Report;

    use super::super::*;
    use crate::cache::{AnswerCache, CacheFolder, CacheUse, ProgramUse};

    /// Answers as the source demands, and notes each run in `asked`, except for the fixed question,
    /// which begins with a version. It starts no program, as a compiler.
    const GLSLANG: &str = r#"
        read -r text <probe.comp
        case $text in '#version 450') exit ;; esac
        echo >>PLACE/asked
        case $text in
        crash) kill -SEGV $$ ;;
        hang) exec sleep 1000 ;;
        refuse) echo "ERROR: probe.comp:4: 'm' : no such thing"; exit 2 ;;
        usage) exit 1 ;;
        nothing) ;;
        *) printf 'word' >probe.spv ;;
        esac"#;

    /// A folder with a cache, and the notes of the compilers' runs.
    struct Place(tempfile::TempDir);

    impl Place {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.path().join(name)
        }

        fn cache(&self) -> Arc<AnswerCache> {
            Arc::new(AnswerCache::new(CacheFolder::at(&self.path("cache")).unwrap()))
        }

        /// Number of compiler runs since the last call.
        fn asked(&self) -> usize {
            let asked = fs::read_to_string(self.path("asked")).unwrap_or_default();
            let _ = fs::remove_file(self.path("asked"));
            asked.lines().count()
        }

        /// These compilers, in what looks to the cache like a separate process.
        fn run(&self, compilers: &[(&'static str, &str)]) -> Toolchains {
            let place = self.0.path().display().to_string();
            let script = |(name, text): &(&'static str, &str)| Compiler::script(name, &text.replace("PLACE", &place));
            let compilers = compilers.iter().map(script).collect();
            let machine = CompilersOfMachine { compilers, ..CompilersOfMachine::default() };
            Toolchains::of(machine).limit(Duration::from_millis(500)).with_cache(Some(self.cache()))
        }

        fn glslang(&self) -> Toolchains {
            self.run(&[("glslang", GLSLANG)])
        }
    }

    fn compile(asked: &Toolchains, toolchain: &str, text: &str) -> Compilation {
        let toolchain = toolchains().iter().find(|known| known.name == toolchain).unwrap();
        asked.compile(&CompileRequest { name: "a/b", ..CompileRequest::of_text(toolchain, text) })
    }

    fn usage(asked: &Toolchains) -> ProgramUse {
        let CacheUse { compilations, .. } = asked.cache.as_ref().unwrap().usage();
        compilations
    }

    #[test]
    fn a_second_run_asks_nobody() {
        let place = Place::new();
        for text in ["void main() {}", "refuse"] {
            let first = compile(&place.glslang(), "glslang", text);
            assert_eq!((place.asked(), first.origin), (1, AnswerOrigin::Asked), "{text}");
            let second = place.glslang();
            let again = compile(&second, "glslang", text);
            assert_eq!((place.asked(), again.origin), (0, AnswerOrigin::Cached), "{text}");
            assert_eq!(again.outcome, first.outcome);
            assert_eq!(usage(&second), ProgramUse { needed: 1, cached: 1 });
        }
        assert!(matches!(
            compile(&place.glslang(), "glslang", "refuse").outcome,
            CompileOutcome::Rejected(words) if words == "'m' : no such thing"
        ));
    }

    #[test]
    fn what_went_wrong_is_asked_again() {
        let place = Place::new();
        // What failed is tried once more at once, but for a hang.
        for (text, asked) in [("crash", 4), ("hang", 2), ("nothing", 4), ("usage", 4)] {
            let outcomes = [(); 2].map(|()| compile(&place.glslang(), "glslang", text));
            assert_eq!(place.asked(), asked, "{text}");
            assert!(outcomes.iter().all(|outcome| outcome.origin == AnswerOrigin::Asked), "{text}");
            assert!(matches!(outcomes[0].outcome, CompileOutcome::Failed(_)), "{:?}", outcomes[0].outcome);
        }
    }

    #[test]
    fn what_may_include_other_files_is_asked_again() {
        let place = Place::new();
        for _ in 0..2 {
            compile(&place.glslang(), "glslang", "#include \"a\"");
        }
        assert_eq!(place.asked(), 2);
    }

    #[test]
    fn another_program_source_or_option_is_another_question() {
        let place = Place::new();
        compile(&place.glslang(), "glslang", "void main() {}");
        compile(&place.glslang(), "glslang", "void main() { }");
        let other = GLSLANG.replace("exit 1", "exit 4");
        compile(&place.run(&[("glslang", &other)]), "glslang", "void main() {}");
        assert_eq!(place.asked(), 3);

        let dxc =
            "read -r text <probe.hlsl; case $text in struct*) exit ;; esac; echo >>PLACE/asked; printf word >probe.spv";
        let dxc = [("dxc", dxc)];
        for toolchain in ["dxc-spirv", "dxc-spirv-dx", "dxc-spirv"] {
            compile(&place.run(&dxc), toolchain, "");
        }
        assert_eq!(place.asked(), 2);
    }

    #[test]
    fn what_the_user_keeps_is_asked_for() {
        let place = Place::new();
        compile(&place.glslang(), "glslang", "void main() {}");
        let kept = place.path("kept");
        let keeping = place.glslang().keep(Some(kept.clone()));
        assert_eq!(compile(&keeping, "glslang", "void main() {}").origin, AnswerOrigin::Asked);
        assert_eq!(place.asked(), 2);
        assert_eq!(fs::read_to_string(kept.join("a/b/probe.spv")).unwrap(), "word");
        assert!(fs::read_to_string(kept.join("a/b/command")).unwrap().contains("probe.comp"));
        // The answer of that run does not replace the cached one.
        compile(&place.glslang(), "glslang", "void main() {}");
        assert_eq!(place.asked(), 0);
    }

    /// The second compiler gets the first one's output, whether it comes from the cache or not.
    #[test]
    fn each_of_two_compilers_has_its_own_answers() {
        let place = Place::new();
        let slangc = "read -r text <probe.slang; case $text in struct*) exit ;; esac
            echo s >>PLACE/asked; printf '%s' \"$text\" >translated.hlsl; echo {} >probe.json";
        let dxc = "[ -f translated.hlsl ] || exit
            echo d >>PLACE/asked; read -r text <translated.hlsl; printf '%s' \"$text\"";
        let run = |slangc: &str, dxc: &str| {
            let run = place.run(&[("slangc", slangc), ("dxc", dxc)]);
            let Compilation { outcome, origin } = compile(&run, "slang-d3d12", "float a;");
            let CompileOutcome::Compiled(made) = outcome else { panic!("{outcome:?}") };
            assert_eq!(made.report, Report::SlangJson("{}\n".to_owned()));
            assert_eq!(made.shader, Shader::DxilListing("float a;".to_owned()));
            (place.asked(), origin)
        };
        assert_eq!(run(slangc, dxc), (2, AnswerOrigin::Asked));
        assert_eq!(run(slangc, dxc), (0, AnswerOrigin::Cached));
        // With another build of one compiler, the other's answer stays valid as long as its
        // question is the same.
        assert_eq!(run(slangc, &format!("{dxc} ")), (1, AnswerOrigin::Cached));
        assert_eq!(run(&format!("{slangc} "), dxc), (1, AnswerOrigin::Cached));
    }

    /// A launcher starts the compiler that a configuration names. `$0` is the configuration.
    #[test]
    fn a_launcher_gives_no_answer_of_yesterday() {
        let exec = r#"read -r compiler <"$0"; exec "$compiler""#;
        let starts = r#"read -r compiler <"$0"; "$compiler"; exit $?"#;
        let in_background = r#"read -r compiler <"$0"; "$compiler" & wait $!"#;
        let in_process = r#"read -r compiler <"$0"; . "$compiler""#;
        let launchers: [(&str, &[&str]); 6] = [
            ("/bin/sh", &["-c", exec]),
            ("/bin/sh", &["-c", starts]),
            ("/bin/sh", &["-c", in_background]),
            ("/usr/bin/env", &["sh", "-c", exec]),
            ("/usr/bin/nice", &["sh", "-c", exec]),
            // It executes nothing else, so its answer to the fixed question shows the change.
            ("/bin/sh", &["-c", in_process]),
        ];
        for (program, words) in launchers {
            let place = Place::new();
            let (config, linked) = (place.path("config"), place.path("launcher"));
            std::os::unix::fs::symlink(program, &linked).unwrap();
            for (number, answer) in ["one.", "two."].iter().enumerate() {
                let compiler = place.path(&format!("compiler{number}"));
                fs::write(&compiler, format!("#!/bin/sh\nprintf {answer} >probe.spv\n")).unwrap();
                fs::set_permissions(&compiler, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
                fs::write(&config, format!("{}\n", compiler.display())).unwrap();

                for path in [PathBuf::from(program), linked.clone()] {
                    let compiler = Compiler::launched("glslang", path, words, &config);
                    let machine = CompilersOfMachine { compilers: vec![compiler], ..CompilersOfMachine::default() };
                    let run = Toolchains::of(machine).with_cache(Some(place.cache()));
                    let Compilation { outcome, .. } = compile(&run, "glslang", "void main() {}");
                    let CompileOutcome::Compiled(made) = outcome else { panic!("{outcome:?}") };
                    let expected = u32::from_le_bytes(answer.as_bytes().try_into().unwrap());
                    assert_eq!(made.shader, Shader::Spirv(vec![expected]), "{program} {words:?}");

                    let notes = run.cache.as_ref().unwrap().notes();
                    let is_launcher = words.last() != Some(&in_process);
                    assert_eq!(notes.iter().any(|note| note.contains(" starts ")), is_launcher, "{notes:?}");
                }
            }
        }
    }

    /// The same program and libraries, which print another version.
    #[test]
    fn another_version_is_another_compiler() {
        let place = Place::new();
        let run = |version: &str| {
            let compiler =
                Compiler::script("glslang", &GLSLANG.replace("PLACE", &place.0.path().display().to_string()));
            let compilers = vec![compiler.with_version(version)];
            let machine = CompilersOfMachine { compilers, ..CompilersOfMachine::default() };
            compile(&Toolchains::of(machine).with_cache(Some(place.cache())), "glslang", "void main() {}").origin
        };
        assert_eq!(["1", "1", "2"].map(run), [AnswerOrigin::Asked, AnswerOrigin::Cached, AnswerOrigin::Asked]);
    }

    /// Damages every file of the cache in each way; the answers stay the same.
    #[test]
    fn a_damaged_cache_costs_no_more_than_asking_again() {
        let place = Place::new();
        let expected = compile(&place.glslang(), "glslang", "void main() {}").outcome;
        let damages: [fn(&mut Vec<u8>); 3] = [
            |file| file.truncate(file.len() / 2),
            |file| file.clear(),
            |file| file.iter_mut().for_each(|byte| *byte ^= 1),
        ];
        place.asked();
        for damage in damages {
            let mut count = 0;
            for folder in fs::read_dir(place.path("cache/answers")).unwrap() {
                for entry in fs::read_dir(folder.unwrap().path()).unwrap() {
                    let path = entry.unwrap().path();
                    let mut content = fs::read(&path).unwrap();
                    damage(&mut content);
                    fs::write(&path, content).unwrap();
                    count += 1;
                }
            }
            assert!(count > 0);
            assert_eq!(compile(&place.glslang(), "glslang", "void main() {}").outcome, expected);
            assert_eq!(place.asked(), 1);
        }
        assert_eq!(compile(&place.glslang(), "glslang", "void main() {}").origin, AnswerOrigin::Cached);
    }

    #[test]
    fn a_cache_that_cannot_be_written_costs_no_answer() {
        let place = Place::new();
        fs::create_dir(place.path("cache")).unwrap();
        fs::set_permissions(place.path("cache"), std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
        fs::write(place.path("cache/answers"), "").unwrap();
        let run = place.glslang();
        for text in ["void main() {}", "refuse"] {
            assert_eq!(compile(&run, "glslang", text).origin, AnswerOrigin::Asked);
        }
        assert_eq!(place.asked(), 2);
        assert!(run.cache.as_ref().unwrap().notes()[0].contains("are not cached"));
    }

    #[test]
    fn two_runs_at_once_share_it() {
        let place = Place::new();
        let texts: Vec<String> = (0..20).map(|number| format!("void main{number}() {{}}")).collect();
        let run = || {
            let run = place.glslang().limit(Duration::from_secs(60));
            texts.iter().map(|text| compile(&run, "glslang", text).outcome).collect::<Vec<_>>()
        };
        let (first, second) = std::thread::scope(|scope| {
            let other = scope.spawn(run);
            (run(), other.join().unwrap())
        });
        assert_eq!(first, second);
        place.asked();
        assert_eq!(run(), first);
        assert_eq!(place.asked(), 0);
    }
}
