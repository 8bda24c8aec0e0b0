import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { afterEach, describe, it } from 'mocha';
import type { ToolServer } from '../../../../../sidecar/agents/toolServers.ts';
import type { EffectDeps } from '../../../../../sidecar/host/context/effectDeps.ts';
import { ToolBridges } from '../../../../../sidecar/host/tools/toolBridges.ts';
import { until } from '../../../../support/until.ts';

describe('the bridges of agents to the tools of their sessions', () => {
  let bridges: ToolBridges;
  const hidden: string[] = [];
  const open = () => {
    const deps = { store: { state: () => undefined }, hide: (it: string) => hidden.push(it), random: randomBytes };
    bridges = new ToolBridges(deps as unknown as Pick<EffectDeps, 'store' | 'hide' | 'random'>);
    return bridges;
  };
  afterEach(() => bridges.close());

  const statusAt = async ({ url, headers }: ToolServer): Promise<number> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    const sent = { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    return (await fetch(url, { method: 'POST', headers: sent, body })).status;
  };

  it('serve one agent of a chat at a time: the token of the one before it is refused', async () => {
    const it_ = open();
    const before = await it_.open('chat', 'session', () => undefined);
    assert.equal(await statusAt(before), 200);
    const after = await it_.open('chat', 'session', () => undefined);
    const ofOther = await it_.open('other', 'session', () => undefined);
    assert.deepEqual(await Promise.all([before, after, ofOther].map(statusAt)), [401, 200, 200]);
    it_.closeOf('chat');
    assert.deepEqual(await Promise.all([after, ofOther].map(statusAt)), [401, 200]);
    assert.equal(new Set(hidden).size, 3, 'no log shows a token');
  });

  it('tell the agents of a session that its tools changed, and no agent of another session or one that was closed', async () => {
    const all = open();
    const heard: string[] = [];
    const listen = async (chat: string, session: string) => {
      const { url, headers } = await all.open(chat, session, () => undefined);
      const { body } = await fetch(url, { headers });
      const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
      const read = (async () => {
        for (let next = await reader.read(); !next.done; next = await reader.read())
          if (next.value.includes('tools/list_changed')) heard.push(chat);
      })();
      return { read };
    };
    const reading = [await listen('one', 's'), await listen('two', 's'), await listen('other', 't')];
    reading.push(await listen('closed', 's'));
    all.closeOf('closed');
    await reading.pop()?.read;
    all.changed('s');
    await until('both heard it', () => heard.length === 2);
    all.changed('t');
    await until('the other session heard of its own', () => heard.length === 3);
    assert.deepEqual(heard, ['one', 'two', 'other']);
    for (const it of ['one', 'two', 'other']) all.closeOf(it);
    await Promise.all(reading.map((it) => it.read));
  });
});
