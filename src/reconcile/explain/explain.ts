/** The whole explanation of a pair: the one call that the command makes. */
import { reportedClaim } from '../build-report.ts';
import { REPORT_API_VERSION } from '../report.ts';
import { causeReference } from './causes.ts';
import { chainLinks, chainNodes } from './chain.ts';
import { dataSafety } from './data-safety.ts';
import type { Explanation } from './explanation.ts';
import { factsOf } from './facts.ts';
import { remedyOf } from './remedy.ts';
import type { Scene, Side } from './scene.ts';
import { summaryOf } from './summary.ts';
import { syncerNext } from './syncer-next.ts';

/** Total and deterministic, as the judgement that it explains. */
export function explain(scene: Scene): Explanation {
  const { verdict, cause, mismatch } = scene.judgement;
  const data = dataSafety(scene);
  const remedy = remedyOf(scene);
  const links = chainLinks(scene);
  return {
    apiVersion: REPORT_API_VERSION,
    kind: 'ClaimExplanation',
    virtualCluster: { namespace: scene.virtualCluster.namespace, name: scene.virtualCluster.name },
    tenant: reported(scene.tenant),
    super: reported(scene.super),
    verdict,
    mismatch,
    settling: scene.settling,
    cause: cause === null ? null : { ...cause, reference: causeReference(cause.code) },
    summary: summaryOf(scene, data, remedy, links),
    chain: { nodes: chainNodes(scene), links },
    data,
    remedy,
    syncer: syncerNext(scene),
    facts: factsOf(scene),
  };
}

function reported({ claim, volume }: Side): Explanation['tenant'] {
  return claim === null
    ? null
    : reportedClaim(claim, claim.volumeName === volume?.name ? volume.phase : null);
}
