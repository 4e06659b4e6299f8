//! `layoutproof explorer`: serves the site with the explorer on this machine, and opens it in a browser.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use clap::Args;
use layoutproof_events::summary::Exit;
use layoutproof_executor::tools::MachineTools;
use layoutproof_inputs::files::{FileKind, read_text};
use layoutproof_site::{EXPLORER_FILES, EXPLORER_PAGE, ExplorerText};
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_webgpu::loopback::{Loopback, Method, Request, Response, respond, respond_not_found};

use crate::commands::site::site_files;
use crate::not_started::NotStarted;
use crate::output::{finish, print, warn};

/// What pages of the site may load. They name stricter policies themselves.
const POLICY: &str = "default-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' data: blob:; frame-ancestors 'none'";

/// The page that leads to the explorer with the user's file.
const START_PAGE: &str = "open.html";

/// `layoutproof explorer`.
#[derive(Debug, Args)]
pub struct ExplorerArgs {
    /// A shader to open: HLSL, Slang, GLSL or WGSL.
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The folder that `ci/explorer` wrote. Default: `explorer` next to the program, or in the tools folder.
    #[arg(long, value_name = "DIR")]
    pub files: Option<PathBuf>,
    /// Print the address, but open no browser.
    #[arg(long)]
    pub no_open: bool,
}

/// Serves the site until the user ends it.
pub(crate) fn explorer(args: &ExplorerArgs) -> anyhow::Result<Exit> {
    let folder = folder(args.files.as_deref())?;
    let start = args.file.as_deref().map(start_page).transpose()?;
    let mut files: BTreeMap<String, Vec<u8>> = site_files(&[], Some(&folder))?.into_iter().collect();
    let page = if start.is_some() { START_PAGE } else { EXPLORER_PAGE };
    files.extend(start.map(|start| (START_PAGE.to_owned(), start.into_bytes())));
    let server = Loopback::start(None).context("no server on the loopback address")?;

    let address = format!("{}{page}", server.url());
    print(&format!("The explorer is at {address} until you end this with Ctrl-C.\n"));
    finish()?;
    if !args.no_open {
        open(&address);
    }
    loop {
        let (request, name) = server.next_request()?;
        // A browser that is gone gets no response.
        let _ = answer(request, &name, &mut files);
    }
}

fn answer(request: Request, name: &str, files: &mut BTreeMap<String, Vec<u8>>) -> std::io::Result<()> {
    let name = if name.is_empty() { "index.html" } else { name };
    let is_get = *request.method() == Method::Get;
    // Other users can read the address among the arguments of the program that opens it, so the user's text is there once.
    let once = if name == START_PAGE && is_get { files.remove(name) } else { None };
    let Some(body) = once.as_deref().or_else(|| files.get(name).map(Vec::as_slice)).filter(|_| is_get) else {
        return respond_not_found(request);
    };
    let content_type = match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    };
    respond(request, Response { status: "200 OK", content_type, policy: POLICY, body })
}

/// The folder with the explorer's program.
fn folder(named: Option<&Path>) -> anyhow::Result<PathBuf> {
    let missing = |reason: String| NotStarted { reason, exit: Exit::Missing };
    if let Some(folder) = named {
        return Ok(folder.to_owned());
    }
    let is_whole = |folder: &PathBuf| EXPLORER_FILES.iter().all(|file| folder.join(file).is_file());
    // Archives of releases have it next to the program.
    if let Some(folder) = std::env::current_exe()?.parent().map(|folder| folder.join("explorer")).filter(is_whole) {
        return Ok(folder);
    }
    let tools = MachineTools::find()?;
    let Some(folder) = tools.folder().map(|tools| tools.path().join("explorer")).filter(is_whole) else {
        let reason = "the explorer's WebAssembly is not here: in a checkout, `ci/explorer --out \"$(ci/tools-folder)/explorer\"` \
                      builds it; --files names another folder";
        return Err(missing(reason.to_owned()).into());
    };
    if let Some(tools) = tools.folder() {
        for file in EXPLORER_FILES {
            tools.inspect(Path::new("explorer").join(file)).map_err(|untrusted| missing(untrusted.to_string()))?;
        }
    }
    Ok(folder)
}

/// A page that leads to the explorer with a file.
fn start_page(file: &Path) -> anyhow::Result<String> {
    let Some(language) = ShaderLanguage::of(None, file) else {
        bail!("{}: the explorer shows {}", file.display(), ShaderLanguage::names());
    };
    let text = ExplorerText::of_file(language, &read_text(file, FileKind::Shader)?);
    Ok(format!("<!doctype html><meta http-equiv=\"refresh\" content=\"0;url={EXPLORER_PAGE}#{}\">", text.fragment()))
}

/// Opens an address in the user's browser, if the system has a way.
fn open(address: &str) {
    let program = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer.exe",
        _ => "xdg-open",
    };
    let mut command = Command::new(program);
    if command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().is_err() {
        warn(&format!("note: `{program}` does not start; open the address in a browser\n"));
    }
}
