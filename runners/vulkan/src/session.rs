//! A device in use: runs one job after the other and keeps what the next one may need again.

use std::collections::BTreeMap;
use std::rc::Rc;

use ash::vk;
use layoutproof::placement::Placement;
use layoutproof::runner::{Job, JobBuffer, ReadBack, RunnerError};

use crate::arena::{Arena, regions};
use crate::commands::{Commands, Dispatch};
use crate::descriptors::{BoundRange, DescriptorSets};
use crate::device::Device;
use crate::instance::Instance;
use crate::physical::Physical;
use crate::pipeline::Pipeline;
use crate::pipeline_layout::{PipelineLayout, Shape, descriptor_type};

/// An open device with its reusable objects.
pub(crate) struct Session {
    commands: Commands,
    // Grows to what the largest job so far needed.
    arena: Arena,
    layouts: BTreeMap<Shape, Rc<PipelineLayout>>,
    // The last job's; compiling is what takes the time, and jobs in a row often differ in their buffers only.
    pipeline: Option<Pipeline>,
    physical: Physical,
    device: Rc<Device>,
}

impl Session {
    /// Opens `physical`, which `instance` listed.
    pub(crate) fn open(instance: Instance, physical: Physical) -> Result<Self, RunnerError> {
        let device = Rc::new(Device::open(instance, &physical)?);
        let commands = Commands::new(&device, physical.queue_family)?;
        let arena = Arena::new(&device, 0)?;
        Ok(Self { commands, arena, layouts: BTreeMap::new(), pipeline: None, physical, device })
    }

    /// Runs one job. After `Timeout` and `DeviceLost` the session must be leaked.
    pub(crate) fn run(&mut self, job: &Job) -> Result<ReadBack, RunnerError> {
        let words = self.physical.accept_shader(job)?;
        let placements = self.physical.limits.place(job)?;
        let shape = Shape::of(job);
        let starts = self.upload(job, &placements)?;
        let layout = self.layout(&shape)?;
        let ranges = self.ranges(job, &placements, &starts);
        let sets = DescriptorSets::new(&self.device, &layout, &shape, &ranges)?;
        let pipeline = self.pipeline(&layout, words, &job.entry)?;
        let dispatch = Dispatch {
            pipeline: &pipeline,
            sets: &sets,
            push_constants: &job.push_constants,
            workgroups: job.workgroups,
        };
        if let Err(error) = self.commands.run(&dispatch) {
            // The dispatch may still use both; the caller leaks the rest.
            std::mem::forget((pipeline, sets));
            return Err(error);
        }
        self.pipeline = Some(pipeline);
        let read = |(placement, start): (&Placement, u64)| placement.split(&self.arena.read(start, placement.total));
        Ok(ReadBack { buffers: placements.iter().zip(starts).map(read).collect(), targets: Vec::new() })
    }

    /// Fills the arena with the job's buffers; returns where each one's memory starts.
    fn upload(&mut self, job: &Job, placements: &[Placement]) -> Result<Vec<u64>, RunnerError> {
        let (starts, size) = regions(placements.iter().map(|placement| placement.total));
        if size > self.arena.size() {
            self.arena = Arena::new(&self.device, size)?;
        }
        for ((buffer, placement), start) in job.buffers.iter().zip(placements).zip(&starts) {
            self.arena.write(*start, &placement.image(buffer));
        }
        Ok(starts)
    }

    fn ranges(&self, job: &Job, placements: &[Placement], starts: &[u64]) -> Vec<BoundRange> {
        let places = placements.iter().zip(starts);
        let bind = |(buffer, (placement, start)): (&JobBuffer, (&Placement, &u64))| BoundRange {
            set: buffer.set,
            binding: buffer.binding,
            ty: descriptor_type(buffer.kind),
            range: vk::DescriptorBufferInfo::default()
                .buffer(self.arena.handle())
                .offset(start + u64::from(placement.offset))
                .range(u64::from(placement.size)),
        };
        job.buffers.iter().zip(places).map(bind).collect()
    }

    fn layout(&mut self, shape: &Shape) -> Result<Rc<PipelineLayout>, RunnerError> {
        if let Some(layout) = self.layouts.get(shape) {
            return Ok(Rc::clone(layout));
        }
        let layout = Rc::new(PipelineLayout::new(&self.device, shape)?);
        self.layouts.insert(shape.clone(), Rc::clone(&layout));
        Ok(layout)
    }

    /// The last pipeline if it fits, else a new one; either way it is the caller's.
    fn pipeline(&mut self, layout: &Rc<PipelineLayout>, words: &[u32], entry: &str) -> Result<Pipeline, RunnerError> {
        match self.pipeline.take().filter(|last| last.serves(layout, words, entry)) {
            Some(last) => Ok(last),
            None => Pipeline::new(&self.device, layout, words, entry),
        }
    }
}
