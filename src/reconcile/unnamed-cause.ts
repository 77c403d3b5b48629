/**
 * Why the PV controller leaves a claim unbound that names no volume and was not bound before.
 * Kubernetes pkg/controller/volume/persistentvolume/pv_controller.go, syncUnboundClaim.
 */
import type { Situation } from './binding-cause.ts';
import { matches } from './fit.ts';
import type { Cause, CauseCode, Claim, Evidence, Volume } from './model.ts';

/** k8s.io/component-helpers storage/volume/pv_helpers.go, NotSupportedProvisioner. */
const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

/**
 * Rebinding where a volume fits, be it the candidate or not. The others are known only where all volumes were read.
 * They are not read for this: the controller binds such a claim at its next sync, so a claim that stays unbound has
 * none, and what the class says of it is right.
 */
export function matchCause({ claim, volume, evidence, cluster }: Situation): Cause | null {
  if (claim.volumeName !== '') return null;
  const delayed = mayBeDelayed(claim, evidence);
  const fits = (one: Volume): boolean => matches(claim, one, delayed);
  const found =
    (volume && fits(volume) ? volume : undefined) ??
    evidence.volumes?.byClaim?.get(`${claim.namespace}/${claim.name}`)?.find(fits) ??
    // Else the scheduler chooses among them.
    (delayed ? undefined : evidence.volumes?.firstFit?.(claim));
  if (found === undefined) return null;
  const why = found.claimRef === null ? 'has no claimRef' : 'names the claim in its claimRef';
  return cause(
    'Rebinding',
    `the PV controller of the ${cluster} is about to bind a volume to the claim: ${found.name} fits and ${why}`,
  );
}

/**
 * What the claim's class says; null where classes were not read. The phase does not matter: a claim that was Lost, and
 * whose annotation pv.kubernetes.io/bind-completed was removed to have it bound anew, may keep it while it waits.
 */
export function classCause({ claim, evidence, cluster }: Situation): Cause | null {
  if (claim.volumeName !== '') return null;
  if (claim.storageClass === '') {
    return cause('NoMatchingVolume', `the claim names no storage class and no volume of the ${cluster} fits`);
  }
  if (evidence.storageClasses === null) return null;
  const found = evidence.storageClasses.get(claim.storageClass);
  if (found === undefined) {
    return cause('StorageClassMissing', `the ${cluster} has no storage class ${claim.storageClass}`);
  }
  if (found.volumeBindingMode === FIRST_CONSUMER && !claim.nodeSelected) {
    return cause(
      'WaitForFirstConsumer',
      `storage class ${found.name} waits until a pod that uses the claim is scheduled`,
    );
  }
  if (found.provisioner === NO_PROVISIONER) {
    return cause(
      'NoMatchingVolume',
      `storage class ${found.name} provisions nothing and no volume of the ${cluster} fits`,
    );
  }
  return cause(
    'Provisioning',
    `the claim waits for provisioner ${found.provisioner} of storage class ${found.name}`,
  );
}

/** Where classes were not read, the claim's may be one that leaves the matching to the scheduler. */
function mayBeDelayed(claim: Claim, { storageClasses }: Evidence): boolean {
  if (claim.storageClass === '') return false;
  if (storageClasses === null) return true;
  return storageClasses.get(claim.storageClass)?.volumeBindingMode === FIRST_CONSUMER;
}

const FIRST_CONSUMER = 'WaitForFirstConsumer';

function cause(code: CauseCode, message: string): Cause {
  return { code, message };
}
