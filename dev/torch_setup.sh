#!/usr/bin/env bash
# Makes the environment of python/tensors/: PyTorch without CUDA, of which PyPI's wheels need gigabytes. It is Debian's, unpacked
# into a folder of the build cache, for Debian's own Python. Prints the folder; TORCH_FOLDER names another one.
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

folder=${TORCH_FOLDER:-${XDG_CACHE_HOME:-$HOME/.cache}/bowshot/torch}
python=/usr/bin/python3
packages=(pyarrow==25.0.1 pytest==9.2.0 "psycopg[binary]==3.3.9")
way="install PyTorch without CUDA in an environment of your own, and run pytest python/tensors there"
if ! [[ -x $python && -n $(command -v apt-get) ]]; then
    fail "The tests of PyTorch need Debian's, and this is not Debian." "$way"
fi
"$python" -c 'import ensurepip, venv' 2> /dev/null || fail "$python has no venv module." "install it with: apt-get install python3-venv"
wanted="$("$python" --version) ${packages[*]}"

if ! [[ -f $folder/versions && $(< "$folder/versions") == "$wanted" ]]; then
    say "unpacking PyTorch from Debian into $folder"
    rm -rf "$folder"
    mkdir -p "$folder/packages" "$folder/root"
    as_root apt-get update -qq
    # With what it needs and is not installed. Nothing is installed by this.
    mapfile -t names < <(apt-get install --simulate -y --no-install-recommends python3-torch | awk '/^Inst/ { print $2 }')
    # As this user: apt's own may not enter the home folder.
    ((${#names[@]} == 0)) ||
        (cd "$folder/packages" && apt-get download -qq -o APT::Sandbox::User="$(id -un)" "${names[@]}")
    find "$folder/packages" -name '*.deb' -exec dpkg --extract {} "$folder/root" ';'
    rm -r "$folder/packages"
    "$python" -m venv --system-site-packages "$folder/venv"
    "$folder/venv/bin/pip" install --quiet "${packages[@]}"
    printf '%s\n' "$wanted" > "$folder/versions"
fi
echo "$folder"
