#!/usr/bin/env bash
# The final table: fresh seed. At most ALL seconds (480 unless said), 16 cores. OUT as for device.sh.
export JOBS=experiment/jobs_final.sh SEED="${SEED:-77}" ALL="${ALL:-480}"
exec bash "$(dirname "$0")/device.sh"
