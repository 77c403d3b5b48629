/** Claims and volumes that change in a tenant and in the super cluster, in every way that concerns a watch. */
import type { Api } from './api.ts';
import { mapConcurrently } from '../../src/fleet/concurrency.ts';
import { createPair } from './bulk.ts';
import type { ControlPlane } from './control-plane.ts';
import { createVolume, claimSpec, marks, paths } from './syncer.ts';
import type { Fleet, Tenant } from './fleet.ts';

/** How a claim is left: the phase of its super claim, or that there is none. */
const FINAL_STATES = ['Bound', 'Lost', 'Pending', 'SuperMissing'] as const;
type FinalState = (typeof FINAL_STATES)[number];

const BOUND_MARKS = { 'pv.kubernetes.io/bind-completed': 'yes' };
const VOLUMES = '/api/v1/persistentvolumes';
const PHASES = ['Bound', 'Lost', 'Pending'] as const;

/** Claims that change at the same time. */
const WRITERS = 12;

export class ClaimChurn {
  readonly #claims: readonly ChurnedClaim[];
  #events = 0;

  private constructor(fleet: Fleet, tenant: Tenant, namespace: string, names: readonly string[]) {
    const counted = (): void => void (this.#events += 1);
    this.#claims = names.map((name) => new ChurnedClaim(fleet, tenant, namespace, name, counted));
  }

  /** Makes so many pairs, Bound on both sides. */
  static async start(fleet: Fleet, tenant: Tenant, namespace: string, count: number): Promise<ClaimChurn> {
    const names = Array.from({ length: count }, (_, index) => `churn-${index}`);
    await mapConcurrently(names, WRITERS, (name) => createPair(fleet, tenant, namespace, name, false));
    return new ClaimChurn(fleet, tenant, namespace, names);
  }

  /** Changes that were made. */
  get events(): number {
    return this.#events;
  }

  /** Has claims change until so many changes were made in all, or a few more. */
  async until(events: number): Promise<void> {
    const write = async (_: unknown, writer: number): Promise<void> => {
      const own = this.#claims.filter((_claim, index) => index % WRITERS === writer);
      for (let turn = 0; this.#events < events; turn += 1) await own[turn % own.length]?.change(Math.random);
    };
    await Promise.all(Array.from({ length: WRITERS }, write));
  }

  /** Brings each into a state that stays, all states in turn. @returns the state of each, by name */
  async settle(): Promise<Map<string, FinalState>> {
    const states = new Map(
      this.#claims.map(({ name }, index) => [name, FINAL_STATES[index % FINAL_STATES.length] ?? 'Bound']),
    );
    await mapConcurrently(this.#claims, WRITERS, (claim) => claim.settle(states.get(claim.name) ?? 'Bound'));
    return states;
  }
}

/** One pair of createPair, changed by one writer: each change is another event of a watch. */
class ChurnedClaim {
  readonly name: string;
  readonly #tenant: Tenant;
  readonly #namespace: string;
  readonly #paths: ReturnType<typeof paths>;
  readonly #super: ControlPlane;
  readonly #counted: () => void;
  #phase: string = 'Bound';
  #touched = 0;

  /** @param counted told of each change that was made */
  constructor(fleet: Fleet, tenant: Tenant, namespace: string, name: string, counted: () => void) {
    this.name = name;
    this.#tenant = tenant;
    this.#namespace = namespace;
    this.#paths = paths(tenant, namespace, name);
    this.#super = fleet.super;
    this.#counted = counted;
  }

  /** Something happens to it. @param random from 0 to 1 */
  async change(random: () => number): Promise<void> {
    const kind = random();
    if (kind < 0.55) await this.#otherPhase(random);
    else if (kind < 0.7) await this.#touchTenant();
    else if (kind < 0.85) await this.#stealVolume();
    else if (kind < 0.92) await this.#remakeSuper('Bound');
    else if (kind < 0.96) await this.#remakeVolume();
    else {
      await this.#remakeTenant();
      await this.#remakeSuper('Bound');
    }
  }

  /** Brings it into a state that stays. */
  async settle(state: FinalState): Promise<void> {
    if (state === 'SuperMissing') {
      // The super claim goes first: what it was must not be written to the new one.
      await this.#remove(this.#super.api, this.#paths.super);
      await this.#remakeTenant();
    } else {
      await this.#remakeTenant();
      await this.#remakeSuper(state);
    }
  }

  async #otherPhase(random: () => number): Promise<void> {
    const others = PHASES.filter((phase) => phase !== this.#phase);
    await this.#setPhase(others[Math.floor(random() * others.length)] ?? 'Lost');
  }

  async #setPhase(phase: string): Promise<void> {
    this.#phase = phase;
    await this.#counting(this.#super.api.patch(`${this.#paths.super}/status`, { status: { phase } }));
  }

  async #touchTenant(): Promise<void> {
    this.#touched += 1;
    const annotations = { touched: String(this.#touched) };
    await this.#counting(this.#tenant.plane.api.patch(this.#paths.tenant, { metadata: { annotations } }));
  }

  /** The super volume names another claim of the same name, or none: another cause. */
  async #stealVolume(): Promise<void> {
    this.#touched += 1;
    const claimRef =
      this.#touched % 3 === 0 ? null : { ...this.#reference(), uid: `stolen-${this.#touched}` };
    await this.#counting(this.#super.api.patch(this.#volume, { spec: { claimRef } }));
  }

  async #remakeVolume(): Promise<void> {
    await this.#remove(this.#super.api, this.#volume);
    await this.#counting(createVolume(this.#super, this.#volumeName, this.#reference()));
  }

  /** The syncer's patrol makes a super claim anew. */
  async #remakeSuper(phase: string): Promise<void> {
    const { uid } = (await this.#tenant.plane.api.get(this.#paths.tenant)).metadata;
    await this.#remove(this.#super.api, this.#paths.super);
    await this.#counting(
      this.#super.api.create(this.#paths.superList, {
        metadata: {
          name: this.name,
          annotations: { ...BOUND_MARKS, ...marks(this.#tenant, this.#namespace, uid) },
        },
        spec: claimSpec(this.#volumeName),
      }),
    );
    await this.#setPhase(phase);
  }

  async #remakeTenant(): Promise<void> {
    const { api } = this.#tenant.plane;
    await this.#remove(api, this.#paths.tenant);
    const metadata = { name: this.name, annotations: BOUND_MARKS };
    await this.#counting(api.create(this.#paths.tenantList, { metadata, spec: claimSpec(this.#volumeName) }));
    await this.#counting(api.patch(`${this.#paths.tenant}/status`, { status: { phase: 'Bound' } }));
  }

  /** There is no controller to take the finalizers away. */
  async #remove(api: Api, path: string): Promise<void> {
    await this.#counting(api.patch(path, { metadata: { finalizers: null } }));
    await this.#counting(api.delete(path));
  }

  async #counting(change: Promise<unknown>): Promise<void> {
    await change;
    this.#counted();
  }

  #reference(): object {
    const { superNamespace: namespace } = this.#paths;
    return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name: this.name };
  }

  get #volumeName(): string {
    return `pv-${this.name}`;
  }

  get #volume(): string {
    return `${VOLUMES}/${this.#volumeName}`;
  }
}
