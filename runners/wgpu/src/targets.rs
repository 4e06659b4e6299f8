//! The render targets of a draw: targets of one texel, cleared before each draw.

use wgpu::{
    Color, ColorTargetState, ColorWrites, CommandEncoder, Device, Extent3d, LoadOp, Operations, RenderPass,
    RenderPassColorAttachment, RenderPassDescriptor, StoreOp, Texture, TextureDescriptor, TextureDimension,
    TextureFormat, TextureUsages, TextureView, TextureViewDescriptor,
};

const FORMAT: TextureFormat = TextureFormat::Rgba32Uint;

/// Bytes of a target's texel.
pub(crate) const TEXEL: u64 = 16;

/// The targets of a draw. WebGPU cannot draw without targets, so a draw that needs none gets one to
/// which it writes nothing.
pub(crate) struct WgpuTargets {
    textures: Vec<Texture>,
    views: Vec<TextureView>,
    /// Number of targets to read back.
    count: usize,
}

/// The color targets of a pipeline that draws into `count` targets.
pub(crate) fn color_states(count: u32) -> Vec<Option<ColorTargetState>> {
    let state = |write_mask| Some(ColorTargetState { format: FORMAT, blend: None, write_mask });
    if count == 0 {
        return vec![state(ColorWrites::empty())];
    }
    (0..count).map(|_| state(ColorWrites::ALL)).collect()
}

impl WgpuTargets {
    /// Makes `count` targets.
    pub(crate) fn new(device: &Device, count: u32) -> Self {
        let descriptor = TextureDescriptor {
            label: None,
            size: Extent3d::default(),
            mip_level_count: 1,
            sample_count: 1,
            dimension: TextureDimension::D2,
            format: FORMAT,
            usage: TextureUsages::RENDER_ATTACHMENT | TextureUsages::COPY_SRC,
            view_formats: &[],
        };

        let textures: Vec<_> = (0..count.max(1)).map(|_| device.create_texture(&descriptor)).collect();
        let views = textures.iter().map(|texture| texture.create_view(&TextureViewDescriptor::default())).collect();
        Self { textures, views, count: count as usize }
    }

    pub(crate) fn begin<'a>(&'a self, encoder: &'a mut CommandEncoder) -> RenderPass<'a> {
        let attachment = |view| {
            let ops = Operations { load: LoadOp::Clear(Color::TRANSPARENT), store: StoreOp::Store };
            Some(RenderPassColorAttachment { view, depth_slice: None, resolve_target: None, ops })
        };
        let attachments: Vec<_> = self.views.iter().map(attachment).collect();
        encoder.begin_render_pass(&RenderPassDescriptor {
            color_attachments: &attachments,
            ..RenderPassDescriptor::default()
        })
    }

    /// The targets to read back.
    pub(crate) fn textures(&self) -> &[Texture] {
        &self.textures[..self.count]
    }
}
