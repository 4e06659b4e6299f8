//! `layoutproof lsp`: a language server (LSP 3.17) over standard input and output.
//!
//! [`reading`] lays out the text of an editor; [`hover`], [`hints`], [`actions`] and [`problems`] answer from that reading.
//! [`host_check`] runs `check` in another process when a file is saved or a program is built again.

mod actions;
mod hints;
mod host_check;
mod hover;
mod positions;
mod problems;
mod reading;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use crossbeam_channel::{Receiver, Sender, select, unbounded};
use layoutproof_events::summary::Exit;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{
    DidChangeTextDocument, DidChangeWatchedFiles, DidCloseTextDocument, DidOpenTextDocument, DidSaveTextDocument,
    Notification as _, PublishDiagnostics,
};
use lsp_types::request::{
    CodeActionRequest, GotoImplementation, HoverRequest, InlayHintRefreshRequest, InlayHintRequest, Request as Method,
};
use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, HoverProviderCapability,
    ImplementationProviderCapability, InitializeParams, InitializeResult, OneOf, PositionEncodingKind,
    PublishDiagnosticsParams, ServerCapabilities, ServerInfo, TextDocumentSyncCapability, TextDocumentSyncKind,
    TextDocumentSyncOptions, TextDocumentSyncSaveOptions, Uri,
};
use serde::Deserialize;
use serde_json::Value;

use crate::commands::lsp::host_check::{HostChecks, HostPairs};
use crate::commands::lsp::positions::{Encoding, path_of};
use crate::commands::lsp::reading::Reading;
use crate::help::PROGRAM;

/// The time between two looks at the programs of projects.
const POLL: Duration = Duration::from_secs(2);

/// `layoutproof lsp`.
#[derive(Debug, Args)]
pub struct LspArgs {
    /// Accepted because editors pass it: the server always uses standard input and output.
    #[arg(long, hide = true)]
    pub stdio: bool,
}

/// What an editor sets in `initializationOptions`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Settings {
    /// The columns, as `show --target` takes them; if empty, those of the project or those that ship.
    targets: Vec<String>,
    /// Offsets beside members: all of them, or none. Without it, a member with more than two different ones has none.
    inlay_hints: Option<bool>,
    /// True if the editor has a command `layoutproof.copy`, which copies its argument.
    copy: bool,
}

/// What answers need besides the file.
struct Client {
    settings: Settings,
    encoding: Encoding,
    /// True if the editor gets new hints when the server says so.
    refreshes_hints: bool,
}

/// A file that is open in the editor.
struct Document {
    uri: Uri,
    path: PathBuf,
    /// As the editor calls it: `hlsl`.
    language: String,
    version: i32,
    text: String,
    /// `None` after a change, until the file is read again.
    reading: Option<Reading>,
    /// What `check` found about the file as it was last saved.
    host: HostPairs,
}

struct Server {
    client: Client,
    documents: BTreeMap<PathBuf, Document>,
    checks: HostChecks,
    sender: Sender<Message>,
}

/// Serves one editor until it ends the session.
///
/// # Errors
/// The editor breaks the protocol.
pub(crate) fn lsp(_: &LspArgs) -> anyhow::Result<Exit> {
    let (connection, threads) = Connection::stdio();
    let (id, params) = connection.initialize_start().context("initialize")?;
    let params: InitializeParams = serde_json::from_value(params).context("initialize")?;
    let encoding = Encoding::chosen(&params.capabilities);
    connection.initialize_finish(id, serde_json::to_value(initialized(encoding))?)?;

    let settings = params.initialization_options.filter(|options| !options.is_null()).map(serde_json::from_value);
    let workspace = params.capabilities.workspace;
    let client = Client {
        settings: settings.transpose().context("initializationOptions")?.unwrap_or_default(),
        encoding,
        refreshes_hints: workspace.and_then(|workspace| workspace.inlay_hint?.refresh_support).unwrap_or(false),
    };
    let (done, answers) = unbounded();
    let (documents, sender) = (BTreeMap::new(), connection.sender.clone());
    let checks = HostChecks::new(done, client.settings.targets.clone());
    Server { client, documents, checks, sender }.serve(&connection, &answers)?;
    drop(connection);
    threads.join()?;
    Ok(Exit::Agree)
}

fn initialized(encoding: Encoding) -> InitializeResult {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::FULL),
        save: Some(TextDocumentSyncSaveOptions::Supported(true)),
        ..TextDocumentSyncOptions::default()
    };
    let actions = CodeActionOptions {
        code_action_kinds: Some(vec![CodeActionKind::REFACTOR_REWRITE, actions::COPY]),
        ..CodeActionOptions::default()
    };
    let capabilities = ServerCapabilities {
        position_encoding: Some(PositionEncodingKind::from(encoding)),
        text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        inlay_hint_provider: Some(OneOf::Left(true)),
        implementation_provider: Some(ImplementationProviderCapability::Simple(true)),
        code_action_provider: Some(CodeActionProviderCapability::Options(actions)),
        ..ServerCapabilities::default()
    };
    let version = Some(env!("CARGO_PKG_VERSION").to_owned());
    InitializeResult { capabilities, server_info: Some(ServerInfo { name: PROGRAM.to_owned(), version }) }
}

impl Server {
    fn serve(mut self, connection: &Connection, answers: &Receiver<(PathBuf, HostPairs)>) -> anyhow::Result<()> {
        loop {
            select! {
                recv(connection.receiver) -> message => match message {
                    Ok(Message::Request(request)) if connection.handle_shutdown(&request)? => return Ok(()),
                    Ok(Message::Request(request)) => self.answer(request)?,
                    Ok(Message::Notification(notification)) => self.follow(notification),
                    Ok(Message::Response(_)) => {}
                    // The editor is gone.
                    Err(_) => return Ok(()),
                },
                recv(answers) -> answer => if let Ok((path, host)) = answer {
                    self.checks.ended();
                    if let Some(document) = self.documents.get_mut(&path) {
                        document.host = host;
                        self.publish(&path)?;
                    }
                },
                default(POLL) => self.checks.look_at_programs(),
            }
            // A burst of keystrokes is read once.
            if connection.receiver.is_empty() {
                self.read_changed()?;
            }
        }
    }

    /// Notes what changed. Parameters that are not those of the protocol are ignored, as it demands.
    fn follow(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        match method.as_str() {
            DidOpenTextDocument::METHOD => {
                let Some((path, opened)) = params_of::<DidOpenTextDocument>(params)
                    .and_then(|it| Some((path_of(&it.text_document.uri)?, it.text_document)))
                else {
                    return;
                };
                let document = Document {
                    uri: opened.uri,
                    path: path.clone(),
                    language: opened.language_id,
                    version: opened.version,
                    text: opened.text,
                    reading: None,
                    host: HostPairs::default(),
                };
                self.checks.want(&path);
                self.documents.insert(path.clone(), document);
                self.forget_readers_of(&path);
            }
            DidChangeTextDocument::METHOD => {
                let Some(params) = params_of::<DidChangeTextDocument>(params) else { return };
                let path = path_of(&params.text_document.uri);
                let document = path.and_then(|path| self.documents.get_mut(&path));
                let Some((document, change)) = document.zip(params.content_changes.into_iter().next_back()) else {
                    return;
                };
                (document.text, document.version) = (change.text, params.text_document.version);
                document.reading = None;
                let path = document.path.clone();
                self.forget_readers_of(&path);
            }
            DidCloseTextDocument::METHOD => {
                let params = params_of::<DidCloseTextDocument>(params);
                let Some(path) = params.and_then(|params| path_of(&params.text_document.uri)) else { return };
                self.documents.remove(&path);
                self.checks.forget(&path);
                self.forget_readers_of(&path);
            }
            // A header or the project may have been saved.
            DidSaveTextDocument::METHOD | DidChangeWatchedFiles::METHOD => {
                for document in self.documents.values_mut() {
                    document.reading = None;
                    self.checks.want(&document.path);
                }
            }
            _ => {}
        }
    }

    /// Lets the files be read again that include this one.
    fn forget_readers_of(&mut self, path: &Path) {
        for document in self.documents.values_mut() {
            if document.reading.as_ref().is_some_and(|reading| reading.includes(path)) {
                document.reading = None;
            }
        }
    }

    /// Reads what changed, and says what is wrong with it.
    fn read_changed(&mut self) -> anyhow::Result<()> {
        let changed = self.documents.values().filter(|document| document.reading.is_none());
        let changed: Vec<PathBuf> = changed.map(|document| document.path.clone()).collect();
        changed.iter().try_for_each(|path| self.publish(path))?;
        if self.client.refreshes_hints && !changed.is_empty() {
            let id = RequestId::from(InlayHintRefreshRequest::METHOD.to_owned());
            let request = Request::new(id, InlayHintRefreshRequest::METHOD.to_owned(), ());
            self.sender.send(Message::Request(request))?;
        }
        Ok(())
    }

    /// The open file at a path, with its reading.
    fn document(&mut self, path: &Path) -> Option<(&Document, &Reading)> {
        if self.documents.get(path)?.reading.is_none() {
            let texts = self.documents.values().map(|it| (it.path.display().to_string(), it.text.clone())).collect();
            let document = self.documents.get_mut(path)?;
            document.reading = Some(Reading::of(path, &document.language, texts, &self.client.settings.targets));
        }
        let document = self.documents.get(path)?;
        Some((document, document.reading.as_ref()?))
    }

    fn publish(&mut self, path: &Path) -> anyhow::Result<()> {
        let encoding = self.client.encoding;
        let Some((document, reading)) = self.document(path) else { return Ok(()) };
        let diagnostics = problems::problems(reading, &document.host, encoding);
        let params =
            PublishDiagnosticsParams { uri: document.uri.clone(), diagnostics, version: Some(document.version) };
        let notification = Notification::new(PublishDiagnostics::METHOD.to_owned(), params);
        Ok(self.sender.send(Message::Notification(notification))?)
    }

    fn answer(&mut self, request: Request) -> anyhow::Result<()> {
        let Request { id, method, params } = request;
        let answer = match method.as_str() {
            HoverRequest::METHOD => self.about::<HoverRequest>(
                params,
                |params| &params.text_document_position_params.text_document.uri,
                |client, file, params| {
                    hover::hover(file.reading, params.text_document_position_params.position, client)
                },
            ),
            InlayHintRequest::METHOD => self.about::<InlayHintRequest>(
                params,
                |params| &params.text_document.uri,
                |client, file, params| Some(hints::hints(file.reading, params.range, client)),
            ),
            CodeActionRequest::METHOD => self.about::<CodeActionRequest>(
                params,
                |params| &params.text_document.uri,
                |client, file, params| Some(actions::actions(&file, params.range.start, client)),
            ),
            GotoImplementation::METHOD => self.about::<GotoImplementation>(
                params,
                |params| &params.text_document_position_params.text_document.uri,
                |client, file, params| {
                    let at = params.text_document_position_params.position;
                    Some(file.document.host.host_places(file.reading, at, client.encoding))
                },
            ),
            _ => Err(Refusal { code: ErrorCode::MethodNotFound, message: format!("{method} is not supported") }),
        };
        let response = match answer {
            Ok(value) => Response::new_ok(id, value),
            Err(Refusal { code, message }) => Response::new_err(id, code as i32, message),
        };
        Ok(self.sender.send(Message::Response(response))?)
    }

    /// The answer to a request about an open file; `null` for one that is not open.
    fn about<M: Method>(
        &mut self,
        params: Value,
        uri: impl FnOnce(&M::Params) -> &Uri,
        answer: impl FnOnce(&Client, OpenFile<'_>, M::Params) -> M::Result,
    ) -> Result<Value, Refusal> {
        let refusal = |error: serde_json::Error| Refusal { code: ErrorCode::InvalidParams, message: error.to_string() };
        let params: M::Params = serde_json::from_value(params).map_err(refusal)?;
        let path = path_of(uri(&params));
        // Reads the file, if that was not done.
        path.as_ref().and_then(|path| self.document(path));
        let document = path.and_then(|path| self.documents.get(&path));
        match document.and_then(|document| Some(OpenFile { document, reading: document.reading.as_ref()? })) {
            Some(file) => serde_json::to_value(answer(&self.client, file, params)).map_err(refusal),
            None => Ok(Value::Null),
        }
    }
}

/// An open file that is read.
struct OpenFile<'a> {
    document: &'a Document,
    reading: &'a Reading,
}

struct Refusal {
    code: ErrorCode,
    message: String,
}

fn params_of<N: lsp_types::notification::Notification>(params: Value) -> Option<N::Params> {
    serde_json::from_value(params).ok()
}
