# shellcheck shell=bash
# Sourced by every script here: strict mode, the project's root as working folder, one build cache for all runs, and
# a check of the tools that a machine must bring: rust, python, cc.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

RUST_NEEDED=1.95
PYTHON_NEEDED=3.11

# rustup puts cargo here; a login shell has it on its PATH, a script may not.
[[ -d $HOME/.cargo/bin && :$PATH: != *:$HOME/.cargo/bin:* ]] && export PATH=$HOME/.cargo/bin:$PATH

export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/bowshot/target}
export PIP_DISABLE_PIP_VERSION_CHECK=1
export PYTHON=${PYTHON:-python3}
export VENV=$PWD/.venv

# In CI the lock file must already hold every version that a build uses.
# shellcheck disable=SC2034 # for who sources this
CARGO_FLAGS=(${CI:+--locked})

say() { printf '%s\n' "$*" >&2; }

# fail WHAT WAY_OUT
fail() {
    say "$1"
    say "  $2"
    exit 1
}

# at_least VERSION NEEDED
at_least() { [[ $(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1) == "$2" ]]; }

need_rust() {
    local way="install it with: curl https://sh.rustup.rs -sSf | sh   (or: rustup update stable)"
    command -v cargo > /dev/null || fail "Rust is missing; Bowshot needs $RUST_NEEDED or later." "$way"
    local version
    version=$(rustc --version | cut -d ' ' -f 2)
    at_least "$version" "$RUST_NEEDED" || fail "Rust is $version; Bowshot needs $RUST_NEEDED or later." "$way"
    command -v cc > /dev/null ||
        fail "A C compiler is missing; SQLite and the linker need one." "install it with: apt-get install gcc libc6-dev"
}

need_python() {
    command -v "$PYTHON" > /dev/null ||
        fail "Python is missing; Bowshot's development needs $PYTHON_NEEDED or later." \
            "install it with: apt-get install python3 python3-venv   (or name another one: make PYTHON=/path/to/python)"
    local version
    version=$("$PYTHON" -c 'import platform; print(platform.python_version())')
    at_least "$version" "$PYTHON_NEEDED" ||
        fail "$PYTHON is $version; Bowshot's development needs $PYTHON_NEEDED or later." \
            "name a newer one: make PYTHON=/path/to/python"
    "$PYTHON" -c 'import ensurepip, venv' 2> /dev/null ||
        fail "$PYTHON has no venv module." "install it with: apt-get install python3-venv"
}

# as_root COMMAND...: runs it as root, or says that it cannot.
as_root() {
    if [[ $(id -u) == 0 ]]; then
        "$@"
    elif command -v sudo > /dev/null; then
        sudo "$@"
    else
        fail "This needs root, and there is no sudo: $*" "run that line as root, then try again"
    fi
}
