#!/bin/sh
# Shows the main job on recorded input: two snapshots of real control planes with the real VirtualCluster syncer.
set -u
cd "$(dirname "$0")/.."

# Prints the command as a user would type it, runs it, and insists on the exit code that it must have.
show() {
  expected=$1
  shift
  printf '\n$ kubectl vc-pvc'
  for word in "$@"; do
    case $word in
      *[!A-Za-z0-9_./=-]*) printf " '%s'" "$word" ;;
      *) printf ' %s' "$word" ;;
    esac
  done
  printf '\n'
  plugin/kubectl-vc_pvc "$@"
  code=$?
  printf '(exit code %s)\n' "$code"
  if [ "$code" -ne "$expected" ]; then
    printf 'demo: expected exit code %s\n' "$expected" >&2
    exit 1
  fi
}

printf 'Two tenants on a good day: nothing to report.\n'
show 0 check --from test/data/captures/healthy
printf '\nThe same two tenants after a day of accidents. Every claim below reads Bound in its tenant.\n'
show 1 check --from test/data/captures/broken
printf '\nOne tenant, with both volumes, their phases, and what sync would write.\n'
show 1 check default/vc-sample-1 --from test/data/captures/broken -o wide
printf '\nOne of them explained: what is wrong, whether the data is safe, and the command that mends it.\n'
show 1 explain shop/cart-0 --from test/data/captures/broken
printf '\nWhy, in plain words, for scripts and for people.\n'
show 1 check --from test/data/captures/broken -o 'jsonpath={range .items[*]}{.virtualCluster.name}/{.tenant.name}: {.cause.message}{"\n"}{end}'
printf '\nWhat sync would write, so that the tenants tell the truth.\n'
show 1 sync --dry-run=client --from test/data/captures/broken
