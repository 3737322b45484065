# What ./dev needs of the machine: Debian packages, a compiler, and Python environments inside the checkout.
# Each function does nothing, and asks nobody anything, where all is there already.

env_dir=$root/.toolchain
build_pins=(cmake==3.31.10 ninja==1.13.2)
docs_pins=(mkdocs==1.6.1 mkdocs-material==9.8.1 pymdown-extensions==13.1)
torch_pins=(torch==2.15.0 jax==0.10.2 numpy==2.4.6)
disassembler_pins=(nvidia-cuda-nvdisasm==13.5.37)
export PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1

installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    echo "needs root and there is no sudo; run as root: $*" >&2
    return 1
  fi
}

apt_updated=''
apt_update() {
  [ -z "$apt_updated" ] || return 0
  [ "$(id -u)" -eq 0 ] || ! command -v sudo >/dev/null || sudo -v
  step "apt: reading the lists of packages" as_root apt-get update
  apt_updated=yes
}

# packages NAME...: installs those that are missing. Without any missing it asks nobody anything.
packages() {
  local name missing=()
  if ! command -v dpkg-query >/dev/null; then
    echo "  this is no Debian or Ubuntu: going on with what is here; needed are $*"
    return 0
  fi
  for name in "$@"; do
    installed "$name" || missing+=("$name")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  apt_update
  echo "  missing: ${missing[*]}"
  step "apt: installing ${#missing[@]} packages" \
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"
}

# The compiler: clang 22, or the newest that the distribution has from 19 up. Sets $clang.
clang=22
choose_clang() {
  local version
  if ! command -v dpkg-query >/dev/null || installed clang-22; then return 0; fi
  if [ -f "$env_dir/clang" ] && installed "clang-$(cat "$env_dir/clang")"; then
    clang=$(cat "$env_dir/clang")
    return 0
  fi
  apt_update
  for version in 22 $(seq 29 -1 19); do
    if apt-cache show "clang-$version" >/dev/null 2>&1; then
      clang=$version
      [ "$clang" = 22 ] || echo "  this distribution has no clang 22: using clang $clang, warnings are no errors"
      mkdir -p "$env_dir"
      echo "$clang" >"$env_dir/clang"
      return 0
    fi
  done
  die "this distribution has no clang from 19 up, which Tessera's modules need"
}

# venv NAME PIN...: a virtual environment under .toolchain with just these packages; made again when they change or move.
venv() {
  local dir=$env_dir/$1
  shift
  local stamp="$dir $*"
  [ "$(cat "$dir/stamp" 2>/dev/null)" != "$stamp" ] || return 0
  rm -rf "$dir"
  step "python: a virtual environment in ${dir#"$root"/}" python3 -m venv "$dir" &&
    step "python: installing ${*%%=*}" "$dir/bin/pip" install "$@" &&
    echo "$stamp" >"$dir/stamp"
}

setup_build() {
  choose_clang
  packages "clang-$clang" "clang-tools-$clang" "libclang-rt-$clang-dev" libstdc++-12-dev libtbb-dev libthrust-dev libhwy-dev \
    doctest-dev librange-v3-dev libfmt-dev zlib1g-dev libbenchmark-dev python3 python3-venv
  venv build "${build_pins[@]}"
  export PATH=$env_dir/build/bin:$PATH
}

# nvdisasm, 5 MB, where there is a CUDA toolkit without it: the test of kernels' machine code is skipped if it cannot be had.
setup_disassembler() {
  [ -d /usr/local/cuda ] || command -v nvcc >/dev/null || return 0
  [ ! -x /usr/local/cuda/bin/nvdisasm ] && ! command -v nvdisasm >/dev/null || return 0
  venv nvdisasm "${disassembler_pins[@]}" || echo "  no nvdisasm: kernels' machine code is not read"
}

# What only the presets clang19 and libcxx, readable reports of sanitizers, the models and the tests of the report and of debuggers need.
setup_test() {
  setup_build
  setup_disassembler
  packages "libc++-$clang-dev" "libc++abi-$clang-dev" "llvm-$clang" "lld-$clang" spin gdb "lldb-$clang" libopenmpi-dev openmpi-bin
  if has_clang19; then packages clang-19 clang-tools-19 libclang-rt-19-dev lld-19; fi
  command -v chromium >/dev/null || command -v google-chrome >/dev/null || packages chromium ||
    echo "  no chromium here: the test that looks at the report in a browser will be skipped"
}

# True where clang 19 is installed, or can be.
has_clang19() {
  ! command -v clang++-19 >/dev/null || return 0
  command -v apt-cache >/dev/null && apt_update && apt-cache show clang-19 >/dev/null 2>&1
}
