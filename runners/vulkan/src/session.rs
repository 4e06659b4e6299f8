//! An open device: runs one job after the other and keeps objects that the next job may reuse.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use layoutproof_device::descriptors::Descriptors;
use layoutproof_device::limits::check_features;
use layoutproof_device::placement::BufferPlacement;
use layoutproof_device::{DeviceInfo, DeviceSession, Feature, Geometry, Job, ReadBack, RunnerError};

use crate::arena::Arena;
use crate::commands::{Start, VulkanCommands, VulkanSubmission};
use crate::descriptors::DescriptorSets;
use crate::device::VulkanDevice;
use crate::features::IMAGE_CUBE_ARRAY;
use crate::heap::Heap;
use crate::instance::Instance;
use crate::job_memory::JobMemory;
use crate::physical::Physical;
use crate::pipeline::{PipelineUse, VulkanPipeline};
use crate::pipeline_layout::{PipelineLayout, PipelineShape};
use crate::resources::{VulkanResources, has_cube_arrays, has_depths};
use crate::scene::Scene;
use crate::targets::VulkanTargets;

/// An open device with its reusable objects.
pub(crate) struct VulkanSession {
    commands: VulkanCommands,
    // Grows to the size of the largest job so far.
    arena: Arena,
    // Built for the first job with a ray.
    scene: Option<Scene>,
    layouts: BTreeMap<PipelineShape, Rc<PipelineLayout>>,
    // By number of targets.
    targets: BTreeMap<u32, Rc<VulkanTargets>>,
    // The last job's pipeline. Compiling takes the time, and consecutive jobs often differ only in
    // their buffers.
    pipeline: Option<VulkanPipeline>,
    physical: Physical,
    device: Rc<VulkanDevice>,
}

impl VulkanSession {
    /// Opens `physical`, which `instance` listed, with the time limit `longest` for each job.
    pub(crate) fn open(instance: Instance, physical: Physical, longest: Duration) -> Result<Self, RunnerError> {
        let device = Rc::new(VulkanDevice::open(instance, &physical)?);
        let commands = VulkanCommands::new(&device, physical.queue_family, longest)?;
        let arena = Arena::new(&device, 0)?;
        Ok(Self {
            commands,
            arena,
            scene: None,
            layouts: BTreeMap::new(),
            targets: BTreeMap::new(),
            pipeline: None,
            physical,
            device,
        })
    }
}

impl DeviceSession for VulkanSession {
    fn run(&mut self, job: &Job, _: &DeviceInfo) -> Result<ReadBack, RunnerError> {
        let descriptors = Descriptors::of(job)?;
        let words = self.physical.accept_shader(job, &descriptors)?;
        let placements = self.physical.limits.place(job, &descriptors)?;
        let resources = self.resources(job, &descriptors)?;
        let shape = PipelineShape::of(job, &descriptors);
        let memory = self.upload(job, &descriptors, placements)?;
        let scene = self.address_of_scene(job)?;

        let layout = self.layout(&shape)?;
        let targets = job.draw.as_ref().map(|draw| draw.targets).or(job.geometry.as_ref().map(|_| 0));
        let targets = targets.map(|count| self.targets(count)).transpose()?;
        let mut bound = memory.descriptors(job, &descriptors, &self.arena);
        bound.extend_from_slice(&resources.bound);
        let heap = match &self.device.heap {
            Some(functions) if layout.has_heap() => {
                Some(Heap::new(&self.device, functions, &memory.heap(job, &self.arena))?)
            }
            _ => None,
        };
        // A heap takes the place of sets.
        let bound = if layout.has_heap() { Vec::new() } else { bound };
        let sets = DescriptorSets::new(&self.device, &layout, &shape, &bound)?;
        let pipeline = self.pipeline(job, &PipelineUse { layout: &layout, words, targets: targets.as_deref() })?;

        memory.write_handles(&pipeline.handles, &mut self.arena);
        let dispatch = Start::Dispatch(job.workgroups);
        let captured = memory.captured(job);
        let start = match (targets.as_deref(), &job.geometry) {
            (Some(targets), None) => Some(Start::Draw(targets)),
            (Some(targets), Some(Geometry::Vertex)) => {
                Some(Start::Captured { targets, buffer: self.arena.handle(), ranges: &captured })
            }
            (Some(targets), Some(Geometry::Mesh { .. })) => Some(Start::Mesh(targets)),
            (None, _) => memory.launch(job, &self.arena).map(Start::Trace),
        };

        let work = VulkanSubmission {
            pipeline: &pipeline,
            sets: &sets,
            heap: heap.as_ref(),
            images: &resources.images,
            push_constants: &memory.push_constants(job, &self.arena, scene),
            inverts_push_constants_first: job.inverts_push_constants_first,
            start: start.unwrap_or(dispatch),
        };
        if let Err(error) = self.commands.run(&work) {
            // The work may still use them. The caller leaks the rest, including the targets.
            std::mem::forget((pipeline, sets, resources, heap));
            return Err(error);
        }

        let buffers = memory.read(job, &pipeline.handles, &self.arena);
        self.pipeline = Some(pipeline);
        let targets = targets.map_or_else(Vec::new, |targets| targets.read());
        Ok(ReadBack { buffers, targets, messages: Vec::new() })
    }
}

impl VulkanSession {
    /// Fills the arena with the job's buffers, and with data for the array elements that the job
    /// leaves out.
    fn upload(
        &mut self,
        job: &Job,
        descriptors: &Descriptors,
        placements: Vec<BufferPlacement>,
    ) -> Result<JobMemory, RunnerError> {
        let (memory, size) = JobMemory::plan(job, descriptors, placements, self.physical.records);
        if size > self.arena.size() {
            self.arena = Arena::new(&self.device, size)?;
        }
        if memory.has_addresses(job) {
            self.arena.check_address()?;
        }
        memory.write(job, &mut self.arena);
        Ok(memory)
    }

    fn resources(&self, job: &Job, descriptors: &Descriptors) -> Result<VulkanResources, RunnerError> {
        if job.images.is_empty() && job.samplers.is_empty() {
            return Ok(VulkanResources::default());
        }
        if has_depths(job) {
            check_features(&self.physical.info, &[Feature::Graphics])?;
        }
        match self.physical.missing(IMAGE_CUBE_ARRAY).filter(|_| has_cube_arrays(job)) {
            Some(name) => Err(RunnerError::Unsupported(name.to_owned())),
            None => VulkanResources::new(&self.device, job, descriptors),
        }
    }

    /// The address of the scene, if the job traces a ray in it.
    fn address_of_scene(&mut self, job: &Job) -> Result<Option<u64>, RunnerError> {
        let reached = job.trace.as_ref().and_then(|trace| trace.reached.as_ref());
        let Some(ray_tracing) = &self.device.ray_tracing else { return Ok(None) };
        if !reached.is_some_and(|reached| reached.stage.needs_ray()) {
            return Ok(None);
        }
        if self.scene.is_none() {
            self.scene = Some(Scene::new(&self.device, ray_tracing, &self.commands)?);
        }
        Ok(self.scene.as_ref().map(Scene::address))
    }

    fn targets(&mut self, count: u32) -> Result<Rc<VulkanTargets>, RunnerError> {
        if let Some(targets) = self.targets.get(&count) {
            return Ok(Rc::clone(targets));
        }
        let targets = Rc::new(VulkanTargets::new(&self.device, count)?);
        self.targets.insert(count, Rc::clone(&targets));
        Ok(targets)
    }

    fn layout(&mut self, shape: &PipelineShape) -> Result<Rc<PipelineLayout>, RunnerError> {
        if let Some(layout) = self.layouts.get(shape) {
            return Ok(Rc::clone(layout));
        }
        let layout = Rc::new(PipelineLayout::new(&self.device, shape)?);
        self.layouts.insert(shape.clone(), Rc::clone(&layout));
        Ok(layout)
    }

    /// Returns the last pipeline if it fits, else a new one. The caller owns it.
    fn pipeline(&mut self, job: &Job, used: &PipelineUse<'_>) -> Result<VulkanPipeline, RunnerError> {
        match self.pipeline.take().filter(|last| last.serves(job, used)) {
            Some(last) => Ok(last),
            None => VulkanPipeline::new(&self.device, job, used),
        }
    }
}
