//! Pages and pictures: `show --format html|svg`, `diff --format html`, `run --html`, `report --html`.

use super::folder::Folder;

/// A file whose name is markup; std140 and scalar differ after its array.
const EVIL_FILE: &str = "a<script>b.hlsl";
const TEXT: &str = "// <script>alert(1)</script>\ncbuffer S { float b[2]; float c; };";

fn evil() -> Folder {
    Folder::with(&[(EVIL_FILE, TEXT)])
}

/// OpenGL 4.6, 7.6.2.2: std140 puts `c` at 32, scalar (Vulkan, "Offset and Stride Assignment") at 8.
#[test]
fn a_file_is_shown_as_a_page_and_as_a_picture() {
    for format in ["html", "svg"] {
        let shown = evil().run(&format!("show {EVIL_FILE} --rules std140,scalar --format {format}")).exits(0);
        for part in ["float c · offset 32 · size 4", "float c · offset 8 · size 4", ">b[1] ≠</text>", ">c ·</text>"]
        {
            assert!(shown.out.contains(part), "{format}: {part} in {}", shown.out);
        }
        assert!(!shown.out.contains("a<script>b"), "{format}");
    }
    let padded = evil().run(&format!("show {EVIL_FILE} --format svg --padding")).exits(2);
    assert!(padded.err.contains("byte maps show padding by themselves"), "{}", padded.err);
}

/// The reader can choose the reference layout: the page contains the maps for both choices, and
/// works without a script.
#[test]
fn the_reference_of_a_page_can_be_chosen() {
    let shown = evil().run(&format!("show {EVIL_FILE} --rules std140,scalar --format html")).exits(0).out;
    assert_eq!(shown.matches("type=\"radio\"").count(), 2, "{shown}");
    let [_, against_std140, against_scalar] = shown.split("<div class=\"by-reference").collect::<Vec<_>>()[..] else {
        panic!("two references: {shown}")
    };
    for part in [against_std140, against_scalar] {
        assert_eq!(part.matches(">b[1] ≠</text>").count(), 1, "{part}");
    }
    let one = evil().run(&format!("show {EVIL_FILE} --rules std140 --format html")).exits(0).out;
    assert!(!one.contains("type=\"radio\""), "{one}");
}

#[test]
fn a_difference_is_shown_as_a_page() {
    let differ = evil().run(&format!("diff {EVIL_FILE} std140 scalar --format html")).exits(1);
    assert!(differ.out.contains("The two layouts differ."), "{}", differ.out);
    let same = evil().run(&format!("diff {EVIL_FILE} std140 std140 --format html")).exits(0);
    assert!(same.out.contains("The two layouts are the same."), "{}", same.out);
}

/// The records contain all data of the page: on another machine, without the file, the page is the
/// same.
#[test]
fn a_run_and_its_records_give_the_same_page() {
    let folder = evil();
    let misreading = "--plant-misreading array-stride-sixteen";
    let run =
        format!("run {EVIL_FILE} --rules std140,scalar --device model {misreading} --json r.jsonl --html run.html");
    folder.run(&run).exits(1);
    let page = folder.read("run.html");
    for part in
        ["&lt;script&gt;alert(1)", "a&lt;script&gt;b.hlsl", "w w-observed", "float c · offset 32", "OpEntryPoint"]
    {
        assert!(page.contains(part), "{part} in {page}");
    }
    assert!(!page.contains("<script>alert") && !page.contains("a<script>b"));
    assert!(!page.contains("run.html"), "the command that repeats a check says nothing of reports");

    let elsewhere = Folder::with(&[("r.jsonl", &folder.read("r.jsonl"))]);
    elsewhere.run("report r.jsonl --html report.html").exits(1);
    assert_eq!(elsewhere.read("report.html"), page);

    elsewhere.write("newer.jsonl", folder.read("r.jsonl").replace("\"schema\":1", "\"schema\":2").as_bytes());
    let refused = elsewhere.run("report newer.jsonl --html newer.html").exits(2);
    assert!(refused.err.contains("schema 2, but this version reads up to 1"), "{}", refused.err);
}
