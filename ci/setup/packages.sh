# shellcheck shell=bash disable=SC2154
#
# Packages of the distribution: collects what is wanted, then installs it in one transaction.
#
# Knows apt (Debian, Ubuntu), dnf (Fedora) and pacman (Arch). Without the right to install, or without a network, it
# names the packages and the command, and the set-up goes on.

wanted_packages=()
wanted_things=()

# package_manager: apt, dnf, pacman, or nothing.
package_manager() {
    local manager
    for manager in apt-get dnf pacman; do
        if command -v "$manager" >/dev/null; then
            echo "${manager%-get}"
            return
        fi
    done
}

# want_package THING APT DNF PACMAN: asks for the package that holds THING. Each name may be several, or empty where
# another package of that distribution brings THING.
want_package() {
    wanted_things+=("$1")
    local names
    case $(package_manager) in
    apt) names=$2 ;;
    dnf) names=$3 ;;
    pacman) names=$4 ;;
    *) names= ;;
    esac
    read -r -a names <<<"$names"
    wanted_packages+=("${names[@]}")
}

# install_command: how a person would install the wanted packages.
install_command() {
    case $(package_manager) in
    apt) echo "apt-get install ${wanted_packages[*]}" ;;
    dnf) echo "dnf install ${wanted_packages[*]}" ;;
    pacman) echo "pacman -S ${wanted_packages[*]}" ;;
    *) echo "install them with your system's package manager (apt, dnf and pacman are known here)" ;;
    esac
}

# as_root COMMAND...: runs COMMAND as root; fails at once where that needs a password.
as_root() {
    if [[ $EUID -eq 0 ]]; then
        "$@"
    else
        sudo -n "$@"
    fi
}

may_install() {
    [[ $EUID -eq 0 ]] || { command -v sudo >/dev/null && sudo -n true 2>/dev/null; }
}

# run_package_manager: installs the wanted packages. Lists are refreshed first: a fresh container has none.
run_package_manager() {
    case $(package_manager) in
    apt)
        # A failed refresh is no reason to stop: the lists that are there may do.
        as_root apt-get update -qq || true
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
            -o DPkg::Lock::Timeout=120 "${wanted_packages[@]}"
        ;;
    dnf) as_root dnf install -y -q --setopt=install_weak_deps=False "${wanted_packages[@]}" ;;
    pacman) as_root pacman -Sy --needed --noconfirm --quiet "${wanted_packages[@]}" ;;
    *) return 1 ;;
    esac
}

# install_wanted_packages: one transaction for all of them, then one line for each thing.
install_wanted_packages() {
    if [[ ${#wanted_things[@]} -eq 0 ]]; then
        return
    fi
    local reason log=$fetched/packages.log thing
    if [[ -z $(package_manager) ]]; then
        reason="no package manager that is known here"
    elif ! may_install; then
        reason="needs root or sudo without a password"
    elif run_package_manager </dev/null >"$log" 2>&1; then
        for thing in "${wanted_things[@]}"; do
            say_done "$thing"
        done
        return
    else
        reason="$(package_manager) failed ($(say_last_line "$log")); all of it is in $log"
    fi
    for thing in "${wanted_things[@]}"; do
        say_missing "$thing" "$reason"
    done
    say_note "to get these: $(install_command)"
}
