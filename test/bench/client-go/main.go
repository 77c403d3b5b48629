// The peer of `make bench`'s race: the claims of a super cluster and of its tenants read through client-go as
// protobuf, both sides side by side, joined by the syncer's annotations; one line for each claim that is Bound in its
// tenant and not in the super cluster. It has no causes, asks for nothing a second time and knows no hostile tenant.
//
// usage: client-go SUPER-KUBECONFIG KEY=TENANT-KUBECONFIG...
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"sort"
	"strings"
	"sync"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

const tenantsAtOnce = 16

func claims(file string) ([]v1.PersistentVolumeClaim, error) {
	config, err := clientcmd.BuildConfigFromFlags("", file)
	if err != nil {
		return nil, err
	}
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	list, err := client.CoreV1().PersistentVolumeClaims("").List(context.Background(), metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

func main() {
	var super []v1.PersistentVolumeClaim
	tenants := make([][]v1.PersistentVolumeClaim, len(os.Args)-2)
	keys := make([]string, len(tenants))
	var group sync.WaitGroup
	failed := make(chan error, len(tenants)+1)
	read := func(file string, into *[]v1.PersistentVolumeClaim) {
		found, err := claims(file)
		if err != nil {
			failed <- err
		}
		*into = found
	}
	group.Go(func() { read(os.Args[1], &super) })
	slots := make(chan struct{}, tenantsAtOnce)
	for index, argument := range os.Args[2:] {
		key, file, _ := strings.Cut(argument, "=")
		keys[index] = key
		group.Go(func() {
			slots <- struct{}{}
			read(file, &tenants[index])
			<-slots
		})
	}
	group.Wait()
	if len(failed) > 0 {
		fmt.Fprintln(os.Stderr, <-failed)
		os.Exit(2)
	}
	type place struct{ cluster, namespace, name string }
	phases := make(map[place]*v1.PersistentVolumeClaim, len(super))
	for index := range super {
		claim := &super[index]
		marks := claim.Annotations
		phases[place{marks["tenancy.x-k8s.io/cluster"], marks["tenancy.x-k8s.io/namespace"], claim.Name}] = claim
	}
	var lines []string
	for index, found := range tenants {
		for _, claim := range found {
			other := phases[place{keys[index], claim.Namespace, claim.Name}]
			same := other != nil && other.Annotations["tenancy.x-k8s.io/uid"] == string(claim.UID)
			if !same || (claim.Status.Phase == v1.ClaimBound && other.Status.Phase != v1.ClaimBound) {
				lines = append(lines, fmt.Sprintf("%s/%s/%s", keys[index], claim.Namespace, claim.Name))
			}
		}
	}
	sort.Strings(lines)
	out := bufio.NewWriter(os.Stdout)
	for _, line := range lines {
		fmt.Fprintln(out, line)
	}
	out.Flush()
	if len(lines) > 0 {
		os.Exit(1)
	}
}
