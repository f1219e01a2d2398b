#!/usr/bin/env bash
# Matches of the tuning seed on 16 cores. Python with numba in PATH/PYTHONPATH; OUT is where lines go. About 8.5 minutes in all.
set -u
cd "$(dirname "$0")/.."
export PYTHONPATH="$PWD:${PYTHONPATH:-}" OMP_NUM_THREADS=1 NUMBA_NUM_THREADS=1
export XDG_CACHE_HOME="${XDG_CACHE_HOME:-/tmp/cache}"
OUT="${OUT:-/work/t19/results}"; mkdir -p "$OUT"
ALL="${ALL:-480}"; SEED="${SEED:-41}"; CORES="${CORES:-16}"
PY="${PY:-python3}"
begin=$(date +%s)
left() { echo $(( ALL - ( $(date +%s) - begin ) )); }

# compile: the parts beside each other, then the whole
for part in frozen rolls grow; do $PY experiment/compile.py $part > "$OUT/compile_$part.txt" 2>&1 & done
wait
$PY train/rum_run_measure.py hard:iterations=20 --setup small --seats 2 --games 1 > "$OUT/compile_tree.txt" 2>&1
echo "compiled after $(( $(date +%s) - begin )) s, $(left) left" > "$OUT/compile_time.txt"

export OUT SEED PY
DEADLINE=$(( begin + ALL )); export DEADLINE
one() { # NUMBER SECONDS PLAYER PLAYER SETUP SEATS
  local now; now=$(date +%s); local room=$(( DEADLINE - now - 3 )); local sec=$2
  [ "$room" -lt "$sec" ] && sec=$room
  [ "$sec" -lt 5 ] && return
  local second="$4"; [ "$second" = self ] && second=""
  timeout $(( DEADLINE - now )) $PY train/rum_run_measure.py "$3" $second --setup "$5" --seats "$6" --games 1000 --seed "$SEED" --seconds "$sec" --each \
    > "$OUT/$(printf %03d "$1").txt" 2> "$OUT/$(printf %03d "$1").err"
}
export -f one
"${JOBS:-experiment/jobs_tune.sh}" "$(left)" "$CORES" | xargs -P "$CORES" -L 1 bash -c 'one "$@"' _
tail -qn 1 "$OUT"/[0-9]*.txt > "$OUT/last.txt"
find "$OUT" -name '*.err' -size 0 -delete
