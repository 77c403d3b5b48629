/** --tenant-kubeconfig VIRTUALCLUSTER=FILE: the admin's own way to a tenant. */
import { UserError, oneLine } from '../errors.ts';
import type { VirtualCluster } from '../reconcile/model.ts';

/** Finds the file that was given for a VirtualCluster. */
export interface TenantFiles {
  /** @throws UserError for a file that was given for none of these, or for several: a typo must not pass. */
  check(virtualClusters: readonly VirtualCluster[]): void;
  /** null where none was given. NAMESPACE/NAME goes before NAME. */
  find(virtualCluster: VirtualCluster): string | null;
}

/** @param values each NAME=FILE or NAMESPACE/NAME=FILE @throws UserError for any other form */
export function parseTenantKubeconfigFlags(values: readonly string[]): TenantFiles {
  const files = new Map<string, string>();
  for (const value of values) {
    const equals = value.indexOf('=');
    const name = value.slice(0, Math.max(equals, 0));
    const file = value.slice(equals + 1);
    if (!/^([^/]+\/)?[^/]+$/.test(name) || file === '') {
      throw new UserError(
        `--tenant-kubeconfig=${oneLine(value)}: expected VIRTUALCLUSTER=FILE, the first as NAME or NAMESPACE/NAME`,
      );
    }
    files.set(name, file);
  }
  return {
    check: (virtualClusters) => {
      for (const name of files.keys()) {
        const meant = virtualClusters.filter(
          (one) => name === one.name || name === `${one.namespace}/${one.name}`,
        );
        if (meant.length > 1) {
          throw new UserError(
            `--tenant-kubeconfig=${oneLine(name)}=...: several VirtualClusters have this name; give NAMESPACE/NAME`,
          );
        }
        if (meant.length === 0) {
          throw new UserError(
            `--tenant-kubeconfig=${oneLine(name)}=...: no VirtualCluster of this name is visible here`,
          );
        }
      }
    },
    find: ({ namespace, name }) => files.get(`${namespace}/${name}`) ?? files.get(name) ?? null,
  };
}
