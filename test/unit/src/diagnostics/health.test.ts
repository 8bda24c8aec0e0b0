import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { type HealthFacts, healthRows } from '../../../../src/diagnostics/health.ts';
import { english } from '../../../support/extensionStates.ts';

const build = { version: '1.0.0', builtAtMs: 1 };
const well: HealthFacts = {
  isTrusted: true,
  host: { kind: 'running' },
  gateway: { kind: 'running', servers: 2, unhealthy: 0 },
  agents: ['Runbook'],
  notices: [],
  freeBytes: 5 * 1024 ** 3,
  databaseBytes: 1_572_864,
  build,
  hostBuild: build,
};
const notice = (kind: HealthFacts['notices'][number]['kind']) => ({ id: kind, kind, message: `It is ${kind}.` });

describe('health', () => {
  it('has a line for each part, and each has a button', () => {
    const rows = healthRows(well, english);
    assert.deepEqual(
      rows.map((it) => [it.part, it.state, it.help.label, it.isWell]),
      [
        ['Host', 'Running', 'Show Host Processes', true],
        ['Gateway', 'Running. MCP servers: 2', 'Open Dashboard', true],
        ['Agents', 'Runbook', 'Configure Agents', true],
        ['Disk', '5.0 GB free', 'Open Data Folder', true],
        ['Database', '1.5 MB', 'Open Data Folder', true],
        ['Versions', 'Window 1.0.0, host 1.0.0', 'Reload Window', true],
      ],
    );
  });

  const ill: readonly (readonly [string, Partial<HealthFacts>, string, RegExp, string])[] = [
    ['a folder without trust', { isTrusted: false }, 'Host', /not trusted/, 'switchboard.trust.manage'],
    ['a host that was stopped', { host: { kind: 'stopped' } }, 'Host', /Stopped/, 'switchboard.host.restart'],
    [
      'a host that did not start',
      { host: { kind: 'failed', reason: 'No room.' } },
      'Host',
      /could not be started: No room\./i,
      'switchboard.host.restart',
    ],
    [
      'a gateway that did not answer',
      { gateway: { kind: 'failed', reason: 'No answer.' } },
      'Gateway',
      /No answer\./,
      'switchboard.gateway.refresh',
    ],
    [
      'an MCP server with a problem',
      { gateway: { kind: 'running', servers: 2, unhealthy: 1 } },
      'Gateway',
      /with problems: 1/,
      'switchboard.gateway.openDashboard',
    ],
    ['no agent', { agents: [] }, 'Agents', /No agents found/, 'switchboard.agents.configure'],
    ['a full disk', { notices: [notice('diskFull')] }, 'Disk', /It is diskFull\./, 'switchboard.host.openDataFolder'],
    ['little room', { freeBytes: 1024 ** 2 }, 'Disk', /0\.0 GB free/, 'switchboard.host.openDataFolder'],
    [
      'a database that was set aside',
      { notices: [notice('databaseSetAside')] },
      'Database',
      /databaseSetAside/,
      'switchboard.host.openDataFolder',
    ],
    [
      'a host of another build',
      { hostBuild: { version: '1.0.0', builtAtMs: 2 } },
      'Versions',
      /a different build/,
      'switchboard.window.reload',
    ],
    [
      'a newer build that waits',
      { notices: [notice('newerBuildWaiting')] },
      'Versions',
      /newerBuildWaiting/,
      'switchboard.host.restart',
    ],
  ];
  for (const [name, change, part, state, command] of ill)
    it(`shows ${name} as the only problem, with what helps`, () => {
      const problems = healthRows({ ...well, ...change }, english).filter((it) => !it.isWell);
      assert.deepEqual(
        problems.map((it) => [it.part, it.help.command]),
        [[part, command]],
      );
      assert.match(problems[0]?.state ?? '', state);
    });
});
