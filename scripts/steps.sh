# Sourced by other scripts: steps whose output goes to a file and is shown only where they fail.
# shellcheck shell=bash disable=SC2034

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

start_log() { # FILE
  log=$1
  mkdir -p "$(dirname "$log")"
  : >"$log"
}

step() { # HEADING COMMAND...
  local heading=$1 begin=$SECONDS status=0
  shift
  printf '%-58s' "$heading"
  printf '\n== %s: %s\n' "$heading" "$*" >>"$log"
  # A shell of its own, so that "set -e" holds inside COMMAND though its status is looked at.
  set +e
  (
    set -e
    "$@"
  ) >>"$log" 2>&1 </dev/null
  status=$?
  set -e
  if ((status == 0)); then
    printf '%4d s\n' $((SECONDS - begin))
    return
  fi
  printf 'FAILED\n'
  tail -n 80 "$log" >&2
  printf '\n%s failed with status %d; all of its output is in %s\n' "$heading" "$status" "$log" >&2
  exit 1
}

ccache_option() {
  if command -v ccache >/dev/null; then echo -DCMAKE_CXX_COMPILER_LAUNCHER=ccache; fi
}

# What the tests may know and leave behind is theirs alone.
own_environment() { # BUILD_DIR
  # Threads that wait without spinning: several tests share the processors.
  export OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive
  export POCL_CACHE_DIR=$1/cache/pocl XDG_CACHE_HOME=$1/cache XDG_CONFIG_HOME=$1/config
  mkdir -p "$POCL_CACHE_DIR" "$XDG_CONFIG_HOME"
  unset SWITCHYARD_PROFILE SWITCHYARD_LOG SWITCHYARD_DEVICES SWITCHYARD_HOST_BUDGET \
    SWITCHYARD_DEVICE_BUDGET SWITCHYARD_REPRODUCIBLE
}
