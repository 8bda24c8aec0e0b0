import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { SetClock } from '../../../support/backends/setClock.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { verifies } from '../../../support/verifies.ts';
import { Browser } from './pageSignInScene.ts';

const dayMs = 24 * 60 * 60_000;
const secretOf = (link: unknown) => /#invitation=([\w-]{43})$/.exec(String(link))?.[1] ?? '';

describe('an invitation by link', () => {
  let stand: Stand;
  const clock = new SetClock();
  let lead: string;
  before(async () => {
    stand = await openStand({ clock });
    for (const team_id of ['platform', 'others']) await stand.manage('POST', '/team/new', { team_id });
    await stand.manage('POST', '/user/new', { user_id: 'lead', user_email: 'lead@example.com' });
    await stand.manage('POST', '/team/member_add', { team_id: 'platform', member: { role: 'admin', user_id: 'lead' } });
    lead = String((await stand.manage('POST', '/key/generate', { user_id: 'lead' }))['key']);
  });
  after(() => stand.close());

  const accept = (link: unknown, name = 'Grace', more?: RequestInit) =>
    new Browser(stand).page('/ui/invitation', { token: secretOf(link), name }, more);
  const asLead = async (path: string, body: object) => {
    const response = await stand.as(lead, path, { method: 'POST', body: JSON.stringify(body) });
    return { status: response.status, body: (await response.json()) as Readonly<Record<string, unknown>> };
  };

  it('makes a user with the role, address and team of the invitation, and a key that is shown once', async () => {
    verifies('gateway.invitations');
    const invited = {
      user_email: 'grace@example.com',
      user_role: 'proxy_admin_viewer',
      team_id: 'platform',
      team_role: 'admin',
    };
    const { link } = await stand.manage('POST', '/invitation/new', invited);
    assert.ok(String(link).startsWith(`${stand.base}/ui/#invitation=`));
    const response = await accept(link);
    assert.equal(response.status, 200);
    const { user_id, key } = (await response.json()) as { user_id: string; key: string };
    const user = await stand.gateway.store.user.get(user_id);
    assert.deepEqual(
      [user?.user_alias, user?.user_email, user?.user_role],
      ['Grace', 'grace@example.com', 'proxy_admin_viewer'],
    );
    const team = await stand.gateway.store.team.get('platform');
    assert.ok(team?.members_with_roles?.some((it) => it.user_id === user_id && it.role === 'admin'));
    assert.equal((await stand.as(key, '/user/list')).status, 200);
    const { audit_logs } = (await stand.manage('GET', `/audit?changed_by=${user_id}`)) as {
      audit_logs: readonly { table_name: string; signed_in_by: string }[];
    };
    assert.deepEqual(audit_logs.map((it) => it.table_name).toSorted(), ['key', 'team', 'user']);
    assert.deepEqual(new Set(audit_logs.map((it) => it.signed_in_by)), new Set(['invitation']));
    const list = JSON.stringify(await stand.manage('GET', '/invitation/list'));
    assert.ok(!list.includes(secretOf(link)) && !list.includes('"token"'), list);
  });

  it('of a team admin leads to the team, and gives neither a role nor an address', async () => {
    verifies('gateway.invitations');
    const made = await asLead('/invitation/new', { team_id: 'platform' });
    assert.equal(made.status, 200);
    const { user_id } = (await (await accept(made.body['link'])).json()) as { user_id: string };
    assert.equal((await stand.gateway.store.user.get(user_id))?.user_role, 'internal_user');
    const list = (await (await stand.as(lead, '/invitation/list')).json()) as readonly { team_id: string }[];
    assert.deepEqual(new Set(list.map((it) => it.team_id)), new Set(['platform']));
  });

  const refusals: readonly (readonly [what: string, body: object, status: number])[] = [
    ['to a team that they do not lead', { team_id: 'others' }, 404],
    ['to no team', {}, 403],
    ['with a role in the dashboard', { team_id: 'platform', user_role: 'proxy_admin' }, 403],
    ['with the address of somebody', { team_id: 'platform', user_email: 'boss@example.com' }, 403],
    ['that is good for longer than 30 days', { team_id: 'platform', duration: '31d' }, 400],
  ];
  for (const [what, body, status] of refusals)
    it(`is refused to a team admin: one ${what}`, async () => {
      verifies('gateway.invitations');
      assert.equal((await asLead('/invitation/new', body)).status, status);
    });

  it('cannot have the address of a user who exists', async () => {
    verifies('gateway.invitations');
    const wrong = { user_email: 'LEAD@example.com' };
    await assert.rejects(stand.manage('POST', '/invitation/new', wrong), /belongs to a user who exists/);
  });

  /** How a link stops working. */
  const over: readonly (readonly [what: string, end: (made: Readonly<Record<string, unknown>>) => Promise<unknown>])[] =
    [
      ['was used', ({ link }) => accept(link)],
      ['has expired', async () => clock.pass(7 * dayMs)],
      ['was deleted', ({ invitation_id }) => stand.manage('POST', '/invitation/delete', { invitation_id })],
      ['leads to a team that is gone', ({ team_id }) => stand.manage('POST', '/team/delete', { team_ids: [team_id] })],
      ['leads to a team that is blocked', ({ team_id }) => stand.manage('POST', '/team/block', { team_id })],
    ];
  for (const [what, end] of over)
    it(`is refused once it ${what}`, async () => {
      verifies('gateway.invitations');
      const { team_id } = await stand.manage('POST', '/team/new', {});
      const made = await stand.manage('POST', '/invitation/new', { team_id });
      await end(made);
      const users = (await stand.gateway.store.user.all()).length;
      const response = await accept(made['link']);
      assert.equal(response.status, 403);
      assert.match(await response.text(), /was used or deleted, or has expired/);
      assert.equal((await stand.gateway.store.user.all()).length, users);
    });

  it('makes one user where two people open it at the same time', async () => {
    verifies('gateway.invitations');
    const { link } = await stand.manage('POST', '/invitation/new', {});
    const answers = await Promise.all([accept(link, 'First'), accept(link, 'Second'), accept(link, 'Third')]);
    assert.deepEqual(
      answers.map((it) => it.status).toSorted((a, b) => a - b),
      [200, 403, 403],
    );
  });

  it('guessed keys: whoever tries links has to wait', async () => {
    verifies('security.guessed-keys');
    const limit = 3;
    const throttled = await openStand({ throttle: { wrongKeysPerMinute: limit, registrationsPerMinute: 0 } });
    try {
      const guess = async (token: string) =>
        (await new Browser(throttled).page('/ui/invitation', { token, name: 'Eve' })).status;
      for (let count = 0; count < limit; count += 1) assert.equal(await guess(`guess-${count}`), 403);
      assert.equal(await guess('guess'), 429);
    } finally {
      await throttled.close();
    }
  });

  it('is not accepted by a page of another site, nor deleted by somebody who may not see it', async () => {
    verifies('gateway.invitations');
    const { link, invitation_id } = await stand.manage('POST', '/invitation/new', { team_id: 'others' });
    assert.equal((await accept(link, 'Eve', { headers: { 'sec-fetch-site': 'cross-site' } })).status, 403);
    assert.equal((await asLead('/invitation/delete', { invitation_id })).status, 404);
    assert.equal((await accept(link)).status, 200);
  });
});
