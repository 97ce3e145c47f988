#!/usr/bin/env bash
# Shared by Tests/run and scripts/check-all: they source this file, run their checks with `check`, build
# with the flags below, and end with `finish`.

# With CI set, compiler warnings are errors, and builds have no debug information, which saves a tenth of
# their time. The backtrace of a crashed test then has no lines.
flags=()
build_flags=()
if [[ -n ${CI:-} ]]; then
  flags=(-Xswiftc -warnings-as-errors)
  build_flags=("${flags[@]}" -debug-info-format none)
fi

# The names of the checks, by their results.
passed=()
failed=()

# Lines of failed checks for the end of the run.
failures=()

# Runs one check and keeps its result. Arguments: its name, then a command.
check() {
  local name=$1 start=$SECONDS
  shift
  printf '\n== %s\n' "$name"
  if "$@"; then
    passed+=("$name")
    printf '== %s: passed (%d s)\n' "$name" $((SECONDS - start))
  else
    failed+=("$name")
    printf '== %s: FAILED (%d s)\n' "$name" $((SECONDS - start))
    return 1
  fi
}

# Ends the run with a summary of its checks.
finish() {
  printf '\n'
  local name
  for name in "${failed[@]}"; do printf 'failed: %s\n' "$name"; done
  if ((${#failures[@]} > 0)); then printf '%s\n' "${failures[@]}"; fi
  printf '%d passed, %d failed\n' "${#passed[@]}" "${#failed[@]}"
  if ((${#failed[@]} > 0)); then
    printf 'the suite FAILED\n'
    exit 1
  fi
  printf 'the suite passed\n'
  exit 0
}
