//! `layoutproof report --site`: its contents, its links, the length of its pages, and the parts of records
//! that reach it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::Duration;

use layoutproof_layout::table;

use super::folder::Folder;

/// Maximum length of a page in bytes.
const MAX_PAGE: usize = 200_000;
/// Time limit; without optimisation, writing a site takes seconds.
const LIMIT: Duration = Duration::from_secs(120);

/// The files of a site by their addresses.
struct Site {
    files: BTreeMap<String, String>,
}

impl Site {
    fn of_built_in_data() -> Self {
        let folder = Folder::with(&[]).within(LIMIT);
        folder.run("report --site site").exits(0);
        Self::of(&folder, "site")
    }

    fn of(folder: &Folder, out: &str) -> Self {
        let mut files = BTreeMap::new();
        collect(&folder.path(out), "", &mut files);
        Self { files }
    }

    fn page(&self, path: &str) -> &str {
        self.files.get(path).unwrap_or_else(|| panic!("the site has no {path}"))
    }

    fn pages(&self) -> impl Iterator<Item = (&str, &str)> {
        let html = self.files.iter().filter(|(path, _)| is_html(path));
        html.map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// A message for each wrong link or page that is too long.
    fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        for (path, text) in self.pages() {
            if text.len() > MAX_PAGE {
                problems.push(format!("{path} has {} bytes, more than {MAX_PAGE}", text.len()));
            }
            for address in addresses(text) {
                match target(path, &address) {
                    Target::Web => {}
                    Target::Page { path: there, anchor } => {
                        let Some(found) = self.files.get(&there) else {
                            problems.push(format!("{path} links to {there}, which is not there"));
                            continue;
                        };
                        if !anchor.is_empty() && !found.contains(&format!("id=\"{anchor}\"")) {
                            problems.push(format!("{path} links to {there}#{anchor}, which has no such part"));
                        }
                    }
                }
            }
        }
        problems
    }

    /// The pages that can be reached from the start page.
    fn reachable(&self) -> BTreeSet<String> {
        let mut reached = BTreeSet::from(["index.html".to_owned()]);
        let mut open = vec!["index.html".to_owned()];
        while let Some(path) = open.pop() {
            let Some(text) = self.files.get(&path).filter(|_| is_html(&path)) else { continue };
            for address in addresses(text) {
                if let Target::Page { path, .. } = target(&path, &address) {
                    if reached.insert(path.clone()) {
                        open.push(path);
                    }
                }
            }
        }
        reached
    }
}

fn collect(folder: &Path, above: &str, files: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{above}{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            collect(&path, &format!("{name}/"), files);
        } else {
            files.insert(name, fs::read_to_string(&path).unwrap());
        }
    }
}

fn is_html(path: &str) -> bool {
    path.rsplit('.').next() == Some("html")
}

/// The value of each `href` and `src`.
fn addresses(text: &str) -> Vec<String> {
    let of = |attribute: &str| {
        let found = text.split(attribute).skip(1).filter_map(|rest| rest.split('"').next());
        found.map(|address| address.replace("&amp;", "&")).collect::<Vec<_>>()
    };
    [of(" href=\""), of(" src=\"")].concat()
}

/// The target of a link.
enum Target {
    Web,
    Page { path: String, anchor: String },
}

fn target(from: &str, address: &str) -> Target {
    if address.starts_with("https://") || address.starts_with("http://") {
        return Target::Web;
    }
    let (file, anchor) = address.split_once('#').unwrap_or((address, ""));
    if file.is_empty() {
        return Target::Page { path: from.to_owned(), anchor: anchor.to_owned() };
    }

    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in file.split('/') {
        match part {
            ".." => assert!(parts.pop().is_some(), "{from}: {address} leads out of the site"),
            name => parts.push(name),
        }
    }
    Target::Page { path: parts.join("/"), anchor: anchor.to_owned() }
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Names of the files of a folder of the repository, without suffix.
fn names(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<String> = entries
        .filter(|path| path.is_file())
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn the_site_of_the_built_in_data_is_complete() {
    let folder = Folder::with(&[]).within(LIMIT);
    let said = folder.run("report --site site").exits(0);
    let site = Site::of(&folder, "site");
    assert_eq!(said.out, format!("wrote {} pages to site\n", site.pages().count()));
    assert_eq!(site.problems(), Vec::<String>::new());

    let reached = site.reachable();
    // search.js loads the list when a reader opens the search.
    let is_lost = |path: &&str| !reached.contains(*path) && *path != "search-index.js";
    let lost: Vec<&str> = site.files.keys().map(String::as_str).filter(is_lost).collect();
    assert_eq!(lost, Vec::<&str>::new(), "pages that no link path reaches");

    for rules in table() {
        let page = format!("rules/{}.html", rules.name.replace('@', "-"));
        assert!(site.page(&page).contains(&format!("<h1>{}</h1>", rules.name)), "{page}");
    }
    for name in names("ci/known") {
        assert!(site.page(&format!("compilers/{name}.html")).contains("<h2>Known bugs</h2>"), "{name}");
    }
    for name in names("harness/book").into_iter().filter(|name| name != "README") {
        assert!(reached.contains(&format!("book/{name}.html")), "{name}");
    }
    for file in
        ["book/cases.html", "book/records.schema.json", "cases/arrays/scalar_packs_behind_the_last_element.html"]
    {
        assert!(reached.contains(file), "{file}");
    }
}

/// Numbers of the case: DXC 1.7.2308 lists `c` at 36; OpenGL 4.6, 7.6.2.2, puts it at 48 in std140.
#[test]
fn the_start_draws_a_declaration() {
    let site = Site::of_built_in_data();
    let start = site.page("index.html");
    for words in ["float2", "D3D12 · DXC · 48 bytes", "offset 36", "GLSL · 64 bytes", "offset 48"] {
        assert!(start.contains(words), "{words}: {start}");
    }
}

/// Numbers of the cases: DXC 1.7.2308's listing, and where its loads go.
#[test]
fn a_known_difference_is_shown_with_both_numbers() {
    let site = Site::of_built_in_data();
    let of_case = |case: &str| {
        let minimal = format!("<h2>A minimal declaration</h2><p>Case <a href=\"../../cases/{case}.html\">");
        site.pages()
            .filter(|(path, text)| path.starts_with("compilers/dxc/") && text.contains(&minimal))
            .collect::<Vec<_>>()
    };

    let matrix = of_case("matrices/single_vector_is_read_from_the_start_of_its_register");
    let [(_, page), ..] = &matrix[..] else { panic!("no page has the case as its minimal one") };
    assert!(page.contains("w w-compiled") && page.contains("0 ≠"), "{page}");
    assert!(page.contains("https://github.com/microsoft/DirectXShaderCompiler/issues/7253"), "{page}");

    let double = of_case("packoffset/double_at_an_odd_word_is_read_elsewhere");
    assert!(double.iter().any(|(_, page)| page.contains("as the case says") && page.contains("0 ≠")), "{double:?}");
}

#[test]
fn a_known_difference_without_a_report_says_when_the_tracker_was_searched() {
    let site = Site::of_built_in_data();
    // An entry of ci/known/slang.toml.
    let searched = "<dt>tracker searched<dd>2026-11-23, &quot;vk::offset reflection offset does not match SPIR-V&quot;: no report in \
                    shader-slang/slang";
    assert!(site.pages().any(|(path, text)| path.starts_with("compilers/slang/") && text.contains(searched)));
}

#[test]
fn a_known_difference_without_numbers_says_why() {
    let site = Site::of_built_in_data();
    let page_with =
        |words: &str| site.pages().find(|(path, text)| path.starts_with("compilers/") && text.contains(words));
    assert!(page_with("no stored check covers it").is_none());
    assert!(page_with("it was seen only in random declarations of this shape").is_some());
    assert!(page_with("because the versions in question have not been tested yet").is_some());
}

/// OpenGL 4.6, 7.6.2.2: std140 puts the float after a float3 and an array of two floats at 48; DXC
/// lists 36. WGSL, 14.4.5: an array in a uniform buffer has a stride that is a multiple of 16.
#[test]
fn a_surprise_is_shown_for_all_targets() {
    let site = Site::of_built_in_data();
    let page = site.page("surprises.html");
    let start = page.find("id=\"the-tail-of-an-array\"").unwrap();
    let section = &page[start..start + page[start..].find("</section>").unwrap()];
    for part in ["float c · offset 36 · size 4", "float c · offset 48 · size 4", "<b>WebGPU</b> refuses it: "] {
        assert!(section.contains(part), "{part} in {section}");
    }
    for target in ["D3D12 · DXC", "Vulkan · DXC", "Vulkan · Slang", "GLSL", "Metal · Slang"] {
        assert!(section.contains(target), "{target} in {section}");
    }
    assert!(page.matches("<section class=\"surprise lights\"").count() >= 10);

    let table = site.page("compatibility/index.html");
    let start = table.find(">The tail of an array</a>").unwrap();
    let row = &table[start..start + table[start..].find("<tr>").unwrap()];
    let numbers =
        "<td class=\"other\">36<td class=\"most\">48<td class=\"most\">48<td class=\"most\">48<td class=\"refused\"";
    assert!(row.contains(numbers), "{row}");
}

/// Each place of the list is a part of a page, and the list has what people look for.
#[test]
fn the_search_finds_parts_of_pages() {
    let site = Site::of_built_in_data();
    let list = &site.files["search-index.js"];
    let list = list.strip_prefix("window.layoutproofPlaces = ").and_then(|it| it.trim_end().strip_suffix(';')).unwrap();
    let places: Vec<[String; 4]> = serde_json::from_str(list).unwrap();
    for [_, title, path, _] in &places {
        let Target::Page { path: file, anchor } = target("index.html", path) else { panic!("{path}") };
        let page = site.page(&file);
        assert!(anchor.is_empty() || page.contains(&format!("id=\"{anchor}\"")), "{title}: {path}");
    }
    let sections = ["Tutorial", "std140", "members.straddle", "The tail of an array", "NVIDIA H200", "encase"];
    for wanted in sections.into_iter().chain(["arrays/scalar_packs_behind_the_last_element"]) {
        assert!(places.iter().any(|[_, title, ..]| title == wanted), "{wanted}");
    }
}

/// The bugs that the kept runs met have pages, although the lists have grown since.
#[test]
fn what_devices_got_wrong_leads_to_known_bugs() {
    let site = Site::of_built_in_data();
    let page = site.page("compatibility/index.html");
    let start = page.find("id=\"seen-on\"").unwrap();
    let section = &page[start..start + page[start..].find("</section>").unwrap()];
    assert!(section.contains("id=\"seen-on-nvidia-h200\"") && section.contains("2026-11-26"), "{section}");
    let lists: Vec<&str> =
        section.split("<ul class=\"met\">").skip(1).filter_map(|rest| rest.split("</ul>").next()).collect();
    assert!(lists.len() >= 3, "{section}");
    for item in lists.iter().flat_map(|list| list.split("<li>").skip(1)) {
        // The run was kept with an entry about these cases that another one covers now.
        let is_of_gone_entry = item.contains("href=\"../cases/vk_offset/");
        assert!(item.contains("badge known") && (item.contains("href=\"../compilers/") || is_of_gone_entry), "{item}");
    }
}

/// The page shows what `dev vectors` writes, and has the file itself.
#[test]
fn the_rule_table_is_the_one_of_the_test_vectors() {
    let folder = Folder::with(&[]).within(LIMIT);
    folder.run("report --site site").exits(0);
    folder.run("dev vectors vectors").exits(0);
    let site = Site::of(&folder, "site");
    assert_eq!(site.files["rules/rules.json"], folder.read("vectors/npm/rules.json"));

    let rules: serde_json::Value = serde_json::from_str(&site.files["rules/rules.json"]).unwrap();
    let page = site.page("rules/table.html");
    for rules in rules["rules"].as_array().unwrap() {
        for part in [&rules["source"], &rules["example"]["declaration"]] {
            let part = part.as_str().unwrap().replace('<', "&lt;").replace('>', "&gt;");
            assert!(page.contains(&part), "{part}");
        }
    }
    for used in rules["used_by"].as_array().unwrap() {
        assert!(page.contains(used["title"].as_str().unwrap()), "{used}");
    }
}

/// The site of the built-in data, and the results in a file of the repository that a page of it shows.
fn site_and_results(file: &str) -> (Site, serde_json::Value) {
    let results = fs::read_to_string(root().join(file)).unwrap();
    (Site::of_built_in_data(), serde_json::from_str(&results).unwrap())
}

/// The rest of the table's row in which `mark` is.
fn row_from<'a>(page: &'a str, mark: &str) -> &'a str {
    let start = page.find(mark).unwrap_or_else(|| panic!("{mark}: {page}"));
    let rest = &page[start..];
    &rest[..rest.find("<tr").or_else(|| rest.find("</table>")).unwrap()]
}

#[test]
fn the_peers_have_their_numbers_and_smallest_wrong_declarations() {
    let (site, results) = site_and_results("ci/peers/results.json");
    let page = site.page("peers.html");
    for peer in results["peers"].as_array().unwrap() {
        let row = row_from(page, &format!("<b>{}</b>", peer["peer"].as_str().unwrap()));
        assert!(row.contains(&format!(">{}<", peer["passed"])), "{row}");
        for wrong in peer["wrong"].as_array().unwrap() {
            assert!(page.contains(&format!("cases/{}.html", wrong["id"].as_str().unwrap())), "{wrong}");
        }
    }
}

#[test]
fn a_site_without_records_says_what_is_missing() {
    let folder = Folder::with(&[]).within(LIMIT);
    folder.run("report --site site").exits(0);
    let site = Site::of(&folder, "site");
    let page = site.page("compatibility/index.html");
    assert!(
        page.contains("made without records") && page.contains("layoutproof report records.jsonl --site DIR"),
        "{page}"
    );
}

const EVIL_FILE: &str = "a<script>b.hlsl";
const EVIL_TEXT: &str = "cbuffer S { float b[2]; float c; };";

/// Records of a run of [`EVIL_FILE`] in which the device's planted fault shows.
fn records(more: &str) -> Folder {
    let folder = Folder::with(&[(EVIL_FILE, EVIL_TEXT)]).within(LIMIT);
    let misreading = "--plant-misreading array-stride-sixteen";
    let device = "--device model --json r.jsonl";
    folder.run(&format!("run {EVIL_FILE} --rules std140,scalar {misreading} {device}{more}")).exits(1);
    folder
}

#[test]
fn records_become_cells_that_lead_to_their_checks() {
    let folder = records("");
    folder.run("report r.jsonl --site site").exits(0);
    let site = Site::of(&folder, "site");
    assert_eq!(site.problems(), Vec::<String>::new());

    let start = site.page("compatibility/index.html");
    for part in ["r.jsonl", "last written on 20", "layoutproof&#39;s model device", "title=\"1 differ or broke\""] {
        assert!(start.contains(part) || start.contains(&part.replace("&#39;", "'")), "{part} in {start}");
    }
    let evidence = site.page("compatibility/on-model-via-model/scalar-rspirv.html");
    assert!(evidence.contains("badge differ") && evidence.contains("a&lt;script&gt;b.hlsl"), "{evidence}");
}

#[test]
fn what_a_records_file_leaves_out_is_counted() {
    let folder = records(" --records failures");
    folder.run("report r.jsonl --site site").exits(0);
    let site = Site::of(&folder, "site");
    assert_eq!(site.problems(), Vec::<String>::new());
    let std140 = site.page("compatibility/on-model-via-model/std140-rspirv.html");
    assert!(std140.contains("1 check that the records only count."), "{std140}");
}

/// Names of devices, drivers and tools come from other machines.
#[test]
fn a_hostile_record_reaches_no_page_as_markup_and_no_folder() {
    let folder = records("");
    let evil = folder.read("r.jsonl").replace("layoutproof's model device", "<img src=x onerror=alert(1)>");
    let evil = evil.replace("\"id\":\"model\"", "\"id\":\"../../evil\"");
    let evil = evil.replace("\"device\":\"model\"", "\"device\":\"../../evil\"");
    let evil = evil.replace("model via model", "../../evil via model");
    folder.write("r.jsonl", evil.as_bytes());
    folder.run("report r.jsonl --site site").exits(0);

    let site = Site::of(&folder, "site");
    assert_eq!(site.problems(), Vec::<String>::new());
    for (path, text) in site.pages() {
        assert!(!text.contains("<img") && !text.contains("a<script>b"), "{path}");
    }
    assert!(site.page("compatibility/index.html").contains("&lt;img src=x"));
    assert!(site.files.contains_key("compatibility/on-evil-via-model.html"), "{:?}", site.files.keys());
    assert!(!folder.path("evil").exists() && !folder.path("evil.html").exists());
}

#[test]
fn records_of_another_schema_are_refused() {
    let folder = records("");
    folder.write("r.jsonl", folder.read("r.jsonl").replace("\"schema\":1", "\"schema\":2").as_bytes());
    let refused = folder.run("report r.jsonl --site site").exits(2);
    assert!(refused.err.contains("schema 2, but this version reads up to 1"), "{}", refused.err);
    assert!(!folder.path("site").exists(), "nothing is written");
}

#[test]
fn what_is_in_the_folder_stays() {
    let folder = Folder::with(&[]).within(LIMIT);
    fs::create_dir(folder.path("site")).unwrap();
    folder.write("site/mine.txt", b"mine");
    let refused = folder.run("report --site site").exits(2);
    assert!(refused.err.contains("site is not empty"), "{}", refused.err);
    assert_eq!(fs::read_dir(folder.path("site")).unwrap().count(), 1);
}

#[test]
fn the_same_data_gives_the_same_bytes() {
    let folder = records("");
    folder.run("report r.jsonl --site one").exits(0);
    folder.run("report r.jsonl --site two").exits(0);
    assert!(Site::of(&folder, "one").files == Site::of(&folder, "two").files);
}
