/** Labels and label selectors in protobuf. Field numbers: k8s.io/apimachinery pkg/apis/meta/v1/generated.proto. */
import type { LabelRequirement } from '../../reconcile/model.ts';
import { FieldReader } from './wire.ts';

/** The labels of the ObjectMeta in bytes [start, end). @throws ProtobufError */
export function labelsOf(bytes: Buffer, start: number, end: number): ReadonlyMap<string, string> {
  const LABELS = 11;
  const labels = new Map<string, string>();
  const metadata = new FieldReader().open(bytes, start, end);
  while (metadata.next()) {
    if (metadata.field !== LABELS) continue;
    const [key, value] = mapEntry(metadata);
    labels.set(key, value);
  }
  return labels;
}

/** A metav1.LabelSelector: a label of matchLabels is one that must be In a list of one. @throws ProtobufError */
export function selectorOf(field: FieldReader): readonly LabelRequirement[] {
  const labels: LabelRequirement[] = [];
  const expressions: LabelRequirement[] = [];
  const selector = new FieldReader().open(field.bytes, field.start, field.finish);
  while (selector.next()) {
    if (selector.field === 1) {
      const [key, value] = mapEntry(selector);
      labels.push({ key, operator: 'In', values: [value] });
    } else if (selector.field === 2) expressions.push(requirementOf(selector));
  }
  return [...labels, ...expressions];
}

function requirementOf(field: FieldReader): LabelRequirement {
  let key = '';
  let operator = '';
  const values: string[] = [];
  const requirement = new FieldReader().open(field.bytes, field.start, field.finish);
  while (requirement.next()) {
    if (requirement.field === 1) key = requirement.text();
    else if (requirement.field === 2) operator = requirement.text();
    else if (requirement.field === 3) values.push(requirement.text());
  }
  return { key, operator, values };
}

function mapEntry(field: FieldReader): readonly [string, string] {
  let key = '';
  let value = '';
  const entry = new FieldReader().open(field.bytes, field.start, field.finish);
  while (entry.next()) {
    if (entry.field === 1) key = entry.text();
    else if (entry.field === 2) value = entry.text();
  }
  return [key, value];
}
