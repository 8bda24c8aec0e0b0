import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Freshness, MergedLists } from '../../../../../../sidecar/gateway/mcp/aggregation/mergedLists.ts';
import type { McpDeps, VisibleServer } from '../../../../../../sidecar/gateway/mcp/mcpDeps.ts';
import type { McpRequest } from '../../../../../../sidecar/gateway/mcp/mcpRequest.ts';
import { Fault } from '../../../../../../sidecar/platform/faults.ts';
import { callContext } from '../../../../../support/gateway/callContext.ts';
import {
  type Asking,
  httpServer,
  idOf,
  type McpFrontSetup,
  mcpFrontUnderTest,
  messageOf,
  modernHeaders,
  modernRequest,
  readStream,
  result,
} from '../../../../../support/mcp/frontUnderTest.ts';
import { until } from '../../../../../support/until.ts';

const kept = { list_cache_ttl_s: 600 };
const uncounted: McpDeps['admit'] = () => ({ settle: () => undefined, isCounted: false });

/** Two servers, of which it is seen how often they are asked and how often their tools are judged. */
function twoServers({ servers, more, ...setup }: McpFrontSetup = {}, settings: object = kept) {
  const seen = {
    asked: 0,
    judged: 0,
    down: new Set<string>(),
    /** While a server is asked. @returns whether it answers */
    meanwhile: (_server: string): boolean => true,
  };
  const all = servers ?? ['a', 'b'].map((it) => httpServer(it, settings));
  const visible = all.map((server): VisibleServer => {
    if (typeof server === 'string') throw new Error('a server is needed');
    const allows = () => {
      seen.judged += 1;
      return true;
    };
    return { server, allows, isWhole: true };
  });
  const gateway = mcpFrontUnderTest({
    servers: all,
    more: { admit: uncounted, visible: () => visible, ...more },
    answer(message) {
      if (seen.down.has(message.server)) return new Error('down');
      if (message.method === 'server/discover') return result(message, { supportedVersions: ['2026-07-28'] });
      if (message.method !== 'tools/list') return undefined;
      seen.asked += 1;
      if (!seen.meanwhile(message.server)) return 'silence';
      return result(message, { tools: ['1', '2', '3'].map((name) => ({ name })) });
    },
    ...setup,
  });
  const namesOf = (tools: unknown) => (tools as readonly { name: string }[]).map((it) => it.name);
  const rest = async (asking?: Asking) => {
    const response = await gateway.fetch('GET', '/mcp-rest/tools/list', undefined, asking);
    const { tools, ...told } = (await response.json()) as { tools: unknown; error: string | null; message: string };
    return { tools: namesOf(tools), ...told };
  };
  const rpc = async (asking?: Asking) =>
    namesOf((await gateway.rpc('/mcp', 'tools/list', {}, asking)).result?.['tools']);
  return { gateway, seen, rest, rpc };
}

/** Until it is not judged again. */
async function warm(list: () => Promise<unknown>): Promise<unknown> {
  for (let n = 0; n < 2; n += 1) await list();
  return list();
}

describe('a merged list of servers whose lists are kept', () => {
  for (const way of ['rest', 'rpc'] as const)
    it(`is judged for a caller once, and is the same each time, over ${way}`, async () => {
      const { seen, [way]: list } = twoServers();
      const first = await list();
      const last = await warm(list);
      assert.deepEqual(last, first);
      assert.deepEqual([seen.asked, seen.judged], [2, 12], 'by the first request, and by the second, which keeps it');
    });

  it('is written with the id of each request and with what its era adds', async () => {
    const { gateway, seen } = twoServers();
    const ask = async (id: number | string) => {
      const headers = modernHeaders('tools/list');
      const { id: own, result: told } = await messageOf(
        await gateway.post('/mcp', modernRequest('tools/list', {}, id), { headers }),
      );
      const { tools, ...more } = told ?? {};
      return { own, count: (tools as readonly unknown[]).length, more };
    };
    const answers = [await ask(1), await ask(2), await ask('"x"')];
    const more = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
    assert.deepEqual(
      answers,
      [1, 2, '"x"'].map((own) => ({ own, count: 6, more })),
    );
    assert.equal(seen.judged, 12);
  });

  it('is judged for each caller, and for other headers of a caller, again', async () => {
    const { seen, rest } = twoServers();
    await warm(rest);
    await rest({ key: 'key-2' });
    await rest({ headers: { 'x-mcp-a-authorization': 'Bearer other' } });
    assert.equal(seen.judged, 12 + 12);
  });

  it('is asked for again when the list of a server changed', async () => {
    const { seen, rest, gateway } = twoServers();
    await warm(rest);
    gateway.deps.lists.forget(idOf('a'));
    await rest();
    assert.deepEqual([seen.asked, seen.judged], [3, 18]);
  });

  it('is put together again when the time of a part is over', async () => {
    const { seen, rest, gateway } = twoServers();
    await warm(rest);
    gateway.clock.pass(600_000);
    await rest();
    assert.equal(seen.judged, 18);
  });

  it('is kept no longer than any part was good for when it was read', async () => {
    const { seen, rest, gateway } = twoServers();
    await warm(rest);
    gateway.clock.pass(599_000);
    gateway.deps.lists.forget(idOf('b'));
    seen.meanwhile = () => {
      gateway.clock.pass(2_000);
      return true;
    };
    await rest();
    assert.equal(seen.asked, 3);
    await rest();
    assert.equal(seen.asked, 4, 'the time of one part was over before the other one came');
  });

  it('is kept for a day at most, whatever its servers say', async () => {
    const { seen, rest, gateway } = twoServers({}, { list_cache_ttl_s: 10 * 24 * 60 * 60 });
    await warm(rest);
    for (const it of ['a', 'b']) gateway.deps.lists.forget(idOf(it));
    await rest();
    assert.equal(seen.asked, 4);
    gateway.clock.pass(24 * 60 * 60_000);
    await rest();
    assert.equal(seen.asked, 6);
  });

  for (const way of ['rest', 'rpc'] as const)
    it(`counts once against the limit of a server that refused it before, over ${way}`, async () => {
      let isUsedUp = true;
      let counted = 0;
      const admit: McpDeps['admit'] = (_context, { server_id }) => {
        if (server_id !== idOf('b')) return { settle: () => undefined, isCounted: false };
        if (isUsedUp) throw new Fault('rate_limited', 'The limit of b is used up.');
        counted += 1;
        return { settle: () => undefined, isCounted: true };
      };
      const { [way]: list } = twoServers({ more: { admit } });
      await warm(list);
      isUsedUp = false;
      await list();
      assert.equal(counted, 1);
    });

  it('is judged each time while a guardrail looks at it, or a server keeps a limit of its own', async () => {
    let isGuarded = false;
    const guarded = twoServers({ more: { guards: () => isGuarded } });
    await warm(guarded.rest);
    isGuarded = true;
    for (let n = 0; n < 2; n += 1) await guarded.rest();
    assert.equal(guarded.seen.judged, 24);
    const admit: McpDeps['admit'] = (_context, { server_id }) => ({
      settle: () => undefined,
      isCounted: server_id === idOf('b'),
    });
    const counted = twoServers({ more: { admit } });
    await warm(counted.rest);
    assert.equal(counted.seen.judged, 18);
  });

  it('is judged each time where a server gets something of its caller', async () => {
    const servers = [httpServer('a', kept), httpServer('b', { ...kept, extra_headers: ['x-tenant'] })];
    const { seen, rest } = twoServers({ servers });
    await warm(rest);
    assert.equal(seen.judged, 18);
  });

  for (const way of ['rest', 'rpc'] as const)
    it(`asks a server that failed again each time, and shows it as soon as it responds, over ${way}`, async () => {
      const { seen, [way]: list } = twoServers();
      seen.down.add('b');
      const partial = await warm(list);
      assert.equal(seen.judged, 6);
      seen.down.clear();
      const whole = await list();
      const namesIn = (it: unknown) => (Array.isArray(it) ? it : (it as { tools: unknown[] }).tools).length;
      assert.deepEqual([namesIn(partial), namesIn(whole)], [3, 6]);
      if (way === 'rest') {
        const { error, message } = partial as { error: string; message: string };
        assert.deepEqual([error, message.includes("'b'")], ['partial_failure', true]);
      }
    });
});

describe('the pages of a merged list', () => {
  it('come from what the servers said for the first one, until a list changes or a minute is over', async () => {
    const { seen, gateway } = twoServers({ options: { pageSize: 4 } }, {});
    const { deps, clock } = gateway;
    const page = async (cursor?: unknown) =>
      (await gateway.rpc('/mcp', 'tools/list', cursor === undefined ? {} : { cursor })).result ?? {};
    const { nextCursor } = await page();
    assert.equal(seen.asked, 2);
    assert.deepEqual((await page(nextCursor))['tools'], [{ name: 'b__2' }, { name: 'b__3' }]);
    assert.equal(seen.asked, 2);
    deps.lists.forget(idOf('a'));
    await page(nextCursor);
    assert.equal(seen.asked, 4);
    await page();
    assert.equal(seen.asked, 6, 'nothing is kept for a first page');
    clock.pass(60_000);
    await page(nextCursor);
    assert.equal(seen.asked, 8);
  });

  it('come from it also for a caller that chooses servers by header', async () => {
    const { seen, gateway } = twoServers({ options: { pageSize: 4 } }, {});
    const page = async (params: object) =>
      (await gateway.rpc('/mcp', 'tools/list', params, { mcpServers: ['a', 'b'] })).result ?? {};
    await page({ cursor: (await page({}))['nextCursor'] });
    assert.equal(seen.asked, 2);
  });

  it('are not taken from an earlier list after one without a server that is not ready', async () => {
    const { seen, gateway } = twoServers({ options: { pageSize: 2 } }, {});
    const session = await gateway.initialize('/mcp');
    const stream = readStream(await gateway.fetch('GET', '/mcp', undefined, { session }));
    const list = async (params: object) => (await gateway.rpc('/mcp', 'tools/list', params, { session })).result ?? {};
    const namesIn = ({ tools }: Awaited<ReturnType<typeof list>>) =>
      (tools as readonly { name: string }[]).map((it) => it.name);
    const unready = async (params: object) => {
      const { asked, judged } = seen;
      const listing = list(params);
      await until('both are asked and one is ready', () => seen.asked === asked + 2 && seen.judged === judged + 3);
      gateway.timers.pass(800);
      return listing;
    };
    await list({});
    seen.meanwhile = (server) => server !== 'a';
    const first = await unready({});
    assert.deepEqual(namesIn(first), ['b__1', 'b__2']);
    assert.deepEqual(namesIn(await unready({ cursor: first['nextCursor'] })), ['b__3']);
    await stream.leave();
  });

  it('are not taken from a list whose caller left before all servers answered', async () => {
    const { seen, gateway } = twoServers({
      servers: [httpServer('a', kept), httpServer('b')],
      options: { pageSize: 2 },
    });
    const page = async (params: object, asking?: Asking) =>
      (await gateway.rpc('/mcp', 'tools/list', params, asking)).result ?? {};
    const { nextCursor } = await page({});
    const leaving = new AbortController();
    seen.meanwhile = (server) => {
      const answers = server !== 'b' || leaving.signal.aborted;
      if (!answers) leaving.abort();
      return answers;
    };
    await page({}, { signal: leaving.signal });
    assert.deepEqual((await page({ cursor: nextCursor }))['tools'], [{ name: 'a__3' }, { name: 'b__1' }]);
  });
});

describe('merged lists', () => {
  const deps = { lists: { version: 0 }, clock: { monotonicMs: () => 0 }, guards: () => false };
  const { caller, signal } = callContext({ caller: { key: { token: 'key' } } });
  const requestOf = (more: object = {}) =>
    ({
      ...{ deps, signal, era: 'legacy', scope: { kind: 'several', servers: [], address: 'all' } },
      context: { caller, headers: new Map() },
      ...more,
    }) as unknown as McpRequest;
  const open = () => new MergedLists(deps.lists, deps.clock as never);
  const freshness = () => {
    const made = new Freshness(deps as never);
    made.part(1_000);
    return made;
  };
  const keep = (lists: MergedLists, mcp: McpRequest, value = '[]') =>
    lists.keep(mcp, 'x', { value, failed: [] }, freshness(), { weight: value.length });

  it('are limited in number, however short they are', () => {
    const lists = open();
    const requests = Array.from({ length: 17_000 }, () => requestOf());
    for (const it of requests) for (let n = 0; n < 2; n += 1) keep(lists, it);
    const count = requests.filter((it) => lists.find(it, 'x')).length;
    assert.ok(count > 0 && count <= 16_000, `${count}`);
  });

  it('are not shared by sessions that only the address of their requests tells apart', () => {
    const lists = open();
    const one = requestOf({ session: { id: 'one' } });
    const other = { ...one, session: { id: 'other' } } as McpRequest;
    for (let n = 0; n < 2; n += 1) keep(lists, one, 'of one');
    assert.deepEqual([lists.find(one, 'x')?.value, lists.find(other, 'x')], ['of one', undefined]);
  });
});
