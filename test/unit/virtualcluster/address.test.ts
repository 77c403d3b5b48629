import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { V1NodeList, V1Service } from '@kubernetes/client-node';
import {
  loadBalancerAddresses,
  nodeAddresses,
  nodePort,
  podPort,
} from '../../../src/virtualcluster/address.ts';

/** As an API server sends it. */
const service = (spec: object, ingress: object[] = []): V1Service => ({
  spec,
  status: { loadBalancer: { ingress } },
});

const node = (...addresses: [type: string, address: string][]): object => ({
  status: { addresses: addresses.map(([type, address]) => ({ type, address })) },
});
const nodes = (...items: object[]): V1NodeList => ({ items });

test('a load balancer is tried at its first three addresses, with the port of the Service', () => {
  const ingress = [
    { ip: '203.0.113.1' },
    { hostname: 'lb.example.com' },
    {},
    { ip: 'fd00::1' },
    { ip: '203.0.113.9' },
  ];
  const found = loadBalancerAddresses(
    service({ type: 'LoadBalancer', ports: [{ port: 443, nodePort: 31000 }] }, ingress),
  );
  assert.deepEqual(
    found.map(({ description }) => description),
    ['load balancer 203.0.113.1:443', 'load balancer lb.example.com:443', 'load balancer [fd00::1]:443'],
  );
  assert.deepEqual(found[2], { host: 'fd00::1', port: 443, description: 'load balancer [fd00::1]:443' });
});

test('a Service of another type, without a port, or not yet served has no load balancer', () => {
  const ingress = [{ ip: '203.0.113.1' }];
  assert.deepEqual(loadBalancerAddresses(service({ type: 'NodePort', ports: [{ port: 1 }] }, ingress)), []);
  assert.deepEqual(loadBalancerAddresses(service({ type: 'LoadBalancer', ports: [] }, ingress)), []);
  assert.deepEqual(loadBalancerAddresses(service({ type: 'LoadBalancer', ports: [{ port: 1 }] })), []);
  assert.deepEqual(loadBalancerAddresses({}), []);
});

test('the node port of a LoadBalancer Service counts as well', () => {
  assert.equal(nodePort(service({ type: 'LoadBalancer', ports: [{ port: 443, nodePort: 31000 }] })), 31000);
  assert.equal(nodePort(service({ type: 'ClusterIP', ports: [{ port: 443 }] })), null);
  assert.equal(nodePort({}), null);
});

test('three external addresses of nodes are tried before three internal ones, and no host names', () => {
  const found = nodeAddresses(
    nodes(
      node(['InternalIP', '10.0.0.1'], ['ExternalIP', '198.51.100.1'], ['Hostname', 'node-1']),
      node(['InternalIP', '10.0.0.2']),
      node(['InternalIP', 'fd00::3'], ['ExternalIP', '198.51.100.3']),
      node(['InternalIP', '10.0.0.4']),
      {},
    ),
    31000,
  );
  assert.deepEqual(
    found.map(({ description }) => description),
    [
      'node 198.51.100.1:31000',
      'node 198.51.100.3:31000',
      'node 10.0.0.1:31000',
      'node 10.0.0.2:31000',
      'node [fd00::3]:31000',
    ],
  );
});

test("the pod's port is the Service's, else that of its name, else 6443", () => {
  const inside = new URL('https://apiserver-svc.root:8443');
  const outside = new URL('https://203.0.113.1:31000');
  assert.equal(podPort(service({ ports: [{ port: 443, targetPort: 7443 }] }), outside), 7443);
  assert.equal(podPort(service({ ports: [{ port: 443, targetPort: 'api' }] }), inside), 8443);
  assert.equal(podPort(null, inside), 8443);
  assert.equal(podPort(null, outside), 6443);
});
