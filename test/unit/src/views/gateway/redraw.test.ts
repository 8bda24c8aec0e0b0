import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { GatewayNode } from '../../../../../src/views/gateway/nodes.ts';
import { redrawn } from '../../../../../src/views/gateway/redraw.ts';

const row = (id: string, description = '', more: Partial<GatewayNode> = {}): GatewayNode => ({
  kind: 'server',
  id,
  target: id,
  label: id,
  description,
  contextValue: 'server',
  opens: 'closed',
  ...more,
});

describe('what is drawn again in the Gateway view', () => {
  const roots = () => [row('servers', '2'), row('today', '1 call')];
  const servers = () => [row('a', 'healthy'), row('b', 'healthy', { color: 'green' })];
  const given = () => ({ roots: roots(), rows: new Map([['servers', servers()]]) });
  const redraw = (before: ReturnType<typeof given>, next: readonly GatewayNode[], rows: readonly GatewayNode[]) =>
    redrawn(before, next, () => rows);

  it('is nothing, where nothing differs', () => assert.deepEqual(redraw(given(), roots(), servers()), []));

  it('is the one row that differs, as the object that it was, with what a menu takes from it', () => {
    const before = given();
    const [a, b] = before.rows.get('servers')!;
    const now = [row('a', 'healthy'), row('b', 'not responding', { target: 'b2' })];
    const rows = redraw(before, roots(), now);
    assert.ok(rows !== 'all' && rows.length === 1 && rows[0] === b);
    assert.deepEqual([a, b], now);
    assert.deepEqual(redraw(before, roots(), now), []);
  });

  it('is a group whose words differ, or whose rows came, went or changed places; no other', () => {
    for (const [next, rows] of [
      [[row('servers', '2'), row('today', '2 calls')], servers()],
      [roots(), servers().slice(1)],
      [roots(), servers().toReversed()],
    ] as const) {
      const before = given();
      const expected = next[1]?.description === '2 calls' ? before.roots[1] : before.roots[0];
      const found = redraw(before, next, rows);
      assert.ok(found !== 'all' && found.length === 1 && found[0] === expected);
    }
  });

  it('is everything, where groups came or went', () => {
    assert.equal(redraw(given(), roots().slice(1), servers()), 'all');
    assert.equal(redraw({ roots: [], rows: new Map() }, roots(), servers()), 'all');
  });
});
