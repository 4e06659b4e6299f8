//! The target of draws: one texel, which is never read, since probes write their results to
//! buffers.

use layoutproof_device::RunnerError;

use crate::com::ComObject;
use crate::device::{CpuDescriptor, Direct3dDevice, TARGET_FORMAT};
use crate::heaps::Heap;
use crate::structures::{HeapType, ResourceDesc, state};

/// A texture of one texel and its view.
#[derive(Debug)]
pub(crate) struct DrawTarget {
    heap: Heap,
    // Kept alive because the view refers to it.
    _texture: ComObject,
}

impl DrawTarget {
    pub(crate) fn new(device: &Direct3dDevice) -> Result<Self, RunnerError> {
        let desc = ResourceDesc {
            dimension: 3,
            alignment: 0,
            width: 1,
            height: 1,
            depth: 1,
            levels: 1,
            format: TARGET_FORMAT,
            samples: 1,
            quality: 0,
            layout: 0,
            flags: 1,
        };
        let texture = device.resource(HeapType::Default, &desc, state::RENDER_TARGET)?;
        let heap = Heap::of_target(device)?;
        // SAFETY: the heap is one of render targets, and has one descriptor.
        unsafe { device.write_target_view(&texture, heap.cpu(0)) };
        Ok(Self { heap, _texture: texture })
    }

    /// The view as an argument of command lists.
    pub(crate) fn view(&self) -> CpuDescriptor {
        self.heap.cpu(0)
    }
}
