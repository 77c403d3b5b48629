/** What went wrong beside the rows: told once for each kind, however many claims it concerns. */
import type { UserError } from '../errors.ts';
import { SYNC_ROLE, withRole } from './tenant-api.ts';
import type { TenantRole } from './tenant-api.ts';

/** events: Events that could not be written; unseen: the controller's answer; other: told as it is. */
type Kind = 'events' | 'unseen' | 'other';

export class Troubles {
  readonly #firsts = new Map<string, { readonly message: string; count: number; readonly kind: Kind }>();

  add(kind: Kind, error: UserError, role: TenantRole = SYNC_ROLE): void {
    const { message } = withRole(error, role);
    // Messages of one kind name one claim each: the first stands for all.
    const key = kind === 'other' ? message : kind;
    const known = this.#firsts.get(key);
    if (known === undefined) this.#firsts.set(key, { message, count: 1, kind });
    else known.count += 1;
  }

  /** One line for each. */
  lines(): string[] {
    return [...this.#firsts.values()].map(({ message, count, kind }) => {
      if (kind === 'other') return message;
      const what = kind === 'events' ? 'the Events' : 'what became';
      return `${what} of ${count} ${count === 1 ? 'claim' : 'claims'} could not be ${kind === 'events' ? 'written' : 'seen'}: ${message}`;
    });
  }
}
