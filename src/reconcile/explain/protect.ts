/**
 * Where nothing can be mended yet, at least the disk can be kept: reclaim policy Retain for every volume that is
 * provably the claim's. The API allows that in every state of a volume, also while it is being deleted.
 */
import type { Volume } from '../model.ts';
import { dataSafety, isBeingReclaimed, isForeign } from './data-safety.ts';
import type { Remedy } from './explanation.ts';
import { none } from './no-remedy.ts';
import { retain } from './patches.ts';
import type { Scene } from './scene.ts';

/** @param why nothing can be mended; the whole remedy where there is no disk to be kept either */
export function protection(scene: Scene, why: string): Remedy {
  const volumes = losable(scene);
  if (volumes.length === 0) return none(why);
  const names = volumes.map(({ name }) => name).join(' and ');
  const late = volumes.some((volume) => volume.terminating || isBeingReclaimed(volume));
  return {
    kind: 'protect',
    text: `${why} Where the data is still wanted, this keeps the disk: reclaim policy Retain for volume ${names}, whatever becomes of the claim.`,
    steps: volumes.map((volume) => retain(volume, 'super')),
    risk: late
      ? {
          level: 'high',
          text: 'The deletion may have reached the disk already. The command itself touches no claim and no pod.',
        }
      : {
          level: 'low',
          text: 'It touches no claim and no pod. A disk that nobody wants any more then has to be deleted by hand.',
        },
    afterwards: [],
  };
}

/** No remedy leaves a disk in danger that one command would keep. */
export function withDiskKept(remedy: Remedy, scene: Scene): Remedy {
  if (dataSafety(scene).state !== 'danger' || remedy.steps.some(({ patch }) => patch.some(isRetain))) {
    return remedy;
  }
  const why =
    remedy.kind === 'mend'
      ? 'The disk comes first: once it is kept, explain again for what mends the claim.'
      : remedy.text;
  const kept = protection(scene, why);
  return kept.kind === 'protect' ? kept : remedy;
}

function isRetain(operation: Remedy['steps'][number]['patch'][number]): boolean {
  return operation.path === '/spec/persistentVolumeReclaimPolicy';
}

/** The claim's volumes, as the super cluster's own objects have it, whose disk goes with them. */
function losable(scene: Scene): Volume[] {
  const { volume } = scene.super;
  const inQuestion = volume === null || isForeign(scene, volume) ? [] : [volume];
  const more = scene.volumesOfSuperClaim.filter(({ name }) => name !== volume?.name);
  return [...inQuestion, ...more].filter(({ reclaimPolicy }) => reclaimPolicy !== 'Retain');
}
