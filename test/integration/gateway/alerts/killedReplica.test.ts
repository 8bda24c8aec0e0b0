import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import pg from 'pg';
import type { AlertMessage } from '../../../../sidecar/protocol/gateway/alerts/event.ts';
import { type AlertReceiver, isSigned, openAlertReceiver } from '../../../support/alerts/receiver.ts';
import { type GatewayProcess, openProcessStand, type ProcessStand } from '../../../support/gateway/processStand.ts';
import { postgresDatabase } from '../../../support/network/postgres.ts';
import { until } from '../../../support/until.ts';
import { verifies } from '../../../support/verifies.ts';

const secret = 'a secret of sixteen or more';

describe('alerts of two gateways on one PostgreSQL', function replicas() {
  let stand: ProcessStand;
  let database: pg.Client;
  let locker: pg.Client;
  let receiver: AlertReceiver;
  before(async () => {
    const url = await postgresDatabase();
    receiver = await openAlertReceiver();
    stand = openProcessStand({
      database: url,
      env: { ALERT_SECRET: secret },
      config: {
        alerts: {
          targets: {
            ops: { type: 'webhook', url: receiver.url, secret: { env: 'ALERT_SECRET' }, allow_private_network: true },
          },
          rules: { down: { events: ['server_down'], targets: ['ops'], group_minutes: 0 } },
        },
      },
    });
    database = new pg.Client({ connectionString: url });
    locker = new pg.Client({ connectionString: url });
    await Promise.all([database.connect(), locker.connect()]);
  });
  after(async () => {
    await stand.close();
    await Promise.all([database.end(), locker.end()]);
    await receiver.close();
  });

  const rows = async (text: string) => (await database.query<Record<string, unknown>>(text)).rows;
  /** Something happened: rows of the outbox, as the gateway writes them with their cause. */
  async function happen(...names: readonly string[]): Promise<void> {
    const at = Date.now();
    for (const name of names) {
      const subject = { type: 'mcp_server', id: name, name };
      const event = {
        id: `event-${name}`,
        type: 'server_down',
        at: new Date(at).toISOString(),
        subject,
        message: name,
        facts: {},
      };
      await database.query(
        `insert into alert_events (occasion, type, subject_id, at_ms, is_routed, body) values ($1, 'server_down', $1, $2, 0, $3)`,
        [name, at, JSON.stringify(event)],
      );
    }
  }
  const states = async () => (await rows('select state from alert_deliveries order by seq')).map((it) => it['state']);
  const names = (messages: readonly AlertMessage[]) => messages.map((it) => it.events[0]?.subject.name);
  /** As a receiver that handles each message once: it knows by the ID what it already has. */
  const handled = () => {
    const seen = new Set<string>();
    return receiver.messages().filter(({ id }) => !seen.has(id) && seen.add(id));
  };

  it('arrive signed, once and in order, where the leader is killed before it sends, and between sending and marking', async () => {
    verifies('gateway.alerts.killed');
    verifies('gateway.alerts.order');
    const one = stand.start('one');
    await one.baseUrl;
    await until('the first one leads', async () => one.said().includes('This replica is now the leader'));
    const two = stand.start('two');
    await two.baseUrl;

    // The leader is killed while the receiver has the second message and has not answered yet: it cannot mark it.
    let killed: Promise<unknown> | undefined;
    const kill = async (replica: GatewayProcess) => {
      replica.signal('SIGKILL');
      await replica.exited;
      // The lease of the dead runs out now, and not only after 15 s.
      await database.query(`update leases set expires_at_ms = 0 where name = 'leader'`);
    };
    receiver.answer(async (count) => {
      if (count === 2) await (killed = kill(one));
      return 200;
    });
    await happen('a', 'b', 'c');
    await until('the leader was killed', () => killed !== undefined);
    await killed;
    assert.deepEqual(await states(), ['delivered', 'waiting', 'waiting'], 'sent, and not marked');
    await happen('d');
    await until(
      'the other one delivered the rest',
      async () => (await states()).join() === 'delivered,delivered,delivered,delivered',
    );

    assert.deepEqual(names(receiver.messages()), ['a', 'b', 'b', 'c', 'd'], 'the one that was not marked comes again');
    assert.deepEqual(names(handled()), ['a', 'b', 'c', 'd']);
    const ids = receiver.messages().map((it) => it.id);
    assert.equal(ids[1], ids[2]);
    for (const it of receiver.all) assert.ok(isSigned(it, secret), it.text);

    // The next leader is killed while it makes a message of what happened: nobody got it, and it is sent once.
    receiver.answer(() => 200);
    const three = stand.start('three');
    await three.baseUrl;
    await locker.query('begin');
    await locker.query('lock table alert_deliveries in exclusive mode');
    await happen('e');
    const waits = `select 1 from pg_locks where relation = 'alert_deliveries'::regclass and not granted`;
    await until('the leader waits for the database', async () => (await rows(waits)).length > 0);
    await kill(two);
    await locker.query('rollback');
    await until(
      'the third one delivered it',
      async () => (await states()).join() === 'delivered,delivered,delivered,delivered,delivered',
    );
    assert.deepEqual(names(receiver.messages()), ['a', 'b', 'b', 'c', 'd', 'e']);
    assert.ok(!`${one.said()}${two.said()}${three.said()}`.includes(secret));
  });
});
