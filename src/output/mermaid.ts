/** An explanation as a Mermaid flowchart (mermaid.js.org/syntax/flowchart.html), for reports and wikis. */
import type { ChainLink, ChainNode, Explanation } from '../reconcile/explain/explanation.ts';

/** Ends in a newline. */
export function toMermaid({ chain, virtualCluster, summary, verdict, cause }: Explanation): string {
  const inCluster = (cluster: ChainNode['cluster']): string[] =>
    chain.nodes.filter((node) => node.cluster === cluster).map(nodeLine);
  const broken = chain.links.flatMap(({ state }, index) => (state === 'broken' ? [index] : []));
  return [
    `%% ${escaped(summary)}`,
    'flowchart LR',
    `  subgraph tenant["tenant ${escaped(`${virtualCluster.namespace}/${virtualCluster.name}`)}"]`,
    ...inCluster('tenant'),
    '  end',
    '  subgraph super["super cluster"]',
    ...inCluster('super'),
    '  end',
    ...chain.links.map(linkLine),
    `  answer["${escaped([verdict, ...(cause === null ? [] : [cause.code])].join(', '))}"]`,
    '  superClaim ~~~ answer',
    ...(broken.length === 0 ? [] : [`  linkStyle ${broken.join(',')} stroke:#c00,color:#c00`]),
    '',
  ].join('\n');
}

function nodeLine({
  id,
  kind,
  namespace,
  name,
  present,
  phase,
  reclaimPolicy,
  terminating,
}: ChainNode): string {
  const place = namespace === null ? name : `${namespace}/${name}`;
  const what = kind === 'PersistentVolume' ? 'volume' : 'claim';
  const lines = [
    name === '' ? `no ${what}` : `${what} ${place}`,
    ...(present ? [`${phase ?? ''}${terminating ? ', being deleted' : ''}`] : name === '' ? [] : ['absent']),
    ...(reclaimPolicy === null ? [] : [`reclaim policy ${reclaimPolicy}`]),
  ];
  return `    ${id}["${lines.map(escaped).join('<br/>')}"]`;
}

function linkLine({ from, to, state, problem }: ChainLink): string {
  if (state === 'ok') return `  ${from} --- ${to}`;
  return state === 'absent' ? `  ${from} ~~~ ${to}` : `  ${from} -. "${escaped(problem)}" .- ${to}`;
}

/** Everything that Mermaid, Markdown or HTML could take for more than text becomes an entity code. */
function escaped(text: string): string {
  return text.replaceAll(/[^\w .,:/()-]/gu, (character) => `#${character.codePointAt(0) ?? 32};`);
}
