//! Checks of the explorer, served by a local server because browsers load no WebAssembly from a
//! file.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use serde_json::{Value, json};
use thirtyfour::By;

use crate::checks::{CheckResult, serious_findings};
use crate::page::{Browser, OpenPage, Scripts, Theme, WindowWidth};

/// Time limit for loading the module and for an answer, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// Maximum milliseconds to an answer, or to the message that there is none: the page gives up after
/// 2 seconds, and a busy machine wakes it late.
const GIVEN_UP: f64 = 3000.0;

/// Maximum milliseconds from request to answer for a struct of a hundred members.
const MOST_MILLISECONDS: f64 = 30.0;

/// Input of the checks.
#[derive(Clone, Debug)]
pub(crate) struct ServedExplorer {
    /// Address of the page.
    pub(crate) address: String,
    /// Folder of texts (`NAME.hlsl` ...), each with the command's answer in `NAME.json`.
    pub(crate) sample: PathBuf,
}

/// A requirement on the explorer.
pub(crate) struct ExplorerCheck {
    /// Verb phrase.
    pub(crate) name: &'static str,
    pub(crate) run: for<'a> fn(&'a Browser, &'a ServedExplorer) -> CheckResult<'a>,
}

pub(crate) const ALL: &[ExplorerCheck] = &[
    ExplorerCheck { name: "draws_what_is_typed", run: |browser, it| Box::pin(typed(browser, it)) },
    ExplorerCheck { name: "lights_a_member_in_all_maps", run: |browser, it| Box::pin(hovered(browser, it)) },
    ExplorerCheck { name: "marks_what_is_wrong", run: |browser, it| Box::pin(marked(browser, it)) },
    ExplorerCheck { name: "draws_every_example", run: |browser, it| Box::pin(examples(browser, it)) },
    ExplorerCheck { name: "shows_the_same_from_its_address", run: |browser, it| Box::pin(linked(browser, it)) },
    ExplorerCheck { name: "shows_chosen_columns_and_bindings", run: |browser, it| Box::pin(chosen(browser, it)) },
    ExplorerCheck { name: "copies_what_it_shows", run: |browser, it| Box::pin(copied(browser, it)) },
    ExplorerCheck { name: "survives_hostile_texts", run: |browser, it| Box::pin(hostile(browser, it)) },
    ExplorerCheck { name: "runs_no_text_of_others", run: |browser, it| Box::pin(escaped(browser, it)) },
    ExplorerCheck { name: "answers_while_one_types", run: |browser, it| Box::pin(fast(browser, it)) },
    ExplorerCheck { name: "answers_as_the_command", run: |browser, it| Box::pin(sampled(browser, it)) },
    ExplorerCheck { name: "works_on_the_home_page", run: |browser, it| Box::pin(home(browser, it)) },
    ExplorerCheck { name: "scrolls_its_panes_apart", run: |browser, it| Box::pin(apart(browser, it)) },
    ExplorerCheck { name: "applies_a_better_order", run: |browser, it| Box::pin(applied(browser, it)) },
    ExplorerCheck { name: "changes_tabs_with_the_arrow_keys", run: |browser, it| Box::pin(tabs(browser, it)) },
    ExplorerCheck { name: "has_nothing_serious_for_axe", run: |browser, it| Box::pin(accessible(browser, it)) },
    ExplorerCheck { name: "can_be_used_with_the_keyboard", run: |browser, it| Box::pin(keyboard(browser, it)) },
    ExplorerCheck { name: "says_what_it_needs_without_scripts", run: |browser, it| Box::pin(no_scripts(browser, it)) },
];

/// Opens the explorer in a window and waits for its first answer.
async fn opened(browser: &Browser, explorer: &ServedExplorer) -> anyhow::Result<OpenPage> {
    let page = browser.open_address(&explorer.address, Scripts::On).await?;
    wait(&page, "Number(document.getElementById('explorer').dataset.answers) > 0", PATIENCE).await?;
    Ok(page)
}

async fn wait(page: &OpenPage, expression: &str, limit: Duration) -> anyhow::Result<()> {
    let start = Instant::now();
    while start.elapsed() < limit {
        if page.value(&format!("!!({expression})")).await? == true {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    let said = page.value("document.getElementById('explorer-status').textContent").await?;
    bail!("not within {limit:?}: {expression}; the page says {said}")
}

/// Replaces the typed text, as a paste does, and waits for the answer.
async fn paste(page: &OpenPage, language: &str, text: &str) -> anyhow::Result<()> {
    let put = format!(
        "(() => {{
            const [explorer, text] = ['explorer', 'explorer-text'].map(id => document.getElementById(id));
            explorer.dataset.answers = 0;
            document.getElementById('explorer-language').value = {};
            text.value = {};
            text.dispatchEvent(new Event('input', {{ bubbles: true }}));
        }})()",
        json!(language),
        json!(text)
    );
    page.value(&put).await?;
    wait(page, "Number(document.getElementById('explorer').dataset.answers) > 0", PATIENCE).await
}

async fn status(page: &OpenPage) -> anyhow::Result<String> {
    let status = page.value("document.getElementById('explorer-status').textContent").await?;
    Ok(status.as_str().unwrap_or_default().to_owned())
}

/// Duration of the last request, as the page measures it.
async fn milliseconds(page: &OpenPage) -> anyhow::Result<f64> {
    let time = page.value("Number(document.getElementById('explorer').dataset.milliseconds)").await?;
    time.as_f64().context("no time was taken")
}

/// Shows a tab of the results, as a click does.
async fn show_tab(page: &OpenPage, tab: &str) -> anyhow::Result<()> {
    page.driver.find(By::Id(format!("explorer-tab-{tab}"))).await?.click().await?;
    wait(page, &format!("document.getElementById('explorer-{tab}').getClientRects().length"), PATIENCE).await
}

/// A click on the chip of a target or rule set, in the menu or in sight.
fn chip(name: &str) -> String {
    format!("document.querySelector('#explorer .chip[data-kind][value=\"{name}\"]').click()")
}

/// The offsets in a member's row of the first table, which are below the titles of targets.
async fn row(page: &OpenPage, member: &str) -> anyhow::Result<Vec<String>> {
    let rows = format!(
        "(() => {{
            const table = document.querySelector('#explorer-offsets table');
            const targets = [...table.tHead.rows[0].cells].map((head, index) => head.textContent.includes('·') && index).filter(Boolean);
            const row = [...table.tBodies[0].rows].find(row => row.dataset.m === {});
            return targets.map(index => row.cells[index].textContent);
        }})()",
        json!(member)
    );
    let cells = page.value(&rows).await?;
    Ok(cells.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect())
}

/// Typed text leads to offsets: those of cases/arrays/scalar_packs_behind_the_last_element.toml,
/// from DXC 1.7.2308.
async fn typed(browser: &Browser, explorer: &ServedExplorer) -> anyhow::Result<()> {
    let page = opened(browser, explorer).await?;
    paste(&page, "hlsl", "").await?;
    let field = page.driver.find(By::Id("explorer-text")).await?;
    field.send_keys("cbuffer S : register(b0) { float3 a; float b[2]; float c; float2 d; };").await?;
    wait(&page, "document.querySelector('#explorer-offsets tr[data-m=d]')", PATIENCE).await?;

    // D3D12 by DXC comes first; next to it are Vulkan by DXC and Vulkan by Slang.
    let cells = row(&page, "c").await?;
    ensure!(cells == ["36 c2.y", "48", "48"], "c is at {cells:?}");
    let words = page.value("document.querySelector('#explorer-offsets tr[data-m=c]').textContent").await?;
    ensure!(words.as_str().is_some_and(|row| row.contains('≠') && row.contains("+12")), "the row of c is {words}");
    show_tab(&page, "bytes").await?;
    let outlined = page.value("document.querySelectorAll('#explorer-bytes [data-m=c] path.d').length").await?;
    ensure!(outlined.as_u64() > Some(0), "nothing is outlined");
    page.close().await
}

async fn hovered(browser: &Browser, explorer: &ServedExplorer) -> anyhow::Result<()> {
    let page = opened(browser, explorer).await?;
    show_tab(&page, "bytes").await?;
    let maps = page.value("document.querySelectorAll('#explorer-bytes svg').length").await?.as_u64().unwrap_or(0);
    ensure!(maps > 1, "{maps} maps");
    let member = page.driver.find(By::Css("#explorer-bytes svg [data-m=gamma] path")).await?;
    member.scroll_into_view().await?;
    page.driver.action_chain().move_to_element_center(&member).perform().await?;
    wait(
        &page,
        &format!("document.querySelectorAll('#explorer-bytes .lit[data-m=gamma]').length === {maps}"),
        PATIENCE,
    )
    .await?;

    // The word under the caret is highlighted, too.
    page.value(
        "(() => {
            const text = document.getElementById('explorer-text');
            text.focus();
            const at = text.value.indexOf('jitter');
            text.setSelectionRange(at + 2, at + 2);
        })()",
    )
    .await?;
    wait(
        &page,
        &format!("document.querySelectorAll('#explorer-bytes .lit[data-m=jitter]').length === {maps}"),
        PATIENCE,
    )
    .await?;
    page.close().await
}

async fn marked(browser: &Browser, explorer: &ServedExplorer) -> anyhow::Result<()> {
    let page = opened(browser, explorer).await?;
    paste(&page, "hlsl", "cbuffer S {\n    float3 ä;\n    flot b;\n};").await?;
    let problem = page.value("document.querySelector('#explorer-errors li').textContent").await?;
    let problem = problem.as_str().unwrap_or_default().to_owned();
    ensure!(problem.starts_with("2:") || problem.starts_with("3:5"), "{problem}");

    paste(&page, "hlsl", "cbuffer S {\n    float3 a; // ä 🙂\n    flot b;\n};").await?;
    let problem = page.value("document.querySelector('#explorer-errors li').textContent").await?;
    ensure!(problem.as_str().is_some_and(|text| text.starts_with("3:5") && text.contains("flot")), "{problem}");
    // The mark and the button lead to the word, even after multi-byte characters.
    let marks = page.value("[...CSS.highlights.get('ink-error')].map(range => range.toString())").await?;
    ensure!(marks == json!(["flot"]), "marked is {marks}");
    page.value("document.querySelector('#explorer-errors button').click()").await?;
    let selected = page
        .value("(() => { const { value, selectionStart, selectionEnd } = document.getElementById('explorer-text'); return value.slice(selectionStart, selectionEnd); })()")
        .await?;
    ensure!(selected == "flot", "selected is {selected}");

    // The explorer refuses included files and GLSL beyond our reader, with a helpful message.
    paste(&page, "hlsl", "#include \"a.h\"\ncbuffer S { float a; };").await?;
    let problem = page.value("document.getElementById('explorer-errors').textContent").await?;
    ensure!(problem.as_str().is_some_and(|text| text.contains("no files")), "{problem}");
    paste(&page, "glsl", "#version 450\n#extension GL_EXT_buffer_reference : require\nlayout(buffer_reference) buffer P { float x; };\nvoid main() {}").await?;
    let problem = page.value("document.getElementById('explorer-errors').textContent").await?;
    ensure!(problem.as_str().is_some_and(|text| text.contains("glslang")), "{problem}");
    page.close().await
}

async fn examples(browser: &Browser, explorer: &ServedExplorer) -> anyhow::Result<()> {
    let page = opened(browser, explorer).await?;
    let count =
        page.value("document.querySelectorAll('#explorer-example option[value]:not([value=\"\"])').length").await?;
    let count = count.as_u64().unwrap_or(0);
    ensure!(count > 4, "{count} examples");
    show_tab(&page, "bytes").await?;
    for example in 0..count {
        page.value(&format!(
            "(() => {{
                const choice = document.getElementById('explorer-example');
                document.getElementById('explorer').dataset.answers = 0;
                choice.value = {example};
                choice.dispatchEvent(new Event('change', {{ bubbles: true }}));
            }})()"
        ))
        .await?;
        wait(&page, "Number(document.getElementById('explorer').dataset.answers) > 0", PATIENCE).await?;
        let said = status(&page).await?;
        let errors = page.value("document.querySelectorAll('#explorer-errors li').length").await?;
        ensure!(said.starts_with("Laid out") && errors == 0, "example {example}: {said}");
        let maps = page.value("document.querySelectorAll('#explorer-bytes svg [data-m]').length").await?;
        if maps == 0 {
            show_tab(&page, "bindings").await?;
            let bindings = page.value("document.querySelectorAll('#explorer-bindings table').length").await?;
            ensure!(bindings == 1, "example {example} shows nothing");
            show_tab(&page, "bytes").await?;
        }
    }
    page.close().await
}

async fn linked(browser: &Browser, explorer: &ServedExplorer) -> anyhow::Result<()> {
    let page = opened(browser, explorer).await?;
    let text = "ConstantBuffer<float4> ä; // 🙂 <b>\ncbuffer S { float3x2 m; half h; };";
    paste(&page, "slang", text).await?;
    page.value(
        "(() => {
            const matrix = document.getElementById('explorer-matrix');
            matrix.value = 'row';
            matrix.dispatchEvent(new Event('change', { bubbles: true }));
        })()",
    )
    .await?;
    page.value(&chip("std430")).await?;
    show_tab(&page, "bytes").await?;
    wait(&page, "location.hash.startsWith('#1.')", PATIENCE).await?;
    tokio::time::sleep(Duration::from_millis(700)).await;
    let address = page.value("location.href").await?;
    let address = address.as_str().unwrap_or_default().to_owned();
    ensure!(address.is_ascii() && address.len() < 1000, "{address}");
    page.close().await?;

    let other = opened(browser, &ServedExplorer { address, ..explorer.clone() }).await?;
    let state = other
        .value("[document.getElementById('explorer-text').value, document.getElementById('explorer-language').value, document.getElementById('explorer-matrix').value, document.querySelector('#explorer-chips .chip[value=std430]').ariaPressed, document.getElementById('explorer-tab-bytes').ariaSelected]")
        .await?;
    ensure!(state == json!([text, "slang", "row", "true", "true"]), "the other page has {state}");

    // A damaged address gives a message and leaves the page working.
    other.value("location.hash = '#1.notdeflate'").await?;
    wait(&other, "document.getElementById('explorer-status').textContent.startsWith('Laid out')", PATIENCE).await?;
    other.close().await
}

async fn chosen(browser: &Browser, explorer: &ServedExplorer) -> anyhow::Result<()> {
    let page = opened(browser, explorer).await?;
    let answers = "document.getElementById('explorer').dataset.answers = 0";
    page.value(answers).await?;
    page.value(&chip("scalar")).await?;
    wait(&page, "document.querySelector('#explorer-offsets thead').textContent.includes('scalar')", PATIENCE).await?;
    page.value("document.getElementById('explorer-usual').click()").await?;
    wait(&page, "!document.querySelector('#explorer-offsets thead').textContent.includes('scalar')", PATIENCE).await?;

    paste(&page, "hlsl", "Texture2D a; Texture2D b[3]; Texture2D c;\n[numthreads(1,1,1)] void main() { }").await?;
    show_tab(&page, "bindings").await?;
    page.value(&chip("d3d12.slang")).await?;
    wait(&page, "document.querySelector('#explorer-bindings thead')?.textContent.includes('D3D12 · Slang')", PATIENCE)
        .await?;
    page.close().await
}

async fn copied(browser: &Browser, explorer: &ServedExplorer) -> anyhow::Result<()> {
    let page = opened(browser, explorer).await?;
    page.value(
        "(() => { navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve(); }; })()",
    )
    .await?;
    for (kind, start, holds) in [
        ("svg", "<svg xmlns=", "data-m=\"exposure\""),
        ("markdown", "```hlsl\ncbuffer Scene", "explorer.html#1."),
        ("json", "{\"schema\":1", "\"layouts\""),
        ("cpp", "// ", "static_assert"),
        ("case", "# No number", "--fill hlsl-cbuffer"),
        ("link", "http://127.0.0.1", "#1."),
    ] {
        page.value(&format!(
            "(() => {{ window.copied = ''; document.querySelector('[data-copy={kind}]').click(); }})()"
        ))
        .await?;
        wait(&page, "window.copied", PATIENCE).await?;
        let copied = page.value("window.copied").await?;
        let copied = copied.as_str().unwrap_or_default();
        ensure!(copied.starts_with(start) && copied.contains(holds), "{kind}: {copied}");
    }

    show_tab(&page, "host").await?;
    wait(&page, "document.getElementById('explorer-host-text').textContent.includes('static_assert')", PATIENCE)
        .await?;
    page.driver.find(By::Css("[data-host=rust]")).await?.click().await?;
    wait(&page, "document.getElementById('explorer-host-text').textContent.includes('offset_of!')", PATIENCE).await?;
    page.close().await
}

/// Texts beyond the limits of readers give an answer, a diagnostic or the message about the limit,
/// and the page then lays out the next text.
async fn hostile(browser: &Browser, explorer: &ServedExplorer) -> anyhow::Result<()> {
    let page = opened(browser, explorer).await?;
    let bomb = |doublings: usize| {
        let lines = (1..doublings).map(|at| format!("#define M{at} M{} M{}\n", at - 1, at - 1));
        format!("#define M0 float x;\n{}cbuffer S {{ M{} }};", lines.collect::<String>(), doublings - 1)
    };
    let structs = (0..20_000).map(|at| {
        format!("struct S{at} {{ {} s; }};\n", if at == 0 { "float".to_owned() } else { format!("S{}", at - 1) })
    });
    let nested_arrays = format!(
        "struct T {{ x: {}f32{} }}\n@group(0) @binding(0) var<storage> t: T;",
        "array<".repeat(1001),
        ", 2>".repeat(1001)
    );
    let texts: Vec<(&str, &str, String)> = vec![
        ("a paste of a megabyte", "hlsl", "float4 colour; ".repeat(70_000)),
        (
            "a megabyte of members",
            "hlsl",
            format!("cbuffer S {{ {} }};", (0..60_000).map(|at| format!("float m{at};\n")).collect::<String>()),
        ),
        ("a megabyte of textures", "slang", (0..40_000).map(|at| format!("Texture2D t{at};\n")).collect()),
        ("a megabyte of letters", "wgsl", "x".repeat(1_000_000)),
        ("a megabyte of brackets", "hlsl", "(".repeat(1_000_000)),
        ("braces in braces", "hlsl", format!("{}{}", "struct A { ".repeat(50_000), "}".repeat(50_000))),
        (
            "brackets in brackets",
            "hlsl",
            format!("cbuffer S {{ float a[{}1{}]; }};", "(".repeat(100_000), ")".repeat(100_000)),
        ),
        ("structs in structs", "slang", format!("{}ConstantBuffer<S19999> b;", structs.collect::<String>())),
        ("a macro bomb", "hlsl", bomb(64)),
        ("arrays in arrays", "wgsl", nested_arrays),
        ("an array without measure", "hlsl", "cbuffer S { float a[65536][65536][65536]; };".to_owned()),
        (
            "a large array of structs",
            "hlsl",
            "struct T { float3 a; float b[64]; float3x3 c[64]; }; cbuffer S { T t[1024]; };".to_owned(),
        ),
        (
            "expressions in expressions",
            "glsl",
            format!(
                "#version 450\nlayout(std140) uniform U {{ float a; }};\nvoid main() {{ float x = {}1.0{}; }}",
                "(".repeat(257),
                ")".repeat(257)
            ),
        ),
        (
            "operators in a row",
            "wgsl",
            format!("const x = {}1;\n@group(0) @binding(0) var<uniform> u: vec4<f32>;", "-".repeat(8_300)),
        ),
        ("nothing but zeros", "hlsl", "\0".repeat(100_000)),
    ];
    for (name, language, text) in &texts {
        paste(&page, language, text).await.with_context(|| (*name).to_owned())?;
        let (took, said) = (milliseconds(&page).await?, status(&page).await?);
        println!("  {name}: {took} ms: {said}");
        ensure!(took < GIVEN_UP, "{name}: {took} ms");
        ensure!(!said.is_empty() && !said.starts_with("Loading"), "{name}: `{said}`");

        paste(&page, "hlsl", "cbuffer Good { float3 a; float b; };").await.with_context(|| format!("after {name}"))?;
        let said = status(&page).await?;
        ensure!(said.starts_with("Laid out"), "after {name}: {said}");
    }
    page.close().await
}

async fn escaped(browser: &Browser, explorer: &ServedExplorer) -> anyhow::Result<()> {
    let page = opened(browser, explorer).await?;
    let evil = "<img src=x onerror=\"window.ran=1\"><script>window.ran=1</script>";
    for (language, text) in [
        ("hlsl", format!("cbuffer S {{ float a; }}; {evil}")),
        ("hlsl", format!("#error {evil}\n")),
        ("hlsl", format!("#define X \"{evil}\"\ncbuffer S {{ float a[X]; }};")),
        ("wgsl", format!("struct S {{ {evil} }}")),
        ("glsl", format!("#version 450\n{evil}")),
        ("slang", format!("// {evil}\ncbuffer S {{ float a; }};")),
    ] {
        paste(&page, language, &text).await?;
        tokio::time::sleep(Duration::from_millis(50)).await;
        let ran = page.value("String(window.ran)").await?;
        ensure!(ran == "undefined", "the text was run: {text}");
        let images = page.value("document.querySelectorAll('main img, main script').length").await?;
        ensure!(images == 0, "the text became elements: {text}");
    }

    // The page loads only the site's own files, and its policy forbids others.
    let foreign = page.value("performance.getEntriesByType('resource').map(one => one.name).filter(name => !name.startsWith(location.origin))");
    let foreign = foreign.await?;
    ensure!(foreign == json!([]), "the page loads {foreign}");
    let refused = page
        .answer("const done = arguments[arguments.length - 1]; fetch('http://127.0.0.1:1/').then(() => done('sent'), () => 0); addEventListener('securitypolicyviolation', event => done(event.effectiveDirective));")
        .await?;
    ensure!(refused == "connect-src", "a request to another place: {refused}");
    page.close().await
}

fn hundred_members() -> String {
    let types = ["float", "float3", "float4x4", "uint2", "half3", "bool"];
    (0..100).map(|at| format!("    {} member{at};\n", types[at % types.len()])).collect()
}

/// Compares the median, because a busy machine gives some answers late.
async fn fast(browser: &Browser, explorer: &ServedExplorer) -> anyhow::Result<()> {
    let page = opened(browser, explorer).await?;
    let members = hundred_members();
    let mut times = Vec::new();
    for round in 0..30 {
        paste(&page, "hlsl", &format!("// {round}\ncbuffer Hundred {{\n{members}}};\n")).await?;
        times.push(milliseconds(&page).await?);
    }
    times.sort_by(f64::total_cmp);
    let (least, median, most) = (times[0], times[times.len() / 2], times[times.len() - 1]);
    println!("  100 members: least {least} ms, median {median} ms, most {most} ms");
    ensure!(median < MOST_MILLISECONDS, "a struct of 100 members takes {median} ms in the median");
    page.close().await
}

/// The explorer's JSON equals the command's, except for the name of the text.
async fn sampled(browser: &Browser, explorer: &ServedExplorer) -> anyhow::Result<()> {
    let page = opened(browser, explorer).await?;
    page.value(
        "(() => { navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve(); }; })()",
    )
    .await?;
    page.value("(() => { for (const one of document.querySelectorAll('#explorer-rules .chip')) one.click(); for (const one of document.querySelectorAll('#explorer-targets .chip[aria-pressed=true]')) one.click(); })()")
        .await?;
    let mut compared = 0;
    for path in texts_of(&explorer.sample)? {
        let language = path.extension().and_then(|suffix| suffix.to_str()).unwrap_or_default();
        let expected = fs::read_to_string(path.with_extension("json")).with_context(|| path.display().to_string())?;
        paste(&page, language, &fs::read_to_string(&path)?).await?;
        page.value("(() => { window.copied = ''; document.querySelector('[data-copy=json]').click(); })()").await?;
        wait(&page, "window.copied", PATIENCE).await?;
        let answer = page.value("window.copied").await?;
        let (found, expected) = (unnamed(answer.as_str().unwrap_or_default())?, unnamed(&expected)?);
        ensure!(found == expected, "{} differs:\n{found}\n{expected}", path.display());
        compared += 1;
    }
    ensure!(compared > 5, "{compared} texts");
    println!("  {compared} texts answered as by the command");
    page.close().await
}

fn texts_of(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut texts = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.extension().is_some_and(|suffix| suffix != "json") {
            texts.push(path);
        }
    }
    texts.sort();
    Ok(texts)
}

/// An answer without the name of the file, which the explorer's texts do not have.
fn unnamed(json: &str) -> anyhow::Result<Value> {
    let mut answer: Value = serde_json::from_str(json)?;
    answer["source"] = Value::Null;
    for entry in answer["account"]["entries"].as_array_mut().into_iter().flatten() {
        entry["file"] = Value::Null;
    }
    Ok(answer)
}

async fn accessible(browser: &Browser, explorer: &ServedExplorer) -> anyhow::Result<()> {
    let page = opened(browser, explorer).await?;
    page.driver.execute(browser.axe.clone(), Vec::new()).await?;
    for theme in Theme::ALL {
        page.use_theme(theme).await?;
        for (name, text) in [("unfolded", None), ("wrong", Some("cbuffer S { flot a; };\nfloat x : packoffset(c0);"))] {
            if let Some(text) = text {
                paste(&page, "hlsl", text).await?;
            }
            for width in WindowWidth::ALL {
                page.resize(width).await?;
                for tab in ["offsets", "bytes", "padding", "bindings", "host"] {
                    show_tab(&page, tab).await?;
                    page.value("document.querySelectorAll('details').forEach(one => one.open = true)").await?;
                    let needed = page.value("document.documentElement.scrollWidth").await?.as_u64().unwrap_or(u64::MAX);
                    ensure!(needed <= width.pixels().into(), "{needed} pixels wide in a window of {}", width.pixels());
                    let found = serious_findings(&page).await?;
                    ensure!(found.is_empty(), "{name} {tab} {} {}: {found}", theme.as_str(), width.pixels());
                }
            }
        }
        paste(&page, "hlsl", "cbuffer S { float3 a; float b[2]; float c; };").await?;
    }
    page.close().await?;

    // Pictures for people.
    let page = opened(browser, explorer).await?;
    for theme in Theme::ALL {
        page.use_theme(theme).await?;
        for width in WindowWidth::ALL {
            page.resize(width).await?;
            for tab in ["offsets", "bytes"] {
                show_tab(&page, tab).await?;
                browser.keep_picture(&page, &format!("explorer-{tab}-{}-{}", theme.as_str(), width.pixels())).await?;
            }
        }
    }
    page.close().await
}

/// The home page has the explorer, whose text goes along to its own page and not into the address.
async fn home(browser: &Browser, explorer: &ServedExplorer) -> anyhow::Result<()> {
    let address = explorer.address.replace("explorer.html", "index.html");
    let page = opened(browser, &ServedExplorer { address: address.clone(), ..explorer.clone() }).await?;
    paste(&page, "hlsl", "cbuffer Other { float3 a; float b; };").await?;
    let heading = page.value("document.querySelector('#explorer-offsets h2').textContent").await?;
    ensure!(heading == "cbuffer Other", "the explorer shows {heading}");
    wait(&page, "document.getElementById('explorer-open').href.includes('explorer.html#1.')", PATIENCE).await?;
    ensure!(page.value("location.href").await? == address, "the address is changed");
    page.driver.execute(browser.axe.clone(), Vec::new()).await?;
    for width in WindowWidth::ALL {
        page.resize(width).await?;
        let found = serious_findings(&page).await?;
        ensure!(found.is_empty(), "{}: {found}", width.pixels());
    }

    page.driver.find(By::Id("explorer-open")).await?.click().await?;
    wait(&page, "location.pathname.endsWith('explorer.html') && document.querySelector('#explorer-offsets h2')?.textContent === 'cbuffer Other'", PATIENCE).await?;
    page.close().await
}

/// With a hundred members, only the panes scroll, each by itself, on a desktop and on a phone.
async fn apart(browser: &Browser, explorer: &ServedExplorer) -> anyhow::Result<()> {
    let page = opened(browser, explorer).await?;
    paste(&page, "hlsl", &format!("cbuffer Hundred {{\n{}}};\n", hundred_members())).await?;
    // Colours and line numbers follow the text, up to its end.
    page.value("(() => { document.getElementById('explorer-text').scrollTop = 1e6; })()").await?;
    let follows = "(() => {
        const tops = ['text', 'ink', 'gutter'].map(part => document.getElementById(`explorer-${part}`).scrollTop);
        return tops[0] > 500 && tops.every(top => top === tops[0]);
    })()";
    wait(&page, follows, PATIENCE).await?;
    for width in WindowWidth::ALL {
        page.resize(width).await?;
        for tab in ["offsets", "bytes"] {
            show_tab(&page, tab).await?;
            let scrolled = page
                .value(&format!(
                    "(() => {{
                        const [text, panel] = ['explorer-text', 'explorer-{tab}'].map(id => document.getElementById(id));
                        scrollTo(0, 1e6);
                        text.scrollTop = 0;
                        panel.scrollTop = 1e6;
                        const seen = [text, panel].map(one => one.getBoundingClientRect())
                            .map(({{ top, bottom }}) => Math.min(bottom, innerHeight) - Math.max(top, 0));
                        return [scrollY, text.scrollTop, panel.scrollTop > 500, seen.every(height => height > 120)];
                    }})()"
                ))
                .await?;
            ensure!(scrolled == json!([0, 0, true, true]), "{tab} at {}: {scrolled}", width.pixels());
        }
    }
    page.close().await
}

/// "Apply" puts a better order into the text, and one step undoes it.
async fn applied(browser: &Browser, explorer: &ServedExplorer) -> anyhow::Result<()> {
    let page = opened(browser, explorer).await?;
    let text = "// 🙂\ncbuffer S {\n    float a;\n    float3 b;\n    float c;\n    float3 d;\n};\n";
    paste(&page, "hlsl", text).await?;
    show_tab(&page, "padding").await?;
    wait(&page, "document.querySelector('[data-order]')", PATIENCE).await?;
    page.value("document.querySelector('[data-order]').click()").await?;
    wait(&page, "!document.querySelector('[data-order]')", PATIENCE).await?;
    show_tab(&page, "offsets").await?;
    wait(&page, "document.querySelector('#explorer-offsets .sizes').textContent.startsWith('32 bytes')", PATIENCE)
        .await?;
    page.value("document.execCommand('undo')").await?;
    ensure!(
        page.value("document.getElementById('explorer-text').value").await? == text,
        "undo does not restore the text"
    );
    page.close().await
}

/// The arrow keys, Home and End change the tab, and the Tab key stops once at the tabs.
async fn tabs(browser: &Browser, explorer: &ServedExplorer) -> anyhow::Result<()> {
    use thirtyfour::Key;

    let page = opened(browser, explorer).await?;
    page.value("document.getElementById('explorer-tab-offsets').focus()").await?;
    for (key, tab) in [
        (Key::Right, "bytes"),
        (Key::End, "host"),
        (Key::Right, "offsets"),
        (Key::Left, "host"),
        (Key::Home, "offsets"),
    ] {
        page.driver.action_chain().send_keys(key + "").perform().await?;
        let state = page
            .value(
                "[document.activeElement.dataset.tab, [...document.querySelectorAll('.x-panel')].filter(one => !one.hidden).map(one => one.id),
                    document.querySelectorAll('[role=tab][tabindex=\"0\"]').length]",
            )
            .await?;
        ensure!(state == json!([tab, [format!("explorer-{tab}")], 1]), "{state}, not {tab}");
    }
    page.close().await
}

/// Tab leads from the text to the problems and on; the editor does not trap the keyboard.
async fn keyboard(browser: &Browser, explorer: &ServedExplorer) -> anyhow::Result<()> {
    use thirtyfour::Key;

    let page = opened(browser, explorer).await?;
    paste(&page, "hlsl", "cbuffer S { flot a; };").await?;
    page.value("document.getElementById('explorer-language').focus()").await?;
    let mut reached = Vec::new();
    for _ in 0..16 {
        page.driver.action_chain().send_keys(Key::Tab + "").perform().await?;
        let here = page.value("document.activeElement.id || document.activeElement.dataset.copy || document.activeElement.textContent").await?;
        reached.push(here.as_str().unwrap_or_default().to_owned());
    }
    for needed in ["explorer-example", "explorer-text", "1:13", "explorer-tab-offsets", "Copy", "D3D12 · DXC"] {
        ensure!(reached.iter().any(|one| one == needed), "Tab reaches {reached:?}, not {needed}");
    }
    page.close().await
}

async fn no_scripts(browser: &Browser, explorer: &ServedExplorer) -> anyhow::Result<()> {
    let page = browser.open_address(&explorer.address, Scripts::Off).await?;
    let text = page.text().await?;
    ensure!(text.contains("only with JavaScript") && text.contains("layoutproof show FILE"), "{text}");
    ensure!(!text.contains("Offsets"), "the page shows controls that need scripts: {text}");
    page.close().await
}
