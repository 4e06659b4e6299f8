//! Times both passes on one file: `cargo run --release --example time_index -- FILE [NAME...]`.
//!
//! Prints the number of names and the time of the index, then reads each NAME and prints it with
//! its members.
#![expect(clippy::print_stdout, reason = "it is a program for people")]

use std::path::{Path, PathBuf};
use std::time::Instant;

use layoutproof_debuginfo::{DebugFile, FoundTypes, HostTypeId, Sibling, SiblingBytes, SiblingFiles};

/// Finds siblings next to the input file.
struct BesideFile {
    path: PathBuf,
}

impl SiblingFiles for BesideFile {
    fn open_sibling(&self, sibling: &Sibling<'_>) -> Option<SiblingBytes> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let path = match sibling {
            Sibling::Dwo { folder, name } => Path::new(folder).join(name),
            Sibling::Dwp => PathBuf::from(format!("{}.dwp", self.path.display())),
            Sibling::DebugLink { name } => folder.join(name),
            Sibling::Pdb { path } => folder.join(Path::new(path).file_name()?),
            Sibling::Dsym => {
                let bundle = PathBuf::from(format!("{}.dSYM", self.path.display()));
                bundle.join("Contents/Resources/DWARF").join(self.path.file_name()?)
            }
        };
        Some(Box::new(std::fs::read(&path).ok()?))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((path, names)) = arguments.split_first() else {
        return Err("usage: time_index FILE [NAME...]".into());
    };
    let bytes = std::fs::read(path)?;
    let siblings = BesideFile { path: PathBuf::from(path) };
    let file = DebugFile::new(path, &bytes, &siblings);

    let start = Instant::now();
    let index = file.index()?;
    println!("index: {:?}, {} names, {:?}", start.elapsed(), index.names().count(), index.size());
    if let Some(reason) = index.absence() {
        println!("no types: {reason}");
    }
    for problem in index.problems().iter().take(10) {
        println!("problem: {problem}");
    }

    let start = Instant::now();
    let is_all = names.first().is_some_and(|name| name == "*");
    let found = file.read(&index, |name| is_all || names.iter().any(|wanted| wanted == name.name))?;
    println!("read: {:?}, {} names, {} types", start.elapsed(), found.named.len(), found.types.len());
    for problem in found.problems.iter().take(10) {
        println!("problem: {problem}");
    }
    if !is_all {
        print_named(&found);
    }
    Ok(())
}

fn print_named(found: &FoundTypes) {
    for named in &found.named {
        println!("{}: {} layouts, declared in {}", named.name, named.layouts.len(), named.declared_in.len());
        for layout in &named.layouts {
            let units = layout.units.iter().map(|&unit| found.unit(unit).source.clone()).collect::<Vec<_>>();
            println!("  {:?} bytes, {:?}, in {units:?}", found.types[layout.ty].size, layout.places);
            print_members(found, layout.ty);
        }
    }
}

fn print_members(found: &FoundTypes, ty: HostTypeId) {
    for placed in found.types.all_members(ty) {
        let member_type = &found.types[placed.member.ty];
        println!("    {:4} {:?}: {} {:?}", placed.offset, placed.member.name, member_type.name, placed.bits);
    }
}
