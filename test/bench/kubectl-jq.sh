#!/bin/sh
# What one writes without the plugin: the claims of both clusters, joined by jq over the syncer's annotations; prints
# every claim that is Bound in the tenant and not in the super cluster. One tenant, no causes, no volumes, no second look
# at what has changed between the two lists.
# usage: kubectl-jq.sh KUBECTL SUPER_KUBECONFIG TENANT_KUBECONFIG DIRECTORY
set -eu
"$1" get pvc -A -o json --kubeconfig "$2" > "$4/super.json"
"$1" get pvc -A -o json --kubeconfig "$3" > "$4/tenant.json"
jq -rn --slurpfile super "$4/super.json" --slurpfile tenant "$4/tenant.json" '
  ($super[0].items
    | map({ key: "\(.metadata.annotations["tenancy.x-k8s.io/namespace"])/\(.metadata.name)", value: .status.phase })
    | from_entries) as $phases
  | $tenant[0].items[]
  | "\(.metadata.namespace)/\(.metadata.name)" as $claim
  | select(.status.phase == "Bound" and $phases[$claim] != "Bound")
  | "\($claim) \($phases[$claim])"'
