import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { RawClient } from '../../../../support/host/rawClient.ts';
import { toFrame } from '../../../../support/host/toFrame.ts';
import { verifies } from '../../../../support/verifies.ts';
import { dispatchRows } from './badInput/dispatches.ts';
import { framingRows, jsonRpcRows } from './badInput/framing.ts';
import { orderRows } from './badInput/order.ts';
import { paramRows } from './badInput/params.ts';
import { type BadInputPlace, openBadInputPlace } from './badInput/place.ts';
import type { Outcome, Row } from './badInput/row.ts';

const rows: readonly (readonly [string, readonly Row[]])[] = [
  ['of framing', framingRows],
  ['of JSON-RPC', jsonRpcRows],
  ['of order', orderRows],
  ['of params and channels', paramRows],
  ['of actions', dispatchRows],
];

describe('bad input', () => {
  verifies(
    'host.error.object',
    'host.error.-32700',
    'host.error.-32600',
    'host.error.-32601',
    'host.error.-32602',
    'host.error.-32010',
  );
  let opened: BadInputPlace;
  let title = 0;
  before(async () => {
    opened = await openBadInputPlace();
  });
  after(() => opened.place.close());

  /** A ping, and an action that goes through a whole tick: what was to be said before them was said. */
  async function showUnharmed(client: RawClient, isReady: boolean): Promise<void> {
    const { result } = await client.ask('alive', 'ping', {});
    assert.equal(result, null);
    if (!isReady) return;
    title += 1;
    const action = { type: 'session/titleChanged', title: `title ${title}` };
    const params = { channel: opened.names.session, clientSeq: 0, action };
    client.write(toFrame(JSON.stringify({ jsonrpc: '2.0', method: 'dispatchAction', params })));
    await client.until(() => client.heard.some((it) => JSON.stringify(it).includes(`"title ${title}"`)));
  }

  function check(client: RawClient, outcome: Outcome): void {
    const heard = client.heard.filter(({ id, params }) => {
      const isOurs =
        id === 'alive' || (params?.['action'] as { type?: string } | undefined)?.type === 'session/titleChanged';
      return !isOurs || params?.['rejectionReason'] !== undefined;
    });
    if ('error' in outcome) {
      const { id, ...error } = outcome.error;
      const answers = heard.filter((it) => it.error !== undefined);
      assert.deepEqual(answers, [{ jsonrpc: '2.0', id, error }]);
    } else if ('rejected' in outcome) {
      assert.deepEqual(
        heard.map((it) => it.params?.['rejectionReason']),
        [outcome.rejected],
      );
    } else assert.deepEqual(heard, []);
  }

  for (const [kind, table] of rows) {
    describe(kind, () => {
      for (const row of table) {
        it(`${row.says}: ${describeOutcome(row.outcome)}`, async () => {
          const { other, names } = opened;
          const before = JSON.stringify([...other.states]);
          const client = await opened.connect(row.fresh !== true);
          client.write(row.bytes(names));
          const { outcome } = row;
          if ('error' in outcome) await client.answerTo(outcome.error.id);
          if ('closes' in outcome) await client.until(() => client.isClosed);
          else await showUnharmed(client, row.fresh !== true);
          check(client, outcome);
          const next = 'closes' in outcome ? await opened.connect(true) : client;
          await showUnharmed(next, row.fresh !== true || 'closes' in outcome);
          assert.equal(JSON.stringify([...other.states]), before, 'another client saw something of it');
          client.destroy();
          next.destroy();
        });
      }
    });
  }

  it('has more than sixty rows, each of its own name', () => {
    const names = rows.flatMap(([kind, table]) => table.map((it) => `${kind} ${it.says}`));
    assert.equal(new Set(names).size, names.length);
    assert.ok(names.length >= 60, `${names.length} rows`);
  });
});

function describeOutcome(outcome: Outcome): string {
  if ('error' in outcome) return `error ${outcome.error.code}${outcome.closes ? ', and the connection ends' : ''}`;
  if ('rejected' in outcome) return 'refused to its sender';
  return 'silence' in outcome ? 'silence' : 'the connection ends';
}
