import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import type { HostStorage } from '../../../../../sidecar/host/storage/hostStorage.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import { type HostPlace, openHostPlace } from '../../../../support/host/hostPlace.ts';
import { scriptedProvider } from '../../../../support/scriptedProvider.ts';

describe('a full disk', () => {
  let place: HostPlace;
  afterEach(() => place.close());

  it('refuses what clients send, holds what the agent says, and loses nothing of it', async () => {
    let storage: HostStorage | undefined;
    let fill = () => {};
    const filled = new Promise<void>((resolve) => void (fill = resolve));
    const said: string[] = [];
    place = await openHostPlace(
      [
        scriptedProvider(async function* () {
          for (let n = 0; n < 400; n += 1) {
            const text = `${n} ${'x'.repeat(997)}\n`;
            said.push(text);
            yield { kind: 'text', partId: `p${Math.floor(n / 100)}`, text };
            if (n === 20) await filled;
            if (n % 10 === 0) await new Promise((resolve) => void setImmediate(resolve));
          }
        }),
      ],
      { onStorage: (opened) => (storage = opened) },
    );
    const peer = await place.connect();
    const { session, chat } = await peer.newSession();
    const turnId = await peer.prompt(chat, 'talk');
    const notices = () => peer.notified.filter((it) => it.method === 'x-switchboard/noticesChanged');
    storage!.limitPages(1);
    fill();
    await peer.until(() => JSON.stringify(notices().at(-1)?.params ?? null).includes('diskFull'));
    const rename = { type: 'session/titleChanged', title: 'x'.repeat(50_000) } as AnyAction;
    const titleBefore = peer.session(session).title;
    assert.match((await peer.act(session, rename)).rejectionReason ?? '', /not saved/);
    assert.equal(peer.session(session).title, titleBefore);
    await assert.rejects(peer.request('createSession', { channel: 'host-session:/full' }), /not saved/);
    await assert.rejects(peer.request('subscribe', { channel: 'host-session:/full' }), /channel not found/);
    storage!.limitPages(0);
    const turn = await peer.ended(chat, turnId);
    const text = turn.responseParts.map((it) => (it.kind === 'markdown' ? it.content : '')).join('');
    assert.equal(text.length, said.join('').length);
    assert.equal(text, said.join(''));
    await peer.until(() => !JSON.stringify(notices().at(-1)?.params ?? null).includes('diskFull'));
    await place.restart();
    const later = await place.connect('c2');
    assert.deepEqual(await later.subscribe(chat), peer.chat(chat));
    assert.deepEqual(await later.subscribe(session), peer.session(session));
  });

  it('tells that there is space again also when nothing was held', async () => {
    let storage: HostStorage | undefined;
    place = await openHostPlace([scriptedProvider(async function* () {})], {
      onStorage: (opened) => (storage = opened),
    });
    const peer = await place.connect();
    const { session } = await peer.newSession();
    const isFull = () =>
      JSON.stringify(peer.notified.findLast((it) => it.method === 'x-switchboard/noticesChanged')?.params ?? null);
    storage!.limitPages(1);
    const rename = { type: 'session/titleChanged', title: 'x'.repeat(50_000) } as AnyAction;
    assert.match((await peer.act(session, rename)).rejectionReason ?? '', /not saved/);
    await peer.until(() => isFull().includes('diskFull'));
    storage!.limitPages(0);
    await peer.until(() => !isFull().includes('diskFull'));
  });
});
