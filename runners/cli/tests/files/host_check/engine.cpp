#include "engine.h"

// What a program uploads: without a use, compilers leave out the types.
right::PerFrame perFrame;
right::CameraCB camera;
right::LightData lights;
right::Options options;
right::Particle particles[8];
right::ShadowConstants shadow;
right::BonesData bones;

wrong::PackedBehind packedBehind;
wrong::ArrayStride arrayStride;
wrong::BoolSize boolSize;
wrong::MatrixStride matrixStride;
wrong::DoubleAlign doubleAlign;
wrong::HalfSize halfSize;
wrong::TailPadding tailPadding;
wrong::Swapped swapped;
wrong::ClassDiffers classDiffers;
wrong::ArrayCount arrayCount;
wrong::BitField bitField;
wrong::EnumSize enumSize;
wrong::NestedAlign nestedAlign;
wrong::Straddle straddle;

int main() { return 0; }
