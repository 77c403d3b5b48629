/** Which replica a tenant belongs to. */
import { hash } from 'node:crypto';

/**
 * The replica that owns a tenant: the one with the highest score for it (rendezvous hashing, Thaler and Ravishankar 1998).
 * A replica that comes takes over what it scores highest for, from all others alike; one that goes leaves its tenants to
 * the next highest; nothing else moves. All replicas must reckon the same: another version of this program with another
 * score would divide the tenants otherwise, and two of them could own one.
 * @param replicas distinct names, in any order
 * @returns null where there is none
 */
export function ownerOf(tenant: string, replicas: Iterable<string>): string | null {
  let owner: string | null = null;
  let highest = '';
  for (const replica of replicas) {
    const score = hash('sha256', `${replica}\n${tenant}`);
    if (owner === null || score > highest || (score === highest && replica > owner)) {
      owner = replica;
      highest = score;
    }
  }
  return owner;
}
