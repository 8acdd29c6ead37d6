# Sourced by other scripts: steps whose output goes to a file and is shown only where they fail.
# shellcheck shell=bash disable=SC2034

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

start_log() { # FILE
  log=$1
  mkdir -p "$(dirname "$log")"
  : >"$log"
}

# Says how far a step is, as far as its output tells ("[12/345]" of a build, "40 %" of a calibration):
# every two seconds on a terminal, elsewhere once a minute.
watch_step() { # HEADING
  local begin=$SECONDS pause=60 far
  if [[ -t 1 ]]; then pause=2; fi
  trap - ERR EXIT
  set +e
  # A pause without a process, which would outlive this one and hold its output open.
  exec {nothing}<> <(:)
  while ! read -rt "$pause" -u "$nothing"; do
    far=$(tail -n 20 "$log" | grep -oE '^\[[0-9]+/[0-9]+\]|[0-9]+ %' | tail -n 1)
    if [[ -t 1 ]]; then
      printf '\r%-58s%4d s  %-12s' "$1" $((SECONDS - begin)) "$far"
    else
      printf '\n  %d s so far %s' $((SECONDS - begin)) "$far"
    fi
  done
}

step() { # HEADING COMMAND...
  local heading=$1 begin=$SECONDS status=0
  shift
  printf '%-58s' "$heading"
  printf '\n== %s: %s\n' "$heading" "$*" >>"$log"
  # A shell of its own, so that "set -e" holds inside COMMAND though its status is looked at.
  watch_step "$heading" &
  local watcher=$!
  set +e
  (
    set -e
    "$@"
  ) >>"$log" 2>&1 </dev/null
  status=$?
  kill "$watcher" 2>/dev/null
  wait "$watcher" 2>/dev/null
  set -e
  if [[ -t 1 ]]; then printf '\r%-80s\r%-58s' '' "$heading"; fi
  if ((status == 0)); then
    printf '%4d s\n' $((SECONDS - begin))
    return
  fi
  printf 'FAILED\n'
  tail -n 80 "$log" >&2
  printf '\n%s failed with status %d; all of its output is in %s\n' "$heading" "$status" "$log" >&2
  exit 1
}

# Paths count relative to the tree, so that another clone finds what this one compiled.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1

ccache_option() {
  if command -v ccache >/dev/null; then echo -DCMAKE_CXX_COMPILER_LAUNCHER=ccache; fi
}

# What the tests may know and leave behind is theirs alone.
own_environment() { # BUILD_DIR
  # Threads that wait without spinning: several tests share the processors.
  export OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive
  # PoCL compiles a kernel alike for every build. Under sanitizers that takes twice the time, so that
  # they take what the release tests left.
  export POCL_CACHE_DIR=$root/build/pocl
  # What was compiled before is still found: the library is compiled once more for its consumers.
  if command -v ccache >/dev/null; then
    CCACHE_DIR=$(ccache --get-config cache_dir)
    export CCACHE_DIR
  fi
  export XDG_CACHE_HOME=$1/cache XDG_CONFIG_HOME=$1/config
  mkdir -p "$POCL_CACHE_DIR" "$XDG_CONFIG_HOME"
  unset SWITCHYARD_PROFILE SWITCHYARD_LOG SWITCHYARD_DEVICES SWITCHYARD_HOST_BUDGET \
    SWITCHYARD_DEVICE_BUDGET SWITCHYARD_REPRODUCIBLE
}
