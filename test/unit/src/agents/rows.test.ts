import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type {
  AgentOffer,
  RegistryAgent,
  RegistryAnswer,
} from '../../../../sidecar/protocol/channels/root/agentRegistry.ts';
import { agentGroups, agentRow, offerText, originText } from '../../../../src/agents/rows.ts';
import { english as l10n } from '../../../support/extensionStates.ts';

const agent: RegistryAgent = {
  id: 'one',
  name: 'One',
  version: '1.1.0',
  description: '',
  authors: ['Somebody', 'Another'],
  license: 'MIT',
  command: 'npx one@1.1.0 --acp',
  kind: 'npm',
  canUpdate: false,
  isShadowed: false,
};
const installed = {
  version: '1.0.0',
  kind: 'npm',
  installedAt: '2026-01-01T00:00:00.000Z',
  folder: '/data/agents/one/1.0.0',
  sizeBytes: 3_400_000,
  scripts: [],
} as const;
const { kind: _kind, ...unavailable } = agent;

describe('the list of agents that can be added', () => {
  it('has what is installed first, then what can be installed, then what cannot, each by name', () => {
    const groups = agentGroups(l10n, [
      { ...unavailable, id: 'c', name: 'C', blocked: 'npmMissing' },
      { ...agent, id: 'b', name: 'B' },
      { ...agent, id: 'a', name: 'A' },
      { ...agent, id: 'd', name: 'D', installed: { ...installed, scripts: [] } },
    ]);
    assert.deepEqual(
      groups.map(({ title, agents }) => [title, ...agents.map((it) => it.id)]),
      [
        ['Installed', 'd'],
        ['Available', 'a', 'b'],
        ['Not available on this machine', 'c'],
      ],
    );
  });

  for (const [what, change, row] of [
    ['publisher, license and kind', {}, ['1.1.0 · Somebody, Another · MIT · npm', 'npx one@1.1.0 --acp']],
    [
      'the version that is there, its size, and the newer one',
      { installed: { ...installed, scripts: [] }, canUpdate: true },
      ['1.0.0 installed, 1.1.0 available · Somebody, Another · MIT · npm · 3 MB', 'npx one@1.1.0 --acp'],
    ],
    [
      'that an agent of the settings is used instead',
      { isShadowed: true, authors: [] },
      ['1.1.0 · MIT · npm', 'An agent with the same ID in your settings is used instead. npx one@1.1.0 --acp'],
    ],
  ] as const)
    it(`shows of an agent ${what}`, () => {
      const { description, detail } = agentRow(l10n, { ...agent, ...change } as RegistryAgent);
      assert.deepEqual([description, detail], row);
    });

  it('shows why an agent cannot be installed, and what to do', () => {
    for (const [blocked, words] of [
      ['npmMissing', /Install Node\.js/],
      ['uvMissing', /Install uv/],
      ['platform', /operating system and processor/],
    ] as const)
      assert.match(agentRow(l10n, { ...unavailable, blocked }).detail, words);
  });

  it('draws no icon that an agent wrote into its name', () => {
    assert.ok(!agentRow(l10n, { ...agent, name: '$(verified) One' }).label.includes('$('));
  });

  it('says how old the list is, and why, where it is not fresh', () => {
    const answer: RegistryAnswer = { items: [], leftOut: [], origin: 'fetched', address: '', date: '2026-02-03' };
    const day = (it: string) => it;
    assert.equal(originText(l10n, answer, day), 'Select an agent');
    assert.equal(originText(l10n, { ...answer, origin: 'shipped' }, day), 'Select an agent (list from 2026-02-03)');
    assert.equal(
      originText(l10n, { ...answer, origin: 'kept', problem: 'x could not be reached.' }, day),
      'Select an agent (list from 2026-02-03: x could not be reached.)',
    );
  });

  it('asks with the command, the source, the folder, the size, the hash and the variables', () => {
    const offer: AgentOffer = {
      ...{ id: 'one', name: 'One', version: '1.1.0', kind: 'npm', token: 't' },
      steps: ['npm install --ignore-scripts one@1.1.0'],
      command: '/data/one/node_modules/.bin/one --acp',
      source: 'https://a.test/one.tgz',
      folder: '/data/one',
      sizeBytes: 2_097_152,
      hash: 'sha512-x',
      variables: ['ONE_*'],
    };
    assert.deepEqual(offerText(l10n, offer).split('\n\n'), [
      'Command: npm install --ignore-scripts one@1.1.0',
      'Source: https://a.test/one.tgz',
      'Folder: /data/one',
      'Size: 2 MB, without dependencies',
      'Published hash: sha512-x',
      'Runs as: /data/one/node_modules/.bin/one --acp',
      'Environment variables it receives: ONE_*',
      'Package install scripts do not run.',
    ]);
    const { hash: _hash, sizeBytes: _size, ...rest } = offer;
    const binary = offerText(l10n, { ...rest, kind: 'binary', steps: ['https://a.test/one.zip'], variables: [] });
    assert.match(binary, /^Download: https:\/\/a\.test\/one\.zip\n\nFolder: /);
    assert.match(binary, /No hash was published/);
  });
});
