//! The processes that run `host.mjs`: Node.js with the library of Dawn, and browsers.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use layoutproof_device::devices::VISITOR;
use layoutproof_webgpu_messages::{SCRIPT, visitor_program};

/// The variable with the path of `dawn.node`.
pub const DAWN: &str = "DAWN_NODE";

/// The variable with the ids of the browsers that take part, separated by commas.
pub const BROWSERS: &str = "LAYOUTPROOF_BROWSERS";

/// The variable with the address of the page for [`VISITOR`], as [`page_address`](crate::page_address) chose it.
pub const PAGE: &str = "LAYOUTPROOF_PAGE";

/// How long the user has to open the page.
pub const VISITOR_LIMIT: Duration = Duration::from_secs(600);

/// A browser needs seconds to start, a busy machine many.
const START_LIMIT: Duration = Duration::from_secs(50);

/// The variable of Node.js with the address of the server, which other users could read among its arguments.
const URL: &str = "LAYOUTPROOF_URL";

/// The file in a browser's folder that leads to the page, for the same reason.
const START: &str = "start.html";

/// Most bytes of a host's last output in a message.
const KEPT_OUTPUT: usize = 1000;

/// Starts a browser and ends it when the standard input ends, which is when the worker ends, however it does. Then
/// removes the browser's folder, in which its other processes may still write for a while. Arguments: the folder, and the command.
const KEEPER: &str = r#"
folder=$1
shift
exec 3<&0 >/dev/null 2>&1
"$@" </dev/null &
browser=$!
{ cat <&3; kill "$browser"; sleep 2; kill -9 "$browser"; } &
keeper=$!
wait "$browser"
status=$?
kill "$keeper"
for second in 1 2 3 4 5; do
    rm -rf "$folder" && break
    sleep 1
done
exit "$status"
"#;

/// Both values of `forceFallbackAdapter`.
pub(crate) const ADAPTERS: [bool; 2] = [false, true];

/// A program that runs WebGPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Host {
    Dawn,
    Chromium,
    Firefox,
    /// Any browser; the user opens it.
    Visitor,
}

impl Host {
    /// All hosts. The index of a device has the place of its host.
    pub(crate) const ALL: [Self; 4] = [Self::Dawn, Self::Chromium, Self::Firefox, Self::Visitor];

    /// The id of its device, if that is software.
    pub(crate) const fn id(self) -> &'static str {
        match self {
            Self::Dawn => "dawn",
            Self::Chromium => "chromium",
            Self::Firefox => "firefox",
            Self::Visitor => VISITOR,
        }
    }

    /// Its name in the ids of its devices.
    pub(crate) fn program_name(self, implementation: &str) -> String {
        match self {
            Self::Dawn | Self::Chromium | Self::Firefox => self.id().to_owned(),
            Self::Visitor => visitor_program(implementation),
        }
    }

    /// The adapters to list, each by its `forceFallbackAdapter`: the host's choice, and the software that replaces a GPU.
    pub(crate) const fn adapters(self) -> &'static [bool] {
        match self {
            Self::Dawn | Self::Chromium | Self::Firefox => &ADAPTERS,
            Self::Visitor => &[false],
        }
    }

    pub(crate) const fn start_limit(self) -> Duration {
        match self {
            Self::Dawn | Self::Chromium | Self::Firefox => START_LIMIT,
            Self::Visitor => VISITOR_LIMIT,
        }
    }

    /// The address at which the user opens the page.
    ///
    /// # Errors
    /// This program did not choose one.
    pub(crate) fn page(self) -> Result<Option<String>, String> {
        match self {
            Self::Dawn | Self::Chromium | Self::Firefox => Ok(None),
            Self::Visitor => std::env::var(PAGE).map(Some).map_err(|_| "no address was chosen for its page".to_owned()),
        }
    }

    /// The names of its program, in the order in which they are tried.
    const fn programs(self) -> &'static [&'static str] {
        match self {
            Self::Dawn => &["node"],
            Self::Chromium => &["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"],
            Self::Firefox => &["firefox", "firefox-esr"],
            Self::Visitor => &[],
        }
    }

    /// The hosts to list: Dawn if its library is there, and the browsers that the run names.
    pub(crate) fn listed() -> Vec<Self> {
        let named = std::env::var(BROWSERS).unwrap_or_default();
        let is_listed = |host: &Self| match host {
            Self::Dawn => std::env::var_os(DAWN).is_some(),
            Self::Chromium | Self::Firefox | Self::Visitor => named.split(',').any(|id| id.starts_with(host.id())),
        };
        Self::ALL.into_iter().filter(is_listed).collect()
    }

    /// Its program on the search path.
    fn program(self) -> Result<PathBuf, String> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = || std::env::split_paths(&path).filter(|folder| folder.is_absolute());
        let suffix = std::env::consts::EXE_SUFFIX;
        let mut files =
            self.programs().iter().flat_map(|name| folders().map(move |it| it.join(format!("{name}{suffix}"))));
        files.find(|file| file.is_file()).ok_or_else(|| format!("no `{}` on PATH", self.programs().join("`, `")))
    }

    /// The command that runs the script with the server at `url`.
    ///
    /// # Errors
    /// A sentence about what is missing.
    fn command(self, url: &str) -> Result<Command, String> {
        let program = self.program()?;
        if self == Self::Dawn {
            let library = std::env::var_os(DAWN).filter(|path| Path::new(path).is_file());
            let library =
                library.ok_or("`layoutproof setup tint` fetches its library, or DAWN_NODE names a `dawn.node`")?;
            let mut command = Command::new(program);
            command.args(["--input-type=module", "-e", SCRIPT]).arg(library).env(URL, format!("{url}jobs"));
            return Ok(command);
        }

        if !cfg!(unix) {
            return Err("browsers are started on Linux and macOS only".to_owned());
        }
        let failed = |error: io::Error| format!("no folder for its profile: {error}");
        let mut name = [0; 8];
        getrandom::fill(&mut name).map_err(|error| failed(io::Error::other(error)))?;
        let folder = std::env::temp_dir().join(format!("layoutproof-{}-{:016x}", self.id(), u64::from_le_bytes(name)));
        create_private(&folder).map_err(failed)?;

        let start = format!("<!doctype html><meta http-equiv=\"refresh\" content=\"0;url={url}\">");
        fs::write(folder.join(START), start).map_err(failed)?;

        let mut arguments: Vec<OsString> = vec![program.into()];
        match self {
            Self::Dawn | Self::Visitor => {}
            Self::Chromium => {
                let flags = ["--headless=new", "--no-first-run", "--enable-unsafe-webgpu", "--enable-features=Vulkan"];
                arguments.extend(flags.map(OsString::from));
                // Chromium refuses to start as root with its sandbox.
                if is_root() {
                    arguments.push("--no-sandbox".into());
                }
                let mut profile = OsString::from("--user-data-dir=");
                profile.push(&folder);
                arguments.push(profile);
            }
            Self::Firefox => {
                let preferences = [("dom.webgpu.enabled", "true"), ("gfx.webgpu.ignore-blocklist", "true")];
                let lines = preferences.map(|(name, value)| format!("user_pref(\"{name}\", {value});\n")).concat();
                fs::write(folder.join("user.js"), lines).map_err(failed)?;
                arguments.extend(["--headless", "--no-remote", "--profile"].map(OsString::from));
                arguments.push(folder.clone().into());
            }
        }
        let mut command = Command::new("sh");
        command.args(["-c", KEEPER, "sh"]).arg(&folder).args(arguments).arg(folder.join(START));
        Ok(command)
    }

    /// Starts the process, unless the user does.
    ///
    /// # Errors
    /// A sentence about what is missing.
    pub(crate) fn start(self, url: &str) -> Result<Option<HostProcess>, String> {
        if self == Self::Visitor {
            return Ok(None);
        }
        let mut command = self.command(url)?;
        // The process ends when its standard input does.
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let program = self.programs()[0];
        let mut child = command.spawn().map_err(|error| format!("`{program}` does not start: {error}"))?;
        let output = Arc::new(Mutex::new(Vec::new()));
        for stream in [child.stdout.take().map(boxed), child.stderr.take().map(boxed)].into_iter().flatten() {
            let output = Arc::clone(&output);
            thread::spawn(move || keep(stream, &output));
        }
        Ok(Some(HostProcess { program, child, output }))
    }
}

fn boxed(stream: impl Read + Send + 'static) -> Box<dyn Read + Send> {
    Box::new(stream)
}

/// Keeps the last output, so that the process never waits for a reader.
fn keep(mut stream: Box<dyn Read + Send>, kept: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 1024];
    while let Ok(length @ 1..) = stream.read(&mut buffer) {
        let Ok(mut bytes) = kept.lock() else { break };
        bytes.extend_from_slice(&buffer[..length]);
        let surplus = bytes.len().saturating_sub(KEPT_OUTPUT);
        bytes.drain(..surplus);
    }
}

#[cfg(unix)]
fn create_private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn create_private(folder: &Path) -> io::Result<()> {
    fs::create_dir(folder)
}

#[cfg(unix)]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}

/// A running host.
#[derive(Debug)]
pub(crate) struct HostProcess {
    program: &'static str,
    child: Child,
    output: Arc<Mutex<Vec<u8>>>,
}

impl HostProcess {
    /// How the process ended, with its last output; `None` while it runs.
    pub(crate) fn end(&mut self) -> Option<String> {
        let status = self.child.try_wait().ok()??;
        let output = self.output.lock().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
        // Mesa prints this on every machine without a desktop.
        let lines: Vec<&str> = output.lines().filter(|line| !line.contains("XDG_RUNTIME_DIR")).collect();
        let last = Some(lines.join("\n")).filter(|lines| !lines.is_empty());
        let last = last.map(|output| format!("; last output: {output}")).unwrap_or_default();
        Some(format!("`{}` ended with {status}{last}", self.program))
    }
}

impl Drop for HostProcess {
    fn drop(&mut self) {
        // A browser's keeper removes its folder, so it is not killed.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}
