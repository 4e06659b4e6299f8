// The buffers that every probe has beside the block: what it saw, and the nonce with the values to write.
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<storage, read> input: array<u32>;
