//! Chooses the bound parameters that a probe reads, and gives a reason for each one that it leaves
//! out.

use std::collections::BTreeMap;

use layoutproof_device::{ImageKind, ImageView, ResourceClass, TexelType};
use layoutproof_layout::LayoutUnit;
use layoutproof_layout::resource::{Access, Resource, ResourceKind};
use layoutproof_layout::shape::Count;

use super::declared::{self, ItemKind};
use super::kind::{self, BoundKind, NotReadable};
use super::site::BindingSite;
use super::stage::{self, DrawStage};
use layoutproof_bindings::{Binding, BindingRequest, BoundModule, Target};
use layoutproof_frontend::module::Module;
use layoutproof_readers::registers::class_of;

/// Why the probe does not read a rasterizer-ordered view.
const RASTERIZER_ORDERED: &str = "a rasterizer-ordered view, which only pixel shaders have";

/// Limit on the elements read from an unbounded array.
const UNBOUNDED_ELEMENTS: u32 = 4;

/// A texture buffer on Direct3D 12, which shaders access through a typed view.
const TEXTURE_BUFFER: BoundKind =
    BoundKind::Image { kind: ImageKind::UniformTexels, view: ImageView::D1, texel: TexelType::Uint };

/// Limit on the elements read from any other array.
const MOST_ELEMENTS: u32 = 8;

/// The parameters that a probe reads, and those that it leaves out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BindingPlan {
    /// The parameters to read, in the order of the rows.
    pub probed: Vec<ProbedBinding>,
    /// The parameters that are left out.
    pub skipped: Vec<Skipped>,
}

/// A parameter that the probe reads, or the part of one that a row covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbedBinding {
    /// Index into [`BoundModule::bindings`].
    pub row: usize,
    pub path: String,
    pub kind: BoundKind,
    /// The site of its first element.
    pub site: BindingSite,
    /// The number of elements or locations to read.
    pub elements: u32,
    /// True if another parameter uses the same place with another kind of descriptor, or as push
    /// constants of another entry point, so that no program can have both.
    pub apart: bool,
}

/// A parameter, or elements of one, that the probe does not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Index into [`BoundModule::bindings`].
    pub row: usize,
    pub path: String,
    /// The reason, as a lowercase fragment that fits after "not probed: ".
    pub reason: String,
}

impl ProbedBinding {
    /// Iterates over the sites to read.
    pub fn sites(&self) -> impl Iterator<Item = BindingSite> {
        let first = self.site;
        (0..self.elements).map(move |element| first.further(element))
    }
}

/// Plans the probe of `bound`, the placement of `module`'s parameters for `request`.
pub fn plan(module: &Module, request: &BindingRequest, bound: &BoundModule) -> BindingPlan {
    let mut planner = Planner { module, request, plan: BindingPlan::default() };
    for (row, binding) in bound.bindings.iter().enumerate() {
        planner.add(row, binding);
    }
    planner.plan.share();
    planner.plan
}

struct Planner<'a> {
    module: &'a Module,
    request: &'a BindingRequest,
    plan: BindingPlan,
}

impl Planner<'_> {
    fn add(&mut self, row: usize, binding: &Binding) {
        let index = binding.index;
        match binding.unit {
            LayoutUnit::Binding => self.add_descriptor(row, binding),
            LayoutUnit::PushConstant => self.push(row, binding, BoundKind::PushConstants, BindingSite::PushConstants),
            LayoutUnit::ConstantId => self.push(row, binding, BoundKind::Constant, BindingSite::Constant { id: index }),
            LayoutUnit::LocationIn | LayoutUnit::LocationOut => self.add_location(row, binding),
            LayoutUnit::InputAttachment => self.skip(row, binding, "an input attachment"),
            LayoutUnit::ShaderRecord => self.skip(row, binding, "a shader record"),
            LayoutUnit::RayPayload | LayoutUnit::HitAttributes | LayoutUnit::CallablePayload => {
                self.skip(row, binding, "a payload or hit attribute of ray tracing");
            }
            LayoutUnit::ConstantBuffer
            | LayoutUnit::ShaderResource
            | LayoutUnit::UnorderedAccess
            | LayoutUnit::Sampler => {
                let class = class_of(binding.unit).expect("the four units of registers have classes");
                self.add_register(row, binding, class);
            }
            LayoutUnit::MetalBuffer
            | LayoutUnit::MetalTexture
            | LayoutUnit::MetalSampler
            | LayoutUnit::MetalArgument
            | LayoutUnit::UniformBuffer
            | LayoutUnit::StorageBuffer
            | LayoutUnit::TextureUnit
            | LayoutUnit::ImageUnit
            | LayoutUnit::AtomicCounterBytes
            | LayoutUnit::UniformLocation => {
                self.skip(row, binding, &format!("no device here has the registers of {}", self.request.target));
            }
            // Shaders read none of these. The resources in a set have their own rows, existentials have none.
            LayoutUnit::Bytes | LayoutUnit::Space | LayoutUnit::ExistentialType | LayoutUnit::ExistentialObject => {}
        }
    }

    fn has(&self, kind: BoundKind) -> bool {
        self.plan.probed.iter().any(|probed| probed.kind == kind)
    }

    fn skip(&mut self, row: usize, binding: &Binding, reason: &str) {
        let (path, reason) = (binding.path.clone(), reason.to_owned());
        self.plan.skipped.push(Skipped { row, path, reason });
    }

    /// Adds a parameter with as many sites as its row has elements.
    fn push(&mut self, row: usize, binding: &Binding, kind: BoundKind, site: BindingSite) {
        self.push_elements(row, binding, kind, site, binding.count);
    }

    fn push_elements(&mut self, row: usize, binding: &Binding, kind: BoundKind, site: BindingSite, count: Count) {
        let elements = match count {
            Count::Finite(count) if count <= MOST_ELEMENTS => count,
            Count::Finite(_) => {
                self.skip(row, binding, &format!("elements from {MOST_ELEMENTS} on"));
                MOST_ELEMENTS
            }
            Count::Unbounded => {
                self.skip(row, binding, &format!("elements from {UNBOUNDED_ELEMENTS} on, of an array without end"));
                UNBOUNDED_ELEMENTS
            }
        };

        let last = site.further(elements.saturating_sub(1));
        if elements == 0 {
            return self.skip(row, binding, "an array of no elements");
        }
        if last.word().is_none() {
            return self.skip(
                row,
                binding,
                "a set, binding or element whose number is too large for the word that names it",
            );
        }

        let path = binding.path.clone();
        let apart = kind == BoundKind::PushConstants && self.has(kind);
        self.plan.probed.push(ProbedBinding { row, path, kind, site, elements, apart });
    }

    fn add_descriptor(&mut self, row: usize, binding: &Binding) {
        let site = BindingSite::Descriptor { set: binding.space, binding: binding.index, element: 0 };
        let second =
            BindingSite::Descriptor { set: binding.space, binding: binding.index.saturating_add(1), element: 0 };
        let Some(found) = declared::find(self.module, &binding.path) else {
            return self.skip(row, binding, "no declaration at this path");
        };

        let resource = match found.what {
            ItemKind::ConstantBuffer => {
                return self.push_elements(row, binding, BoundKind::Uniform, site, found.elements);
            }
            ItemKind::TextureBuffer => {
                return self.push_elements(row, binding, BoundKind::Storage { writable: false }, site, found.elements);
            }
            ItemKind::Counter => {
                return self.push_elements(row, binding, BoundKind::Storage { writable: true }, site, found.elements);
            }
            ItemKind::Data => return self.skip(row, binding, "ordinary data"),
            ItemKind::Resource(resource) => resource,
        };
        let first = match kind::of_resource(resource) {
            Ok(kind) => kind,
            Err(reason) => return self.skip(row, binding, &reason.to_string()),
        };
        // The second binding of a parameter has a separate row, or the first row counts it.
        let is_second = self.plan.probed.iter().any(|probed| probed.path == binding.path && is_descriptor(probed));
        match self.pair(resource, first) {
            Some((_, kind)) if is_second => self.push_elements(row, binding, kind, site, found.elements),
            Some((kind, other)) => {
                self.push_elements(row, binding, kind, site, found.elements);
                if binding.count == Count::Finite(2) && found.elements == Count::Finite(1) {
                    self.push_elements(row, binding, other, second, found.elements);
                }
            }
            None => self.push_elements(row, binding, first, site, found.elements),
        }
    }

    /// Adds a range of registers.
    fn add_register(&mut self, row: usize, binding: &Binding, class: ResourceClass) {
        let Some(site) = BindingSite::register(class, binding.space, binding.index) else {
            return self.skip(row, binding, "a register whose number is too large for the word that names it");
        };
        let Some(found) = declared::find(self.module, &binding.path) else {
            return self.skip(row, binding, "no declaration at this path");
        };

        let kind = match found.what {
            ItemKind::ConstantBuffer => Ok(BoundKind::Uniform),
            ItemKind::TextureBuffer => Ok(TEXTURE_BUFFER),
            ItemKind::Counter => Err("a counter, which has no register of its own".into()),
            // Push constants that are not declared as a buffer become one on Direct3D 12.
            ItemKind::Data if class == ResourceClass::ConstantBuffer => Ok(BoundKind::Uniform),
            ItemKind::Data => Err("ordinary data".into()),
            ItemKind::Resource(resource) => kind_of_register(resource, class),
        };

        match kind {
            Ok(kind) => self.push_elements(row, binding, kind, site, binding.count),
            Err(reason) => self.skip(row, binding, &reason.to_string()),
        }
    }

    /// Returns the kinds at the two bindings of a parameter that has two: texture and sampler in
    /// WGSL, buffer and counter.
    fn pair(&self, resource: &Resource, kind: BoundKind) -> Option<(BoundKind, BoundKind)> {
        match (resource.kind, kind) {
            (ResourceKind::CombinedSampler(_), BoundKind::Image { view, texel, .. })
                if self.request.target == Target::Webgpu =>
            {
                Some((
                    BoundKind::Image { kind: ImageKind::Sampled, view, texel },
                    BoundKind::Sampler { comparison: false },
                ))
            }
            (
                ResourceKind::StructuredBuffer(Access::Append | Access::Consume | Access::ReadWrite),
                storage @ BoundKind::Storage { .. },
            ) => Some((storage, BoundKind::Storage { writable: true })),
            (_, _) => None,
        }
    }

    fn add_location(&mut self, row: usize, binding: &Binding) {
        let entry = declared::entry_of(self.module, &binding.path);
        let location = binding.index;
        match (binding.unit, stage::of(entry, self.request.profile.as_deref())) {
            (LayoutUnit::LocationIn, Some(DrawStage::Vertex)) => self.skip(row, binding, "a vertex attribute"),
            (LayoutUnit::LocationOut, Some(DrawStage::Fragment)) => {
                self.push(row, binding, BoundKind::Target, BindingSite::Target { location });
            }
            (_, Some(DrawStage::Vertex | DrawStage::Fragment)) => {
                self.push(row, binding, BoundKind::Varying, BindingSite::Varying { location });
            }
            (_, None) => self.skip(row, binding, "a varying of a stage that the probe does not draw with"),
        }
    }
}

/// Returns the kind that a resource has at a register of this class. A combined texture has one
/// register for the texture and one for the sampler.
fn kind_of_register(resource: &Resource, class: ResourceClass) -> Result<BoundKind, NotReadable> {
    match (resource.kind, class) {
        (ResourceKind::TextureBuffer, _) => Ok(TEXTURE_BUFFER),
        (ResourceKind::StructuredBuffer(Access::Append | Access::Consume), _) => {
            Err("a buffer that only appends or consumes".into())
        }
        (
            ResourceKind::StructuredBuffer(Access::RasterizerOrdered)
            | ResourceKind::ByteAddressBuffer(Access::RasterizerOrdered)
            | ResourceKind::Buffer(Access::RasterizerOrdered),
            _,
        ) => Err(RASTERIZER_ORDERED.into()),
        (ResourceKind::Texture(texture), _) if texture.access == Access::RasterizerOrdered => {
            Err(RASTERIZER_ORDERED.into())
        }
        (ResourceKind::CombinedSampler(_), ResourceClass::Sampler) => Ok(BoundKind::Sampler { comparison: false }),
        (ResourceKind::CombinedSampler(_), _) => match kind::of_resource(resource)? {
            BoundKind::Image { view, texel, .. } => Ok(BoundKind::Image { kind: ImageKind::Sampled, view, texel }),
            other => Ok(other),
        },
        _ => kind::of_resource(resource),
    }
}

fn is_descriptor(probed: &ProbedBinding) -> bool {
    matches!(probed.site, BindingSite::Descriptor { .. })
}

impl BindingPlan {
    /// Keeps the parameters for which `reason_to_skip` returns `None`.
    #[must_use]
    pub fn without(mut self, reason_to_skip: impl Fn(&ProbedBinding) -> Option<String>) -> Self {
        for probed in std::mem::take(&mut self.probed) {
            match reason_to_skip(&probed) {
                None => self.probed.push(probed),
                Some(reason) => self.skipped.push(Skipped { row: probed.row, path: probed.path, reason }),
            }
        }
        self
    }

    /// Moves each texture buffer to a separate program.
    pub fn set_texture_buffers_apart(&mut self) {
        for probed in self.probed.iter_mut().filter(|probed| probed.kind == TEXTURE_BUFFER) {
            probed.apart = true;
        }
    }

    /// Unifies the kinds of parameters that share a binding, so that one program can read them all.
    /// A parameter that needs another kind of descriptor is set apart.
    ///
    /// A texture and a sampler at one binding become one combined image sampler, as
    /// `[[vk::combinedImageSampler]]` requests.
    fn share(&mut self) {
        let mut owners: BTreeMap<BindingSite, BoundKind> = BTreeMap::new();
        for probed in self.probed.iter().filter(|probed| is_descriptor(probed)) {
            let kind = owners.entry(probed.site).or_insert(probed.kind);
            if let Some(both) = combined(*kind, probed.kind) {
                *kind = both;
            }
        }

        for probed in self.probed.iter_mut().filter(|probed| is_descriptor(probed)) {
            let kind = owners[&probed.site];
            if same_descriptor(kind, probed.kind) || combined(kind, probed.kind).is_some() {
                probed.kind = kind;
            } else {
                probed.apart = true;
            }
        }
    }
}

/// Returns true if one descriptor can serve both.
fn same_descriptor(a: BoundKind, b: BoundKind) -> bool {
    match (a, b) {
        (BoundKind::Storage { .. }, BoundKind::Storage { .. }) => true,
        (_, _) => a == b,
    }
}

/// Returns the combined image sampler for a texture and a sampler, or for one that is already
/// combined.
fn combined(a: BoundKind, b: BoundKind) -> Option<BoundKind> {
    match (a, b) {
        (
            BoundKind::Image { kind: ImageKind::Sampled | ImageKind::Combined, view, texel },
            BoundKind::Sampler { .. },
        )
        | (BoundKind::Sampler { .. }, BoundKind::Image { kind: ImageKind::Sampled, view, texel }) => {
            Some(BoundKind::Image { kind: ImageKind::Combined, view, texel })
        }
        (
            BoundKind::Image { kind: ImageKind::Combined, view, texel },
            BoundKind::Image { kind: ImageKind::Sampled, view: other, texel: same },
        ) if (view, texel) == (other, same) => Some(a),
        (_, _) => None,
    }
}
