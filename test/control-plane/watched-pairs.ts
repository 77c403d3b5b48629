/**
 * What the tests of a watch under faults share: `watch --sync --hold`, which reaches both clusters only through networks
 * and gateways that can fail, claims that break and heal meanwhile, and the API servers' own records of what was written.
 */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { RunningCli } from '../support/running-cli.ts';
import type { Json } from './api.ts';
import { audited, writesOf, wrongWrites } from './audit.ts';
import { eventually } from './eventually.ts';
import { claimRecreated, volumeDeleted } from './faults.ts';
import { writeKubeconfig } from './fleet.ts';
import { NAMESPACE, SyncScene, conditionOf } from './sync-scene.ts';
import { createBoundPair, createVolume, paths, phaseOf } from './syncer.ts';
import { Way } from './way.ts';
import type { WatchLine } from './watched-fleet.ts';

const FAKE_CLOCK = fileURLToPath(new URL('./fake-clock.ts', import.meta.url));
/** After a fault some wait for the end of a pause. Milliseconds. */
const PATIENCE = 90_000;

/** Claims by what happens to them while a fault lasts. */
const CLAIMS = {
  /** Nothing at all. */
  calm: 'calm',
  /** One breaks (its super volume is deleted), the other heals (it comes back); the next time the other way round. */
  turns: ['left', 'right'],
  /** Breaks and heals. */
  brief: 'brief',
  /** Is deleted and made anew in the tenant, its super claim stays Pending. */
  again: 'again',
} as const;
const NAMES = [CLAIMS.calm, ...CLAIMS.turns, CLAIMS.brief, CLAIMS.again];

export class WatchedPairs {
  readonly scene: SyncScene;
  readonly super: Way;
  readonly tenant: Way;
  readonly #kubeconfig: string;
  readonly #watch: RunningCli;
  #broken: 'left' | 'right' = 'right';
  /** Looks at super claims and attempts to write tenant claims, as they came by: `look left`, `write left`. */
  readonly #requests: string[] = [];

  private constructor(scene: SyncScene, superWay: Way, tenantWay: Way, kubeconfig: string) {
    this.scene = scene;
    this.super = superWay;
    this.tenant = tenantWay;
    this.#kubeconfig = kubeconfig;
    this.#listen();
    this.#watch = this.#startWatch();
  }

  /** Starts it all, and waits until the watch has held what is broken. */
  static async start(): Promise<WatchedPairs> {
    const scene = await SyncScene.start({ audited: true });
    const { fleet, tenant } = scene;
    try {
      await Promise.all(NAMES.map((name) => createBoundPair(fleet, tenant, NAMESPACE, name)));
      await Promise.all([
        volumeDeleted(fleet, tenant, NAMESPACE, 'right'),
        claimRecreated(fleet, tenant, NAMESPACE, CLAIMS.again),
      ]);
      const superWay = await Way.start(fleet.super);
      const tenantWay = await Way.start(tenant.plane);
      const text = await fleet.super.kubeconfigFor('admin', ['system:masters'], superWay.server);
      const kubeconfig = await writeKubeconfig(fleet.storage, 'through-the-network', text);
      await storeAnew(scene, await tenant.plane.kubeconfigFor('admin', ['system:masters'], tenantWay.server));
      return new WatchedPairs(scene, superWay, tenantWay, kubeconfig);
    } catch (error) {
      await scene.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.#watch.stop();
    await Promise.all([this.super.stop(), this.tenant.stop()]);
    await this.scene.stop();
  }

  get watch(): RunningCli {
    return this.#watch;
  }

  /** Another kubeconfig of the tenant's, in the place of the one that is there. */
  renewKubeconfig(text: string): Promise<void> {
    return storeAnew(this.scene, text);
  }

  /** What needs only the super cluster: one claim breaks, another heals, a third does both. */
  async changeSuper(): Promise<void> {
    const { fleet, tenant } = this.scene;
    const broken = this.#broken;
    const next = broken === 'left' ? 'right' : 'left';
    this.#broken = next;
    await Promise.all([
      volumeDeleted(fleet, tenant, NAMESPACE, next),
      this.#bringVolumeBack(broken),
      volumeDeleted(fleet, tenant, NAMESPACE, CLAIMS.brief).then(() => this.#bringVolumeBack(CLAIMS.brief)),
    ]);
  }

  /** What needs the tenant too: a claim is deleted, made anew and sent down. */
  recreate(): Promise<void> {
    return claimRecreated(this.scene.fleet, this.scene.tenant, NAMESPACE, CLAIMS.again);
  }

  /** Waits until every tenant claim, and the last row printed of it, shows what its super claim calls for. */
  async untilRight(): Promise<void> {
    const expected = {
      [CLAIMS.calm]: 'Bound',
      [CLAIMS.brief]: 'Bound',
      left: this.#broken === 'left' ? 'Lost' : 'Bound',
      right: this.#broken === 'right' ? 'Lost' : 'Bound',
      [CLAIMS.again]: 'Pending',
    };
    for (const [name, phase] of Object.entries(expected)) {
      const at = paths(this.scene.tenant, NAMESPACE, name);
      await phaseOf(this.scene.fleet.super, at.super, phase);
      const shown = (): string => JSON.stringify(this.#lastRow(name));
      try {
        await eventually(
          `${name} to be ${phase} in the tenant, and to be told so`,
          async () => shows(await this.scene.claim(name), phase) && tellsSo(this.#lastRow(name), phase),
          PATIENCE,
        );
      } catch (error) {
        const { status } = await this.scene.claim(name);
        const told = this.#watch.lines('stderr').slice(-12).join('\n');
        throw new Error(`${name}: ${JSON.stringify(status)}\nlast row: ${shown()}\nstderr:\n${told}`, {
          cause: error,
        });
      }
    }
  }

  /** Whether nothing that was ever written was wrong, and the claim to which nothing happened was never written to. */
  async assertNothingWrong(): Promise<void> {
    const tenant = await audited(this.scene.tenant.plane);
    assert.deepEqual(wrongWrites(tenant, await audited(this.scene.fleet.super)), []);
    const writes = writesOf(tenant);
    assert.ok(writes.length > 0);
    assert.ok(!writes.some(({ name }) => name === CLAIMS.calm), 'nothing is written to a claim that is calm');
    assert.equal(this.#lastRow(CLAIMS.calm), undefined, 'nothing is told of a claim that is calm');
    this.#assertEachWriteLooked();
  }

  /** What is written must be what the super claim was when it was last looked at: each attempt has a look of its own. */
  #assertEachWriteLooked(): void {
    for (const name of NAMES) {
      const ofClaim = this.#requests.filter((one) => one.endsWith(` ${name}`)).join();
      assert.ok(!ofClaim.includes(`write ${name},write ${name}`), `${name} was written twice after one look`);
    }
  }

  #listen(): void {
    const at = paths(this.scene.tenant, NAMESPACE, '');
    this.super.gateway.heard = (method, path) => {
      const name = path.startsWith(at.super) ? path.slice(at.super.length) : '';
      if (method === 'GET' && isName(name)) this.#requests.push(`look ${name}`);
    };
    this.tenant.gateway.heard = (method, path) => {
      const [name = '', rest = ''] = path.startsWith(at.tenant)
        ? path.slice(at.tenant.length).split('/')
        : [];
      if (method === 'PATCH' && isName(name) && !rest.includes('dryRun='))
        this.#requests.push(`write ${name}`);
    };
  }

  #startWatch(): RunningCli {
    return new RunningCli(
      ['watch', '--sync', '--hold', '--grace=0', '-A', '-o', 'json', '--output-watch-events'],
      { KUBECONFIG: this.#kubeconfig, NODE_OPTIONS: `--import=${FAKE_CLOCK}` },
    );
  }

  #lastRow(name: string): WatchLine | undefined {
    return this.#watch
      .lines()
      .map((line) => JSON.parse(line) as WatchLine)
      .findLast(({ object }) => object.tenant.name === name);
  }

  async #bringVolumeBack(name: string): Promise<void> {
    const { fleet, tenant } = this.scene;
    const at = paths(tenant, NAMESPACE, name);
    const { uid } = (await fleet.super.api.get(at.super)).metadata;
    const reference = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      name,
      namespace: at.superNamespace,
      uid,
    };
    await createVolume(fleet.super, `pv-${tenant.name}-${name}`, reference);
    await phaseOf(fleet.super, at.super, 'Bound');
  }
}

async function storeAnew({ fleet, tenant }: SyncScene, text: string): Promise<void> {
  await fleet.super.api.patch(`/api/v1/namespaces/${tenant.key}/secrets/admin-kubeconfig`, {
    data: { 'admin-kubeconfig': Buffer.from(text).toString('base64') },
  });
}

function isName(text: string): boolean {
  return /^[a-z]+$/.test(text);
}

/** Whether a tenant claim is held in this phase, or, being Bound, not held at all. */
function shows(claim: Json, phase: string): boolean {
  const held = conditionOf(claim)?.status === 'False';
  return claim.status.phase === phase && held === (phase !== 'Bound');
}

/** Whether a row says that a claim is held in this phase, or that there is nothing to say of it. */
function tellsSo(row: WatchLine | undefined, phase: string): boolean {
  if (phase === 'Bound')
    return row === undefined || (row.type === 'DELETED' && row.object.verdict === 'Consistent');
  if (row === undefined || row.type === 'DELETED') return false;
  const { verdict, tenant, super: superClaim } = row.object;
  return verdict === 'Held' && tenant.phase === phase && superClaim?.phase === phase;
}
