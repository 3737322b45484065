# How ./dev reports: a step is one command and one line; a stage is several steps and a line of the summary at the end.
# Needs $root, and $logs, the folder for what the commands say.

# While a step runs on a terminal: how far ninja has come, from the log. Ends with the script, however that ends.
follow() {
  local log=$1 progress
  while sleep 0.5 && kill -0 $$; do
    progress=$(grep -o '^\[[0-9]*/[0-9]*\]' "$log" | tail -n 1 || true)
    [ -z "$progress" ] || printf '\r%s %-14s\r' "$line" "$progress"
  done
}

# The part of a log that says why: from ninja's first failure on, or else the end.
excerpt() {
  if grep -q '^FAILED: ' "$1"; then
    awk '/^FAILED: / { found = 1 } found && lines++ < 60' "$1"
  else
    tail -n 40 "$1"
  fi
}

# step TEXT COMMAND...: runs the command with its output in a log; says what, how long, and why if it fails.
step() {
  local text=$1 status=0 begin=$SECONDS follower='' log line
  shift
  log=$logs/$(tr -cs 'a-z0-9\n' '-' <<<"${text,,}").log
  line=$(printf '  %-58s' "$text")
  mkdir -p "$logs"
  : >"$log"
  printf '%s' "$line"
  if [ -t 1 ]; then
    follow "$log" 2>/dev/null &
    follower=$!
  fi
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if [ -n "$follower" ]; then
    kill "$follower" 2>/dev/null
    wait "$follower" 2>/dev/null || true
    printf '\r%s' "$line"
  fi
  if [ "$status" -eq 0 ]; then
    printf '%5d s%s\n' $((SECONDS - begin)) "${follower:+              }"
    return 0
  fi
  printf ' failed after %d s:\n' $((SECONDS - begin))
  excerpt "$log" | cut -c 1-400 | sed 's/^/    /'
  echo "  all of it: ${log#"$root"/}"
  return "$status"
}

stage_names=() stage_results=() stage_seconds=()

# stage NAME COMMAND...: runs it, notes the result and goes on, so that one run tells everything that is wrong.
stage() {
  local name=$1 begin=$SECONDS result=passed
  shift
  echo "== $name"
  "$@" || result=FAILED
  stage_names+=("$name") stage_results+=("$result") stage_seconds+=($((SECONDS - begin)))
}

# Says what each stage gave; false if any failed.
summary() {
  local index failed=0
  echo
  printf '%-10s %-8s %8s\n' stage result seconds
  for index in "${!stage_names[@]}"; do
    printf '%-10s %-8s %8d\n' "${stage_names[index]}" "${stage_results[index]}" "${stage_seconds[index]}"
    [ "${stage_results[index]}" = passed ] || failed=1
  done
  printf '%-10s %-8s %8d\n' all "$([ "$failed" -eq 0 ] && echo passed || echo FAILED)" "$SECONDS"
  return "$failed"
}
