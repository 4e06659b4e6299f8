//! Checks for every page, and checks for the pages of runs.

use std::future::Future;
use std::pin::Pin;

use anyhow::{bail, ensure};
use serde_json::Value;
use thirtyfour::{By, Key};

use crate::page::{Browser, ColourVision, OpenPage, PageFile, Scripts, Theme, WindowWidth};

pub(crate) type CheckResult<'a> = Pin<Box<dyn Future<Output = anyhow::Result<()>> + Send + 'a>>;

/// A requirement on pages.
pub(crate) struct PageCheck {
    /// Verb phrase.
    pub(crate) name: &'static str,
    /// Selects the pages to check.
    pub(crate) is_for: fn(&PageFile) -> bool,
    pub(crate) run: for<'a> fn(&'a Browser, &'a PageFile) -> CheckResult<'a>,
}

pub(crate) const ALL: &[PageCheck] = &[
    PageCheck {
        name: "has_nothing_serious_for_axe",
        is_for: |file| !file.is_large(),
        run: |browser, file| Box::pin(axe(browser, file)),
    },
    PageCheck {
        name: "does_not_scroll_sideways",
        is_for: |file| !file.is_large(),
        run: |browser, file| Box::pin(widths(browser, file)),
    },
    PageCheck {
        name: "reads_without_scripts",
        is_for: |file| !file.is_large(),
        run: |browser, file| Box::pin(no_scripts(browser, file)),
    },
    PageCheck {
        name: "prints_what_it_shows",
        is_for: |file| !file.is_large(),
        run: |browser, file| Box::pin(printed(browser, file)),
    },
    PageCheck {
        name: "runs_no_text_of_others",
        is_for: |file| !file.is_large(),
        run: |browser, file| Box::pin(escaped(browser, file)),
    },
    PageCheck {
        name: "keeps_the_chosen_theme",
        is_for: |file| file.name == "site/index" || file.name == "show",
        run: |browser, file| Box::pin(themes(browser, file)),
    },
    PageCheck {
        name: "finds_pages_from_the_keyboard",
        is_for: |file| file.name == "site/index" || file.name == "site/book/cases",
        run: |browser, file| Box::pin(searches(browser, file)),
    },
    PageCheck {
        name: "filters_its_cases",
        is_for: PageFile::is_run,
        run: |browser, file| Box::pin(filters(browser, file)),
    },
    PageCheck {
        name: "reaches_search_and_failures_with_few_keys",
        is_for: PageFile::is_run,
        run: |browser, file| Box::pin(few_keys(browser, file)),
    },
    PageCheck {
        name: "walks_its_matrix_with_the_arrow_keys",
        is_for: |file| file.is_run() || file.name.starts_with("site/compatibility/"),
        run: |browser, file| Box::pin(arrow_keys(browser, file)),
    },
    PageCheck {
        name: "unfolds_what_a_link_names",
        is_for: PageFile::is_run,
        run: |browser, file| Box::pin(unfolds(browser, file)),
    },
    PageCheck {
        name: "shows_the_shaders_of_failures",
        is_for: |file| file.name == "run-failures" || file.name == "fuzz",
        run: |browser, file| Box::pin(shaders(browser, file)),
    },
    PageCheck {
        name: "shows_the_parts_of_a_failure_as_tabs",
        is_for: |file| file.name == "run-failures",
        run: |browser, file| Box::pin(failure_tabs(browser, file)),
    },
    PageCheck {
        name: "folds_equal_members",
        is_for: |file| file.name == "check-long",
        run: |browser, file| Box::pin(folded_members(browser, file)),
    },
    PageCheck {
        name: "outlines_against_the_chosen_reference",
        is_for: |file| file.name == "show" || file.name == "diff",
        run: |browser, file| Box::pin(references(browser, file)),
    },
    PageCheck {
        name: "draws_host_and_shader",
        is_for: |file| file.name == "check",
        run: |browser, file| Box::pin(both_sides(browser, file)),
    },
];

/// Looks for serious and critical findings of axe-core, with everything unfolded, in both themes.
async fn axe(browser: &Browser, file: &PageFile) -> anyhow::Result<()> {
    let page = browser.open(file, Scripts::On).await?;
    page.value("document.querySelectorAll('details').forEach(one => one.open = true)").await?;
    page.driver.execute(browser.axe.clone(), Vec::new()).await?;

    for theme in Theme::ALL {
        page.use_theme(theme).await?;
        pictures(browser, &page, &format!("{}-{}", file.name, theme.as_str())).await?;
        let findings = serious_findings(&page).await?;
        ensure!(findings.is_empty(), "{}: {findings}", theme.as_str());
    }
    page.close().await
}

/// Returns axe-core's findings on a page that has loaded it; empty if there are none.
pub(crate) async fn serious_findings(page: &OpenPage) -> anyhow::Result<String> {
    let found = page.answer(AXE).await?;
    Ok(list(found.as_array().map(Vec::as_slice).unwrap_or_default()))
}

/// Takes pictures of the top of the page and of its first byte map, narrow and wide, and pictures
/// with each colour vision deficiency.
async fn pictures(browser: &Browser, page: &OpenPage, name: &str) -> anyhow::Result<()> {
    if !browser.keeps_pictures() {
        return Ok(());
    }

    for width in WindowWidth::ALL {
        page.resize(width).await?;
        page.value("scrollTo(0, 0)").await?;
        browser.keep_picture(page, &format!("{name}-{}", width.pixels())).await?;
        page.value("document.querySelector('figure')?.scrollIntoView({ block: 'center' })").await?;
        browser.keep_picture(page, &format!("{name}-{}-map", width.pixels())).await?;
    }
    for vision in ColourVision::ALL {
        page.use_vision(Some(vision)).await?;
        browser.keep_picture(page, &format!("{name}-{}", vision.as_str())).await?;
    }
    page.use_vision(None).await
}

/// Asks axe-core for serious and critical findings: rule, number of places, and the first place.
const AXE: &str = "const done = arguments[arguments.length - 1];
axe.run(document, { resultTypes: ['violations'] }).then(
  found => done(found.violations.filter(one => one.impact === 'serious' || one.impact === 'critical')
    .map(one => `${one.id} at ${one.nodes.length} places, first ${one.nodes[0].html.slice(0, 200)}`)),
  error => done([String(error)]));";

fn list(findings: &[Value]) -> String {
    findings.iter().map(|one| one.as_str().unwrap_or_default()).collect::<Vec<_>>().join("; ")
}

/// Wide content scrolls in its own box, never the page, and byte maps fit without scrolling.
async fn widths(browser: &Browser, file: &PageFile) -> anyhow::Result<()> {
    let page = browser.open(file, Scripts::On).await?;
    page.value("document.querySelectorAll('details').forEach(one => one.open = true)").await?;
    for width in WindowWidth::ALL {
        page.resize(width).await?;
        let needed = page.value("document.documentElement.scrollWidth").await?.as_u64().unwrap_or(u64::MAX);
        if needed > width.pixels().into() {
            bail!("{needed} pixels wide in a window of {}: {}", width.pixels(), page.value(WIDEST).await?);
        }
        let cut = page.value(CUT_MAPS).await?;
        ensure!(cut == 0, "{cut} byte maps extend past a window of {}", width.pixels());
    }
    page.close().await
}

/// The number of byte maps whose right part is outside the window.
const CUT_MAPS: &str = "[...document.querySelectorAll('figure svg.bm')]
    .filter(one => one.getBoundingClientRect().right > innerWidth).length";

/// The start of the first childless elements that end outside the window and are in no scrolling
/// box.
const WIDEST: &str = "(() => {
    const scrolls = one => one && (getComputedStyle(one).overflowX !== 'visible' || scrolls(one.parentElement));
    const wide = [...document.querySelectorAll('main *, header *, footer *')]
        .filter(one => one.getBoundingClientRect().right > innerWidth + 1 && !one.children.length && !scrolls(one.parentElement));
    return wide.slice(0, 3).map(one => `${one.parentElement.outerHTML.slice(0, 160)}`).join(' | ');
})()";

/// Without scripts, every heading is visible.
async fn no_scripts(browser: &Browser, file: &PageFile) -> anyhow::Result<()> {
    let page = browser.open(file, Scripts::Off).await?;
    let text = page.text().await?;
    let headings = page.driver.find_all(By::Css("h1, h2")).await?;
    ensure!(!headings.is_empty(), "the page has no headings");
    for heading in headings {
        let heading = heading.text().await?;
        ensure!(!heading.trim().is_empty() && text.contains(&heading), "`{heading}` is not shown");
    }
    page.close().await
}

/// Print shows folded content, too, and every name in a byte map keeps its colour.
async fn printed(browser: &Browser, file: &PageFile) -> anyhow::Result<()> {
    let page = browser.open(file, Scripts::On).await?;
    let headings = headings(&page).await?;
    page.use_print().await?;
    let on_paper = headings_shown(&page).await?;
    ensure!(headings == on_paper, "of {headings} headings {on_paper} are printed");

    let invisible = page.value(
        "[...document.querySelectorAll('svg.bm text')].filter(one => {
            const style = getComputedStyle(one);
            return style.visibility === 'hidden' || style.display === 'none' || style.fill === 'none' || style.opacity === '0';
        }).length",
    );
    let invisible = invisible.await?;
    ensure!(invisible == 0, "{invisible} names in byte maps are not printed");
    page.close().await
}

async fn headings(page: &OpenPage) -> anyhow::Result<u64> {
    let count = page.value("document.querySelectorAll('h1, h2').length").await?;
    Ok(count.as_u64().unwrap_or(0))
}

async fn headings_shown(page: &OpenPage) -> anyhow::Result<u64> {
    let shown = "[...document.querySelectorAll('h1, h2')].filter(one => one.getClientRects().length > 0).length";
    Ok(page.value(shown).await?.as_u64().unwrap_or(0))
}

/// Names and sources that look like markup stay text: a case called `<script>` would set
/// `window.ran`.
async fn escaped(browser: &Browser, file: &PageFile) -> anyhow::Result<()> {
    let page = browser.open(file, Scripts::On).await?;
    let ran = page.value("String(window.ran)").await?;
    ensure!(ran == "undefined", "text of a case was run: {ran}");

    let foreign = page.value(
        "performance.getEntriesByType('resource').map(one => one.name).filter(name => !name.startsWith('file:'))",
    );
    let foreign = foreign.await?;
    ensure!(foreign.as_array().is_some_and(Vec::is_empty), "the page loads {foreign}");
    page.close().await
}

/// The button in the header goes through the themes; the choice wins over the system's.
async fn themes(browser: &Browser, file: &PageFile) -> anyhow::Result<()> {
    let page = browser.open(file, Scripts::On).await?;
    page.use_theme(Theme::Dark).await?;
    let button = page.driver.find(By::Css(".theme-button")).await?;
    let paper = "getComputedStyle(document.body).backgroundColor";
    let of_system = page.value(paper).await?;
    button.click().await?;
    let light = page.value(paper).await?;
    ensure!(light != of_system, "the light theme has the colours of the dark one, {light}");
    button.click().await?;
    ensure!(page.value(paper).await? == of_system, "the dark theme differs from that of a dark system");
    button.click().await?;
    let chosen = page.value("document.documentElement.dataset.theme ?? null").await?;
    ensure!(chosen.is_null(), "after all themes {chosen} is chosen, not the system's");
    page.close().await
}

/// `/` opens the search, which finds a rule set's page by its name; the arrow keys lead to it.
async fn searches(browser: &Browser, file: &PageFile) -> anyhow::Result<()> {
    let page = browser.open(file, Scripts::On).await?;
    page.driver.action_chain().send_keys("/").perform().await?;
    let is_open = page.value("!!document.activeElement.closest('dialog.find[open]')").await?;
    ensure!(is_open == true, "the key `/` does not open the search");
    for _ in 0..40 {
        if page.value("!!window.layoutproofPlaces").await? == true {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    page.driver.action_chain().send_keys("std140").perform().await?;
    press(&page, Key::Down).await?;
    let found = page.value("document.activeElement.href ?? ''").await?;
    let is_found = found.as_str().is_some_and(|address| address.ends_with("/rules/std140.html"));
    ensure!(is_found, "the first answer is {found}");
    press(&page, Key::Escape).await?;
    let is_closed = page.value("!document.querySelector('dialog.find[open]')").await?;
    ensure!(is_closed == true, "Escape does not close the search");
    page.close().await
}

/// Typing into the search field keeps only the cases with these words.
async fn filters(browser: &Browser, file: &PageFile) -> anyhow::Result<()> {
    let page = browser.open(file, Scripts::On).await?;
    let all = shown_cases(&page).await?;
    ensure!(all > 0, "no case is shown");

    let first = page.value("document.querySelector('.case').firstElementChild.textContent").await?;
    let Some(word) = first.as_str().and_then(|text| text.split_whitespace().next()) else {
        bail!("the first case has no name");
    };
    let search = page.driver.find(By::Id("search")).await?;
    search.send_keys(word).await?;
    let fitting = shown_cases(&page).await?;
    ensure!((1..=all).contains(&fitting), "{fitting} of {all} cases have `{word}`");

    search.send_keys(" no-case-has-this").await?;
    ensure!(shown_cases(&page).await? == 0, "cases are shown that lack the words");
    page.close().await
}

async fn shown_cases(page: &OpenPage) -> anyhow::Result<u64> {
    let shown = page.value("[...document.querySelectorAll('.case')].filter(one => !one.hidden).length").await?;
    Ok(shown.as_u64().unwrap_or(0))
}

/// A link at the start of the page leads to the search field, and few keys to the first failure, or to
/// what follows if there is none. A matrix is one stop, after the box in which it scrolls.
async fn few_keys(browser: &Browser, file: &PageFile) -> anyhow::Result<()> {
    /// Two links over parts of the page, and the button for the theme between them.
    const BEFORE_SEARCH: usize = 3;
    /// The same, one link to each of six outcomes, the button that copies the command, the folded versions,
    /// and the first failure.
    const BEFORE_FAILURES: usize = 12;

    let page = browser.open(file, Scripts::On).await?;
    let is_at_link = "document.activeElement.hash === '#search'";
    ensure!(tabs_until(&page, is_at_link, BEFORE_SEARCH).await?, "no link at the start leads to the search field");
    page.driver.action_chain().send_keys(Key::Enter + "").perform().await?;
    ensure!(page.value("document.activeElement.id").await? == "search", "the link does not lead into the search field");
    page.close().await?;

    let page = browser.open(file, Scripts::On).await?;
    let is_at_failures = "(() => {
        const failures = document.getElementById('failures'), place = failures.compareDocumentPosition(document.activeElement);
        return place & (Node.DOCUMENT_POSITION_FOLLOWING | Node.DOCUMENT_POSITION_CONTAINED_BY);
    })()";
    ensure!(tabs_until(&page, is_at_failures, BEFORE_FAILURES).await?, "the Tab key does not lead to the failures");

    page.value("document.querySelector('#matrix .scroll').focus()").await?;
    press(&page, Key::Tab).await?;
    let is_in_first = "!!document.activeElement.closest('table.matrix')
        && document.activeElement.closest('table') === document.querySelector('table.matrix')";
    ensure!(page.value(is_in_first).await? == true, "the Tab key does not lead into the matrix");
    press(&page, Key::Tab).await?;
    ensure!(page.value(is_in_first).await? == false, "the Tab key visits more than one cell of the matrix");
    page.close().await
}

/// Presses Tab until an expression is true, up to `most` times.
async fn tabs_until(page: &OpenPage, expression: &str, most: usize) -> anyhow::Result<bool> {
    for _ in 0..most {
        press(page, Key::Tab).await?;
        if page.value(&format!("!!({expression})")).await? == true {
            return Ok(true);
        }
    }
    Ok(false)
}

async fn press(page: &OpenPage, key: Key) -> anyhow::Result<()> {
    Ok(page.driver.action_chain().send_keys(key + "").perform().await?)
}

/// The arrow keys, Home and End go to the expected cells, and Tab then stops at the last visited
/// one.
async fn arrow_keys(browser: &Browser, file: &PageFile) -> anyhow::Result<()> {
    let page = browser.open(file, Scripts::On).await?;
    let has_matrix = page.value("!!document.querySelector('table.matrix')").await?;
    if has_matrix == false && !file.is_run() {
        return page.close().await;
    }

    page.value("document.querySelector('table.matrix [tabindex=\"0\"]').focus()").await?;
    let last = page.value("document.querySelector('table.matrix').tBodies[0].rows.length - 1").await?;
    let last_row = last.as_u64().unwrap_or(0);
    for (key, row, column) in [
        (Key::Home, 0, 0),
        (Key::Right, 0, 1),
        (Key::Left, 0, 0),
        (Key::Left, 0, 0),
        (Key::Up, 0, 0),
        (Key::Down, last_row.min(1), 0),
        (Key::Right, last_row.min(1), 1),
    ] {
        press(&page, key.clone()).await?;
        let place = page.value(FOCUSED_CELL).await?;
        ensure!(place == serde_json::json!([row, column]), "{key:?} leads to {place}, not to [{row},{column}]");
    }

    press(&page, Key::End).await?;
    let is_last = page.value("document.activeElement.closest('td').nextElementSibling === null").await?;
    ensure!(is_last == true, "End does not lead to the last cell of the row");
    let is_shown = page
        .value(
            "(() => {
                const cell = document.activeElement.getBoundingClientRect();
                const place = document.querySelector('#matrix .scroll').getBoundingClientRect();
                return cell.left >= place.left && cell.right <= place.right + 1;
            })()",
        )
        .await?;
    ensure!(is_shown == true, "the cell with the focus is not in sight");
    let stops = page.value(
        "[...document.querySelectorAll('table.matrix')].map(one => one.querySelectorAll('[tabindex=\"0\"]').length)",
    );
    let stops = stops.await?;
    let is_one = |count: &Value| *count == 1;
    ensure!(stops.as_array().is_some_and(|all| all.iter().all(is_one)), "the Tab key stops at {stops} cells");
    page.close().await
}

/// Row and column of the focused cell.
const FOCUSED_CELL: &str = "(() => {
    const cell = document.activeElement.closest('td, th');
    return cell && [cell.parentElement.sectionRowIndex, cell.cellIndex];
})()";

/// An address with the id of a case unfolds it and scrolls it into the window.
async fn unfolds(browser: &Browser, file: &PageFile) -> anyhow::Result<()> {
    let page = browser.open(file, Scripts::On).await?;
    let last = page.value("[...document.querySelectorAll('.case')].pop().id").await?;
    let id = last.as_str().unwrap_or_default();
    ensure!(!id.is_empty(), "the last case has no id");

    page.value(&format!("location.hash = encodeURIComponent({})", serde_json::to_string(id)?)).await?;
    let state = "(() => {
        const one = [...document.querySelectorAll('.case')].pop(), box = one.getBoundingClientRect();
        const folded = one.closest('details') ?? one.querySelector('details');
        return [folded ? folded.open : true, box.top < innerHeight && box.bottom > 0];
    })()";
    let mut last_state = Value::Null;
    for _ in 0..20 {
        last_state = page.value(state).await?;
        if last_state == serde_json::json!([true, true]) {
            return page.close().await;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    bail!("the case `{id}` is open and in the window: {last_state}")
}

/// The first shader of a failure is unfolded; a click on its summary folds it, and another shows it again.
async fn shaders(browser: &Browser, file: &PageFile) -> anyhow::Result<()> {
    let page = browser.open(file, Scripts::Off).await?;
    let shader = page.driver.find(By::Id("shader-1")).await?;
    let text = shader.find(By::Tag("pre")).await?;
    ensure!(text.is_displayed().await?, "the shader is folded from the start");
    ensure!(text.text().await?.lines().count() > 5, "the shader has no text");

    let summary = shader.find(By::Tag("summary")).await?;
    summary.click().await?;
    ensure!(!text.is_displayed().await?, "the shader stays unfolded");
    summary.click().await?;
    ensure!(text.is_displayed().await?, "the shader stays folded");
    page.close().await
}

/// The parts of a failure are tabs, of which the arrow keys show the next one; without scripts, all are
/// shown.
async fn failure_tabs(browser: &Browser, file: &PageFile) -> anyhow::Result<()> {
    const SHOWN: &str = "[...document.querySelector('#failures .tabs').querySelectorAll(':scope > .tab')]
        .filter(one => one.getClientRects().length > 0).map(one => one.firstElementChild.textContent)";
    let page = browser.open(file, Scripts::On).await?;
    ensure!(page.value(SHOWN).await? == serde_json::json!(["Bytes"]), "{} are shown", page.value(SHOWN).await?);
    page.value("document.querySelector('#failures [role=tab]').focus()").await?;
    press(&page, Key::Right).await?;
    ensure!(page.value(SHOWN).await? == serde_json::json!(["Numbers"]), "{} are shown", page.value(SHOWN).await?);
    press(&page, Key::End).await?;
    ensure!(page.value(SHOWN).await? == serde_json::json!(["Repro"]), "{} are shown", page.value(SHOWN).await?);
    page.close().await?;

    let page = browser.open(file, Scripts::Off).await?;
    for part in page.driver.find_all(By::Css("#failures .tab")).await? {
        ensure!(part.is_displayed().await?, "a part of a failure is hidden without scripts");
    }
    page.close().await
}

/// Without scripts, a click on the line in place of equal members shows them.
async fn folded_members(browser: &Browser, file: &PageFile) -> anyhow::Result<()> {
    let page = browser.open(file, Scripts::Off).await?;
    let folded = page.driver.find(By::Css("tbody.folded")).await?;
    let rows = folded.find_all(By::Tag("tr")).await?;
    ensure!(rows.len() > 2, "{} rows are folded", rows.len());
    ensure!(!rows[1].is_displayed().await?, "equal members are unfolded from the start");
    rows[0].click().await?;
    ensure!(rows[1].is_displayed().await?, "equal members stay folded");
    page.close().await
}

/// Without scripts, choosing another layout changes which maps have outlines.
async fn references(browser: &Browser, file: &PageFile) -> anyhow::Result<()> {
    let page = browser.open(file, Scripts::Off).await?;
    for chosen in [0, 1] {
        page.driver.find(By::Css(&format!("input.r{chosen}"))).await?.click().await?;
        for reference in [0, 1] {
            let part = page.driver.find(By::Css(&format!(".by-reference.b{reference}"))).await?;
            let is_shown = part.is_displayed().await?;
            ensure!(
                is_shown == (reference == chosen),
                "reference {chosen} is chosen, and {reference} shown: {is_shown}"
            );

            let maps = part.find_all(By::Tag("figure")).await?;
            ensure!(maps.len() > 1, "{} maps", maps.len());
            // The reference is the first map, before the others in their order.
            let outlined = maps[0].find_all(By::Css("path.d")).await?;
            ensure!(outlined.is_empty(), "the reference {reference} is outlined against itself");
            let outlined = maps[1].find_all(By::Css("path.d")).await?;
            ensure!(!outlined.is_empty(), "nothing is outlined against reference {reference}");
        }
    }
    page.close().await
}

/// Both sides of the first pair have a map that outlines `exposure` but not `sun`.
async fn both_sides(browser: &Browser, file: &PageFile) -> anyhow::Result<()> {
    let page = browser.open(file, Scripts::Off).await?;
    let card = page.driver.find(By::Css("article.card")).await?;
    let maps = card.find_all(By::Css("svg.bm")).await?;
    ensure!(maps.len() == 2, "{} maps", maps.len());
    for map in maps {
        let outlined = map.find_all(By::Css("[data-m=exposure] path.d")).await?;
        ensure!(outlined.len() == 1, "`exposure` is outlined {} times", outlined.len());
        let outlined = map.find_all(By::Css("[data-m=sun] path.d")).await?;
        ensure!(outlined.is_empty(), "`sun` is outlined");
    }
    page.close().await
}
