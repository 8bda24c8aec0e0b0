import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { MAX_ATTEMPTS } from '../../../../sidecar/gateway/activity/alerts/deliver.ts';
import { MESSAGE_EVENTS } from '../../../../sidecar/protocol/gateway/alerts/event.ts';
import { DAY_MS } from '../../../../sidecar/protocol/gateway/duration.ts';
import { type AlertStand, alertSecret, openAlertStand } from '../../../support/alerts/alertStand.ts';
import { type AlertReceiver, isSigned, openAlertReceiver } from '../../../support/alerts/receiver.ts';
import type { StorePlace } from '../../../support/gateway/stores.ts';
import { verifies } from '../../../support/verifies.ts';

const minute = 60_000;

/** What is reported, and how it is delivered, the same way on each database. */
export function alertsContract(kind: string, open: () => Promise<StorePlace>): void {
  describe(`alerts on ${kind}`, function database() {
    let place: StorePlace;
    let stand: AlertStand;
    let receiver: AlertReceiver;
    const names = () => receiver.messages().map((it) => it.events[0]?.subject.name);
    const texts = () => receiver.messages().map((it) => it.events[0]?.message);

    beforeEach(async () => {
      place = await open();
      stand = await openAlertStand(place);
      receiver = await openAlertReceiver();
      await stand.target('ops', { url: `${receiver.url}/hook` });
    });
    afterEach(async () => {
      await stand.close();
      await receiver.close();
      place.remove();
    });

    it('say once that a server stopped answering, and once that it answers again', async () => {
      verifies('gateway.alerts.occasions');
      await stand.rule(['server_down', 'server_up'], ['ops']);
      await stand.server('s1');
      for (const status of [
        'healthy',
        'unhealthy',
        'unhealthy',
        'unknown',
        'unhealthy',
        'healthy',
        'healthy',
      ] as const) {
        stand.clock.pass(minute);
        await stand.health('s1', status, status === 'unhealthy' ? 'No response within 5 s.' : null);
        await stand.run();
      }
      assert.deepEqual(texts(), [
        "The MCP server 's1-alias' is not available. No response within 5 s.",
        "The MCP server 's1-alias' is available again.",
      ]);
      assert.deepEqual(receiver.messages()[0]?.events[0]?.subject, { type: 'mcp_server', id: 's1', name: 's1-alias' });
    });

    it('note nothing while there is no rule', async () => {
      await stand.server('s1');
      await stand.health('s1', 'unhealthy');
      await stand.rule(['server_down'], ['ops']);
      await stand.run();
      assert.deepEqual(receiver.all.length, 0);
      assert.equal(await stand.store.alerts.last(['server_down'], 's1'), undefined);
    });

    it('are noted once by two replicas that see the same', async () => {
      const other = await openAlertStand(place, stand.clock, 'b');
      try {
        await stand.rule(['server_down'], ['ops']);
        await Promise.all([stand.down('x', 'y'), other.down('x', 'y')]);
        // SQLite has one replica.
        if (kind === 'SQLite') await other.run();
        else await Promise.all([stand.run(), other.run()]);
        const ids = receiver.messages().map((it) => it.id);
        assert.equal(new Set(ids).size, 2, 'two that lead at once may send a message twice, under one ID');
        assert.equal((await stand.store.alertDeliveries.list({ limit: 10 })).total, 2);
      } finally {
        await other.close();
      }
    });

    it('are signed with ID, time and body, so that a changed message is noticed', async () => {
      verifies('gateway.alerts.signed');
      await stand.rule(['server_down'], ['ops']);
      await stand.down('x');
      await stand.run();
      const [one] = receiver.all;
      assert.ok(one);
      assert.equal(one.headers['webhook-timestamp'], String(stand.clock.nowMs() / 1_000));
      assert.equal(one.headers['webhook-id'], receiver.messages()[0]?.id);
      const changes = [
        { text: `${one.text} ` },
        { headers: { ...one.headers, 'webhook-timestamp': '1' } },
        { headers: { ...one.headers, 'webhook-id': 'x' } },
      ];
      assert.deepEqual(
        [
          isSigned(one, alertSecret),
          isSigned(one, 'another secret'),
          ...changes.map((it) => isSigned({ ...one, ...it }, alertSecret)),
        ],
        [true, false, false, false, false],
      );
    });

    it('are tried again under the same ID, ever later, while others of the target wait', async () => {
      verifies('gateway.alerts.signed');
      verifies('gateway.alerts.order');
      receiver.answer((count) => (count <= 2 ? 503 : 200));
      await stand.rule(['server_down'], ['ops']);
      await stand.down('x', 'y');
      await stand.run();
      await stand.run();
      assert.equal(receiver.all.length, 1, 'not before its time');
      stand.clock.pass(5_000);
      await stand.run();
      stand.clock.pass(5_000);
      await stand.run();
      assert.equal(receiver.all.length, 2, 'twice as long the second time');
      stand.clock.pass(5_000);
      await stand.run();
      assert.deepEqual(names(), ['x', 'x', 'x', 'y']);
      assert.equal(new Set(receiver.messages().map((it) => it.id)).size, 2);
      const signatures = receiver.all.slice(0, 3).map((it) => it.headers['webhook-signature']);
      assert.equal(new Set(signatures).size, 3, 'each attempt is signed with its own time');
    });

    it('become dead letters after the last attempt, let others pass, and are sent again by hand', async () => {
      verifies('gateway.alerts.dead-letters');
      receiver.answer(() => 500);
      await stand.rule(['server_down'], ['ops']);
      await stand.down('x', 'y');
      for (let made = 0; made < MAX_ATTEMPTS; made += 1) {
        await stand.run();
        receiver.answer(() => (made < MAX_ATTEMPTS - 2 ? 500 : receiver.all.length === MAX_ATTEMPTS ? 500 : 200));
        stand.clock.pass(10 * minute);
      }
      const dead = await stand.store.alertDeliveries.list({ limit: 10, state: 'dead' });
      assert.deepEqual(
        dead.rows.map((it) => [it.attempts, it.error]),
        [[MAX_ATTEMPTS, 'The receiver returned HTTP 500.']],
      );
      assert.deepEqual(names().slice(-2), ['x', 'y']);
      const [letter] = dead.rows;
      await stand.store.alertDeliveries.resend(letter?.id ?? '', stand.clock.nowMs());
      await stand.run();
      assert.equal(receiver.messages().at(-1)?.id, letter?.id);
      assert.equal((await stand.store.alertDeliveries.list({ limit: 10, state: 'delivered' })).total, 2);
      await assert.rejects(stand.store.alertDeliveries.resend(letter?.id ?? '', 0), /Only a message that could not/);
    });

    it('become dead letters at once where another attempt would end in the same way', async () => {
      receiver.answer(() => 410);
      await stand.target('near', { url: `${receiver.url}/near` }, { allow_private_network: false });
      await stand.rule(['server_down'], ['ops', 'near', 'gone']);
      await stand.down('x');
      await stand.run();
      const { rows } = await stand.store.alertDeliveries.list({ limit: 10 });
      verifies('gateway.alerts.network');
      assert.deepEqual(
        rows
          .map((it) => [it.target, it.state, it.error?.slice(0, 42)])
          .sort((one, other) => (String(one) < String(other) ? -1 : 1)),
        [
          ['gone', 'dead', "The target 'gone' does not exist."],
          ['near', 'dead', "This backend's address is on this machine "],
          ['ops', 'dead', 'The receiver returned HTTP 410.'],
        ],
      );
      assert.equal(receiver.all.length, 1);
    });

    it('of a target that does not answer hold up no other target', async () => {
      await stand.target('second', { url: `${receiver.url}/second` });
      receiver.answer(() => (receiver.all.at(-1)?.path === '/hook' ? 500 : 200));
      await stand.rule(['server_down'], ['ops', 'second']);
      await stand.down('x', 'y');
      await stand.run();
      const second = receiver.all
        .filter((it) => it.path === '/second')
        .map((it) => JSON.parse(it.text).events[0].subject.name);
      assert.deepEqual(second, ['x', 'y']);
    });

    it('of one kind within the minutes of a rule become one message with a count', async () => {
      verifies('gateway.alerts.grouped');
      await stand.rule(['server_down', 'server_up'], ['ops'], { group_minutes: 5 });
      await stand.down('x');
      await stand.run();
      stand.clock.pass(4 * minute);
      const more = Array.from({ length: MESSAGE_EVENTS + 4 }, (_, at) => `s${at}`);
      await stand.down(...more);
      await stand.run();
      assert.equal(receiver.all.length, 0);
      stand.clock.pass(minute);
      await stand.run();
      const [only] = receiver.messages();
      assert.deepEqual(
        [receiver.all.length, only?.count, only?.events.length],
        [1, MESSAGE_EVENTS + 5, MESSAGE_EVENTS],
      );
      await stand.down('later');
      stand.clock.pass(5 * minute);
      await stand.run();
      stand.clock.pass(5 * minute);
      await stand.run();
      assert.deepEqual(
        receiver.messages().map((it) => it.count),
        [MESSAGE_EVENTS + 5, 1],
      );
    });

    it('of a muted rule are not sent, also not later', async () => {
      verifies('gateway.alerts.grouped');
      await stand.rule(['server_down'], ['ops']);
      await stand.store.alerts.setMark('mute r', stand.clock.nowMs() + minute);
      await stand.down('x');
      await stand.run();
      stand.clock.pass(minute);
      await stand.down('y');
      await stand.run();
      assert.deepEqual(names(), ['y']);
    });

    it('reach rules for other servers, and rules that are off, not at all', async () => {
      await stand.rule(['server_down'], ['ops'], { rule_name: 'some', servers: ['y'] });
      await stand.rule(['server_down'], ['ops'], { rule_name: 'off', enabled: false });
      await stand.rule(['server_up'], ['ops'], { rule_name: 'up' });
      await stand.down('x', 'y');
      await stand.run();
      assert.deepEqual(
        receiver.messages().map((it) => [it.rule, it.events[0]?.subject.name]),
        [['some', 'y']],
      );
    });

    it('report a budget that refused calls once for its window', async () => {
      verifies('gateway.alerts.occasions');
      await stand.rule(['budget_exceeded'], ['ops']);
      const words = (cost: number, until = '2026-03-05 00:00:00 UTC') =>
        `Budget has been exceeded! Team 'a of b' of its 1d window, Spend=$${cost}, Limit=$1. Current cost: ${cost}, Max budget: 1. Resets at: ${until}`;
      const refused = (error: string) => ({ status: 'failure', error_code: 'budget_exceeded', error }) as const;
      await stand.calls(refused(words(1.1)), refused(words(1.1)), refused(words(1.2)));
      await stand.run();
      stand.clock.pass(minute);
      await stand.calls(refused(words(1.2)), refused(words(1.3, '2026-03-06 00:00:00 UTC')));
      await stand.run();
      assert.deepEqual(
        receiver.messages().map((it) => [it.events[0]?.subject.name, it.events[0]?.facts['resets_at']]),
        [
          ["Team 'a of b'", '2026-03-05 00:00:00 UTC'],
          ["Team 'a of b'", '2026-03-06 00:00:00 UTC'],
        ],
      );
    });

    it('report each call that a guardrail blocked once, with its key by name, and none from before the rule', async () => {
      const key = { token_id: 'id', key_name: 'sk-...', rotation_count: 0, created_at: '', updated_at: '' };
      await stand.store.key.insert({ ...key, token: 'a'.repeat(64), key_alias: 'ci' });
      const blocked = {
        status: 'failure',
        error_code: 'guardrail_violation',
        error: 'pii: The call contains an email address.',
        mcp_namespaced_tool_name: 'mail/send',
        api_key: 'a'.repeat(64),
      } as const;
      await stand.calls(blocked);
      stand.clock.pass(1);
      await stand.rule(['guardrail_block'], ['ops'], { servers: ['mail'] });
      await stand.calls(
        blocked,
        { ...blocked, mcp_namespaced_tool_name: 'other/tool' },
        { status: 'failure', error: 'x', error_code: 'internal' },
      );
      await stand.run();
      stand.clock.pass(minute);
      await stand.run();
      assert.deepEqual(texts(), [
        "A call to 'mail/send' made with the key 'ci' was blocked. pii: The call contains an email address.",
      ]);
    });

    it('report calls that were refused long after they began, and records that are written late', async () => {
      verifies('gateway.alerts.occasions');
      await stand.rule(['guardrail_block', 'budget_exceeded'], ['ops']);
      const began = stand.clock.now();
      stand.clock.pass(30 * minute);
      await stand.run();
      const at = { startTime: began, endTime: stand.clock.now(), status: 'failure' } as const;
      const blocked = { ...at, error_code: 'guardrail_violation', error: 'pii: The answer contains an email address.' };
      const refused = { ...at, error_code: 'budget_exceeded', error: 'Budget has been exceeded!' };
      await stand.calls(blocked, refused, refused);
      // Another replica could not reach the database for an hour.
      stand.clock.pass(60 * minute);
      await stand.run();
      await stand.calls({ ...blocked, error: 'pii: Late.' });
      await stand.run();
      assert.deepEqual(
        [...texts()].sort((one, other) => (String(one) < String(other) ? -1 : 1)),
        [
          "A call to 'a tool' was blocked. pii: Late.",
          "A call to 'a tool' was blocked. pii: The answer contains an email address.",
          'Budget has been exceeded!',
        ],
      );
      await stand.run();
      assert.deepEqual([receiver.all.length, await stand.store.refusedCalls.first(1)], [3, []]);
    });

    it('report an error rate once for a window while it lasts, and nothing for too few calls', async () => {
      verifies('gateway.alerts.occasions');
      await stand.rule(['error_rate'], ['ops'], { error_rate: 0.5, min_calls: 4, window_minutes: 5 });
      const failed = { status: 'failure', error: 'x', error_code: 'internal' } as const;
      await stand.calls(failed, failed, {});
      await stand.run();
      assert.equal(receiver.all.length, 0, 'three calls are too few');
      for (let at = 0; at < 6; at += 1) {
        await stand.calls(failed, {});
        stand.clock.pass(minute);
        await stand.run();
      }
      assert.deepEqual(texts(), [
        '3 of 5 calls (60%) in the last 5 min failed.',
        '5 of 10 calls (50%) in the last 5 min failed.',
      ]);
    });

    it('report keys and certificates that expire within the days of a rule, each once', async () => {
      verifies('gateway.alerts.occasions');
      const key = { key_name: 'sk-...', rotation_count: 0, created_at: '', updated_at: '' };
      const inDays = (days: number) => new Date(stand.clock.nowMs() + days * DAY_MS).toISOString();
      for (const [id, expires, blocked] of [
        ['soon', inDays(6), false],
        ['later', inDays(8), false],
        ['past', inDays(-1), false],
        ['blocked', inDays(6), true],
        ['never', null, false],
      ] as const)
        await stand.store.key.insert({
          ...key,
          token: id.padEnd(64, '0'),
          token_id: id,
          key_alias: id,
          expires,
          blocked,
        });
      stand.certificates.set('mcp.example.com:443', stand.clock.nowMs() + DAY_MS);
      stand.certificates.set('later.example.com:443', stand.clock.nowMs() + 30 * DAY_MS);
      await stand.rule(['key_expiring', 'certificate_expiring'], ['ops'], { days_before: 7 });
      for (let hours = 0; hours < 3; hours += 1) {
        await stand.run();
        stand.clock.pass(60 * minute);
      }
      assert.deepEqual(texts(), [
        "The certificate of 'mcp.example.com:443' expires on 2026-03-05.",
        "The key 'soon' expires on 2026-03-10.",
      ]);
    });

    it('are forgotten after 30 days, except those that wait', async () => {
      receiver.answer(() => (receiver.all.length === 1 ? 200 : 500));
      await stand.rule(['server_down'], ['ops']);
      await stand.down('x', 'y');
      await stand.run();
      await stand.store.alertDeliveries.tidy(stand.clock.nowMs() + 31 * DAY_MS);
      const { rows } = await stand.store.alertDeliveries.list({ limit: 10 });
      assert.deepEqual(
        rows.map((it) => it.state),
        ['waiting'],
      );
      assert.equal(await stand.store.alerts.last(['server_down'], 'x'), undefined);
    });

    it('show their secrets in neither records nor logs', async () => {
      verifies('gateway.alerts.secrets');
      receiver.answer(() => 500);
      await stand.rule(['server_down'], ['ops']);
      await stand.down('x');
      await stand.run();
      const kept = JSON.stringify([
        await stand.store.alert_target.all(),
        await stand.store.alertDeliveries.list({ limit: 9 }),
      ]);
      const said = stand.logLines.join('\n');
      assert.match(said, /An alert was not delivered/);
      for (const secret of [alertSecret, '/hook']) assert.ok(!kept.includes(secret) && !said.includes(secret), secret);
    });
  });
}
