# shellcheck shell=bash disable=SC2154
#
# Packages of a newer Debian than the system's, unpacked into folders of their own.
#
# apt fetches them with separate lists, state and cache, so that the machine's stay unchanged, and checks their
# signatures; it installs nothing. A package comes with every library that it needs, the C library included, so programs
# that use such a folder start through the loader in it. Testing and sid change, so the versions are recorded, not
# pinned. An existing folder is kept: remove it to fetch again.

# for_machine MACHINE: fetches packages for another machine (x86_64 or aarch64) than this one.
for_machine() {
    case $1 in
    aarch64) debian_architecture=arm64 debian_loader=ld-linux-aarch64.so.1 ;;
    *) debian_architecture=amd64 debian_loader=ld-linux-x86-64.so.2 ;;
    esac
    # The folder of libraries in Debian's packages.
    debian_libraries=usr/lib/$1-linux-gnu
}
for_machine "$(uname -m)"

# debian_mirror: prints the mirror from which this machine gets Debian's packages.
debian_mirror() {
    # shellcheck disable=SC2016
    apt-get indextargets --format '$(SITE) $(ORIGIN)' 'Created-By: Packages' 2>/dev/null |
        awk '$2 == "Debian" && $1 !~ /security/ { print $1; exit }'
}

# why_not_from_debian: prints why this machine cannot use packages of a newer Debian; nothing if it can.
why_not_from_debian() {
    if [[ ! $(uname -m) =~ ^(x86_64|aarch64)$ ]]; then
        echo "it is fetched for x86_64 and aarch64, not for $(uname -m)"
    elif [[ $(package_manager) != apt ]] || ! command -v dpkg-deb >/dev/null; then
        echo "fetched from Debian with apt, which is missing here"
    fi
}

# read_debian_lists WORK SUITE: makes WORK/apt.conf, with which apt sees this suite alone and takes nothing for installed,
# and fetches the suite's lists. Uses && because `set -e` does not apply inside a condition.
read_debian_lists() {
    local work=$1 suite=$2 mirror keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    mirror=$(debian_mirror)
    if [[ ! -e $keyring ]]; then
        echo "error: no keys for Debian's packages ($keyring)"
        return 1
    fi
    # A mirror's lists may be expired.
    cat >"$work/apt.conf" <<END
APT::Architecture "$debian_architecture";
APT::Architectures { "$debian_architecture"; };
Dir::State "$work/state";
Dir::State::lists "$work/state/lists";
Dir::State::status "$work/state/status";
Dir::Cache "$work/cache";
Dir::Etc::sourcelist "$work/sources.list";
Dir::Etc::sourceparts "$work/none";
Dir::Etc::preferences "$work/none";
Dir::Etc::preferencesparts "$work/none";
Acquire::Check-Valid-Until "false";
Acquire::Languages "none";
Acquire::Retries "1";
APT::Update::Error-Mode "any";
Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled "false";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
APT::Sandbox::User "$(id -un)";
END
    mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/none" "$work/root" "$work/result" &&
        : >"$work/state/status" &&
        echo "deb [signed-by=$keyring] ${mirror:-http://deb.debian.org/debian} $suite main" >"$work/sources.list" &&
        APT_CONFIG=$work/apt.conf apt-get update -qq
}

# fetch_from_debian WORK SUITE PACKAGE...: puts these packages of a suite, with all that they depend on, unpacked into
# WORK/root, and their versions into WORK/result/versions.
fetch_from_debian() {
    local work=$1 suite=$2
    shift 2
    # Debug::NoLocking, because only root may lock apt's files, and no other apt uses these.
    read_debian_lists "$work" "$suite" &&
        APT_CONFIG=$work/apt.conf apt-get install -qq --download-only --yes --no-install-recommends \
            -o Debug::NoLocking=true "$@" &&
        unpack_packages "$work"
}

# unpack_packages WORK: unpacks the downloaded packages into WORK/root, and lists their versions.
unpack_packages() {
    local work=$1 package
    # shellcheck disable=SC2016 # dpkg-deb fills these in
    for package in "$work"/cache/archives/*.deb; do
        dpkg-deb --fsys-tarfile "$package" | tar -x --no-same-owner --no-same-permissions -C "$work/root" &&
            dpkg-deb --show --showformat '${Package} ${Version}\n' "$package" >>"$work/result/versions" || return 1
    done
}

# take_libraries WORK FILE...: copies the loader and the libraries that these programs and libraries of WORK/root load
# into WORK/result/lib. The packages have others, which would only take room.
take_libraries() {
    local work=$1 from=$1/root/$debian_libraries file library loader
    shift
    loader=$from/$debian_loader
    mkdir -p "$work/result/lib"
    # Our program may name the small parts of the C library, which must not be the system's.
    cp -L --no-preserve=ownership "$loader" "$from"/lib{dl.so.2,m.so.6,pthread.so.0,rt.so.1} "$work/result/lib" || return 1
    for file; do
        "$loader" --library-path "$from" --list "$work/root/$file" >"$work/needed" || return 1
        # `NAME => PATH (ADDRESS)`; the loader itself has no name.
        while read -r library; do
            if [[ -e $library ]]; then
                cp -L --no-preserve=ownership "$library" "$work/result/lib/$(basename "$library")" || return 1
            fi
        done < <(awk -v from="$from/" 'index($3, from) == 1 { print $3 }' "$work/needed")
    done
}

# keep_fetched WORK TOOL: moves WORK/result to its place in the tools folder.
keep_fetched() {
    rm -rf "$fetched/tools/$2" && mkdir -p "$fetched/tools" && mv "$1/result" "$fetched/tools/$2"
}

# version_of TOOL PACKAGE: prints the version of a package in a tool's folder.
version_of() {
    grep "^$2 " "$fetched/tools/$1/versions" | cut -d' ' -f2
}

# set_up_from_debian TOOL TITLE SUITE PACKAGE FETCH CONSEQUENCE: calls `FETCH WORK`, which puts TOOL into the tools folder, if
# it is not there. The version of PACKAGE stands for all of TOOL; CONSEQUENCE tells the reader what happens without it.
set_up_from_debian() {
    local tool=$1 title=$2 suite=$3 package=$4 fetch=$5 consequence=$6 log=$fetched/$1.log work reason
    if [[ -e $fetched/tools/$tool/versions ]]; then
        return
    fi
    reason=$(why_not_from_debian)
    if [[ -n $reason ]]; then
        say_missing "$title" "$reason. $consequence"
        return
    fi
    work=$(mktemp -d "$fetched/$tool.XXXXXX")
    if "$fetch" "$work" >"$log" 2>&1; then
        say_done "$title ($(version_of "$tool" "$package") of Debian $suite)"
        rm -f "$log"
    else
        say_missing "$title" "Debian $suite's packages could not be fetched ($(first_error "$log")); see $log. $consequence"
    fi
    rm -rf "$work"
}
