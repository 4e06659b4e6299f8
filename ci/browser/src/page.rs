//! Opens a page in a browser and queries it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, ensure};
use serde_json::{Value, json};
use thirtyfour::{ChromeCapabilities, ChromiumLikeCapabilities, DesiredCapabilities, WebDriver};

/// Time limit for one of our scripts in a page; axe-core takes long on the largest.
const SCRIPT_LIMIT: Duration = Duration::from_secs(120);

/// Maximum number of pages to open per part of the site, since the pages of a part are made alike.
const MOST_OF_PART: usize = 2;

/// Pages that are unlike the others of their part, besides its `index`.
const ONE_OF_A_KIND: [&str; 3] = ["site/peers", "site/surprises", "site/rules/table"];

/// The pages that do not work from a file; `explorer.rs` and `gpu.rs` have their checks.
const SERVED: [&str; 2] = ["explorer.html", "gpu.html"];

/// Arguments with which Chromium has WebGPU on SwiftShader.
const GPU: [&str; 4] = [
    "--enable-unsafe-webgpu",
    "--enable-features=Vulkan",
    "--use-vulkan=swiftshader",
    "--use-webgpu-adapter=swiftshader",
];

/// A connection to the driver.
#[derive(Debug)]
pub(crate) struct Browser {
    driver: String,
    /// The text of axe-core.
    pub(crate) axe: String,
    screenshots: Option<PathBuf>,
}

/// A page made for the tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PageFile {
    /// Path below the folder of pages, without the suffix: `site/index`.
    pub(crate) name: String,
    path: PathBuf,
}

/// A group of the site's pages that are made alike.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct SitePart {
    /// For example `site/cases`.
    folder: String,
    /// Number of folders above the page.
    depth: usize,
}

/// The width of a window, in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WindowWidth {
    Phone,
    Laptop,
    Desktop,
}

/// The colour scheme of the reader's system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Theme {
    Light,
    Dark,
}

/// A simulated deficiency of colour vision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColourVision {
    /// Without cones for red.
    Protanopia,
    /// Without cones for green.
    Deuteranopia,
    /// Without cones for blue.
    Tritanopia,
    /// No colours.
    Achromatopsia,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scripts {
    On,
    Off,
}

impl WindowWidth {
    pub(crate) const ALL: [Self; 3] = [Self::Phone, Self::Laptop, Self::Desktop];

    pub(crate) fn pixels(self) -> u32 {
        match self {
            Self::Phone => 390,
            Self::Laptop => 1280,
            Self::Desktop => 1920,
        }
    }
}

impl Theme {
    pub(crate) const ALL: [Self; 2] = [Self::Light, Self::Dark];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

impl ColourVision {
    pub(crate) const ALL: [Self; 4] = [Self::Protanopia, Self::Deuteranopia, Self::Tritanopia, Self::Achromatopsia];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Protanopia => "protanopia",
            Self::Deuteranopia => "deuteranopia",
            Self::Tritanopia => "tritanopia",
            Self::Achromatopsia => "achromatopsia",
        }
    }
}

impl PageFile {
    /// The `.html` files of a folder by name; of each part of the site the first ones, and those that are one of a kind.
    ///
    /// # Errors
    /// The folder cannot be read or has none.
    pub(crate) fn all_in(folder: &Path) -> anyhow::Result<Vec<Self>> {
        let mut found = Vec::new();
        let mut folders = vec![folder.to_owned()];
        while let Some(next) = folders.pop() {
            for entry in fs::read_dir(&next).with_context(|| next.display().to_string())? {
                let path = entry?.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|suffix| suffix == "html")
                    && !SERVED.iter().any(|it| path.ends_with(it))
                {
                    let name = path.strip_prefix(folder)?.with_extension("").display().to_string();
                    found.push(Self { name, path: path.canonicalize()? });
                }
            }
        }
        ensure!(!found.is_empty(), "{} has no pages", folder.display());

        found.sort_by(|one, other| one.name.cmp(&other.name));
        let mut opened: BTreeMap<SitePart, usize> = BTreeMap::new();
        found.retain(|page| {
            let Some(part) = page.site_part().filter(|_| !page.is_one_of_a_kind()) else { return true };
            let count = opened.entry(part).or_default();
            *count += 1;
            *count <= MOST_OF_PART
        });
        Ok(found)
    }

    fn is_one_of_a_kind(&self) -> bool {
        self.name.ends_with("/index") || ONE_OF_A_KIND.contains(&self.name.as_str())
    }

    /// The part of the site that the page belongs to; `None` outside of a site.
    fn site_part(&self) -> Option<SitePart> {
        let folders: Vec<&str> = self.name.split('/').collect();
        let (_, folders) = folders.split_last()?;
        let folder = folders.iter().take(2).copied().collect::<Vec<_>>().join("/");
        (!folders.is_empty()).then_some(SitePart { folder, depth: folders.len() })
    }

    /// True for the page of a run.
    pub(crate) fn is_run(&self) -> bool {
        self.name.starts_with("run") || self.is_large()
    }

    /// True for the page of given records, which may have any size: axe-core would take minutes for
    /// it.
    pub(crate) fn is_large(&self) -> bool {
        self.name.starts_with("records")
    }

    /// # Errors
    /// The file is gone.
    pub(crate) fn bytes(&self) -> anyhow::Result<u64> {
        Ok(fs::metadata(&self.path)?.len())
    }

    fn address(&self) -> String {
        format!("file://{}", self.path.display())
    }
}

impl Browser {
    /// # Errors
    /// axe-core cannot be read.
    pub(crate) fn new(driver: String, axe: &Path, screenshots: Option<PathBuf>) -> anyhow::Result<Self> {
        let axe = fs::read_to_string(axe).with_context(|| axe.display().to_string())?;
        if let Some(folder) = &screenshots {
            fs::create_dir_all(folder)?;
        }
        Ok(Self { driver, axe, screenshots })
    }

    /// Opens a page in a new window.
    ///
    /// # Errors
    /// The driver's errors.
    pub(crate) async fn open(&self, file: &PageFile, scripts: Scripts) -> anyhow::Result<OpenPage> {
        self.open_address(&file.address(), scripts).await
    }

    /// Opens an address in a new window.
    ///
    /// # Errors
    /// The driver's errors.
    pub(crate) async fn open_address(&self, address: &str, scripts: Scripts) -> anyhow::Result<OpenPage> {
        let mut capabilities = DesiredCapabilities::chrome();
        capabilities.add_arg("--disable-gpu")?;
        self.open_in(capabilities, address, scripts).await
    }

    /// Opens an address in a window with WebGPU, whose downloads go to a folder.
    ///
    /// # Errors
    /// The driver's errors.
    pub(crate) async fn open_with_gpu(&self, address: &str, downloads: &Path) -> anyhow::Result<OpenPage> {
        let mut capabilities = DesiredCapabilities::chrome();
        for argument in GPU {
            capabilities.add_arg(argument)?;
        }
        capabilities.add_experimental_option("prefs", json!({ "download.default_directory": downloads }))?;
        self.open_in(capabilities, address, Scripts::On).await
    }

    async fn open_in(
        &self,
        mut capabilities: ChromeCapabilities,
        address: &str,
        scripts: Scripts,
    ) -> anyhow::Result<OpenPage> {
        // Chromium's sandbox does not work for root.
        for argument in ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage"] {
            capabilities.add_arg(argument)?;
        }
        let driver = WebDriver::new(&self.driver, capabilities).await.context("chromedriver")?;
        let page = OpenPage { driver };
        page.driver.set_script_timeout(SCRIPT_LIMIT).await?;
        page.resize(WindowWidth::Laptop).await?;
        page.cdp("Emulation.setScriptExecutionDisabled", json!({ "value": scripts == Scripts::Off })).await?;
        page.driver.goto(address).await?;
        Ok(page)
    }

    /// True if pictures are requested.
    pub(crate) fn keeps_pictures(&self) -> bool {
        self.screenshots.is_some()
    }

    /// Saves a picture of the window as NAME.png, if pictures are requested.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) async fn keep_picture(&self, page: &OpenPage, name: &str) -> anyhow::Result<()> {
        let Some(folder) = &self.screenshots else { return Ok(()) };
        let file = folder.join(format!("{}.png", name.replace('/', "-")));
        fs::write(file, page.driver.screenshot_as_png().await?)?;
        Ok(())
    }
}

/// An open page.
#[derive(Debug)]
pub(crate) struct OpenPage {
    pub(crate) driver: WebDriver,
}

impl OpenPage {
    /// Gives the window this width.
    ///
    /// # Errors
    /// The driver's errors, as for all methods here.
    pub(crate) async fn resize(&self, width: WindowWidth) -> anyhow::Result<()> {
        let metrics = json!({ "width": width.pixels(), "height": 900, "deviceScaleFactor": 1, "mobile": false });
        self.cdp("Emulation.setDeviceMetricsOverride", metrics).await
    }

    pub(crate) async fn use_theme(&self, theme: Theme) -> anyhow::Result<()> {
        // Without motion, colours do not change gradually.
        let features = json!([
            { "name": "prefers-color-scheme", "value": theme.as_str() },
            { "name": "prefers-reduced-motion", "value": "reduce" },
        ]);
        self.cdp("Emulation.setEmulatedMedia", json!({ "media": "", "features": features })).await
    }

    /// Simulates a deficiency of colour vision; `None` is normal vision.
    pub(crate) async fn use_vision(&self, vision: Option<ColourVision>) -> anyhow::Result<()> {
        let kind = vision.map_or("none", ColourVision::as_str);
        self.cdp("Emulation.setEmulatedVisionDeficiency", json!({ "type": kind })).await
    }

    /// Shows the page as in print.
    pub(crate) async fn use_print(&self) -> anyhow::Result<()> {
        self.cdp("Emulation.setEmulatedMedia", json!({ "media": "print" })).await
    }

    /// Evaluates an expression in the page.
    pub(crate) async fn value(&self, expression: &str) -> anyhow::Result<Value> {
        let returned = self.driver.execute(format!("return {expression}"), Vec::new()).await?;
        Ok(returned.json().clone())
    }

    /// The visible text, also without scripts.
    pub(crate) async fn text(&self) -> anyhow::Result<String> {
        Ok(self.driver.find(thirtyfour::By::Tag("body")).await?.text().await?)
    }

    /// Runs a script that answers by calling its last argument.
    pub(crate) async fn answer(&self, script: &str) -> anyhow::Result<Value> {
        Ok(self.driver.execute_async(script, Vec::new()).await?.json().clone())
    }

    pub(crate) async fn close(self) -> anyhow::Result<()> {
        Ok(self.driver.quit().await?)
    }

    async fn cdp(&self, method: &str, parameters: Value) -> anyhow::Result<()> {
        self.driver.cdp().send_raw(method, parameters).await?;
        Ok(())
    }
}
