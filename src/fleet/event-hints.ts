/** What controllers said of the objects of a pair: shown as a hint, used for nothing. */
import { UserError } from '../errors.ts';
import { fields, text } from '../kube/objects/from-json.ts';
import type { ClusterSide, Scene } from '../reconcile/explain/scene.ts';
import type { EventHint } from '../reconcile/explain/explanation.ts';
import type { ClusterReader, EventSource } from './cluster.ts';

/** Of each object the last ones. */
const MOST_EVENTS = 3;

interface Asked extends EventSource {
  readonly cluster: ClusterSide;
  /** `claim` or `volume`. */
  readonly object: string;
}

/**
 * The latest events of both claims and of the super volume, the newest of each first.
 * @param onUnread told why some could not be read
 */
export async function eventHints(
  scene: Scene,
  readers: Readonly<Record<ClusterSide, ClusterReader>>,
  signal: AbortSignal,
  onUnread: (why: string) => void,
): Promise<EventHint[]> {
  const asked: Asked[] = [];
  for (const { side, claim, volume } of [scene.super, scene.tenant]) {
    if (claim !== null)
      asked.push({ cluster: side, object: 'claim', namespace: claim.namespace, uid: claim.uid });
    if (volume !== null && side === 'super') {
      asked.push({ cluster: side, object: 'volume', namespace: null, uid: volume.uid });
    }
  }
  const found = await Promise.all(
    // The uid becomes part of a field selector.
    asked
      .filter(({ uid }) => /^[\w-]+$/.test(uid))
      .map(async (one) => {
        try {
          const events = await readers[one.cluster].events(one, signal);
          return latest(events.map((event) => hint(one, event)));
        } catch (error) {
          if (!(error instanceof UserError)) throw error;
          onUnread(error.message);
          return [];
        }
      }),
  );
  return found.flat();
}

/** `v1.Event`, any object accepted. */
function hint({ cluster, object }: Asked, value: unknown): EventHint {
  const event = fields(value);
  const series = fields(event['series']);
  const seen = [
    series['lastObservedTime'],
    event['lastTimestamp'],
    event['eventTime'],
    event['firstTimestamp'],
  ];
  return {
    cluster,
    object,
    type: text(event['type']),
    reason: text(event['reason']),
    message: text(event['message']),
    count: Number(text(series['count']) || text(event['count'])) || 1,
    lastSeen: seen.map(text).find((time) => time !== '') ?? null,
  };
}

function latest(hints: readonly EventHint[]): EventHint[] {
  const time = ({ lastSeen }: EventHint): number => (lastSeen === null ? 0 : Date.parse(lastSeen) || 0);
  return hints.toSorted((a, b) => time(b) - time(a)).slice(0, MOST_EVENTS);
}
