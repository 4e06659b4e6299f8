//! The commands of earlier releases in today's words, for one more release.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use layoutproof_compilers::family::Family;
use layoutproof_records::frozen_set::{FrozenSet, FrozenSetPlace};

/// A command of an earlier release.
pub(crate) struct OldName {
    pub name: &'static str,
    /// The command that replaces it, as its users would type it.
    pub now: &'static str,
    /// Today's words for those after the old name.
    pub words: fn(Words) -> Words,
}

pub(crate) const OLD_NAMES: [OldName; 13] = [
    OldName { name: "devices", now: "doctor devices", words: |rest| rest.after(["doctor", "devices"]) },
    OldName { name: "compilers", now: "doctor compilers", words: |rest| rest.after(["doctor", "compilers"]) },
    OldName { name: "fuzz", now: "dev fuzz", words: |rest| rest.after(["dev", "fuzz"]) },
    OldName { name: "bench", now: "dev bench", words: |rest| rest.after(["dev", "bench"]) },
    OldName { name: "export", now: "dev export", words: |rest| rest.after(["dev", "export"]) },
    OldName { name: "cache", now: "dev cache", words: |rest| rest.after(["dev", "cache"]) },
    OldName { name: "completions", now: "dev completions", words: |rest| rest.after(["dev", "completions"]) },
    OldName { name: "man", now: "dev man", words: |rest| rest.after(["dev", "man"]) },
    OldName { name: "reflect", now: "show --format slang-yaml", words: show_reflection },
    OldName { name: "site", now: "report --site", words: report_site },
    OldName { name: "freeze", now: "compare BUILD --save DIR", words: save_decisions },
    OldName { name: "regress", now: "compare OLD NEW", words: compare_with_saved },
    OldName { name: "upstream", now: "bugs", words: bugs },
];

impl OldName {
    pub(crate) fn note(&self) -> String {
        format!("\"{}\" is now \"{}\"", self.name, self.now)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Words(pub Vec<OsString>);

impl Words {
    /// These words after others.
    fn after<const N: usize>(self, first: [&str; N]) -> Self {
        Self(first.into_iter().map(OsString::from).chain(self.0).collect())
    }

    /// The place of an option, and its value if it is in the same word.
    fn find(&self, option: &str) -> Option<(usize, Option<OsString>)> {
        let value = |word: &OsString| word.to_str()?.strip_prefix(option)?.strip_prefix('=').map(OsString::from);
        let place = self.0.iter().position(|word| word == option || value(word).is_some())?;
        Some((place, value(&self.0[place])))
    }

    /// Removes an option, and returns its value.
    fn take(&mut self, option: &str) -> Option<OsString> {
        let (place, value) = self.find(option)?;
        self.0.remove(place);
        value.or_else(|| (place < self.0.len()).then(|| self.0.remove(place)))
    }

    fn rename(mut self, option: &str, now: &str) -> Self {
        if let Some((place, value)) = self.find(option) {
            self.0[place] = value.map_or_else(|| now.into(), |value| joined(now, &value));
        }
        self
    }

    /// The value of `--compiler`, as a word of `compare`.
    fn take_build(&mut self) -> Option<OsString> {
        let compiler = self.take("--compiler")?;
        let family = self.take("--family");
        Some(family.map_or(compiler.clone(), |family| joined(&family.to_string_lossy(), &compiler)))
    }
}

/// `NAME=VALUE`.
fn joined(name: &str, value: &OsStr) -> OsString {
    let mut word = OsString::from(format!("{name}="));
    word.push(value);
    word
}

/// `reflect FILE --format yaml|slang-json`, which was YAML by default.
fn show_reflection(rest: Words) -> Words {
    let Some((place, joined)) = rest.find("--format") else {
        return rest.after(["show", "--format", "slang-yaml"]);
    };
    let mut words = rest;
    match joined {
        Some(format) if format == "yaml" => words.0[place] = "--format=slang-yaml".into(),
        Some(_) => {}
        None => {
            if let Some(format) = words.0.get_mut(place + 1).filter(|format| *format == "yaml") {
                *format = "slang-yaml".into();
            }
        }
    }
    words.after(["show"])
}

/// `site --out DIR --records FILE...`.
fn report_site(rest: Words) -> Words {
    let mut words = rest.rename("--out", "--site");
    if let Some((place, value)) = words.find("--records") {
        match value {
            Some(file) => words.0[place] = file,
            None => drop(words.0.remove(place)),
        }
    }
    words.after(["report"])
}

/// `freeze --compiler BUILD --to DIR FILTER...`.
fn save_decisions(mut rest: Words) -> Words {
    let build = rest.take_build();
    let mut words = without_cache(rest).rename("--to", "--save");
    words.0.splice(0..0, build);
    words.after(["compare"])
}

/// `regress --compiler BUILD --against DIR FILTER...`.
fn compare_with_saved(mut rest: Words) -> Words {
    let new = rest.take_build();
    let old = rest.take("--against").or_else(|| newest_saved(new.as_deref()?));
    let mut words = without_cache(rest);
    words.0.splice(0..0, old.into_iter().chain(new));
    words.after(["compare"])
}

/// Both commands always started the compiler.
fn without_cache(rest: Words) -> Words {
    rest.rename("--time-limit", "--compile-limit").after(["--no-cache"])
}

/// The newest decisions of a build's family that the repository or the program has.
fn newest_saved(build: &OsStr) -> Option<OsString> {
    let name = build.to_str().map(|word| word.split('=').next().unwrap_or(word))?;
    let family = Family::named(name).or_else(|| Family::of_compiler(name));
    let family = family.or_else(|| Family::of_file(Path::new(build)).ok())?;
    let set = FrozenSet::newest(family).ok()?;
    Some(match set.place {
        FrozenSetPlace::Folder(folder) => folder.into(),
        FrozenSetPlace::BuiltIn(_) => format!("{}@{}", set.manifest.family, set.manifest.version).into(),
    })
}

/// `upstream [ID] [--out DIR]`, which listed all bugs if neither was there.
fn bugs(rest: Words) -> Words {
    let words = rest.rename("--time-limit", "--compile-limit");
    let writes = words.find("--out").is_some() || words.0.iter().any(|word| !word.to_string_lossy().starts_with('-'));
    words.after(["bugs", if writes { "--issue" } else { "--all" }])
}
