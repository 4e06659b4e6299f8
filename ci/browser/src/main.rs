//! Opens our pages in a headless Chromium as readers do: light and dark, wide and narrow, printed,
//! without JavaScript.
//! `ci/web` makes the pages and starts `chromedriver`. The checks compare text and geometry, never
//! pixels, through the driver's protocol and Chromium's developer tools.

mod checks;
mod explorer;
mod gpu;
mod measure;
mod page;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use libtest_mimic::{Failed, Trial};
use tokio::runtime::Runtime;

use crate::explorer::ServedExplorer;
use crate::gpu::ServedGpuPage;
use crate::measure::{PageTimes, measure};
use crate::page::{Browser, PageFile};

/// Checks the pages of a folder in a browser.
#[derive(Debug, Parser)]
struct BrowserArgs {
    /// Address of a running `chromedriver`.
    #[arg(long, default_value = "http://127.0.0.1:9515")]
    driver: String,
    /// The folder with the pages.
    #[arg(long)]
    pages: PathBuf,
    /// The file `axe.min.js` of axe-core.
    #[arg(long)]
    axe: PathBuf,
    /// Address of the explorer's page; without it, the explorer is not checked.
    #[arg(long, requires = "sample")]
    explorer: Option<String>,
    /// The folder of texts with the command's answers, for the explorer.
    #[arg(long)]
    sample: Option<PathBuf>,
    /// Address of the page that runs cases on the GPU; without it, that page is not checked.
    #[arg(long, requires = "saved")]
    gpu: Option<String>,
    /// Empty folder for the record that this page saves.
    #[arg(long)]
    saved: Option<PathBuf>,
    /// Folder for screenshots (default: none are made).
    #[arg(long)]
    screenshots: Option<PathBuf>,
}

fn main() -> ExitCode {
    let arguments = BrowserArgs::parse();
    match trials(arguments) {
        Ok(trials) => libtest_mimic::run(&libtest_mimic::Arguments::default(), trials).exit_code(),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(3)
        }
    }
}

fn trials(arguments: BrowserArgs) -> anyhow::Result<Vec<Trial>> {
    let browser = Arc::new(Browser::new(arguments.driver, &arguments.axe, arguments.screenshots)?);
    let runtime = Arc::new(Runtime::new()?);
    let pages = PageFile::all_in(&arguments.pages)?;
    for file in pages.iter().filter(|file| file.is_run()) {
        let PageTimes { bytes, checks, first_paint, complete } = runtime.block_on(measure(&browser, file))?;
        let name = &file.name;
        eprintln!(
            "{name}: {checks}, {bytes} bytes, first paint after {first_paint:.0} ms, complete after {complete:.0} ms"
        );
    }

    let mut trials = Vec::new();
    for check in checks::ALL {
        for file in pages.iter().filter(|file| (check.is_for)(file)) {
            let (browser, runtime, file) = (Arc::clone(&browser), Arc::clone(&runtime), file.clone());
            let name = format!("{}::{}", file.name, check.name);
            trials.push(Trial::test(name, move || {
                let done = runtime.block_on((check.run)(&browser, &file));
                done.map_err(|error| Failed::from(format!("{error:#}")))
            }));
        }
    }

    if let (Some(address), Some(sample)) = (arguments.explorer, arguments.sample) {
        let served = ServedExplorer { address, sample };
        for check in explorer::ALL {
            let (browser, runtime, served) = (Arc::clone(&browser), Arc::clone(&runtime), served.clone());
            trials.push(Trial::test(format!("explorer::{}", check.name), move || {
                let done = runtime.block_on((check.run)(&browser, &served));
                done.map_err(|error| Failed::from(format!("{error:#}")))
            }));
        }
    }
    if let (Some(address), Some(saved)) = (arguments.gpu, arguments.saved) {
        let served = ServedGpuPage { address, saved };
        for check in gpu::ALL {
            let (browser, runtime, served) = (Arc::clone(&browser), Arc::clone(&runtime), served.clone());
            trials.push(Trial::test(format!("gpu::{}", check.name), move || {
                let done = runtime.block_on((check.run)(&browser, &served));
                done.map_err(|error| Failed::from(format!("{error:#}")))
            }));
        }
    }
    Ok(trials)
}
