/** A sink that keeps what a reflector sees, and how it was told. */
import { EventEmitter, once } from 'node:events';
import type { ReflectorSink, ReflectorState } from '../../src/kube/reflector.ts';

/** Any of our models that has a version. */
export interface Reflected {
  readonly namespace?: string;
  readonly name: string;
  readonly resourceVersion: string;
}

export class ReflectedStore<T extends Reflected> implements ReflectorSink<T> {
  readonly objects = new Map<string, T>();
  /** `replace 3`, `put shop/data 7`, `remove shop/data 8`, in order. */
  readonly told: string[] = [];
  readonly states: ReflectorState[] = [];
  readonly #changes = new EventEmitter().setMaxListeners(0);

  replace(objects: readonly T[]): void {
    this.objects.clear();
    for (const object of objects) this.objects.set(keyOf(object), object);
    this.#tell(`replace ${objects.length}`);
  }

  put(object: T): void {
    this.objects.set(keyOf(object), object);
    this.#tell(`put ${keyOf(object)} ${object.resourceVersion}`);
  }

  remove(object: T): void {
    this.objects.delete(keyOf(object));
    this.#tell(`remove ${keyOf(object)} ${object.resourceVersion}`);
  }

  readonly onState = (state: ReflectorState): void => {
    this.states.push(state);
    this.#changes.emit('change');
  };

  /** Waits until something holds; asked again after each call of the reflector's. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await once(this.#changes, 'change');
  }

  /** Key and resourceVersion of each object, sorted: comparable with what a server lists. */
  contents(): string[] {
    return [...this.objects.values()].map((object) => `${keyOf(object)} ${object.resourceVersion}`).sort();
  }

  #tell(text: string): void {
    this.told.push(text);
    this.#changes.emit('change');
  }
}

function keyOf({ namespace, name }: Reflected): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}
