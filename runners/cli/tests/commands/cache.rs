//! The cache of answers from compilers and spirv-val, as users see it: nothing is compiled twice,
//! and no state of the folder makes a run fail or changes its results.
//!
//! The runs validate our own modules with spirv-val, if it is installed; the tests of
//! `layoutproof-compilers` use scripts in place of compilers.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::folder::{Answer, Folder, keys};
use super::outcomes::{Ended, outcomes};

/// Makes some modules, which the model executes.
const RUN: &str = "run vectors/ --rules std140,std430 --device model --json r.jsonl";

const LIMIT: Duration = Duration::from_secs(120);

fn has_validator() -> bool {
    std::process::Command::new("spirv-val").arg("--version").output().is_ok_and(|answer| answer.status.success())
}

/// A folder whose commands share one cache, inside the folder.
fn folder() -> Folder {
    let folder = Folder::without_drivers(&[]).within(LIMIT);
    let cache = cache(&folder).display().to_string();
    folder.with_variable("LAYOUTPROOF_CACHE", cache)
}

/// A folder whose commands have their cache elsewhere.
fn folder_with_cache(cache: &Path) -> Folder {
    Folder::without_drivers(&[]).within(LIMIT).with_variable("LAYOUTPROOF_CACHE", cache.display().to_string())
}

/// The cache folder of a folder's commands.
fn cache(folder: &Folder) -> PathBuf {
    folder.path("").canonicalize().unwrap().join("cache")
}

fn lines(folder: &Folder) -> Vec<Value> {
    folder.read("r.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The cache statistics in the last line.
fn used(folder: &Folder) -> Value {
    lines(folder).last().unwrap()["cache"].clone()
}

/// Number of checks that used an answer from the cache.
fn cached_checks(folder: &Folder) -> usize {
    lines(folder).iter().filter(|line| line["cached"] == true).count()
}

/// The entries of the cache.
fn entries(cache: &Path) -> Vec<PathBuf> {
    let folders = fs::read_dir(cache.join("answers")).into_iter().flatten();
    let entries = folders.flat_map(|folder| fs::read_dir(folder.unwrap().path()).unwrap());
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// The outcomes of a run without a cache.
fn expected(words: &str) -> Vec<Ended> {
    let folder = folder();
    folder.run(&format!("{words} --no-cache")).exits(0);
    assert_eq!((used(&folder), cached_checks(&folder)), (Value::Null, 0));
    assert!(entries(&cache(&folder)).is_empty());
    outcomes(&folder.read("r.jsonl"))
}

#[test]
fn a_second_run_says_that_it_asked_nobody() {
    if !has_validator() {
        return;
    }
    let folder = folder();
    let cold = folder.run(RUN).exits(0);
    assert!(!cold.out.contains("Cached"), "{cold}");
    let needed = used(&folder)["validations"].as_u64().unwrap();
    assert_eq!((used(&folder)["validations_cached"].as_u64(), cached_checks(&folder)), (Some(0), 0));
    let first = outcomes(&folder.read("r.jsonl"));
    assert!(needed > 10 && first.len() > 10, "{cold}");

    let warm = folder.run(&format!("{RUN} -v")).exits(0).prints(&format!("Cached {needed} of {needed} validations"));
    assert_eq!(used(&folder)["validations_cached"].as_u64(), Some(needed), "{warm}");
    assert_eq!(outcomes(&folder.read("r.jsonl")), first);
    assert!(cached_checks(&folder) > 10);
    assert_eq!(expected(RUN), first);

    // Apart from the use of the cache, both runs print the same.
    fs::copy(folder.path("r.jsonl"), folder.path("warm.jsonl")).unwrap();
    folder.run(&format!("{RUN} --no-cache")).exits(0);
    folder.run("report warm.jsonl r.jsonl").exits(0);
}

#[test]
fn stats_count_and_clear_removes() {
    let folder = folder();
    folder.run("dev cache stats").exits(0).prints(&cache(&folder).display().to_string()).prints("together 0 entries");
    folder.run(RUN).exits(0);

    let json = folder.run("dev cache stats --format json").exits(0).json();
    assert_eq!(json["schema"], 1);
    assert_eq!(keys(&json["cache"]), ["kinds", "limit", "path"]);
    let counted = json["cache"]["kinds"].as_object().unwrap().values().map(|kind| kind["entries"].as_u64().unwrap());
    assert_eq!(counted.sum::<u64>(), entries(&cache(&folder)).len() as u64);
    assert_eq!(json["cache"]["limit"], 1 << 30);
    if has_validator() {
        assert!(json["cache"]["kinds"]["validations"]["bytes"].as_u64().unwrap() > 0);
    }

    let count = entries(&cache(&folder)).len();
    folder.run("dev cache clear").exits(0).prints(&format!("removed {count} "));
    assert!(entries(&cache(&folder)).is_empty());
    folder.run("dev cache clear").exits(0).prints("removed 0 entries");
    folder.run(RUN).exits(0);
    assert_eq!(cached_checks(&folder), 0);
}

/// The run goes on without a cache and prints one note; `layoutproof dev cache` itself ends with an
/// error.
fn is_not_used(cache: &Path, sentence: &str) {
    let folder = folder_with_cache(cache);
    let answer = folder.run(RUN).exits(0).warns(&format!("note: nothing is cached: {sentence}"));
    assert_eq!(answer.err.matches("nothing is cached").count(), 1, "{answer}");
    assert_eq!((used(&folder), cached_checks(&folder)), (Value::Null, 0));
    for command in ["dev cache stats", "dev cache clear"] {
        folder.run(command).exits(2).warns(&format!("error: nothing is cached: {sentence}"));
    }
    // With --no-cache, no note is printed.
    assert!(!folder.run(&format!("{RUN} --no-cache")).exits(0).err.contains("cached"));
}

#[test]
fn a_folder_that_is_not_the_users_alone_is_not_used() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().canonicalize().unwrap().join("cache");
    let told = path.display();

    fs::create_dir(&path).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
    is_not_used(&path, &format!("{told} is open to others (mode 750)"));
    assert_eq!(fs::read_dir(&path).unwrap().count(), 0);

    fs::remove_dir(&path).unwrap();
    let target = tempfile::tempdir().unwrap();
    symlink(target.path(), &path).unwrap();
    is_not_used(&path, &format!("{told} is a link or a file, not a folder"));
    assert_eq!(fs::read_dir(target.path()).unwrap().count(), 0);

    fs::remove_file(&path).unwrap();
    fs::write(&path, "").unwrap();
    is_not_used(&path, &format!("{told} is a link or a file, not a folder"));
    is_not_used(Path::new("cache"), "LAYOUTPROOF_CACHE is `cache`, which is not an absolute path");
    is_not_used(&path.join("cache"), &format!("{told}"));
}

/// Root may write everywhere, so this test puts a file in place of the folder of entries.
#[test]
fn a_folder_that_cannot_be_written_is_told_once() {
    if !has_validator() {
        return;
    }
    let folder = folder();
    folder.run("dev cache stats").exits(0);
    fs::write(cache(&folder).join("answers"), "").unwrap();
    let answer = folder.run(RUN).exits(0).warns("note: answers of compilers and spirv-val are not cached:");
    assert_eq!(answer.err.matches("cached").count(), 1, "{answer}");
    assert_eq!(outcomes(&folder.read("r.jsonl")), expected(RUN));
}

#[test]
fn damaged_entries_change_nothing() {
    if !has_validator() {
        return;
    }
    let folder = folder();
    folder.run(RUN).exits(0);
    let undisturbed = outcomes(&folder.read("r.jsonl"));
    let damages: [fn(usize, &mut Vec<u8>); 3] = [
        |_, file| file.truncate(file.len() / 2),
        |index, file| {
            let bit = index * 7 % (file.len() * 8);
            file[bit / 8] ^= 1 << (bit % 8);
        },
        |_, file| file.clear(),
    ];
    for damage in damages {
        let paths = entries(&cache(&folder));
        assert!(paths.len() > 10);
        for (index, path) in paths.iter().enumerate() {
            let mut content = fs::read(path).unwrap();
            damage(index, &mut content);
            fs::write(path, content).unwrap();
        }
        folder.run(RUN).exits(0);
        assert_eq!(outcomes(&folder.read("r.jsonl")), undisturbed);
        assert_eq!(cached_checks(&folder), 0);
    }
    folder.run(RUN).exits(0);
    assert!(cached_checks(&folder) > 0);
}

#[test]
fn a_run_that_is_killed_leaves_a_cache_that_is_right() {
    if !has_validator() {
        return;
    }
    let folder = folder();
    let written = || entries(&cache(&folder)).len();
    for more in [1, 4, 8] {
        folder.start(RUN).once(LIMIT, || written() > more).kill();
    }
    folder.run(RUN).exits(0);
    assert_eq!(outcomes(&folder.read("r.jsonl")), expected(RUN));
    assert!(cached_checks(&folder) > 0);
}

#[test]
fn two_runs_at_once_share_it() {
    if !has_validator() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let folders = [(); 2].map(|()| folder_with_cache(&place.path().join("cache")));
    let runs: Vec<_> = folders.iter().map(|folder| folder.start(RUN)).collect();
    let answers: Vec<Answer> = runs.into_iter().map(|run| run.ends().exits(0)).collect();
    assert!(answers.iter().all(|answer| !answer.err.contains("cache")), "{}{}", answers[0], answers[1]);

    let expected = expected(RUN);
    for folder in &folders {
        assert_eq!(outcomes(&folder.read("r.jsonl")), expected);
    }
    folders[0].run(RUN).exits(0);
    let used = used(&folders[0]);
    assert_eq!(used["validations_cached"], used["validations"]);
}
