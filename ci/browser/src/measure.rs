//! How long the pages of runs take to appear. The times are printed for people to read: no check fails on a slow machine.

use anyhow::{Context, bail};
use serde_json::Value;

use crate::page::{Browser, PageFile, Scripts};

/// Time for a page to be complete, in steps of [`WAIT`].
const MOST_WAITS: u32 = 600;
const WAIT: std::time::Duration = std::time::Duration::from_millis(50);

/// A page's size and times.
#[derive(Clone, Debug)]
pub(crate) struct PageTimes {
    /// Bytes of the file.
    pub(crate) bytes: u64,
    /// `2 840 checks`, as the page says.
    pub(crate) checks: String,
    /// Milliseconds from the start until something is painted.
    pub(crate) first_paint: f64,
    /// Milliseconds from the start until the page is loaded and its script is done.
    pub(crate) complete: f64,
}

/// Opens the page, and asks the browser when it painted and when it was done.
///
/// # Errors
/// What the driver says, and a page that is not done in time.
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

/// First paint and end of loading, `null` before they were.
const TIMES: &str = "(() => {
    const paint = performance.getEntriesByName('first-paint')[0];
    const loaded = performance.getEntriesByType('navigation')[0].loadEventEnd;
    return [paint?.startTime ?? null, loaded || null];
})()";
