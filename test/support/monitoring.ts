/** What plugin/deploy/monitoring consists of. */
import { readFile } from 'node:fs/promises';
import { load } from 'js-yaml';
import type { Json } from '../control-plane/api.ts';

const MONITORING = new URL('../../plugin/deploy/monitoring/', import.meta.url);

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string; readonly runbook: string };
}

export interface RuleGroups {
  readonly groups: readonly { readonly name: string; readonly rules: readonly AlertRule[] }[];
}

/** The PrometheusRule's spec, which is what Prometheus itself takes. */
export async function ruleGroups(): Promise<RuleGroups> {
  const rule: Json = load(await readFile(new URL('prometheus-rule.yaml', MONITORING), 'utf8'));
  return rule.spec;
}

export async function alertRules(): Promise<AlertRule[]> {
  return (await ruleGroups()).groups.flatMap(({ rules }) => rules);
}

/** Grafana's dashboard. */
export async function dashboard(): Promise<Json> {
  return JSON.parse(await readFile(new URL('dashboard.json', MONITORING), 'utf8'));
}

/** Every query of the dashboard's panels. */
export async function dashboardQueries(): Promise<string[]> {
  return (await dashboard()).panels.flatMap(({ targets = [] }: Json) =>
    targets.map(({ expr }: Json) => expr),
  );
}

/** The metrics that a PromQL expression asks for: what stands before a selector, an operator or a bracket, and is ours or the library's. */
export function metricsIn(query: string): string[] {
  return [...query.matchAll(/\b(?:vc_pvc|process|nodejs)_[a-z0-9_]+/g)].map(([name]) =>
    name.replace(/_(?:bucket|count|sum)$/, ''),
  );
}
