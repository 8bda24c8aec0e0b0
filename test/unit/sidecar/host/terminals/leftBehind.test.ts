import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { systemTimers } from '../../../../../sidecar/platform/timers.ts';
import type { RootState } from '../../../../../sidecar/protocol/channels/root/schema.ts';
import { errorCodes } from '../../../../../sidecar/protocol/errors.ts';
import { ROOT } from '../../../../../sidecar/protocol/uris.ts';
import type { HostPeer } from '../../../../support/host/hostPeer.ts';
import { ManualTimers } from '../../../../support/manualTimers.ts';
import { openResourcePlace, type ResourcePlace, uriOf } from '../../../../support/resources/resourcePlace.ts';
import { until } from '../../../../support/until.ts';

const GRACE_MS = 30_000;
const CHANNEL = 'host-terminal:/one';

describe('a terminal whose client leaves', () => {
  let place: ResourcePlace;
  let timers: ManualTimers;
  let watcher: HostPeer;
  /** What waits for the grace, each until it is stopped. */
  const waiting = new Set<() => void>();
  beforeEach(async () => {
    timers = new ManualTimers();
    waiting.clear();
    const after = (delayMs: number, work: () => void) => {
      const stop = timers.after(delayMs, work);
      if (delayMs === GRACE_MS) waiting.add(work);
      return () => {
        waiting.delete(work);
        stop();
      };
    };
    place = await openResourcePlace({ timers: { ...systemTimers, after } });
    watcher = await place.host.connect('c2');
  });
  afterEach(() => place.close());

  const terminals = () => (watcher.states.get(ROOT) as RootState).terminals ?? [];
  const mine = { kind: 'client', clientId: 'c1' } as const;
  const pass = (works: Iterable<() => void>) => {
    for (const work of [...works]) work();
  };
  const comeBack = async () => {
    const back = place.host.connectSilently();
    await back.request('reconnect', { clientId: 'c1', lastSeenServerSeq: 0, subscriptions: [place.session] });
    return back;
  };

  it('while it is made ends when its grace is over', async () => {
    const lost = place.peer.request('createTerminal', { channel: CHANNEL, claim: mine }).catch(() => undefined);
    await new Promise((resolve) => void setImmediate(resolve));
    place.peer.close();
    await lost;
    await watcher.until(() => terminals().length === 1);
    await until('its grace runs', () => waiting.size > 0);
    pass(waiting);
    await watcher.until(() => terminals().length === 0);
  });

  it('has the whole grace again after each time that it came back', async () => {
    await place.peer.request('createTerminal', { channel: CHANNEL, claim: mine });
    place.peer.close();
    await until('its grace runs', () => waiting.size > 0);
    const first = [...waiting];
    const back = await comeBack();
    back.close();
    await until('its grace runs anew', () => [...waiting].some((it) => !first.includes(it)));
    pass(first.filter((it) => waiting.has(it)));
    await watcher.request('ping', {});
    assert.equal(terminals().length, 1);
    pass(waiting);
    await watcher.until(() => terminals().length === 0);
  });

  it('is not handed to a client that is away: nobody could type or end it', async () => {
    const other = await place.host.connect('c3');
    await place.peer.request('createTerminal', { channel: CHANNEL, claim: mine });
    await place.peer.subscribe(CHANNEL);
    other.close();
    await until('the host noticed', () => timers.has(300_000));
    const claim = { kind: 'client', clientId: 'c3' };
    const { rejectionReason } = await place.peer.act(CHANNEL, { type: 'terminal/claimed', claim } as { type: string });
    assert.equal(rejectionReason, 'claim.clientId: must be your own client ID');
    assert.deepEqual(terminals()[0]?.claim, mine);
  });
});

describe('a terminal whose session goes', () => {
  it('while it is made is not left behind, whoever is first', async () => {
    const place = await openResourcePlace();
    try {
      const channels = Array.from({ length: 20 }, (_, n) => `host-terminal:/${n}`);
      for (const [n, channel] of channels.entries()) {
        const { session } = await place.peer.newSession({ workingDirectories: [uriOf(place.inside)] });
        const claim = { kind: 'session', session } as const;
        const made = place.peer.request('createTerminal', { channel, claim }).catch(() => undefined);
        for (let turns = 0; turns < n; turns += 1) await new Promise((resolve) => void setImmediate(resolve));
        await Promise.all([made, place.peer.request('disposeSession', { channel: session })]);
      }
      const { terminals = [] } = await place.peer.subscribe<RootState>(ROOT);
      assert.deepEqual(terminals, []);
      for (const channel of channels) {
        await assert.rejects(place.peer.request('subscribe', { channel }), { code: errorCodes.SessionNotFound });
      }
    } finally {
      await place.close();
    }
  });
});
