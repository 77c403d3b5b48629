/** Writes the protobuf of Kubernetes lists, for servers that a test plays. */

/** A length-delimited field. */
export function bytesField(number: number, payload: Buffer | string): Buffer {
  const bytes = Buffer.from(payload);
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

/** A claim with nothing but its place, phase and version. */
export function claimBytes(namespace: string, name: string, phase: string, resourceVersion = ''): Buffer {
  const metadata = Buffer.concat([
    bytesField(1, name),
    bytesField(3, namespace),
    bytesField(6, resourceVersion),
  ]);
  return Buffer.concat([bytesField(1, metadata), bytesField(3, bytesField(1, phase))]);
}

/** A whole list answer. */
export function listBytes(items: readonly Buffer[], continueToken = ''): Buffer {
  const listMeta = Buffer.concat([
    bytesField(2, '42'),
    ...(continueToken === '' ? [] : [bytesField(3, continueToken)]),
  ]);
  const raw = Buffer.concat([bytesField(1, listMeta), ...items.map((item) => bytesField(2, item))]);
  return enveloped('PersistentVolumeClaimList', raw);
}

/** A frame of a watch: its length, and a metav1.WatchEvent. */
export function eventFrame(type: string, kind: string, object: Buffer): Buffer {
  return framed(Buffer.concat([bytesField(1, type), bytesField(2, bytesField(1, enveloped(kind, object)))]));
}

/** A length before what it is the length of. */
export function framed(payload: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(payload.length);
  return Buffer.concat([length, payload]);
}

/** A metav1.Status. */
export function statusBytes(code: number, reason: string, message: string): Buffer {
  return Buffer.concat([bytesField(3, message), bytesField(4, reason), varint(6 * 8), varint(code)]);
}

/** The envelope of whatever an API server answers. */
export function enveloped(kind: string, raw: Buffer): Buffer {
  return Buffer.concat([Buffer.from('k8s\0'), bytesField(1, bytesField(2, kind)), bytesField(2, raw)]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  return Buffer.from([...bytes, rest]);
}
