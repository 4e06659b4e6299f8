//! Measures how long the pages of runs take to appear. Prints the times for people; no check fails
//! on a slow machine.

use anyhow::{Context, bail};
use serde_json::Value;

use crate::page::{Browser, PageFile, Scripts};

/// Time limit for a page to be complete, in steps of [`WAIT`].
const MOST_WAITS: u32 = 600;
const WAIT: std::time::Duration = std::time::Duration::from_millis(50);

/// A page's size and times.
#[derive(Clone, Debug)]
pub(crate) struct PageTimes {
    /// Size of the file in bytes.
    pub(crate) bytes: u64,
    /// The text on the page, `2,840 checks`.
    pub(crate) checks: String,
    /// Milliseconds from the start to the first paint.
    pub(crate) first_paint: f64,
    /// Milliseconds from the start until the page is loaded and its script has finished.
    pub(crate) complete: f64,
}

/// Opens the page, and asks the browser for the times of the first paint and of the end.
///
/// # Errors
/// The driver's errors, and a page that is not complete in time.
pub(crate) async fn measure(browser: &Browser, file: &PageFile) -> anyhow::Result<PageTimes> {
    let page = browser.open(file, Scripts::On).await?;
    for _ in 0..MOST_WAITS {
        let times = page.value(TIMES).await?;
        if let [Value::Number(first_paint), Value::Number(complete)] = times.as_array().map_or(&[][..], Vec::as_slice) {
            let checks = page.value("document.querySelector('.totals').firstElementChild.textContent").await?;
            let checks = checks.as_str().unwrap_or_default().to_owned();
            let milliseconds = |time: &serde_json::Number| time.as_f64().context("a time is no number");
            let (first_paint, complete) = (milliseconds(first_paint)?, milliseconds(complete)?);
            page.close().await?;
            return Ok(PageTimes { bytes: file.bytes()?, checks, first_paint, complete });
        }
        tokio::time::sleep(WAIT).await;
    }
    bail!("{}: the page is not complete", file.name)
}

/// First paint and end of loading; `null` before they happen.
const TIMES: &str = "(() => {
    const paint = performance.getEntriesByName('first-paint')[0];
    const loaded = performance.getEntriesByType('navigation')[0].loadEventEnd;
    return [paint?.startTime ?? null, loaded || null];
})()";
