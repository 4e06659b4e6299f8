#!/usr/bin/env bash
#
# Runs the Windows programs of the working folder under Wine and checks their output. ci/cross starts it inside the root
# folder of Debian 13. The last line counts the steps; a failed step shows its output.
set -uo pipefail

export HOME=/tmp/home XDG_RUNTIME_DIR=/tmp/home DISPLAY=:97 WINEPREFIX=/tmp/prefix WINEDEBUG=-all
# Without the first three, Wine offers to download Mono and Gecko and writes menus. Use Microsoft's FXC, not Wine's.
export WINEDLLOVERRIDES='mscoree,mshtml,winemenubuilder.exe=;d3dcompiler_47=n'
VK_DRIVER_FILES=$(echo /usr/share/vulkan/icd.d/lvp_icd*.json)
export VK_DRIVER_FILES VK_ICD_FILENAMES=$VK_DRIVER_FILES
program=./layoutproof.exe
passed=0 failed=0
mkdir -p "$HOME" /tmp/.X11-unix

# begin: starts an X server, without which Wine lists no adapters, and makes a prefix.
begin() {
    Xvfb :97 -screen 0 640x480x24 >/tmp/xvfb.log 2>&1 &
    timeout 300 wine wineboot --init </dev/null >/tmp/wineboot.log 2>&1 || {
        echo "Wine makes no prefix:" && tail -n 20 /tmp/wineboot.log
        exit 1
    }
}

# layoutproof ARGUMENT...: runs the program for up to five minutes.
layoutproof() {
    timeout 300 wine $program "$@" </dev/null
}

# with_compiler COMPILER ARGUMENT...: the same, with the compiler that wgpu uses for Direct3D's code.
with_compiler() {
    local -x WGPU_DX12_COMPILER=$1
    layoutproof "${@:2}"
}

# step NAME STATUS PATTERN... -- COMMAND...: runs the command and demands the exit status, and that its output matches
# each pattern (an extended regular expression; after `!` it must not match).
step() {
    local name=$1 wanted=$2 patterns=() wrong="" status=0 started=$EPOCHREALTIME seconds pattern
    shift 2
    while [[ $1 != -- ]]; do
        patterns+=("$1")
        shift
    done
    shift
    "$@" >/tmp/output 2>&1 || status=$?
    if [[ $status -ne $wanted ]]; then
        wrong="exit status $status, not $wanted"
    fi
    for pattern in "${patterns[@]}"; do
        if [[ $pattern == !* ]]; then
            if grep -qE -- "${pattern#!}" /tmp/output; then wrong+="${wrong:+; }it has \`${pattern#!}\`"; fi
        elif ! grep -qE -- "$pattern" /tmp/output; then
            wrong+="${wrong:+; }no \`$pattern\`"
        fi
    done

    seconds=$(((${EPOCHREALTIME/./} - ${started/./}) / 1000000))
    if [[ -z $wrong ]]; then
        echo "ok       $name, $seconds s"
        passed=$((passed + 1))
    else
        echo "FAILED   $name, $seconds s: $wrong"
        tail -n 60 /tmp/output | sed 's/^/         | /'
        failed=$((failed + 1))
    fi
}

# processes: prints the number of the program's processes.
processes() {
    local line count=0
    for line in /proc/[0-9]*/cmdline; do
        if tr '\0' ' ' <"$line" 2>/dev/null | grep -q 'layoutproof\.exe'; then
            count=$((count + 1))
        fi
    done
    echo "$count"
}

# wait_for CONDITION...: waits up to 30 s.
wait_for() {
    local attempt
    for attempt in {1..300}; do
        if "$@"; then
            return 0
        fi
        sleep 0.1
    done
    echo "waited $((attempt / 10)) s for: $*"
    return 1
}

parent_and_worker() { [[ $(processes) -eq 2 ]]; }
no_process() { [[ $(processes) -eq 0 ]]; }

# killed_run: kills a run whose worker hangs, without a chance to notify it. All its processes must end.
killed_run() {
    local parent
    # Wine's loader becomes the program, so this is the parent's process.
    wine $program run "$one" --rules std140 --device model --plant-fault hang@vectors/ </dev/null >/tmp/killed.log 2>&1 &
    parent=$!
    wait_for parent_and_worker || return 1
    kill -KILL "$parent"
    wait_for no_process
}

# no_traces: fails if the program left files where Windows keeps temporary ones.
no_traces() {
    ! find "$WINEPREFIX"/drive_c/users/*/*/*/Temp "$WINEPREFIX"/drive_c/users/*/Temp -name 'layoutproof*' 2>/dev/null | grep .
}

# run_tests PROGRAM: runs it in the folder that cargo would use.
run_tests() (
    cd "$(<"${1%.exe}.folder")" && timeout 600 wine "$1" --test-threads 2 </dev/null
)

begin
one=vectors/one_component_vector_is_a_scalar

step "list" 0 '^  vectors/four_component_vector_behind_a_scalar ' -- layoutproof list vectors/
step "show" 0 'float3 a +0 +12' 'float +b\[2\] .* 16 +20' -- \
    layoutproof show arrays/scalar_packs_behind_the_last_element --rules hlsl-cbuffer

# Wine makes up the names of GPUs. Its Direct3D 12 accepts no code of DXC.
step "devices, with FXC" 0 'lavapipe .*Vulkan .* via ash, wgpu' 'Direct3D 12 +via wgpu' 'vkd3d of Wine .* via d3d12' \
    'd3d12 via wgpu: software' 'd3d12 via d3d12: software' '!: hardware' -- with_compiler fxc doctor devices
step "devices, with DXC" 0 'wgpu found no Direct3D 12 adapter' '!Direct3D 12 +via wgpu' -- with_compiler dxc doctor devices
dx12=$(with_compiler fxc doctor devices 2>/dev/null | grep -E 'Direct3D 12 +via wgpu' | grep -oE '[a-z0-9-]+-d3d12' | head -n 1)

step "a run on Vulkan" 0 '^ok   [1-9]' -- layoutproof run vectors/ --device lavapipe
step "a run on Direct3D 12, with FXC" 0 '^ok   [1-9]' -- with_compiler fxc run vectors/ --device "$dx12"
step "records" 0 '^ok   6 checks agree' -- layoutproof run "$one" --device model --json records.jsonl
step "records, reported again" 0 '^ok   6 checks agree' -- layoutproof report records.jsonl

step "a worker that crashes in every job" 3 'worker ended with exit code: 0xc0000409; last output: a crash was planted' -- \
    layoutproof run "$one" --rules std140 --device model --plant-fault crash@vectors/
step "a worker that crashes in every second job" 0 '^ok   6 checks agree' -- \
    layoutproof run "$one" --device model --plant-fault 'crash#2'
step "nothing outlives a run that is killed" 0 -- killed_run
step "no temporary folder stays" 0 -- no_traces
while read -r test; do
    step "tests of $(basename "$test" .exe)" 0 'test result: ok\. [1-9]' -- run_tests "$test"
done < <(printf '%s\n' "$PWD"/tests/*.exe)

wineserver -k 2>/dev/null
echo "$passed passed, $failed failed"
[[ $failed -eq 0 ]]
