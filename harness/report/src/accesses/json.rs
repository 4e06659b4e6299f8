//! The accesses as JSON.

use std::collections::BTreeMap;

use layoutproof_readers::spirv::accesses::{ByteExpr, Fault, SourcePlace, Stride, Why};
use serde::Serialize;
use serde_json::Value;

use super::{FollowedFile, FollowedFiles};

const SCHEMA: u32 = 1;

/// Writes the accesses as one line of JSON, newline included.
pub fn json(followed: &FollowedFiles) -> String {
    let answer = JsonAnswer {
        schema: SCHEMA,
        headline: followed.headline(),
        files: followed.files.iter().map(JsonFile::new).collect(),
        unread: followed
            .unread
            .iter()
            .map(|unread| JsonUnread { file: &unread.file, reason: unread.reason() })
            .collect(),
        account: JsonAccount {
            accesses: followed.accesses(),
            followed: followed.files.iter().map(|file| file.accesses.resolved()).sum(),
            open: followed.open(),
        },
    };
    serde_json::to_string(&answer).expect("all keys are strings, and writing to memory does not fail") + "\n"
}

#[derive(Debug, Serialize)]
struct JsonAnswer<'a> {
    schema: u32,
    headline: String,
    files: Vec<JsonFile<'a>>,
    unread: Vec<JsonUnread<'a>>,
    account: JsonAccount,
}

#[derive(Debug, Serialize)]
struct JsonUnread<'a> {
    file: &'a str,
    reason: String,
}

#[derive(Debug, Serialize)]
struct JsonAccount {
    accesses: usize,
    followed: usize,
    open: BTreeMap<Why, u64>,
}

#[derive(Debug, Serialize)]
struct JsonFile<'a> {
    source: &'a str,
    compiler: Option<&'a str>,
    entries: &'a [String],
    views: Vec<JsonView<'a>>,
    accesses: Vec<JsonAccess<'a>>,
    faults: Vec<JsonFault<'a>>,
}

#[derive(Debug, Serialize)]
struct JsonView<'a> {
    name: &'a str,
    kind: &'static str,
    set: Option<u32>,
    binding: Option<u32>,
    /// Members without an access.
    untouched: &'a [String],
}

#[derive(Debug, Serialize)]
struct JsonAccess<'a> {
    kind: &'static str,
    /// Index of the view.
    view: Option<u32>,
    member: &'a str,
    #[serde(rename = "type")]
    type_name: &'a str,
    /// Bytes that no index changes; `null` if the place is open.
    offset: Option<i64>,
    strides: Vec<JsonStride<'a>>,
    open: Option<Why>,
    size: Option<u32>,
    promised_alignment: Option<u32>,
    #[serde(flatten)]
    place: JsonPlace<'a>,
    entries: Vec<u32>,
}

#[derive(Debug, Serialize)]
struct JsonStride<'a> {
    bytes: i64,
    index: &'a str,
}

#[derive(Debug, Serialize)]
struct JsonPlace<'a> {
    file: Option<&'a str>,
    line: Option<u32>,
    column: Option<u32>,
}

#[derive(Debug, Serialize)]
struct JsonFault<'a> {
    fault: &'static str,
    message: String,
    /// The numbers and names of the message.
    detail: Value,
    view: &'a str,
    member: &'a str,
    /// Index of the access.
    access: Option<u32>,
    #[serde(flatten)]
    place: JsonPlace<'a>,
}

impl<'a> JsonFile<'a> {
    fn new(followed: &'a FollowedFile) -> Self {
        let module = &followed.accesses;
        let views = module.views.iter().map(|view| JsonView {
            name: &view.name,
            kind: view.kind.as_str(),
            set: view.set,
            binding: view.binding,
            untouched: &view.untouched,
        });
        let accesses = module.accesses.iter().map(|access| {
            let (offset, strides, open): (_, &[Stride], _) = match &access.at {
                ByteExpr::Constant(offset) => (Some(*offset), &[], None),
                ByteExpr::Strided { base, strides } => (Some(*base), strides, None),
                ByteExpr::Unknown(why) => (None, &[], Some(*why)),
            };
            JsonAccess {
                kind: access.kind.as_str(),
                view: access.view,
                member: &access.member,
                type_name: &access.type_name,
                offset,
                strides: strides
                    .iter()
                    .map(|stride| JsonStride { bytes: stride.bytes, index: &stride.index })
                    .collect(),
                open,
                size: access.size,
                promised_alignment: access.promised,
                place: JsonPlace::new(access.place.as_ref()),
                entries: access.entries.iter().copied().collect(),
            }
        });
        Self {
            source: &followed.file,
            compiler: followed.compiler.as_deref(),
            entries: &module.entries,
            views: views.collect(),
            accesses: accesses.collect(),
            faults: module.faults.iter().map(|fault| JsonFault::new(fault, followed)).collect(),
        }
    }
}

impl<'a> JsonPlace<'a> {
    fn new(place: Option<&'a SourcePlace>) -> Self {
        Self {
            file: place.map(|place| place.file.as_str()),
            line: place.map(|place| place.line),
            column: place.and_then(|place| place.column),
        }
    }
}

impl<'a> JsonFault<'a> {
    fn new(fault: &'a Fault, followed: &FollowedFile) -> Self {
        // The enum as an object with one key.
        let kind = serde_json::to_value(&fault.kind).expect("all keys are strings");
        let detail = match kind {
            Value::Object(kind) => kind.into_iter().next().map_or(Value::Null, |(_, detail)| detail),
            other => other,
        };
        Self {
            fault: fault.kind.name(),
            message: followed.sentence(fault),
            detail,
            view: &fault.view,
            member: &fault.member,
            access: fault.access,
            place: JsonPlace::new(fault.place.as_ref()),
        }
    }
}
