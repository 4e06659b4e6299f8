//! Reads blocks from DXC's listing of a DXIL container: types, names and offsets in `; Buffer
//! Definitions:`.
//!
//! [`buffer_definitions`](crate::dxil::buffer_definitions) reads only offsets from the same table.
//! Min-precision types have 4 bytes: DXC prints them under their own names only then.

use std::collections::{BTreeMap, HashMap, HashSet};

use layoutproof_layout::{
    BlockKind, BlockLayout, Component, Count, DECLARED, MatrixOrder, Reach, Refusal, Scalar, ViewId,
};

use super::ContainerError;
use super::reflected::{MOST_NESTED, ReflectedBase, ReflectedBlock, ReflectedMember, ReflectedType, lay_out_reflected};
use crate::dxil::resource_bindings;
use crate::llvm::{StructType, Type, defined_types};
use layoutproof_layout::listing::ListingBudget;

/// Scalars by the names that DXC prints, with their bytes. A longer name comes before its prefix.
const SCALARS: [(&str, Scalar, u32); 13] = [
    ("min16float", Scalar::Min16Float, 4),
    ("min16ui", Scalar::Min16Uint, 4),
    ("min16i", Scalar::Min16Int, 4),
    ("int16_t", Scalar::Int16, 2),
    ("uint16_t", Scalar::Uint16, 2),
    ("int64_t", Scalar::Int64, 8),
    ("uint64_t", Scalar::Uint64, 8),
    ("bool", Scalar::Bool, 4),
    ("half", Scalar::Half, 2),
    ("float", Scalar::Float32, 4),
    ("double", Scalar::Float64, 8),
    ("int", Scalar::Int32, 4),
    ("uint", Scalar::Uint32, 4),
];

/// The low byte of resource properties: a constant buffer, a structured buffer.
///
/// Source: `DirectXShaderCompiler`, `DXIL::ResourceKind`.
const KIND_CBUFFER: u32 = 13;
const KIND_STRUCTURED: u32 = 12;

/// The blocks of a listing in its order, under the name `declared`.
pub fn listed_blocks(listing: &str) -> Result<Vec<BlockLayout>, ContainerError> {
    let section = listing.lines().skip_while(|line| line.trim_end() != "; Buffer Definitions:").skip(1);
    let lines = section.take_while(|line| line.starts_with(';') && !line.starts_with("; Resource Bindings:"));
    let counts: BTreeMap<String, Count> =
        resource_bindings(listing)?.into_iter().map(|binding| (binding.name, binding.count)).collect();

    let structs = defined_types(listing);
    let mut budget = ListingBudget::default();
    let mut blocks = Vec::new();
    let mut open: Option<OpenBlock> = None;
    for line in lines {
        let text = line.trim_start_matches(';').trim();
        if text.contains("(type annotation not present)") {
            return Err(ContainerError::Stripped);
        }
        if let Some((head, name)) = head(text) {
            open = Some(OpenBlock { head, name: name.to_owned(), levels: Vec::new() });
            continue;
        }

        let Some(block) = &mut open else { continue };
        let unreadable = || ContainerError::Line(text.to_owned());
        if let Some(name) = text.strip_prefix("struct ") {
            block.begin_struct(name).ok_or_else(unreadable)?;
        } else if let Some((declaration, numbers)) = text.split_once("; Offset:") {
            let line = block.member(declaration, numbers, &structs).ok_or_else(unreadable)?;
            if let ListedLine::Whole(whole) = line {
                let count = counts.get(&block.name).copied().unwrap_or(Count::Finite(1));
                let laid_out = lay_out_reflected(block.finish(whole, count), &mut budget);
                blocks.push(laid_out.ok_or(ContainerError::TooLarge)?);
                open = None;
            }
        }
    }
    blocks.extend(heap_blocks(listing, &mut budget).ok_or(ContainerError::TooLarge)?);
    Ok(blocks)
}

/// The buffers that the code fetches from descriptor heaps. The code states the size of each, or of its elements, and no
/// table has its members. `None` if there are too many.
fn heap_blocks(listing: &str, budget: &mut ListingBudget) -> Option<Vec<BlockLayout>> {
    let mut handles: HashSet<&str> = HashSet::new();
    let mut found: Vec<BlockLayout> = Vec::new();
    for line in listing.lines() {
        let Some((result, call)) = line.trim_start().split_once(" = call %dx.types.Handle @dx.op.") else { continue };
        if call.starts_with("createHandleFromHeap(") {
            budget.spend(result.len())?;
            handles.insert(result);
        }
        let Some(arguments) = call.strip_prefix("annotateHandle(") else { continue };
        let mut words = arguments.split([',', '{', '}']).map(str::trim);
        let handle = words.find_map(|word| word.strip_prefix("%dx.types.Handle "));
        let mut numbers = words.filter_map(|word| word.strip_prefix("i32 ")?.parse::<u32>().ok());
        let (Some(kind), Some(size)) = (numbers.next(), numbers.next()) else { continue };
        if !handle.is_some_and(|handle| handles.contains(handle)) {
            continue;
        }
        let (name, kind, stride, message) = match kind & 0xFF {
            KIND_CBUFFER => {
                ("heap_cbuffer", BlockKind::ConstantBuffer, None, format!("DXIL states {size} bytes and no members"))
            }
            KIND_STRUCTURED => {
                let message = format!("DXIL states elements of {size} bytes and no members");
                ("heap_structured", BlockKind::StructuredElement, Some(size), message)
            }
            _ => continue,
        };
        let result = Err(vec![Refusal { path: String::new(), message }]);
        if found.iter().any(|known| (known.kind, &known.result) == (kind, &result)) {
            continue;
        }
        budget.spend(name.len())?;
        let same = found.iter().filter(|known| known.kind == kind).count();
        let name = if same == 0 { name.to_owned() } else { format!("{name}#{}", same + 1) };
        found.push(BlockLayout {
            rules: DECLARED.to_owned(),
            view: ViewId::default(),
            name,
            kind,
            reach: Reach::DescriptorHeap,
            has_global_members: false,
            count: Count::Finite(1),
            result,
            stride,
            warnings: Vec::new(),
        });
    }
    Some(found)
}

/// The words before the name of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BufferHead {
    Cbuffer,
    Tbuffer,
    Structured,
}

/// `cbuffer S`, `tbuffer S`, `Resource bind info for sb`.
fn head(text: &str) -> Option<(BufferHead, &str)> {
    let heads = [
        ("cbuffer ", BufferHead::Cbuffer),
        ("tbuffer ", BufferHead::Tbuffer),
        ("Resource bind info for ", BufferHead::Structured),
    ];
    heads.into_iter().find_map(|(words, head)| Some((head, text.strip_prefix(words)?.trim())))
}

#[derive(Debug)]
struct OpenBlock {
    head: BufferHead,
    name: String,
    /// Structs that are not closed yet, outermost first.
    levels: Vec<OpenStruct>,
}

/// The kind of a line with an offset.
#[derive(Debug)]
enum ListedLine {
    /// A member of a struct; it was added to the struct.
    Member,
    /// The last line of the buffer, which describes it as a whole.
    Whole(ReflectedMember),
}

/// A struct whose end was not reached yet. Offsets of its members are from the start of the buffer.
#[derive(Debug)]
struct OpenStruct {
    name: String,
    members: Vec<ReflectedMember>,
}

impl OpenBlock {
    fn begin_struct(&mut self, name: &str) -> Option<()> {
        (self.levels.len() < MOST_NESTED).then_some(())?;
        self.levels.push(OpenStruct { name: name.trim().to_owned(), members: Vec::new() });
        Some(())
    }

    /// Parses `float3 a;` or `} l[2];` with the numbers after `Offset:`. A line with a size
    /// describes the whole buffer. Returns `None` if the line cannot be parsed.
    fn member(
        &mut self,
        declaration: &str,
        numbers: &str,
        structs: &HashMap<String, StructType>,
    ) -> Option<ListedLine> {
        let mut numbers = numbers.split_whitespace();
        let offset: u32 = numbers.next()?.parse().ok()?;
        let size = match (numbers.next(), numbers.next()) {
            (Some("Size:"), Some(size)) => Some(size.parse().ok()?),
            _ => None,
        };

        let declaration = declaration.trim().trim_end_matches(';');
        let declared = match declaration.strip_prefix('}') {
            Some(name) => Declared { base: closed(self.levels.pop()?, offset, structs), name: name.trim() },
            None => declared(declaration)?,
        };
        let (name, printed) = match declared.name.split_once('[') {
            Some((name, count)) => (name, vec![count.strip_suffix(']')?.parse().ok()?]),
            None => (declared.name, Vec::new()),
        };

        let is_base = matches!(&declared.base, ReflectedBase::Struct { name: ty, .. } if ty == name)
            && self.levels.last().is_some_and(|level| level.members.is_empty() && level.name != self.name);
        let ty = ReflectedType { base: declared.base, counts: printed };
        let member = ReflectedMember { name: name.to_owned(), is_base, offset, ty, size };
        if size.is_some() {
            return Some(ListedLine::Whole(member));
        }
        self.levels.last_mut()?.members.push(member);
        Some(ListedLine::Member)
    }

    /// Makes the block; `whole` is its last line. The block of `ConstantBuffer<T> cb` has one
    /// member `cb` that contains those of `T`.
    fn finish(&self, whole: ReflectedMember, count: Count) -> ReflectedBlock {
        let size = whole.size;
        let is_own = |member: &ReflectedMember| {
            member.name == self.name
                && member.ty.counts.is_empty()
                && matches!(member.ty.base, ReflectedBase::Struct { .. })
        };
        let (root, is_of_struct) = match whole.ty.base {
            ReflectedBase::Struct { mut members, .. } if members.len() == 1 && is_own(&members[0]) => {
                (members.remove(0).ty, true)
            }
            base => (ReflectedType { base, counts: whole.ty.counts }, false),
        };

        let kind = match (self.head, is_of_struct) {
            (BufferHead::Structured, _) => BlockKind::StructuredElement,
            (BufferHead::Cbuffer, true) => BlockKind::ConstantBuffer,
            (BufferHead::Cbuffer, false) if self.name == "$Globals" => BlockKind::Globals,
            (BufferHead::Cbuffer, false) => BlockKind::Cbuffer,
            (BufferHead::Tbuffer, true) => BlockKind::TextureBuffer,
            (BufferHead::Tbuffer, false) => BlockKind::Tbuffer,
        };
        ReflectedBlock { name: self.name.clone(), kind, count, root, size }
    }
}

/// A complete struct, with offsets from its own start and all dimensions of its members.
fn closed(open: OpenStruct, start: u32, structs: &HashMap<String, StructType>) -> ReflectedBase {
    let types = structs.get(&open.name).map(|own| &own.members[..]).unwrap_or_default();
    let mut members = open.members;
    let is_known = types.len() == members.len();
    for (index, member) in members.iter_mut().enumerate() {
        member.offset = member.offset.saturating_sub(start);
        if is_known {
            member.ty.counts = counts_of(&member.ty.base, &types[index]);
        }
    }

    let name = open.name.rsplit('.').next().unwrap_or_default().to_owned();
    ReflectedBase::Struct { name, members }
}

/// The dimensions of a member, outermost first.
///
/// DXC's table prints `a[6]` for `a[2][3]`, and omits a dimension of an array of matrices. The type
/// in LLVM's assembly has them all: `%Frame = type { [2 x [3 x <2 x float>]] }`. There a matrix is
/// an array of its vectors, unless it is a separate struct.
fn counts_of(base: &ReflectedBase, ty: &Type) -> Vec<u32> {
    let (mut counts, mut element) = (Vec::new(), ty);
    while let Type::Array(count, inner) = element {
        counts.extend(u32::try_from(*count));
        element = inner;
    }

    let is_struct = matches!(element, Type::Named(name) if name.starts_with("class.matrix."));
    if let ReflectedBase::Matrix { rows, columns, order, .. } = base
        && !is_struct
        && order.vectors_and_length(*rows, *columns).0 > 1
    {
        counts.pop();
    }
    counts
}

struct Declared<'a> {
    base: ReflectedBase,
    /// Including its count: `a[2]`; empty for a bit-field's storage.
    name: &'a str,
}

/// `row_major float3x4 m[2]`.
fn declared(declaration: &str) -> Option<Declared<'_>> {
    let (order, rest) = match declaration.split_once(' ') {
        Some(("row_major", rest)) => (MatrixOrder::Row, rest),
        Some(("column_major", rest)) => (MatrixOrder::Column, rest),
        _ => (MatrixOrder::Column, declaration),
    };
    let (ty, name) = rest.trim().split_once(' ').unwrap_or((rest.trim(), ""));
    (!ty.is_empty()).then_some(())?;
    let base = numeric(ty, order).unwrap_or_else(|| ReflectedBase::Unknown(format!("`{ty}`")));
    Some(Declared { base, name: name.trim() })
}

/// `float`, `float3`, `float3x4`.
fn numeric(ty: &str, order: MatrixOrder) -> Option<ReflectedBase> {
    let (name, scalar, size) = SCALARS.into_iter().find(|(name, ..)| ty.starts_with(name))?;
    let component = Component { scalar, size };
    let digit = |text: &str| text.parse::<u32>().ok().filter(|number| (1..=4).contains(number));
    match ty[name.len()..].split_once('x') {
        Some((rows, columns)) => {
            Some(ReflectedBase::Matrix { component, rows: digit(rows)?, columns: digit(columns)?, order })
        }
        None if ty.len() == name.len() => Some(ReflectedBase::Scalar(component)),
        None => Some(ReflectedBase::Vector { component, length: digit(&ty[name.len()..])? }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Printed by DXC 1.7.2308, `-T cs_6_6 -enable-16bit-types`; blocks, columns and lines without
    /// relevance here are removed.
    const LISTING: &str = "\
; Buffer Definitions:
;
; cbuffer Frame
; {
;
;   struct Frame
;   {
;
;       row_major float4x3 rm;                        ; Offset:    0
;       struct struct.Light
;       {
;
;           float3 pos;                               ; Offset:   64
;           half intensity;                           ; Offset:   76
;       
;       } lights[2];;                                 ; Offset:   64
;
;       float2 grid[6];                               ; Offset:   96
;       column_major float3x3 mats;                   ; Offset:  192
;       struct struct.Derived
;       {
;
;           struct struct.Base
;           {
;
;               float base0;                          ; Offset:  288
;           
;           } Base;                                   ; Offset:  288
;
;           float3 d;                                 ; Offset:  292
;       
;       } der;                                        ; Offset:  288
;
;       uint ;                                        ; Offset:  304
;   
;   } Frame;                                          ; Offset:    0 Size:   308
;
; }
;
; cbuffer many
; {
;
;   struct many
;   {
;
;       struct struct.Light
;       {
;
;           float3 pos;                               ; Offset:    0
;           half intensity;                           ; Offset:   12
;       
;       } many;                                       ; Offset:    0
;
;   
;   } many;                                           ; Offset:    0 Size:    14
;
; }
;
; Resource bind info for mats2
; {
;
;   column_major float3x4 $Element;                   ; Offset:    0 Size:    48
;
; }
;
;
; Resource Bindings:
;
; Name                                 Type  Format         Dim      ID      HLSL Bind  Count
; ------------------------------ ---------- ------- ----------- ------- -------------- ------
; Frame                             cbuffer      NA          NA     CB0            cb0     1
; many                              cbuffer      NA          NA     CB1            cb1     3
; mats2                             texture  struct         r/o      T0             t0     1
;
%struct.Light = type { <3 x float>, half }
%Frame = type { %class.matrix.float.4.3, [2 x %struct.Light], [2 x [3 x <2 x float>]], [2 x %class.matrix.float.3.3], %struct.Derived, i32 }
";

    #[test]
    fn types_have_all_their_dimensions() {
        let blocks = listed_blocks(LISTING).unwrap();
        let told: Vec<String> = blocks
            .iter()
            .flat_map(|block| {
                let rows = block.rows();
                rows.into_iter().map(|row| format!("{} {}: {} {:?}", block.name, row.path, row.type_name, row.offset))
            })
            .collect();
        assert_eq!(told[0], "Frame rm: float4x3 0");
        for row in [
            "Frame lights: Light[2] 64",
            "Frame lights[].intensity: half 76",
            "Frame grid: float2[2][3] 96",
            "Frame mats: float3x3[2] 192",
            "Frame der.base0: float 288",
            "Frame der.d: float3 292",
            "many pos: float3 0",
        ] {
            assert!(told.iter().any(|found| found == row), "{row}: {told:#?}");
        }

        let kinds: Vec<_> = blocks.iter().map(|block| (block.kind, block.count, block.stride)).collect();
        let one = Count::Finite(1);
        assert_eq!(kinds[1], (BlockKind::ConstantBuffer, Count::Finite(3), None));
        assert_eq!(kinds[2], (BlockKind::StructuredElement, one, Some(48)));
    }

    /// Without the types in LLVM's notation, a dimension of `mats` is unknown.
    #[test]
    fn a_block_whose_bytes_do_not_add_up_is_refused() {
        let damaged = LISTING.replace("Size:   308", "Size:   312");
        let blocks = listed_blocks(&damaged).unwrap();
        let reasons = blocks[0].result.as_ref().unwrap_err();
        assert_eq!(reasons[0].message, "has 308 bytes according to its types, but the container states 312");
        let unknown = LISTING.replace("float3 d;", "texels d;");
        let blocks = listed_blocks(&unknown).unwrap();
        assert!(blocks[0].result.as_ref().unwrap_err()[0].message.contains("`texels`"));
    }

    #[test]
    fn a_stripped_container_and_a_broken_line_are_told() {
        let stripped = "; Buffer Definitions:\n;\n; cbuffer \n; {\n;\n;   [4 x i8] (type annotation not present)\n";
        assert!(matches!(listed_blocks(stripped), Err(ContainerError::Stripped)));
        let broken = LISTING.replace("Offset:   76", "Offset: what");
        assert!(listed_blocks(&broken).unwrap_err().to_string().contains("half intensity"));
        let deep = format!("; Buffer Definitions:\n; cbuffer S\n{}", ";  struct S\n".repeat(MOST_NESTED + 1));
        assert!(listed_blocks(&deep).is_err());
    }

    /// Printed by DXC 1.7.2308, with and without `-enable-16bit-types`.
    const STRUCTS: &str = "\
%\"$Globals\" = type { float }
%Frame = type { [2 x [3 x <2 x float>]], [2 x %class.matrix.float.3.3], %\"class.A<float, 3>\", i32 }
%hostlayout.C = type { [2 x [2 x [2 x <3 x float>]]], float }
";

    #[test]
    fn every_member_has_its_dimensions() {
        let structs = defined_types(STRUCTS);
        let component = Component { scalar: Scalar::Float32, size: 4 };
        let matrix = ReflectedBase::Matrix { component, rows: 3, columns: 2, order: MatrixOrder::Row };
        let of = |name: &str, base: &ReflectedBase| -> Vec<Vec<u32>> {
            structs[name].members.iter().map(|ty| counts_of(base, ty)).collect()
        };
        let scalar = ReflectedBase::Scalar(component);
        assert_eq!(of("$Globals", &scalar), [Vec::<u32>::new()]);
        assert_eq!(of("Frame", &scalar), [vec![2, 3], vec![2], vec![], vec![]]);
        assert_eq!(of("Frame", &matrix), [vec![2], vec![2], vec![], vec![]]);
        assert_eq!(of("hostlayout.C", &scalar), [vec![2, 2, 2], vec![]]);
        assert_eq!(of("hostlayout.C", &matrix)[0], [2, 2]);
        assert!(!structs.contains_key("Other"));
    }

    /// DXC 1.7.2308, `cs_6_6`: its listing of a shader that fetches a constant buffer of 68 bytes, two structured buffers of
    /// one stride, and has a declared one.
    #[test]
    fn buffers_of_descriptor_heaps_have_sizes() {
        let listing = "\
  %1 = call %dx.types.Handle @dx.op.createHandleFromBinding(i32 217, %dx.types.ResBind { i32 0, i32 0, i32 0, i8 1 }, i32 0, i1 false)
  %2 = call %dx.types.Handle @dx.op.createHandleFromHeap(i32 218, i32 0, i1 false, i1 false)  ; CreateHandleFromHeap(index,samplerHeap,nonUniformIndex)
  %3 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %2, %dx.types.ResourceProperties { i32 13, i32 68 })  ; AnnotateHandle(res,props)  resource: CBuffer
  %4 = call %dx.types.Handle @dx.op.createHandleFromHeap(i32 218, i32 1, i1 false, i1 false)
  %5 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %4, %dx.types.ResourceProperties { i32 524, i32 16 })
  %6 = call %dx.types.Handle @dx.op.createHandleFromHeap(i32 218, i32 7, i1 false, i1 false)
  %7 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %6, %dx.types.ResourceProperties { i32 4108, i32 16 })
  %8 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %1, %dx.types.ResourceProperties { i32 4108, i32 4 })
";
        let blocks = listed_blocks(listing).unwrap();
        let told =
            blocks.iter().map(|block| (&*block.name, block.stride, &*block.result.as_ref().unwrap_err()[0].message));
        let expected = [
            ("heap_cbuffer", None, "DXIL states 68 bytes and no members"),
            ("heap_structured", Some(16), "DXIL states elements of 16 bytes and no members"),
        ];
        assert_eq!(told.collect::<Vec<_>>(), expected);
        assert!(blocks.iter().all(|block| block.reach == Reach::DescriptorHeap));
    }
}
