/**
 * Whether one resourceVersion of a kind is of an earlier moment than another. As k8s.io/apimachinery
 * pkg/util/resourceversion: decimal numbers of any length; false where one of them is something else.
 */
export function isEarlier(one: string, other: string): boolean {
  if (![one, other].every((version) => /^[1-9]\d*$/.test(version))) return false;
  return one.length === other.length ? one < other : one.length < other.length;
}
