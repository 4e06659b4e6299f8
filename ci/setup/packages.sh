# shellcheck shell=bash disable=SC2154
#
# Packages of the distribution: collects the wanted ones, then installs them in one transaction.
#
# Supports apt (Debian, Ubuntu), dnf (Fedora) and pacman (Arch). Without the right to install, or without a network, it
# prints the packages and the command, and the set-up continues.

# wanted_packages[i] contains wanted_things[i]; spaces separate several names.
wanted_things=()
wanted_packages=()

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

# want_package THING APT DNF PACMAN: requests the packages that contain THING, by their names in each distribution. Several
# tools may request the same THING.
want_package() {
    if [[ " ${wanted_things[*]} " == *" $1 "* ]]; then
        return
    fi
    wanted_things+=("$1")
    case $(package_manager) in
    apt) wanted_packages+=("$2") ;;
    dnf) wanted_packages+=("$3") ;;
    pacman) wanted_packages+=("$4") ;;
    *) wanted_packages+=("") ;;
    esac
}

# has_library NAME: succeeds if the dynamic linker finds NAME. Users' PATH often lacks the folder of ldconfig. grep
# reads to the end, because -q may break the pipe and make it fail.
has_library() {
    PATH=$PATH:/usr/sbin:/sbin ldconfig -p 2>/dev/null | grep -F "$1 " >/dev/null
}

# as_root COMMAND...: runs COMMAND as root; fails at once if that needs a password.
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

# run_package_manager PACKAGE...: refreshes the lists, which a fresh container lacks, and installs.
run_package_manager() {
    case $(package_manager) in
    apt)
        # Continues after a failed refresh, because the existing lists may suffice. Few retries, since apt waits long
        # before each if there is no network.
        as_root apt-get update -qq -o Acquire::Retries=1 || true
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
            -o Acquire::Retries=1 -o DPkg::Lock::Timeout=120 "$@"
        ;;
    dnf) as_root dnf install -y -q --setopt=install_weak_deps=False "$@" ;;
    pacman) as_root pacman -Sy --needed --noconfirm --quiet "$@" ;;
    *) return 1 ;;
    esac
}

# install_command PACKAGES: prints the command for a user who may install.
install_command() {
    case $(package_manager) in
    apt) echo "sudo apt-get install $1" ;;
    dnf) echo "sudo dnf install $1" ;;
    pacman) echo "sudo pacman -S $1" ;;
    *) echo "install it with your package manager" ;;
    esac
}

# install_or_say_why PACKAGE...: installs silently; on failure prints the reason in a few words.
install_or_say_why() {
    local log=$fetched/packages.log
    if [[ -z $(package_manager) ]]; then
        echo "no package manager that is known here (apt, dnf, pacman)"
    elif ! may_install; then
        echo "installing needs root, or sudo without a password"
    elif ! run_package_manager "$@" </dev/null >"$log" 2>&1; then
        echo "$(package_manager) failed: $(first_error "$log") (all of it: $log)"
    else
        rm -f "$log"
    fi
}

# install_wanted_packages: one transaction for all of them, then one line for each thing.
install_wanted_packages() {
    if [[ ${#wanted_things[@]} -eq 0 ]]; then
        return
    fi
    local index packages reason
    read -r -a packages <<<"${wanted_packages[*]}"
    reason=$(install_or_say_why "${packages[@]}")
    for index in "${!wanted_things[@]}"; do
        if [[ -z $reason ]]; then
            say_done "${wanted_things[index]}"
        else
            say_missing "${wanted_things[index]}" "$(install_command "${wanted_packages[index]}")"
        fi
    done
    if [[ -n $reason ]]; then
        say_note "not done here: $reason"
    fi
}
