import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Cleaner } from '../../../../src/diagnostics/cleaner.ts';
import { type Diagnostics, reportText } from '../../../../src/diagnostics/report.ts';
import { english } from '../../../support/extensionStates.ts';

const diagnostics: Diagnostics = {
  at: '2026-03-04T10:00:00.000Z',
  versions: { Switchboard: '1.2.3' },
  health: [
    { isWell: true, part: 'Host', state: 'Running', help: { label: 'Help', command: 'c', args: [] } },
    { isWell: false, part: 'Disk', state: 'The disk is full', help: { label: 'Help', command: 'c', args: [] } },
  ],
  counts: { sessions: 3 },
  settings: {
    'switchboard.agents': [
      { id: 'mine', command: '/home/ada/bin/mine', args: ['--key', 'plain word'], env: ['MY_KEY'] },
    ],
    'switchboard.remoteHosts': [{ address: 'wss://user:hunter22@host.invalid' }],
  },
  processes: [
    {
      pid: 42,
      role: 'host',
      title: '/home/ada/secret project',
      startedAt: '2026-03-04T09:00:00Z',
      memoryBytes: 2_097_152,
    },
  ],
  logLines: [
    '{"level":30,"msg":"opened /home/ada/work","authorization":"opaque words"}',
    'not JSON, with Bearer abcdefghijkl and the stored secret value',
  ],
};

describe('exported diagnostics', () => {
  const cleaner = new Cleaner('/home/ada');
  cleaner.hide(JSON.stringify({ accessToken: 'the stored secret value' }));
  const text = reportText(diagnostics, cleaner, english);

  it('have the versions, the health, the counts, the settings, the processes and the log', () => {
    const titles = [...text.matchAll(/^## (.+)$/gm)].map((it) => it[1]);
    assert.deepEqual(titles, ['Versions', 'Health', 'Counts', 'Settings', 'Processes', 'Host log']);
    for (const line of [
      '- Switchboard: 1.2.3',
      '- OK Host: Running',
      '- !! Disk: The disk is full',
      '- sessions: 3',
      '- host 42, 2026-03-04T09:00:00Z, 2 MB',
    ])
      assert.ok(text.split('\n').includes(line), line);
  });

  for (const secret of [
    'plain word',
    'MY_KEY',
    'hunter22',
    'opaque words',
    'abcdefghijkl',
    'the stored secret value',
    '/home/ada',
    'secret project',
  ])
    it(`do not have ${secret}`, () => assert.ok(!text.includes(secret), text));

  it('keep what helps: which program, and what the host did', () => {
    assert.match(text, /"command": "~\/bin\/mine"/);
    assert.match(text, /opened ~\/work/);
  });

  it('say that a person should look at them', () => {
    assert.match(text, /Check the text before you share it\./);
  });
});
