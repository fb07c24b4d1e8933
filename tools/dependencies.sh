# Sourced by ./quickstart, ./check and .ci/run: installs what is missing and configures a build.
# The names are those of Debian 12, Debian 13 and Ubuntu 24.04 (there some are in `universe`); elsewhere it
# says which packages to install and tries to build. Set CXX for another compiler than the system's.

program_packages=(
  g++ cmake ninja-build pkg-config
  libcli11-dev libfmt-dev nlohmann-json3-dev libyaml-cpp-dev
  libsqlite3-dev zlib1g-dev libxxhash-dev libcpp-httplib-dev
  git python3
)
# Without these the program builds all the same; only training is left out of it.
learning_packages=(
  libxgboost-dev libeigen3-dev
  libceres-dev libmetis-dev  # Ceres's CMake files ask for METIS too
)
# For plans in several processes (mpirun); without it that is left out and said.
mpi_packages=(libopenmpi-dev openmpi-bin)
test_packages=(libgtest-dev librapidcheck-dev libbenchmark-dev)
# For .ci/run alone, which goes on without them: formatting, checks of changed files, a compiler cache, a
# quick linker.
ci_packages=(clang-format-14 clang-tidy-14 ccache mold)
# For tools/fuzz alone.
fuzz_packages=(clang-14 libclang-rt-14-dev)

say() { printf '==> %s\n' "$*"; }

stop() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# missing_packages PACKAGES: those that are not installed, a line each
missing_packages() {
  local package
  for package in "$@"; do
    [[ "$(dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null)" == ii* ]] || echo "$package"
  done
}

# Fills the array `as_root` with the words that make a command run as root without a question, or fails.
find_root() {
  as_root=()
  [[ "$(id -u)" == 0 ]] && return
  command -v sudo >/dev/null && sudo -n true 2>/dev/null && as_root=(sudo -n)
}

# install_packages PACKAGES: fails when one cannot be installed
install_packages() {
  local as_root environment=(env DEBIAN_FRONTEND=noninteractive)
  find_root || return 1
  "${as_root[@]}" "${environment[@]}" apt-get install -y -qq --no-install-recommends "$@" \
    </dev/null >/dev/null
}

# install_dependencies PACKAGES: what the program needs and PACKAGES, and what training needs if it is there
install_dependencies() {
  local needed=("${program_packages[@]}" "$@") missing wanted as_root
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    say "No apt on this system; using what is installed. Needed (Debian names): ${needed[*]};" \
      "for training: ${learning_packages[*]}"
    return
  fi
  mapfile -t missing < <(missing_packages "${needed[@]}")
  mapfile -t wanted < <(missing_packages "${learning_packages[@]}")
  if ((${#missing[@]} + ${#wanted[@]} == 0)); then
    say "All packages are installed"
    return
  fi
  if find_root; then
    "${as_root[@]}" apt-get update -qq </dev/null ||
      say "The package lists could not be refreshed; trying with the ones at hand"
  elif ((${#missing[@]} > 0)); then
    stop "packages are missing, and this is neither root nor a user with password-free sudo." \
      "Run this once, then start again:
  sudo apt-get install -y --no-install-recommends ${missing[*]} ${wanted[*]}"
  fi
  if ((${#missing[@]} > 0)); then
    say "Installing ${#missing[@]} missing packages: ${missing[*]}"
    install_packages "${missing[@]}" ||
      stop "apt-get could not install: ${missing[*]} (on Ubuntu these need the 'universe' component)"
  fi
  if ((${#wanted[@]} > 0)); then
    say "Installing what training needs: ${wanted[*]}"
    install_packages "${wanted[@]}" ||
      say "Not installed: ${wanted[*]}; this build cannot train, all else works"
  fi
}

# install_if_there PACKAGES: those that can be had without a question; what is left out is said
install_if_there() {
  local package as_root missing
  command -v apt-get >/dev/null && command -v dpkg-query >/dev/null || return 0
  mapfile -t missing < <(missing_packages "$@")
  for package in "${missing[@]}"; do
    install_packages "$package" 2>/dev/null || say "Not installed: $package"
  done
}

# What tests the page; it is built already (web/dist). Without them its tests are left out, and that is said.
# Node may have come from elsewhere than apt. Ubuntu has Chromium as a snap alone.
install_page_tools() {
  local wanted=()
  command -v node >/dev/null || wanted+=(nodejs)
  command -v npm >/dev/null || wanted+=(npm)
  command -v chromium >/dev/null || wanted+=(chromium)
  install_if_there "${wanted[@]}"
}

# Fills `python_flags` with what makes cmake build the compiled part of the Python package too, where nanobind
# and NumPy are there or can be had from a package index; elsewhere it is left out, and that is said.
find_python_tools() {
  local folder=build/python_tools
  python_flags=(-DWARPLOOM_PYTHON=OFF)
  install_if_there python3-venv python3-dev
  if ! { [[ -x "$folder/bin/python" ]] || python3 -m venv "$folder" >/dev/null 2>&1; } ||
    ! { "$folder/bin/python" -c 'import nanobind, numpy' 2>/dev/null ||
      "$folder/bin/python" -m pip install -q --retries 1 --timeout 15 nanobind numpy >/dev/null 2>&1; }; then
    say "nanobind and NumPy cannot be had here: the Python package is tested without its compiled part"
    return
  fi
  # Without it the types of the package are not checked.
  "$folder/bin/python" -c 'import mypy' 2>/dev/null ||
    "$folder/bin/python" -m pip install -q --retries 1 --timeout 15 mypy >/dev/null 2>&1 || true
  python_flags=(-DWARPLOOM_PYTHON=ON "-DPython_EXECUTABLE=$PWD/$folder/bin/python")
}

# Prints the path of a clang that has libFuzzer, or fails. CLANGXX names one.
find_fuzzing_clang() {
  local name
  for name in "${CLANGXX:-}" clang++ clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14; do
    [[ -n "$name" ]] && command -v "$name" >/dev/null || continue
    if echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
      "$name" -fsanitize=fuzzer,address -x c++ - -o /dev/null 2>/dev/null; then
      command -v "$name"
      return
    fi
  done
  return 1
}

# Fills `sanitized_preset`, `sanitized_flags` and `sanitized_targets` with the tree of the tests under address
# and undefined-behaviour checks. Where clang has libFuzzer it is that of the fuzzing targets: the toolkit is
# compiled once for both. CI's has no lines for reports of addresses, which then name functions alone: a
# seventh of its compile time.
find_sanitized_tree() {
  local clang
  sanitized_preset=asan sanitized_flags=() sanitized_targets=(sanitized_test_programs)
  if clang=$(find_fuzzing_clang); then
    sanitized_preset=fuzz sanitized_flags=("-DCMAKE_CXX_COMPILER=$clang")
    sanitized_targets+=(fuzz_programs)
  fi
  [[ "${CI:-}" != true ]] || sanitized_flags+=(-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-Og)
}

# Fills `threaded_flags` with those of the tree that the thread sanitizer looks at: clang compiles it in 0.6
# of g++'s time.
find_threaded_tree() {
  local clang
  threaded_flags=()
  if clang=$(find_fuzzing_clang); then
    threaded_flags=("-DCMAKE_CXX_COMPILER=$clang" "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O0 -g1")
  fi
}

# configure PRESET [more cmake arguments]
configure() {
  local preset=$1
  shift
  say "Configuring build/$preset"
  local log
  log=$(cmake --preset "$preset" "$@" 2>&1 </dev/null) || {
    printf '%s\n' "$log" >&2
    stop "cmake could not configure the preset '$preset'"
  }
}

# build PRESET [targets]: quiet while it goes well, the compiler's words when not
build() {
  local preset=$1
  shift
  local started=$SECONDS
  say "Building build/$preset on $(nproc) cores (some minutes the first time)"
  local targets=()
  (($# > 0)) && targets=(--target "$@")
  cmake --build --preset "$preset" "${targets[@]}" </dev/null || stop "the build of build/$preset failed"
  say "Built in $((SECONDS - started)) s"
}
