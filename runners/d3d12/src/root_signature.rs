//! Lays out the root signature of a job: its parameters, and the buffers and tables that they are
//! set to.
//!
//! A single buffer is a root descriptor, or words in the root signature, as the job requests.
//! Everything else goes through descriptor tables: one for all bounded ranges, one for all bounded
//! ranges of samplers, and one for each unbounded range, which must be the last in its table.
//!
//! Source: Microsoft, "Root Signature Limits"; `D3D12_ROOT_PARAMETER` of the Windows SDK.

use layoutproof_device::{Job, RegisterRange, ResourceClass, RootParameters, RunnerError};

use crate::com::ComObject;
use crate::device::Direct3dDevice;
use crate::registers::{JobResource, Registers};
use crate::structures::{
    DescriptorRange, RootParameter, RootParameterType, RootParameterValue, RootRegister, RootSignatureDesc, RootTable,
};

/// Words in a root signature.
const WORDS: u32 = 64;

const WORDS_OF_TABLES: u32 = 24;

/// Words per root descriptor.
const WORDS_OF_DESCRIPTOR: u32 = 2;

/// Upper limit of the descriptors of one job, including the null descriptors for resources that the
/// job leaves out.
const MOST_DESCRIPTORS: u32 = 1 << 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeapKind {
    Views,
    Samplers,
}

/// A root parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RootBinding {
    /// The address of a buffer of the job.
    Descriptor { range: RegisterRange, buffer: usize },
    /// The words of a buffer of the job.
    Constants { range: RegisterRange, buffer: usize, words: u32 },
    /// Consecutive descriptors.
    Table(Table),
}

/// Consecutive descriptors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    /// The heap that holds them.
    pub(crate) heap: HeapKind,
    /// Index of the first one in its heap.
    pub(crate) first: u32,
    /// The ranges, in order.
    pub(crate) ranges: Vec<TableRange>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TableRange {
    pub(crate) range: RegisterRange,
    /// Index of the first descriptor in the table.
    pub(crate) offset: u32,
    /// Number of descriptors in the heap: the whole range, or for an unbounded range as many as the
    /// job uses.
    pub(crate) length: u32,
}

/// The parameters of a root signature, and the number of descriptors in its tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RootLayout {
    pub(crate) parameters: Vec<RootBinding>,
    /// Number of descriptors in all tables of views.
    pub(crate) views: u32,
    /// Number of descriptors in all tables of samplers.
    pub(crate) samplers: u32,
}

impl RootLayout {
    /// Lays out `job`, which binds `registers`.
    ///
    /// # Errors
    /// `Unsupported` for more parameters or descriptors than a root signature or a heap can hold.
    pub(crate) fn new(job: &Job, registers: &Registers) -> Result<Self, RunnerError> {
        let mut layout = Self::default();
        let mut left = WORDS - WORDS_OF_TABLES;
        let mut finite = (Vec::new(), Vec::new());
        let mut endless = Vec::new();
        for range in &registers.ranges {
            if let Some((parameter, words)) = root_parameter(job, registers, range).filter(|(_, words)| *words <= left)
            {
                left -= words;
                layout.parameters.push(parameter);
                continue;
            }

            let named = registers.in_range(range).map(|(place, _)| place + 1).max().unwrap_or(0);
            let length = range.count.unwrap_or(named + 1);
            let ranged = TableRange { range: range.clone(), offset: 0, length };
            match (range.count, heap_of(range.class)) {
                (None, heap) => endless.push((heap, vec![ranged])),
                (Some(_), HeapKind::Views) => finite.0.push(ranged),
                (Some(_), HeapKind::Samplers) => finite.1.push(ranged),
            }
        }

        let tables = [(HeapKind::Views, finite.0), (HeapKind::Samplers, finite.1)].into_iter().chain(endless);
        for (heap, ranges) in tables.filter(|(_, ranges)| !ranges.is_empty()) {
            layout.add_table(heap, ranges)?;
        }

        match u32::try_from(layout.tables().count()) {
            Ok(tables) if tables <= WORDS_OF_TABLES => Ok(layout),
            Ok(_) | Err(_) => Err(RunnerError::Unsupported(format!("more than {WORDS_OF_TABLES} descriptor tables"))),
        }
    }

    pub(crate) fn tables(&self) -> impl Iterator<Item = &Table> {
        self.parameters.iter().filter_map(|parameter| match parameter {
            RootBinding::Table(table) => Some(table),
            RootBinding::Descriptor { .. } | RootBinding::Constants { .. } => None,
        })
    }

    fn add_table(&mut self, heap: HeapKind, mut ranges: Vec<TableRange>) -> Result<(), RunnerError> {
        let taken = match heap {
            HeapKind::Views => &mut self.views,
            HeapKind::Samplers => &mut self.samplers,
        };

        let first = *taken;
        for range in &mut ranges {
            range.offset = *taken - first;
            *taken = taken.saturating_add(range.length);
        }

        if *taken > MOST_DESCRIPTORS {
            return Err(RunnerError::Unsupported(format!(
                "room for {taken} descriptors; jobs have {MOST_DESCRIPTORS}"
            )));
        }

        self.parameters.push(RootBinding::Table(Table { heap, first, ranges }));
        Ok(())
    }

    pub(crate) fn root_signature(&self, device: &Direct3dDevice) -> Result<ComObject, RunnerError> {
        let ranges: Vec<Vec<DescriptorRange>> = self.tables().map(descriptor_ranges).collect();
        let mut tables = ranges.iter();

        let parameters: Vec<RootParameter> = self
            .parameters
            .iter()
            .map(|parameter| match parameter {
                RootBinding::Table(_) => {
                    let ranges = tables.next().expect("every table has its ranges");
                    let count = u32::try_from(ranges.len()).expect("a table has few ranges");
                    let table = RootTable { count, ranges: ranges.as_ptr() };
                    root(RootParameterType::Table, RootParameterValue { table })
                }
                RootBinding::Descriptor { range, .. } => root(descriptor_type(range.class), register(range, 0)),
                RootBinding::Constants { range, words, .. } => {
                    root(RootParameterType::Constants, register(range, *words))
                }
            })
            .collect();

        device.root_signature(&RootSignatureDesc {
            parameters: u32::try_from(parameters.len()).expect("a root signature has at most 64 parameters"),
            first_parameter: parameters.as_ptr(),
            static_samplers: 0,
            first_static_sampler: std::ptr::null(),
            flags: 0,
        })
    }
}

fn heap_of(class: ResourceClass) -> HeapKind {
    match class {
        ResourceClass::ConstantBuffer | ResourceClass::ShaderResource | ResourceClass::UnorderedAccess => {
            HeapKind::Views
        }
        ResourceClass::Sampler => HeapKind::Samplers,
    }
}

/// The parameter of a range without a table, and the words that it occupies; `None` if the range
/// needs a table.
fn root_parameter(job: &Job, registers: &Registers, range: &RegisterRange) -> Option<(RootBinding, u32)> {
    let alone = registers.in_range(range).next().filter(|_| range.count == Some(1));
    let Some((_, JobResource::Buffer(buffer))) = alone else { return None };
    let descriptor = || (RootBinding::Descriptor { range: range.clone(), buffer }, WORDS_OF_DESCRIPTOR);
    match (job.root_signature.parameters, range.class) {
        (RootParameters::Tables, _) => None,
        (RootParameters::Constants, ResourceClass::ConstantBuffer) => {
            let words = u32::try_from(job.buffers[buffer].bytes.len() / 4).ok()?;
            Some((RootBinding::Constants { range: range.clone(), buffer, words }, words))
        }
        (RootParameters::Descriptors | RootParameters::Constants, _) => Some(descriptor()),
    }
}

fn root(kind: RootParameterType, value: RootParameterValue) -> RootParameter {
    RootParameter { kind, value, visibility: 0 }
}

fn register(range: &RegisterRange, words: u32) -> RootParameterValue {
    RootParameterValue { register: RootRegister { register: range.first, space: range.space, words } }
}

fn descriptor_type(class: ResourceClass) -> RootParameterType {
    match class {
        ResourceClass::ConstantBuffer => RootParameterType::ConstantBuffer,
        ResourceClass::UnorderedAccess => RootParameterType::UnorderedAccess,
        ResourceClass::ShaderResource | ResourceClass::Sampler => RootParameterType::ShaderResource,
    }
}

fn descriptor_ranges(table: &Table) -> Vec<DescriptorRange> {
    let ranges = table.ranges.iter().map(|TableRange { range, offset, .. }| DescriptorRange {
        kind: match range.class {
            ResourceClass::ShaderResource => 0,
            ResourceClass::UnorderedAccess => 1,
            ResourceClass::ConstantBuffer => 2,
            ResourceClass::Sampler => 3,
        },
        count: range.count.unwrap_or(u32::MAX),
        register: range.first,
        space: range.space,
        offset: *offset,
    });
    ranges.collect()
}

#[cfg(test)]
mod tests {
    use layoutproof_device::{BufferKind, JobBuffer, RootSignature, Shader};

    use super::*;

    fn buffer(binding: u32, kind: BufferKind) -> JobBuffer {
        JobBuffer { set: 0, binding, element: 0, kind, bytes: vec![0; 16], after: Vec::new(), before_word: 0 }
    }

    fn layout(parameters: RootParameters) -> Vec<String> {
        let buffers =
            vec![buffer(0, BufferKind::Uniform), buffer(3, BufferKind::Storage), buffer(9, BufferKind::Storage)];
        let mut job = Job::compute(Shader::Dxil(Vec::new()), "main", buffers);
        let range = RegisterRange { class: ResourceClass::UnorderedAccess, space: 0, first: 8, count: None, stride: 0 };
        job.root_signature = RootSignature { parameters, ranges: vec![range] };
        let layout = RootLayout::new(&job, &Registers::of(&job).unwrap()).unwrap();
        let told = |parameter: &RootBinding| match parameter {
            RootBinding::Descriptor { range, buffer } => {
                format!("{}{} is buffer {buffer}", range.class.letter(), range.first)
            }
            RootBinding::Constants { range, words, .. } => {
                format!("{}{} is {words} words", range.class.letter(), range.first)
            }
            RootBinding::Table(Table { first, ranges, .. }) => {
                let ranges =
                    ranges.iter().map(|it| format!(" {}{}+{}", it.range.class.letter(), it.range.first, it.length));
                format!("table at {first}:{}", ranges.collect::<String>())
            }
        };
        layout.parameters.iter().map(told).collect()
    }

    #[test]
    fn buffers_are_bound_as_the_job_asks_and_endless_ranges_by_tables() {
        let endless = "table at 0: u8+3";
        assert_eq!(layout(RootParameters::Descriptors), ["b0 is buffer 0", "u3 is buffer 1", endless]);
        assert_eq!(layout(RootParameters::Constants), ["b0 is 4 words", "u3 is buffer 1", endless]);
        assert_eq!(layout(RootParameters::Tables), ["table at 0: b0+1 u3+1", "table at 2: u8+3"]);
    }
}
