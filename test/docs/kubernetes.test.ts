import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { Secret } from 'kubernetes-models/v1/Secret';
import { Service } from 'kubernetes-models/v1/Service';
import { parseAllDocuments } from 'yaml';
import { readConfig } from '../../src/config/config.js';
import { Environment } from '../../src/config/environment.js';

const root = new URL('../../', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, root), 'utf8');

const objects = parseAllDocuments(read('deploy/kubernetes/mintmark.yaml')).map((document) => document.toJS());
const named = (kind: string) => objects.find((object) => object.kind === kind);
const { template, replicas, selector } = named('Deployment').spec;
const [container] = template.spec.containers;

/** Checks an object by the JSON Schema of its kind. */
const validate = ({ kind, ...object }: any) => {
  const models = { Deployment, PodDisruptionBudget, Secret, Service };
  new models[kind as keyof typeof models](object).validate();
};

describe('deploy/kubernetes/mintmark.yaml', () => {
  it.each(objects)('has an object $kind with the schema of Kubernetes', (object) => {
    expect(() => {
      validate(object);
    }).not.toThrow();
    const { metadata: _, ...unnamed } = object;
    expect(() => {
      validate({ ...unnamed, metadata: [] });
    }).toThrow('must be object');
  });

  it('would be rejected with a replica count that is a text', () => {
    const { spec, ...others } = named('Deployment');
    expect(() => {
      validate({ ...others, spec: { ...spec, replicas: 'two' } });
    }).toThrow('replicas must be integer');
  });

  it('runs two instances, of which one stays while nodes are drained, without rights and on a read-only file system', () => {
    expect([replicas, named('PodDisruptionBudget').spec.minAvailable]).toEqual([2, 1]);
    expect(template.spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    expect(container.securityContext).toEqual({
      ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    });
    for (const probe of ['startupProbe', 'livenessProbe']) {
      expect([probe, container[probe].httpGet]).toEqual([probe, { path: '/health/live', port: 'http' }]);
    }
    expect(container.readinessProbe.httpGet).toEqual({ path: '/health/ready', port: 'http' });
  });

  it('selects the pods that it makes, and names ports that they have', () => {
    for (const matched of [selector.matchLabels, named('PodDisruptionBudget').spec.selector.matchLabels]) {
      expect(matched).toEqual(template.metadata.labels);
    }
    const service = named('Service').spec;
    expect(service.selector).toEqual(template.metadata.labels);
    const ports = container.ports.map(({ name }: any) => name);
    expect(ports).toEqual(expect.arrayContaining(service.ports.map(({ targetPort }: any) => targetPort)));
    expect(container.envFrom[0].secretRef.name).toBe(named('Secret').metadata.name);
  });

  it('sets only variables of the service, with which it starts once there is a key', () => {
    const values = container.env.map(({ name, value }: any) => [name, value]);
    const settings = { ...Object.fromEntries(values), ...named('Secret').stringData };
    const variables = Object.keys(new Environment());
    expect(Object.keys(settings).filter((name) => !variables.includes(name))).toEqual([]);
    expect(() => readConfig(settings)).toThrow('ADMIN_API_KEY');
    // What the image sets.
    const image = { HOST: '0.0.0.0', ACCESS: 'keys', ADMIN_API_KEY: 'correct-horse-battery-staple-correct' };
    const config = readConfig({ ...settings, ...image });
    expect(config).toMatchObject({ port: 3000, metricsPort: 9090, mayMigrate: false });
    const stopMs = config.shutdownDelayMs + config.shutdownTimeoutMs + 10_000;
    expect(template.spec.terminationGracePeriodSeconds * 1000).toBeGreaterThan(stopMs);
  });
});
