import assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import { afterEach, describe, it } from 'mocha';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import type { PermissionRule } from '../../../../../sidecar/protocol/window.ts';
import { approvalRows } from '../../../../../src/commands/approvalRows.ts';
import { english } from '../../../../support/extensionStates.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';
import { verifies } from '../../../../support/verifies.ts';

const rule = (source: 'user' | 'workspace', effect: PermissionRule['effect'], pattern: string): PermissionRule => ({
  id: `${source} ${pattern}`,
  effect,
  target: 'edit',
  pattern,
  source,
});
const rules = [
  rule('user', 'allow', 'gen/**'),
  rule('user', 'deny', 'keys/**'),
  rule('workspace', 'ask', 'src/**'),
  rule('workspace', 'allow', '**'),
];
const here = { id: '', name: '' };

describe('the list of approvals', () => {
  let place: HostPlace | undefined;
  afterEach(async () => {
    await place?.close();
    place = undefined;
  });

  async function open(window: object) {
    place = await openHostPlace([
      scriptedProvider(async function* (_prompt, host) {
        const facts = {
          toolCallId: 'k',
          kind: 'shell',
          invocationMessage: 'make',
          command: 'make',
          paths: [],
        } as const;
        await host.confirm(facts);
      }),
    ]);
    return place.connect('c1', window);
  }
  const listed = async (peer: Awaited<ReturnType<typeof open>>) =>
    approvalRows(english, here, await peer.request('x-switchboard/rules', {})).map((it) => [
      it.source,
      it.label,
      it.description,
      ...(it.detail === undefined ? [] : [it.detail]),
    ]);
  const withoutRule = [
    ['Default', 'Reading workspace files', 'runs without asking'],
    ['Default', 'Searching the workspace', 'runs without asking'],
    ['Default', 'Thinking', 'runs without asking'],
    [
      'Default',
      'Dangerous requests',
      'always asks, even if a rule allows it',
      'Requests that delete data, access files outside the workspace, or write files that VS Code or Git can run, and requests whose effect is unclear.',
    ],
  ];

  it('has the rules of the user and of the workspace as the client has them, and says which do nothing', async () => {
    verifies('host.approvals.every-source');
    const peer = await open({ rules });
    assert.deepEqual(await listed(peer), [
      ['User settings', 'gen/**', 'edit: runs without asking'],
      ['User settings', 'keys/**', 'edit: denied'],
      ['Workspace settings', 'src/**', 'edit: always asks'],
      [
        'Workspace settings',
        '**',
        'edit: runs without asking',
        'This rule has no effect. Rules in workspace settings can only ask or deny.',
      ],
      ...withoutRule,
    ]);
    const other = await place!.connect('c2', { rules: [] });
    assert.deepEqual(await listed(other), withoutRule, "another window's rules are not this one's");
  });

  for (const [option, words] of [
    ['allow-always', 'shell: runs without asking'],
    ['allow-session', 'shell: runs without asking, only in "go"'],
    ['allow-workspace', 'shell: runs without asking, only in the folder '],
  ] as const) {
    it(`has what a person granted with ${option}, until it is taken back`, async () => {
      verifies('host.approvals.every-source', 'host.approvals.names-rule');
      const peer = await open({ rules: rules.slice(0, 1) });
      const { session, chat } = await peer.newSession({ workingDirectories: [`file://${place!.dataDir}`] });
      const turnId = await peer.prompt(chat, 'go');
      await peer.until(() => (peer.session(session).inputNeeded ?? []).length > 0);
      const [asked] = peer.session(session).inputNeeded ?? [];
      assert.ok(asked?.kind === 'toolConfirmation' && asked.toolCall.status === 'pending-confirmation');
      assert.deepEqual(
        asked.toolCall.options?.map((it) => it.label),
        [
          'Allow once',
          'Allow make in this session',
          'Allow make in this workspace',
          'Always allow make',
          'Allow shell * in this session',
          'Deny',
          'Deny with a reason',
        ],
      );
      const confirmed = { approved: true, confirmed: 'user-action', selectedOptionId: option } as const;
      await peer.act(chat, { type: 'chat/toolCallConfirmed', turnId, toolCallId: 'k', ...confirmed } as AnyAction);
      await peer.ended(chat, turnId);
      const rows = await listed(peer);
      const folder = option === 'allow-workspace' ? realpathSync(place!.dataDir) : '';
      assert.deepEqual(rows[0], ['Allowed by you', 'make', `${words}${folder}`]);
      assert.deepEqual(rows[1], ['User settings', 'gen/**', 'edit: runs without asking']);
      const { items } = await peer.request('x-switchboard/rules', {});
      await peer.request('x-switchboard/ruleRemove', { id: items[0]!.id });
      assert.deepEqual((await listed(peer))[0], ['User settings', 'gen/**', 'edit: runs without asking']);
    });
  }

  it('says that nothing runs where the workspace is not trusted', async () => {
    verifies('host.approvals.every-source');
    const peer = await open({ trusted: false, rules: [] });
    assert.deepEqual(await listed(peer), [['Default', 'All requests (this workspace is not trusted)', 'denied']]);
  });

  it('opens each row where it stands: settings of this machine, the session of a mode, nothing of another machine', () => {
    const modes = [{ session: 'host-session:/s', title: 'Dates', mode: 'Full access' }];
    const granted: PermissionRule = { ...rules[0]!, id: 'g', source: 'granted' };
    const approvals = { items: [granted, ...rules.slice(1, 3)], defaults: [], modes };
    const opened = (host: { id: string; name: string }) =>
      approvalRows(english, host, approvals).map((it) => [it.source, it.opens]);
    const session = { kind: 'session', session: 'host-session:/s' };
    assert.deepEqual(opened(here), [
      ['Allowed by you', { kind: 'rule', host: '', id: 'g' }],
      ['User settings', { kind: 'settings', command: 'workbench.action.openSettingsJson' }],
      ['Workspace settings', { kind: 'settings', command: 'workbench.action.openWorkspaceSettingsFile' }],
      ['Session modes', session],
    ]);
    assert.deepEqual(opened({ id: 'wss://far', name: 'far' }), [
      ['Allowed by you · far', { kind: 'rule', host: 'wss://far', id: 'g' }],
      ['User settings · far', undefined],
      ['Workspace settings · far', undefined],
      ['Session modes · far', session],
    ]);
  });

  it('says that a host which does not answer may allow something', () => {
    const [row, ...others] = approvalRows(english, { id: 'x', name: 'far' }, undefined);
    assert.deepEqual(others, []);
    assert.ok(row?.isRule && row.label === 'This host is not responding, so its rules are unknown.');
  });
});
