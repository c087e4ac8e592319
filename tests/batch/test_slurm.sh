#!/usr/bin/env bash
# test_slurm.sh PROGRAM SCRATCH: an array of 40 shots on a Slurm of this machine alone, two of them killed -9 midway; after
# --resume the outputs are those of a run that nobody disturbed, to the bit.
set -euo pipefail
program=$1 scratch=$2
skip() { echo "test_slurm: skipped: $*" >&2; exit 77; }
fail() { echo "test_slurm: $*" >&2; tail -n 20 "$scratch"/log/* >&2 2>/dev/null || true; exit 1; }
for tool in munged slurmctld slurmd sbatch squeue; do
  command -v "$tool" >/dev/null || skip "$tool is not installed ('scripts/install-deps farm' does)"
done
[ "$(id -u)" -eq 0 ] || skip "only root can start slurmd"

rm -rf "$scratch" && mkdir -p "$scratch"/{log,state,spool,shots}
daemons=()
stop() {
  for process in "${daemons[@]}"; do kill "$process" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$munge"
}
trap stop EXIT

# Authentication, with a key and a socket of its own; munged wants a folder that others may enter and not write to.
munge=$(mktemp -d) && chmod 755 "$munge"
head -c 1024 /dev/urandom >"$munge/key" && chmod 600 "$munge/key"
munged --foreground --force --key-file="$munge/key" --socket="$munge/socket" --pid-file="$munge/pid" \
  --log-file="$munge/log" --seed-file="$munge/seed" >"$scratch/log/munged" 2>&1 &
daemons+=($!)

port=$((20000 + RANDOM % 20000))
host=$(hostname -s)
cat >"$scratch/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$munge/socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/spool
SlurmctldPidFile=$scratch/ctld.pid
SlurmdPidFile=$scratch/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
SchedulerParameters=sched_interval=1,batch_sched_delay=1
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
CONF
export SLURM_CONF=$scratch/slurm.conf
for _ in $(seq 100); do [ -S "$munge/socket" ] && break; sleep 0.1; done
[ -S "$munge/socket" ] || fail "munged did not start"
slurmctld -D -f "$SLURM_CONF" >"$scratch/log/slurmctld" 2>&1 & daemons+=($!)
slurmd -D -f "$SLURM_CONF" -N "$host" >"$scratch/log/slurmd" 2>&1 & daemons+=($!)
for _ in $(seq 200); do sinfo -h -o %T 2>/dev/null | grep -q idle && break; sleep 0.3; done
sinfo -h -o %T | grep -q idle || fail "no node of Slurm came up"

# Two long shots to be killed, one cut into pieces, and short ones: with the join 40 that end in outputs.
python3 - "$scratch/shots" <<'PYTHON'
import json, sys
defaults = {"method": "tracking", "measure": 0, "outputs": "{name}.pc2"}
shots = [{"name": f"long{i}", "character": "builtin:hand", "clip": "fist", "frames": 90 + i} for i in range(2)]
shots.append({"name": "cut", "character": "builtin:cylinder", "clip": "bend", "frames": 6, "history": "canonical", "split": 3})
shots += [{"name": f"shot{i}", "character": "builtin:cylinder", "clip": ("bend", "twist")[i % 2], "method": ("lbs", "dqs")[i // 2 % 2],
           "frames": 3 + i} for i in range(37)]
for name in ("undisturbed", "slurm"):
    json.dump({"folder": name, "defaults": defaults, "shots": shots}, open(f"{sys.argv[1]}/{name}.json", "w"))
PYTHON
cd "$scratch/shots"
"$program" batch undisturbed.json --quiet || fail "the run on this machine failed"
[ "$(ls undisturbed/*.pc2 | wc -l)" -eq 40 ] || fail "40 shots were expected"

wait_for_slurm() {
  for _ in $(seq 1200); do [ -z "$(squeue -h 2>/dev/null)" ] && return; sleep 0.25; done
  squeue >&2; fail "the jobs did not end"
}
"$program" batch slurm.json --sbatch
for shot in long0 long1; do
  process=
  for _ in $(seq 600); do
    # Midway: its output has begun.
    if compgen -G "slurm/$shot.pc2.tmp*" >/dev/null; then
      process=$(pgrep -f -- "^$program batch --task $PWD/slurm/slurm.batch/$shot.task.json" | head -n 1) && break
    fi
    sleep 0.05
  done
  [ -n "$process" ] || fail "$shot was not found at work"
  kill -9 "$process"
  [ ! -e "slurm/$shot.pc2" ] || fail "$shot was done before it could be killed"
done
wait_for_slurm
for shot in long0 long1; do [ ! -e "slurm/$shot.pc2" ] || fail "a killed task left an output"; done
"$program" batch slurm.json --report --json >report.json
python3 -c 'import json; r = json.load(open("report.json")); assert (r["done"], r["not_done"]) == (40, 2), r' ||
  fail "two tasks should be left"

[ "$("$program" batch slurm.json --list --resume | wc -l)" -eq 2 ] || fail "--resume should list two tasks"
"$program" batch slurm.json --sbatch --resume --max-parallel 2
wait_for_slurm
for file in undisturbed/*.pc2; do
  cmp "$file" "slurm/${file##*/}" || fail "${file##*/} differs"
done
[ "$(ls slurm/*.pc2 | wc -l)" -eq 40 ] || fail "40 outputs were expected"
! compgen -G 'slurm/*.tmp*' >/dev/null || fail "the killed tasks left files"
echo "40 shots, two killed, resumed: the same bits"
rm -rf "$scratch/shots"
