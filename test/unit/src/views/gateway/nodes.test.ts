import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { moneyText } from '../../../../../src/platform/counts.ts';
import { groupNodes, rowsOf, toolNodes } from '../../../../../src/views/gateway/nodes.ts';
import { english } from '../../../../support/extensionStates.ts';
import {
  agentRecord,
  namedKey,
  picture,
  serverAnswer,
  teamAnswer,
  totals,
} from '../../../../support/gateway/editorPicture.ts';

describe('the Gateway view', () => {
  const groups = (it: ReturnType<typeof picture>) =>
    groupNodes(english, it).map(({ label, description }) => `${label} ${description}`);
  const rows = (it: ReturnType<typeof picture>, group: string) => rowsOf(english, it, group);

  it('is empty for an empty gateway, so that the welcome text shows', () => {
    assert.deepEqual(groups(picture()), []);
  });

  it('has groups for what is there, and always servers, keys and today', () => {
    assert.deepEqual(groups(picture({ servers: [serverAnswer()], today: totals(1) })), [
      'Servers 1',
      'Keys 0',
      'Today 1 call',
    ]);
    const all = picture({
      servers: [serverAnswer()],
      agents: [agentRecord()],
      keys: [namedKey()],
      teams: [teamAnswer()],
    });
    assert.deepEqual(groups(all), ['Servers 1', 'Agents 1', 'Keys 1', 'Teams 1', 'Today 0 calls']);
  });

  it('shows how a server is, and why it is not well', () => {
    const [well, ill, unknown] = rows(
      picture({
        servers: [
          serverAnswer({ alias: 'all' }),
          serverAnswer({ server_id: 's2', status: 'unhealthy', health_check_error: 'It refused the connection.' }),
          serverAnswer({
            server_id: 's3',
            server_name: null,
            status: undefined,
            transport: 'stdio',
            url: null,
            command: 'npx',
            args: ['-y', 'x'],
          }),
        ],
      }),
      'servers',
    );
    assert.deepEqual([well?.label, well?.description, well?.icon], ['all', 'healthy · http', 'pass-filled']);
    assert.deepEqual([ill?.description, ill?.icon], ['not responding · http', 'error']);
    assert.match(ill?.tooltip ?? '', /It refused the connection\./);
    assert.deepEqual([unknown?.label, unknown?.description], ['s3', 'not checked yet · stdio']);
    assert.match(unknown?.tooltip ?? '', /npx -y x/);
  });

  it('offers the sign-in for servers that have one', () => {
    const servers = [serverAnswer({ auth_type: 'oauth2' }), serverAnswer({ auth_type: 'bearer_token' })];
    assert.deepEqual(
      rows(picture({ servers }), 'servers').map((it) => it.contextValue),
      ['server signIn', 'server'],
    );
  });

  it('says that a sign-in is missing, unless the server does not answer or nobody signs in to it', () => {
    const own = { auth_type: 'oauth2', has_user_credential: false } as const;
    const servers = [
      serverAnswer({ ...own, status: 'healthy' }),
      serverAnswer({ ...own, status: 'unhealthy' }),
      serverAnswer({ ...own, status: 'healthy', has_user_credential: true }),
      serverAnswer({ ...own, status: 'healthy', oauth2_flow: 'client_credentials' }),
      serverAnswer({ ...own, status: 'unknown', has_user_credential: true }),
    ];
    assert.deepEqual(
      rows(picture({ servers }), 'servers').map((it) => [it.description, it.icon, it.contextValue]),
      [
        ['sign-in required · http', 'account', 'server signIn signedOut'],
        ['not responding · http', 'error', 'server signIn signedOut'],
        ['healthy · http', 'pass-filled', 'server signIn'],
        ['healthy · http', 'pass-filled', 'server'],
        ['signed in · http', 'circle-outline', 'server signIn'],
      ],
    );
  });

  it('shows tools with the first line of what they do, and all of it in the tooltip', () => {
    const [tool] = toolNodes('s1', [{ name: 'echo', title: 'Echo', description: 'Says it again.\nLoudly, if asked.' }]);
    assert.deepEqual(
      [tool?.label, tool?.description, tool?.server, tool?.target],
      ['echo', 'Says it again.', 's1', 'echo'],
    );
    assert.equal(tool?.tooltip, 'echo\n\nEcho\n\nSays it again.\nLoudly, if asked.');
  });

  it('shows a key by its name, with its state, its end, and what was spent before its last characters', () => {
    const keys = [
      namedKey({ max_budget: 5, expires: '2026-12-24T10:00:00Z' }),
      namedKey({ token_id: 'k2', token: 'b'.repeat(64), key_alias: null, blocked: true, spend: null }),
      namedKey({ token_id: 'k3', label: 'Fix the login', isOfSession: true }),
    ];
    const [ci, bare, ofSession] = rows(picture({ keys, kept: new Set(['a'.repeat(64)]) }), 'keys');
    assert.deepEqual(
      [ci?.label, ci?.description, ci?.contextValue],
      ['ci', 'expires 2026-12-24 · $0.13 of $5.00 · sk-...wxyz', 'key kept'],
    );
    assert.deepEqual([bare?.label, bare?.description, bare?.icon], ['sk-...wxyz', 'blocked · $0.00', 'circle-slash']);
    assert.deepEqual([ofSession?.label, ofSession?.description], ['Fix the login', 'session · $0.13 · sk-...wxyz']);
  });

  it('shows agents with their host, and teams with their members', () => {
    const off = agentRecord({ agent_id: 'a2', gateway_params: { enabled: false } });
    assert.deepEqual(
      rows(picture({ agents: [agentRecord(), off] }), 'agents').map((it) => it.description),
      ['agents.example', 'turned off'],
    );
    assert.equal(
      rows(picture({ teams: [teamAnswer({ max_budget: 10 })] }), 'teams')[0]?.description,
      '1 member · $1.00 of $10.00',
    );
  });

  it('sums up the day', () => {
    assert.deepEqual(
      rows(picture({ today: totals(12, 2, 0.0005) }), 'today').map((it) => `${it.label} ${it.description}`),
      ['Calls 12', 'Failed 2', 'Spend $0.0005'],
    );
  });

  it('has ids that stay, and no two the same', () => {
    const all = picture({
      servers: [serverAnswer()],
      agents: [agentRecord()],
      keys: [namedKey()],
      teams: [teamAnswer()],
      today: totals(1),
    });
    const ids = [
      ...groupNodes(english, all),
      ...['servers', 'agents', 'keys', 'teams', 'today'].flatMap((it) => rows(all, it)),
    ].map((it) => it.id);
    assert.equal(new Set(ids).size, ids.length);
  });

  for (const [dollars, text] of [
    [0, '$0.00'],
    [0.125, '$0.13'],
    [12.5, '$12.50'],
    [0.0005, '$0.0005'],
    [0.000012, '$0.000012'],
  ] as const) {
    it(`writes ${dollars} dollars as ${text}`, () => assert.equal(moneyText(dollars), text));
  }
});
