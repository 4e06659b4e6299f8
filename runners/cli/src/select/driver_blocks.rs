//! Blocks of GLSL that name no layout: an OpenGL driver lays them out, and only it knows how.
//!
//! Our shaders cannot test them, since no module states such offsets. A run queries the driver of each OpenGL device in a
//! separate process, and prints the answer.

use std::collections::BTreeMap;
use std::io::Read;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, bail};
use layoutproof_compilers::child::{self, ProcessEnd};
use layoutproof_device::DeviceInfo;
use layoutproof_events::{AccountState, NotCompared, RecordedLayout, StoryBlock};
use layoutproof_layout::{BlockLayout, MemberRow};
use layoutproof_opengl::{DriverBlock, DriverLayouts, DriverQuestion};
use layoutproof_show::DriverText;

/// How long a driver may take to compile and link a shader.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// The rule set of such blocks in records.
const RULES: &str = "opengl-driver";

/// The blocks of a file that a driver lays out.
#[derive(Debug)]
pub(crate) struct DriverBlocks {
    text: DriverText,
    /// With the numbers of glslang, which only name the members and their types.
    declared: Vec<BlockLayout>,
    answers: Vec<DriverAnswer>,
}

/// The answer of one device's driver.
#[derive(Debug)]
struct DriverAnswer {
    device: String,
    /// How it lays out each declared block that the shader uses; or a sentence why it does not say.
    said: Result<Vec<StoryBlock>, String>,
    /// Its version and name.
    driver: String,
}

impl DriverBlocks {
    pub(crate) fn new(text: DriverText, declared: Vec<BlockLayout>) -> Self {
        Self { text, declared, answers: Vec::new() }
    }

    /// Asks the drivers of the OpenGL devices.
    pub(crate) fn ask(&mut self, devices: &[DeviceInfo]) {
        for device in devices.iter().filter(|device| device.is_opengl()) {
            let asked = ask(&self.text).map_err(|error| format!("{error:#}"));
            let driver =
                asked.as_ref().map_or_else(|_| device.driver.clone(), |it| format!("{}, {}", it.renderer, it.version));
            let said = asked.map(|layouts| {
                let blocks = self.declared.iter().filter_map(|block| laid_out(block, &layouts.blocks));
                blocks.collect()
            });
            self.answers.push(DriverAnswer { device: device.id.clone(), said, driver });
        }
    }

    /// What became of each block.
    pub(crate) fn states(&self) -> impl Iterator<Item = (&str, AccountState)> {
        self.declared.iter().map(|block| (block.name.as_str(), self.state(&block.name)))
    }

    fn state(&self, block: &str) -> AccountState {
        let mut why = "the OpenGL driver lays it out, and no OpenGL device is here".to_owned();
        for DriverAnswer { device, said, .. } in &self.answers {
            match said {
                Ok(blocks) if blocks.iter().any(|said| said.name == block) => return AccountState::Compared,
                Ok(_) => why = format!("the driver of {device} drops it: the shader does not use it"),
                Err(reason) => why = format!("the driver of {device} does not lay it out: {reason}"),
            }
        }
        AccountState::not_compared(NotCompared::NoLayout { message: why })
    }

    /// The layouts for the records.
    pub(crate) fn recorded(&self) -> impl Iterator<Item = RecordedLayout> {
        let answered = self.answers.iter().filter_map(|answer| Some((answer, answer.said.as_ref().ok()?)));
        answered.map(|(answer, blocks)| RecordedLayout {
            rules: RULES.to_owned(),
            authority: format!("glGetProgramResourceiv of {} ({})", answer.device, answer.driver),
            blocks: blocks.clone(),
        })
    }

    /// A line for each driver and block: `Light: 32 bytes; dir 0, k 12, tail 16`.
    pub(crate) fn lines(&self, file: &str) -> Vec<String> {
        let mut lines = Vec::new();
        for DriverAnswer { device, said, driver } in &self.answers {
            for block in said.iter().flatten() {
                let size = block.size.map_or_else(|| "runtime-sized".to_owned(), |size| format!("{size} bytes"));
                let members: Vec<String> =
                    block.members.iter().map(|row| format!("{} {}", row.path, row.offset)).collect();
                lines.push(format!("{file}, as {device} lays it out ({driver})"));
                lines.push(format!("  {}: {size}; {}", block.name, members.join(", ")));
            }
        }
        lines
    }
}

/// Queries the driver in a separate process, because a driver may end it.
fn ask(text: &DriverText) -> anyhow::Result<DriverLayouts> {
    let question = DriverQuestion { stage: text.stage.to_owned(), text: text.text.clone() };
    let file = tempfile::NamedTempFile::new().context("no temporary file")?;
    serde_json::to_writer(&file, &question)?;
    let program = std::env::current_exe().context("this program has no path")?;
    let mut command = Command::new(program);
    let answer = child::run(command.arg("opengl-layouts").arg(file.path()), TIME_LIMIT)?;
    match answer.end {
        ProcessEnd::Exited(0) => Ok(serde_json::from_str(&answer.stdout)?),
        ProcessEnd::Exited(_) => {
            let first = answer.stderr.lines().find(|line| !line.trim().is_empty()).unwrap_or("no reason");
            bail!("{}", first.strip_prefix("error: ").unwrap_or(first))
        }
        ProcessEnd::Signalled(signal) => bail!("it died of signal {signal}"),
        ProcessEnd::TimedOut(limit) => bail!("it gave no answer within {} s", limit.as_secs()),
        ProcessEnd::Flooded | ProcessEnd::Unanswered => bail!("it gave no answer"),
    }
}

/// Serves the hidden command `opengl-layouts FILE`.
pub(crate) fn serve(file: &std::path::Path) -> anyhow::Result<()> {
    let mut question = String::new();
    std::fs::File::open(file)?.read_to_string(&mut question)?;
    let question: DriverQuestion = serde_json::from_str(&question)?;
    let layouts = question.ask().map_err(anyhow::Error::msg)?;
    crate::output::print(&serde_json::to_string(&layouts)?);
    Ok(())
}

/// The declared block with the driver's numbers; `None` if the driver has no block with its members.
fn laid_out(declared: &BlockLayout, driver: &[DriverBlock]) -> Option<StoryBlock> {
    let rows = declared.rows();
    let candidates = driver.iter().filter_map(|block| {
        let members: BTreeMap<String, _> =
            block.members.iter().map(|member| (bare(&member.name, &block.name), member)).collect();
        let placed: Vec<MemberRow> = rows
            .iter()
            .filter_map(|row| {
                let member = members.get(&row.path.replace("[]", "[0]"))?;
                let stride = |stride: u32| (stride > 0).then_some(stride);
                Some(MemberRow {
                    offset: member.offset,
                    array_stride: stride(member.array_stride),
                    matrix_stride: stride(member.matrix_stride),
                    ..row.clone()
                })
            })
            .collect();
        (!placed.is_empty()).then(|| StoryBlock {
            name: declared.name.clone(),
            size: Some(block.size),
            members: placed,
        })
    });
    candidates.max_by_key(|block| block.members.len())
}

/// A driver's name for a member without the block's name and the index of the member's own first element.
fn bare(name: &str, block: &str) -> String {
    let inner = name.strip_prefix(block.split('[').next().unwrap_or(block)).and_then(|rest| rest.strip_prefix('.'));
    let inner = inner.unwrap_or(name);
    inner.strip_suffix("[0]").unwrap_or(inner).to_owned()
}
