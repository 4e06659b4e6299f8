//! `layoutproof bugs`: the known bugs of compilers and drivers, and which of them the compilers of this
//! machine have. With `--issue`, writes the text of one for a compiler's tracker.

mod issues;
mod text;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::bail;
use clap::Args;
use layoutproof_events::summary::Exit;
use layoutproof_executor::interrupt;
use layoutproof_facts::bug_state::with_states;
use layoutproof_facts::builds::BuildsAtHand;
use layoutproof_facts::known_lists::known_lists;
use layoutproof_facts::known_lists::reduced_sources;
use layoutproof_show::Style;
use layoutproof_site::{KnownList, Mechanism, mechanisms};
use layoutproof_source::nearest_name::nearest_name;

use crate::answer_cache;
use crate::args::{CacheArgs, Format};
use crate::output::{columns, print, print_json};

/// Number of near names in a message.
const NEAR_NAMES: usize = 3;

/// `layoutproof bugs`.
#[derive(Debug, Args)]
pub struct BugsArgs {
    /// A compiler (`dxc`), or a bug by its id (`DXC-17`), words of its description, or the number of its report.
    ///
    /// Also a driver (`lavapipe`), or the place of an entry (ci/known/dxc.toml:57). Default: the bugs that the compilers
    /// of this machine have.
    #[arg(value_name = "COMPILER|ID")]
    pub word: Option<String>,
    /// Also bugs that are fixed here or not tried.
    #[arg(long, conflicts_with = "issue")]
    pub all: bool,
    /// Compile the bugs' sources now.
    ///
    /// Otherwise the state is the one that is recorded for the versions of the compilers.
    #[arg(long = "try", conflicts_with = "issue")]
    pub try_now: bool,
    /// Write the text of an issue for the tracker.
    ///
    /// From what the newest build does now.
    #[arg(long)]
    pub issue: bool,
    /// Write the text to a file in this folder.
    ///
    /// Without ID, the texts of all bugs that have a reduced source.
    #[arg(long, value_name = "DIR", requires = "issue")]
    pub out: Option<PathBuf>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Text, conflicts_with = "issue")]
    pub format: Format,
    /// Time limit of a compiler for one source.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    pub compile_limit: u64,
    /// The cache of compiler answers.
    #[command(flatten)]
    pub cache: CacheArgs,
}

/// Lists known bugs, describes one, or writes its issue.
pub(crate) fn bugs(args: &BugsArgs, style: Style) -> anyhow::Result<Exit> {
    let lists = known_lists()?;
    let known = mechanisms(&lists);
    let chosen = match &args.word {
        None => Chosen::All,
        Some(word) => choose(&known, &lists, word)?,
    };
    let limit = Duration::from_secs(args.compile_limit);
    if args.issue {
        return match chosen {
            Chosen::One(difference) => issues::write_one(difference, &known, limit, args.out.as_deref()),
            Chosen::All if args.out.is_some() => issues::write_all(&known, limit, args.out.as_deref()),
            Chosen::Several(several) => {
                bail!(
                    "--issue is about one bug; these match:\n  {}",
                    several.iter().map(|bug| with_title(bug)).collect::<Vec<_>>().join("\n  ")
                )
            }
            Chosen::All => bail!("--issue needs the bug's name, or --out DIR for all"),
        };
    }

    interrupt::end_without_traces()?;
    let cache = answer_cache::open(&args.cache);
    let at_hand = BuildsAtHand::find(limit)?.with_cache(cache.clone());
    let sources = reduced_sources()?;
    let is_one = matches!(chosen, Chosen::One(_));
    let meant: Vec<&Mechanism<'_>> = match &chosen {
        Chosen::One(difference) => vec![difference],
        Chosen::Several(several) => several.clone(),
        Chosen::All => known.iter().collect(),
    };
    let bugs = with_states(&meant, &sources, &at_hand, args.try_now || is_one)?;
    answer_cache::warn_of(cache.as_ref());

    match (args.format, bugs.as_slice()) {
        (Format::Json, bugs) => print_json(&text::json(bugs)),
        (Format::Text, [bug]) if is_one => print(&text::description(bug, style)),
        (Format::Text, bugs) => {
            let shows_all = args.all || args.word.is_some();
            let columns = io::stdout().is_terminal().then(columns);
            print(&text::listing(bugs, shows_all, args.try_now, columns, style));
        }
    }
    Ok(Exit::Agree)
}

/// The bugs that the user means.
enum Chosen<'a> {
    One(&'a Mechanism<'a>),
    Several(Vec<&'a Mechanism<'a>>),
    All,
}

/// Finds the bugs that a word means: a list, a name, the place of an entry, the number of a report, or a part of names.
fn choose<'a>(known: &'a [Mechanism<'a>], lists: &[KnownList], word: &str) -> anyhow::Result<Chosen<'a>> {
    let is_place = |difference: &&Mechanism<'_>| {
        difference.entries.iter().any(|entry| format!("{}:{}", entry.file, entry.line) == word)
    };
    let is_name = |difference: &&Mechanism<'_>| difference.id.eq_ignore_ascii_case(word) || difference.name == word;
    if let Some(exact) = known.iter().find(is_name).or_else(|| known.iter().find(is_place)) {
        return Ok(Chosen::One(exact));
    }

    // The report's number, with or without its repository, or its address.
    let number = word.rsplit(['#', '/']).next().filter(|number| number.parse::<u32>().is_ok());
    if let Some(number) = number {
        let is_of = |difference: &&Mechanism<'_>| {
            difference.upstream_link().and_then(|link| link.rsplit('/').next()).is_some_and(|own| own == number)
        };
        match known.iter().filter(is_of).collect::<Vec<_>>().as_slice() {
            [] => bail!("no known bug has the report {number}; `layoutproof bugs --all` lists them"),
            [one] => return Ok(Chosen::One(one)),
            several => return Ok(Chosen::Several(several.to_vec())),
        }
    }

    let lower = word.to_lowercase();
    let names = |list: &KnownList| {
        [Some(list.name.as_str()), list.compiler.as_deref()].into_iter().flatten().any(|name| name == lower)
            || (list.name == "slang" && lower == "slangc")
    };
    let of_list = known.iter().filter(|difference| names(difference.list));
    let of_list: Vec<_> = of_list.collect();
    if !of_list.is_empty() {
        return Ok(Chosen::Several(of_list));
    }

    // Each word somewhere in its name or its description.
    let has_words = |difference: &&Mechanism<'_>| {
        let described = format!("{} {} {}", difference.name, difference.title, difference.reason).to_lowercase();
        lower.split_whitespace().all(|part| described.contains(part))
    };
    let similar: Vec<&Mechanism<'_>> = known.iter().filter(has_words).collect();
    match similar.as_slice() {
        [] => bail!("no compiler, driver or known bug is called `{word}`{}", nearest(known, lists, &lower)),
        [one] => Ok(Chosen::One(one)),
        _ => Ok(Chosen::Several(similar)),
    }
}

/// The end of a message about an unknown word: the nearest list, or the bugs whose names share most of its words.
fn nearest(known: &[Mechanism<'_>], lists: &[KnownList], word: &str) -> String {
    if let Some(list) = nearest_name(word, lists.iter().map(|list| list.name.as_str())) {
        return format!(": did you mean `{list}`?");
    }
    let parts = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric()).filter(|part| part.len() > 2).map(str::to_owned).collect()
    };
    let asked = parts(word);
    let shared = |name: &str| {
        let own = parts(name);
        asked.iter().filter(|part| nearest_name(part, own.iter().map(String::as_str)).is_some()).count()
    };
    let mut near: Vec<(usize, &Mechanism<'_>)> =
        known.iter().map(|difference| (shared(&difference.name), difference)).collect();
    near.retain(|(shared, _)| *shared > 0);
    near.sort_by_key(|(shared, _)| std::cmp::Reverse(*shared));
    let near: Vec<String> = near.into_iter().take(NEAR_NAMES).map(|(_, bug)| with_title(bug)).collect();
    if near.is_empty() {
        "; `layoutproof bugs --all` lists them".to_owned()
    } else {
        format!("; the nearest are:\n  {}", near.join("\n  "))
    }
}

/// `DXC-17  A matrix of one row is read from …`.
fn with_title(difference: &Mechanism<'_>) -> String {
    format!("{}  {}", difference.id, difference.title)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_name_nothing_get_near_names() {
        let lists = known_lists().unwrap();
        let known = mechanisms(&lists);
        let message =
            |word: &str| choose(&known, &lists, word).err().map(|error| error.to_string()).unwrap_or_default();
        assert_eq!(message("dcx"), "no compiler, driver or known bug is called `dcx`: did you mean `dxc`?");
        let near = message("dxc/lists-double2x2");
        assert!(near.contains("DXC-3  "), "{near}");
        assert!(message("xyzzy").ends_with("`layoutproof bugs --all` lists them"), "{}", message("xyzzy"));
        for word in [
            "CLANG-2",
            "clang-2",
            "clang/a-matrix-in-a-constant-buffer-is-one",
            "181901",
            "#181901",
            "llvm/llvm-project#181901",
            "https://github.com/llvm/llvm-project/issues/181901",
        ] {
            let Chosen::One(bug) = choose(&known, &lists, word).unwrap() else { panic!("{word} is one bug") };
            assert_eq!(bug.id, "CLANG-2", "{word}");
        }
        assert!(message("1").starts_with("no known bug has the report 1"), "{}", message("1"));
        assert!(matches!(choose(&known, &lists, "slangc").unwrap(), Chosen::Several(_)));
        assert!(matches!(choose(&known, &lists, "lists-a-double2x2").unwrap(), Chosen::One(_)));
        let Chosen::One(bug) = choose(&known, &lists, "push WGSL").unwrap() else { panic!("one bug") };
        assert_eq!(bug.id, "SLANG-32");
        let Chosen::Several(pushed) = choose(&known, &lists, "push").unwrap() else { panic!("several bugs") };
        let ids: Vec<&str> = pushed.iter().map(|bug| bug.id).collect();
        assert!(ids.contains(&"SLANG-32") && !ids.contains(&"DXC-3"), "{ids:?}");
    }
}
