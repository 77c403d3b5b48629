/** The kinds that are listed: where they are served, and how one object becomes the core's model. */
import type { Claim, Namespace, StorageClass, Volume } from '../reconcile/model.ts';
import {
  claimFromJson,
  identityFromJson,
  namespaceFromJson,
  storageClassFromJson,
  volumeFromJson,
} from './objects/from-json.ts';
import type { ObjectIdentity } from './objects/from-json.ts';
import { claimDecoder, namespaceDecoder, storageClassDecoder, volumeDecoder } from './protobuf/objects.ts';
import type { Decode } from './protobuf/objects.ts';

/** A kind of object, as an API server serves it. */
export interface Resource<T> {
  /** "/api/v1" or "/apis/<group>/<version>". */
  readonly api: string;
  readonly plural: string;
  readonly fromJson: (value: unknown) => T;
  /** A new decoder: one keeps buffers of its own and serves one list. null: the list is asked for as JSON. */
  readonly decoder: (() => Decode<T>) | null;
  /** Only metadata is asked for (metav1.PartialObjectMetadata), as JSON: what else an object holds is never sent. */
  readonly metadataOnly?: true;
}

export const CLAIMS: Resource<Claim> = {
  api: '/api/v1',
  plural: 'persistentvolumeclaims',
  fromJson: claimFromJson,
  decoder: claimDecoder,
};

export const VOLUMES: Resource<Volume> = {
  api: '/api/v1',
  plural: 'persistentvolumes',
  fromJson: volumeFromJson,
  decoder: volumeDecoder,
};

export const STORAGE_CLASSES: Resource<StorageClass> = {
  api: '/apis/storage.k8s.io/v1',
  plural: 'storageclasses',
  fromJson: storageClassFromJson,
  decoder: storageClassDecoder,
};

export const NAMESPACES: Resource<Namespace> = {
  api: '/api/v1',
  plural: 'namespaces',
  fromJson: namespaceFromJson,
  decoder: namespaceDecoder,
};

/** Tells that a Secret has changed; what is in it stays at the server. */
export const SECRET_METADATA: Resource<ObjectIdentity> = {
  api: '/api/v1',
  plural: 'secrets',
  fromJson: identityFromJson,
  decoder: null,
  metadataOnly: true,
};

/** A name as part of a path. Whoever answers may call an object anything, also what is no text that could be encoded. */
export function pathSegment(name: string): string {
  return encodeURIComponent(name.toWellFormed());
}

/** The path of a list: of one namespace, or (null) of all, or of a kind that has none. */
export function listPath(resource: Resource<unknown>, namespace: string | null): string {
  const scope = namespace === null ? '' : `/namespaces/${pathSegment(namespace)}`;
  return `${resource.api}${scope}/${resource.plural}`;
}

/** The path of one object. */
export function objectPath(resource: Resource<unknown>, namespace: string | null, name: string): string {
  return `${listPath(resource, namespace)}/${pathSegment(name)}`;
}

/**
 * The Accept header for JSON.
 * @param kind what only metadata comes as
 */
export function jsonAccept(
  resource: Resource<unknown>,
  kind: 'PartialObjectMetadata' | 'PartialObjectMetadataList',
): string {
  return resource.metadataOnly === true
    ? `application/json;as=${kind};g=meta.k8s.io;v=v1`
    : 'application/json';
}
