/** A recorded case, changed by a test, and its one claim explained. */
import { cp, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import { recordedFleet } from '../../src/commands/source.ts';
import { findClaim } from '../../src/fleet/find-claim.ts';
import { readScene } from '../../src/fleet/scene.ts';
import { explain } from '../../src/reconcile/explain/explain.ts';
import type { Explanation } from '../../src/reconcile/explain/explanation.ts';
import { runCli } from './run-cli.ts';
import type { Finished } from './run-cli.ts';

const CASES = fileURLToPath(new URL('../data/cases/', import.meta.url));

/** An object as it is recorded; tests reach into it freely. */
// oxlint-disable-next-line typescript/no-explicit-any
type Recorded = any;

/** Objects of a changed case, to be changed in place. */
export interface CaseObjects {
  readonly superClaim: Recorded;
  readonly superVolume: Recorded;
  readonly tenantClaim: Recorded;
  readonly tenantVolume: Recorded;
  /** All objects of the super cluster: to add to, or take from. */
  readonly super: Recorded[];
  /** All objects of the tenant. */
  readonly tenant: Recorded[];
}

type Change = (objects: CaseObjects) => void;

/** The explanation of the case's claim after the change. */
export function explainedCase(name: string, change: Change = () => {}): Promise<Explanation> {
  return withCase(name, change, async (directory, claim) => {
    const { fleet, virtualClusters } = await recordedFleet(
      directory,
      null,
      true,
    )(new AbortController().signal);
    const { signal } = new AbortController();
    const failed = (why: string): void => {
      throw new Error(why);
    };
    const options = {
      concurrency: 1,
      tenantTimeout: 0,
      signal,
      onUnsearched: (_: unknown, why: string) => failed(why),
    };
    const found = await findClaim({ virtualCluster: null, ...claim }, fleet, virtualClusters, options);
    return explain(await readScene(found, fleet, { settling: null, signal, onUnread: failed }));
  });
}

/** What the command line prints of the case's claim after the change. @param asked how it is asked for */
export function printedCase(
  name: string,
  change: Change,
  args: readonly string[] = [],
  asked: string | null = null,
): Promise<Finished> {
  return withCase(name, change, (directory, claim) =>
    runCli(['explain', asked ?? `${claim.namespace}/${claim.name}`, '--from', directory, ...args]),
  );
}

async function withCase<T>(
  name: string,
  change: Change,
  work: (directory: string, claim: { namespace: string; name: string }) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'vc-pvc-case-'));
  try {
    await cp(join(CASES, name), directory, { recursive: true });
    const superFile = join(directory, 'super.yaml');
    const tenantFile = await onlyTenantFile(join(directory, 'tenants'));
    const [superList, tenantList] = await Promise.all([superFile, tenantFile].map(readList));
    const [superItems, tenantItems] = [superList?.items ?? [], tenantList?.items ?? []];
    const tenantClaim = find(tenantItems, 'PersistentVolumeClaim');
    const claim = { namespace: tenantClaim.metadata.namespace, name: tenantClaim.metadata.name };
    change({
      superClaim: find(superItems, 'PersistentVolumeClaim'),
      superVolume: find(superItems, 'PersistentVolume'),
      tenantClaim,
      tenantVolume: find(tenantItems, 'PersistentVolume'),
      super: superItems,
      tenant: tenantItems,
    });
    await Promise.all([
      writeFile(superFile, JSON.stringify(superList)),
      writeFile(tenantFile, JSON.stringify(tenantList)),
    ]);
    return await work(directory, claim);
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function onlyTenantFile(directory: string): Promise<string> {
  const file = (await readdir(directory, { recursive: true })).find((path) => path.endsWith('.yaml'));
  return join(directory, file ?? '');
}

async function readList(file: string): Promise<{ items: Recorded[] }> {
  return load(await readFile(file, 'utf8')) as { items: Recorded[] };
}

function find(items: readonly Recorded[], kind: string): Recorded {
  return items.find((item) => item.kind === kind);
}
