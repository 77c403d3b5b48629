/** Label selectors: k8s.io/apimachinery pkg/labels/selector.go, Requirement.Matches. */
import type { LabelRequirement } from './model.ts';

/** Whether labels meet every requirement; none at all selects everything. */
export function selects(selector: readonly LabelRequirement[], labels: ReadonlyMap<string, string>): boolean {
  return selector.every((requirement) => meets(requirement, labels.get(requirement.key)));
}

function meets({ operator, values }: LabelRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    // No API server lets another one in, and the PV controller stops at it.
    default:
      return false;
  }
}
