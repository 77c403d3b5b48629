/** Writes the protobuf of Kubernetes lists, for servers that a test plays. */

/** A length-delimited field. */
export function bytesField(number: number, payload: Buffer | string): Buffer {
  const bytes = Buffer.from(payload);
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

/** A claim with nothing but its place and phase. */
export function claimBytes(namespace: string, name: string, phase: string): Buffer {
  const metadata = Buffer.concat([bytesField(1, name), bytesField(3, namespace)]);
  return Buffer.concat([bytesField(1, metadata), bytesField(3, bytesField(1, phase))]);
}

/** A whole list answer. */
export function listBytes(items: readonly Buffer[], continueToken = ''): Buffer {
  const listMeta = Buffer.concat([
    bytesField(2, '42'),
    ...(continueToken === '' ? [] : [bytesField(3, continueToken)]),
  ]);
  const raw = Buffer.concat([bytesField(1, listMeta), ...items.map((item) => bytesField(2, item))]);
  return Buffer.concat([
    Buffer.from('k8s\0'),
    bytesField(1, bytesField(2, 'PersistentVolumeClaimList')),
    bytesField(2, raw),
  ]);
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
