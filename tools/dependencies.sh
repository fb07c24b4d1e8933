# Sourced by ./quickstart, ./check and .ci/run: installs what is missing and configures a build.
# Works on Debian 12 and Ubuntu 24.04; elsewhere it says which packages to install and tries to build.

packages=(
  g++ cmake ninja-build pkg-config
  libcli11-dev libfmt-dev nlohmann-json3-dev libyaml-cpp-dev
  libtbb-dev libsqlite3-dev zlib1g-dev libxxhash-dev
  libxgboost-dev xgboost  # XGBoost's CMake files ask for its program too
  libeigen3-dev libceres-dev libmetis-dev  # Ceres's CMake files ask for METIS too
  libgtest-dev librapidcheck-dev libbenchmark-dev
  git python3
)

say() { printf '==> %s\n' "$*"; }

stop() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

missing_packages() {
  local package
  for package in "${packages[@]}"; do
    [[ "$(dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null)" == ii* ]] || echo "$package"
  done
}

# Fills the array `as_root` with the words that make a command run as root without a question.
find_root() {
  if [[ "$(id -u)" == 0 ]]; then
    as_root=()
  elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root=(sudo -n)
  else
    stop "packages are missing, and this is neither root nor a user with password-free sudo." \
      "Run this once, then start again:
  sudo apt-get install -y --no-install-recommends $*"
  fi
}

install_dependencies() {
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    say "No apt on this system; using what is installed. Needed (Debian names): ${packages[*]}"
    return
  fi
  local missing
  mapfile -t missing < <(missing_packages)
  if ((${#missing[@]} == 0)); then
    say "All ${#packages[@]} packages are installed"
    return
  fi
  local as_root
  find_root "${missing[@]}"
  say "Installing ${#missing[@]} missing packages: ${missing[*]}"
  local environment=(env DEBIAN_FRONTEND=noninteractive)
  "${as_root[@]}" "${environment[@]}" apt-get update -qq </dev/null ||
    say "The package lists could not be refreshed; trying with the ones at hand"
  "${as_root[@]}" "${environment[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" \
    </dev/null >/dev/null ||
    stop "apt-get could not install: ${missing[*]} (on Ubuntu these need the 'universe' component)"
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
