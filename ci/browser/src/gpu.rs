//! Checks of the page that runs the cases on the browser's GPU, here SwiftShader. Served like the explorer.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use serde_json::Value;
use thirtyfour::By;

use crate::checks::{CheckResult, serious_findings};
use crate::page::{Browser, OpenPage, Theme, WindowWidth};

/// Time limit for all cases, on a busy machine.
const RUN_LIMIT: Duration = Duration::from_secs(400);

/// Time limit for everything else.
const PATIENCE: Duration = Duration::from_secs(30);

/// Input of the checks.
#[derive(Clone, Debug)]
pub(crate) struct ServedGpuPage {
    /// Address of the page.
    pub(crate) address: String,
    /// Folder for the saved record, which `ci/web` gives to `layoutproof report`.
    pub(crate) saved: PathBuf,
}

/// A requirement on the page.
pub(crate) struct GpuCheck {
    /// Verb phrase.
    pub(crate) name: &'static str,
    pub(crate) run: for<'a> fn(&'a Browser, &'a ServedGpuPage) -> CheckResult<'a>,
}

pub(crate) const ALL: &[GpuCheck] = &[
    GpuCheck { name: "runs_all_cases_and_saves_them", run: |browser, it| Box::pin(whole_run(browser, it)) },
    GpuCheck { name: "notices_words_from_the_wrong_place", run: |browser, it| Box::pin(shifted(browser, it)) },
    GpuCheck { name: "notices_buffers_that_were_not_written", run: |browser, it| Box::pin(unwritten(browser, it)) },
    GpuCheck { name: "keeps_finished_checks_when_stopped", run: |browser, it| Box::pin(stopped(browser, it)) },
    GpuCheck { name: "keeps_finished_checks_when_the_device_is_lost", run: |browser, it| Box::pin(lost(browser, it)) },
    GpuCheck { name: "says_that_there_is_no_webgpu", run: |browser, it| Box::pin(without_webgpu(browser, it)) },
];

/// Opens the page and waits until it can run. Downloads go to `saved`.
async fn opened(browser: &Browser, page: &ServedGpuPage) -> anyhow::Result<OpenPage> {
    let opened = browser.open_with_gpu(&page.address, &page.saved).await?;
    wait(&opened, "!document.getElementById('gpu-start').disabled", PATIENCE).await?;
    Ok(opened)
}

async fn wait(page: &OpenPage, expression: &str, limit: Duration) -> anyhow::Result<()> {
    let start = Instant::now();
    while start.elapsed() < limit {
        if page.value(&format!("!!({expression})")).await? == true {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    bail!("not within {limit:?}: {expression}; the page says {}", status(page).await?)
}

async fn status(page: &OpenPage) -> anyhow::Result<String> {
    let said = page.value(
        "['status', 'count', 'lost'].map(part => document.getElementById(`gpu-${part}`).textContent).join('; ')",
    );
    Ok(said.await?.as_str().unwrap_or_default().to_owned())
}

/// Clicks as a visitor does: Chromium saves no second file without that.
async fn click(page: &OpenPage, part: &str) -> anyhow::Result<()> {
    Ok(page.driver.find(By::Id(format!("gpu-{part}"))).await?.click().await?)
}

/// The number of checks with an outcome, by its place among the table's columns.
async fn outcomes(page: &OpenPage, column: usize) -> anyhow::Result<u64> {
    let cells = format!(
        "[...document.querySelectorAll('#gpu-table tbody tr')].map(row => Number(row.cells[{column}].textContent))"
    );
    let cells = page.value(&cells).await?;
    Ok(cells.as_array().into_iter().flatten().filter_map(Value::as_u64).sum())
}

const AGREE: usize = 1;
const DIFFER: usize = 2;
const BROKEN: usize = 4;

/// All cases agree, and the record of the run is saved. The floors of `ci/web` count what was read.
async fn whole_run(browser: &Browser, served: &ServedGpuPage) -> anyhow::Result<()> {
    let page = opened(browser, served).await?;
    let paint = page.value("performance.getEntriesByName('first-paint')[0]?.startTime ?? 0").await?;
    let began = Instant::now();
    click(&page, "start").await?;
    wait(
        &page,
        "document.getElementById('gpu-start').disabled && !document.getElementById('gpu-save').disabled",
        RUN_LIMIT,
    )
    .await?;
    let (agree, differ, broken) =
        (outcomes(&page, AGREE).await?, outcomes(&page, DIFFER).await?, outcomes(&page, BROKEN).await?);
    eprintln!("the page of the GPU: first paint after {paint} ms, {agree} checks agree, {:?}", began.elapsed());
    ensure!((differ, broken) == (0, 0), "{differ} differ, {broken} broke: {}", page.text().await?);

    page.driver.execute(browser.axe.clone(), Vec::new()).await?;
    for theme in Theme::ALL {
        for width in WindowWidth::ALL {
            page.use_theme(theme).await?;
            page.resize(width).await?;
            let scrolls = page.value("document.documentElement.scrollWidth > innerWidth").await?;
            ensure!(scrolls == false, "scrolls sideways at {} pixels", width.pixels());
            browser.keep_picture(&page, &format!("gpu-{}-{}", theme.as_str(), width.pixels())).await?;
        }
        let found = serious_findings(&page).await?;
        ensure!(found.is_empty(), "{found}");
    }

    click(&page, "save").await?;
    wait_for_file(&served.saved, "jsonl").await?;
    click(&page, "save-page").await?;
    let report = fs::read_to_string(wait_for_file(&served.saved, "html").await?)?;
    ensure!(report.contains("swiftshader"), "the report names the adapter");
    page.close().await
}

/// Waits until a file is saved whole.
async fn wait_for_file(folder: &Path, suffix: &str) -> anyhow::Result<PathBuf> {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        let files = fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path()));
        if let Some(file) = files.into_iter().find(|path| path.extension().is_some_and(|it| it == suffix)) {
            return Ok(file);
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    bail!("no .{suffix} file was saved to {}", folder.display())
}

/// Plants a fault in the page's WebGPU, and expects a check that does not agree, with its byte maps.
async fn noticed(browser: &Browser, served: &ServedGpuPage, fault: &str) -> anyhow::Result<()> {
    let page = opened(browser, served).await?;
    page.value(fault).await?;
    click(&page, "start").await?;
    wait(&page, "document.querySelector('#gpu-table .badge.differ, #gpu-table .badge.broken')", PATIENCE).await?;
    click(&page, "stop").await?;
    wait(&page, "document.querySelector('#gpu-results .card')", PATIENCE).await?;
    browser.keep_picture(&page, "gpu-failures").await?;
    page.close().await
}

async fn shifted(browser: &Browser, served: &ServedGpuPage) -> anyhow::Result<()> {
    let fault = "(() => {
        const mapped = GPUBuffer.prototype.getMappedRange;
        GPUBuffer.prototype.getMappedRange = function () {
            const words = new Uint32Array(mapped.call(this).slice(0));
            return Uint32Array.from(words, (_, index) => words[(index + 1) % words.length]).buffer;
        };
    })()";
    noticed(browser, served, fault).await
}

async fn unwritten(browser: &Browser, served: &ServedGpuPage) -> anyhow::Result<()> {
    noticed(browser, served, "(GPUQueue.prototype.writeBuffer = () => {}, 0)").await
}

async fn stopped(browser: &Browser, served: &ServedGpuPage) -> anyhow::Result<()> {
    let page = opened(browser, served).await?;
    click(&page, "start").await?;
    wait(&page, "document.getElementById('gpu-bar').value > 0", PATIENCE).await?;
    click(&page, "stop").await?;
    wait(&page, "!document.getElementById('gpu-save').disabled", PATIENCE).await?;
    let done = outcomes(&page, AGREE).await?;
    ensure!(
        done > 0 && page.value("document.getElementById('gpu-start').textContent").await? == "Go on",
        "{done} done"
    );
    click(&page, "start").await?;
    wait(&page, &format!("document.getElementById('gpu-bar').value > {done}"), PATIENCE).await?;
    page.close().await
}

/// Each time the GPU is lost, the page opens it again, three times in all.
async fn lost(browser: &Browser, served: &ServedGpuPage) -> anyhow::Result<()> {
    let page = opened(browser, served).await?;
    let fault = "(() => {
        const submit = GPUQueue.prototype.submit;
        const request = GPUAdapter.prototype.requestDevice;
        let device, jobs = 0;
        GPUAdapter.prototype.requestDevice = async function (...given) { return (device = await request.apply(this, given)); };
        GPUQueue.prototype.submit = function (...given) { if (++jobs % 200 === 0) device.destroy(); return submit.apply(this, given); };
    })()";
    page.value(fault).await?;
    click(&page, "start").await?;
    wait(&page, "/lost 3 times/.test(document.getElementById('gpu-status').textContent)", RUN_LIMIT).await?;
    let (agree, broken) = (outcomes(&page, AGREE).await?, outcomes(&page, BROKEN).await?);
    ensure!(agree > 0 && broken == 3, "{agree} agree, {broken} broke: {}", status(&page).await?);
    page.close().await.context("closing")
}

async fn without_webgpu(browser: &Browser, served: &ServedGpuPage) -> anyhow::Result<()> {
    let page = opened(browser, served).await?;
    page.value("void Object.defineProperty(navigator, 'gpu', { value: undefined })").await?;
    click(&page, "start").await?;
    wait(&page, "/no WebGPU/.test(document.getElementById('gpu-status').textContent)", PATIENCE).await?;
    page.close().await
}
