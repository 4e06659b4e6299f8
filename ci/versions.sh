# shellcheck shell=bash disable=SC2034
#
# Every download with its pinned version and checksum, in one place. The set-up and the workflow source this file.
#
# Expected numbers in cases/ name their compiler, so after a change of version, transcribe those cases again. Packages
# of the distribution are not pinned: they are signed, and each record of a run names the driver's version.

# DXC v1.7.2308 (commit 69e54e29): the library in the PyPI wheel of coalpy, which is built from that tag.
DXC_PYPI_NAME=coalpy
DXC_PYPI_VERSION=0.55
DXC_PYPI_SHA256=0856220351b80e86f3929aebed891b48bf75dade565e4e0aaf825b491cd46d58

# A second, older DXC (commit d66bdf94, between v1.6.2112 and v1.7.2207): the library in the PyPI source archive of
# compushady. Only `ci/setup.sh --dxc-old` fetches it. It has the interface from before v1.7.2212.
OLD_DXC_PYPI_NAME=compushady
OLD_DXC_PYPI_VERSION=0.17.5
OLD_DXC_PYPI_SHA256=5052caf9e955d8e7a48e22f536e82b44b72e83af46e824a9e99157c7809de691

# DXC 1.9.2602.17 (commit 21d28f72), with SPIR-V: the library in the PyPI wheel of slangpy for Windows. Only
# `ci/setup.sh --wine` fetches it.
NEW_DXC_PYPI_NAME=slangpy
NEW_DXC_PYPI_VERSION=0.43.1
NEW_DXC_PYPI_SHA256=3da28207fa1f173c81b22efc1cd02e4804066b975a18749b1a7b09c0708018d6

# slangc 2026.14.1: the compiler in the PyPI wheels of slangtorch. The one for Windows is for users there.
SLANG_PYPI_NAME=slangtorch
SLANG_PYPI_VERSION=1.3.22
SLANG_PYPI_SHA256=7755f2f53509ebbd65839dcd8a104e7105aeaf3e3600aea9385c2bec9beb2eaa
SLANG_PYPI_SHA256_AARCH64=f4cc30da8231cdb2dd960642f1e9df512c287873eb49120074af0e49f7fc3586
SLANG_PYPI_SHA256_WINDOWS=377891b2ed697b3a2bc4af53c7f2ae5b580a80251f6f672b461481137f47dff5

# Dawn for Node, the npm package whose libraries for Linux contain Tint. Next to its libraries for Windows it has
# Microsoft's FXC 10.0.22621.2428 and DXC 1.9.0.5517 (commit 9757d44f, later than 1.9.2602 and without SPIR-V), which
# only `ci/setup.sh --wine` extracts.
DAWN_NPM_NAME=webgpu
DAWN_NPM_VERSION=0.6.2
DAWN_NPM_SHA256=77a6be6513b9f7c2e94425620ce603efb38cdc5d0393e1b31a1b0c8479330ffd

# Clang from the distribution, by its major version: shaders/frozen and ci/known/clang.toml describe 22.1.8. Only
# `ci/setup.sh --clang` installs it.
CLANG_VERSION=22

# Debian sid's glslang and SPIRV-Tools, and its Clang, for which the known differences were made; the set-up takes what sid
# has. Each record of a run names the versions.
GLSLANG_TRIED=16.6.0
SPIRV_TOOLS_TRIED=2026.4
NEW_CLANG_TRIED=23.1.4

# Rust for ci/cross, by rustup, with the standard libraries of these targets.
CROSS_RUST_VERSION=1.95.0
CROSS_TARGETS=x86_64-pc-windows-gnu,aarch64-apple-darwin

# The vkd3d of Debian testing for which the known differences and floors were made. ci/known/vkd3d.toml names it, too.
VKD3D_TRIED=2.1

# The lavapipe of Debian sid for which the known differences and floors were made. ci/known/lavapipe-current.toml names it,
# too.
LAVAPIPE_TRIED=26.2.6

# axe-core, which finds barriers in pages, for ci/web.
AXE_NPM_NAME=axe-core
AXE_NPM_VERSION=4.14.1
AXE_NPM_SHA256=e6b0ce02b84d892e2e33e403485e7f3d6c29e2be6df65daf44d89ba564139745

# The Nu Html Checker, W3C's validator of HTML, for ci/web. It runs on Java.
VNU_NPM_NAME=vnu-jar
VNU_NPM_VERSION=26.9.27
VNU_NPM_SHA256=5970d3ffca91a627cf0965e5d91bb2e4242307c29292998de0b419d6a901b2b7

# cargo-fuzz from crates.io, for ci/fuzz. It runs with stable Rust, because it uses no sanitizer.
CARGO_FUZZ_VERSION=0.13.2

# cargo-deny from crates.io, for ci/lint.
CARGO_DENY_VERSION=0.20.2

# rustup's installer for the Linux job, whose image has no Rust. The checksum comes from the official Docker images of
# Rust (rust-lang/docker-rust, stable/bookworm/Dockerfile).
RUSTUP_VERSION=1.29.0
RUSTUP_INIT_SHA256=4acc9acc76d5079515b46346a485974457b5a79893cfb01112423c89aeb5aa10

# Only for the Windows job. Microsoft publishes no checksums of its DXC releases: this one is what other projects have
# recorded for the same file (their build files agree). No checksum of WARP's package is known; its library is signed,
# and ci/setup/authenticode.ps1 checks the signature.
WARP_NUGET_VERSION=1.0.17
WINDOWS_DXC_RELEASE=v1.8.2505.1
WINDOWS_DXC_FILE=dxc_2025_07_14.zip
WINDOWS_DXC_SHA256=9ad895a6b039e3a8f8c22a1009f866800b840a74b50db9218d13319e215ea8a4
