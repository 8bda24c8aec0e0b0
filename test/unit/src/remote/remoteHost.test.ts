import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Listeners } from '../../../../src/client/listeners.ts';
import { RemoteHost, type RemoteHostDeps, type RemoteState } from '../../../../src/remote/remoteHost.ts';
import { problemRow, stateWords, whyNot } from '../../../../src/remote/remoteTexts.ts';
import { type RemoteConnection, UpgradeRefused } from '../../../../src/remote/webSocketConnection.ts';

const l10n = { t: (message: string, ...args: unknown[]) => message.replace(/\{(\d)\}/g, (_, n) => String(args[n])) };

/** One host elsewhere, by hand: each try ends as the test says, and waits pass when it says. */
class Place {
  readonly states: RemoteState[] = [];
  readonly tried: string[] = [];
  readonly waits: { readonly work: () => void; readonly delayMs: number; isOver: boolean }[] = [];
  token: string | undefined = 'first';
  answer: () => RemoteConnection = () => this.connection();
  now = 0;
  ended = new Listeners<string>();
  closed = 0;
  readonly host: RemoteHost;

  constructor(attach: RemoteHostDeps['attach'] = () => {}) {
    this.host = new RemoteHost({
      token: async () => this.token,
      open: async (token) => {
        this.tried.push(token);
        return this.answer();
      },
      attach,
      schedule: (work, delayMs) => {
        const wait = { work, delayMs, isOver: false };
        this.waits.push(wait);
        return { dispose: () => void (wait.isOver = true) };
      },
      random: () => 1,
      monotonicMs: () => this.now,
    });
    this.host.onDidChange((it) => this.states.push(it));
  }

  connection(): RemoteConnection {
    const ended = new Listeners<string>();
    this.ended = ended;
    return {
      initializeResult: {},
      request: async () => null,
      notify: async () => {},
      onNotification: () => ({ dispose: () => {} }),
      onClosed: (it) => ended.add(it),
      close: () => void (this.closed += 1),
    };
  }

  async until(kind: RemoteState['kind']): Promise<RemoteState> {
    while (this.host.state.kind !== kind) await new Promise((resolve) => void setImmediate(resolve));
    return this.host.state;
  }
  pass(): void {
    const wait = this.waits.at(-1)!;
    assert.equal(wait.isOver, false);
    wait.isOver = true;
    wait.work();
  }
}

describe('a host elsewhere', () => {
  it('that answers after it was detached is not attached, and its connection is closed', async () => {
    const attached: RemoteConnection[] = [];
    const place = new Place((it) => void attached.push(it));
    place.answer = () => {
      place.host.dispose();
      return place.connection();
    };
    place.host.start();
    await place.until('stopped');
    while (place.closed === 0) await new Promise((resolve) => void setImmediate(resolve));
    assert.deepEqual([attached.length, place.closed, place.host.state.kind], [0, 1, 'stopped']);
    assert.deepEqual(
      place.states.map((it) => it.kind),
      ['connecting', 'stopped'],
    );
  });

  it('is attached to with the token that is kept', async () => {
    const place = new Place();
    place.host.start();
    await place.until('attached');
    assert.deepEqual(place.tried, ['first']);
    assert.deepEqual(
      place.states.map((it) => it.kind),
      ['connecting', 'attached'],
    );
  });

  it('waits longer each time while nobody answers, half a minute at most, and never gives up', async () => {
    const place = new Place();
    place.answer = () => {
      throw new Error('connect ECONNREFUSED');
    };
    place.host.start();
    for (let round = 0; round < 9; round += 1) {
      await place.until('lost');
      place.pass();
    }
    const state = await place.until('lost');
    assert.deepEqual(
      place.waits.map((it) => it.delayMs),
      [1, 2, 4, 8, 16, 30, 30, 30, 30, 30].map((it) => it * 1000),
    );
    assert.deepEqual(state, {
      kind: 'lost',
      trouble: { kind: 'silent', detail: 'connect ECONNREFUSED' },
      waitMs: 30_000,
    });
  });

  it('asks for no token twice by itself: one that was refused is tried again when a person gave another', async () => {
    const place = new Place();
    place.answer = () => {
      throw new UpgradeRefused(401);
    };
    place.host.start();
    await place.until('tokenRefused');
    assert.deepEqual(place.waits, []);
    place.token = 'second';
    place.answer = () => place.connection();
    place.host.retry();
    await place.until('attached');
    assert.deepEqual(place.tried, ['first', 'second']);
  });

  it('tries nothing without a token', async () => {
    const place = new Place();
    place.token = undefined;
    place.host.start();
    await place.until('tokenMissing');
    assert.deepEqual([place.tried, place.waits], [[], []]);
  });

  for (const [status, kind] of [
    [403, 'name'],
    [503, 'full'],
    [404, 'other'],
    [302, 'other'],
  ] as const) {
    it(`says what ${status} before the upgrade means, and tries again`, async () => {
      const place = new Place();
      place.answer = () => {
        throw new UpgradeRefused(status);
      };
      place.host.start();
      const state = await place.until('lost');
      assert.equal(state.kind === 'lost' && state.trouble.kind, kind);
      assert.equal(place.waits.length, 1);
    });
  }

  it('says what the host answered to the handshake', async () => {
    const place = new Place();
    place.answer = () => {
      throw Object.assign(new Error('versions: none in common'), { code: -32005 });
    };
    place.host.start();
    const state = await place.until('lost');
    assert.deepEqual(state.kind === 'lost' && state.trouble, { kind: 'said', detail: 'versions: none in common' });
  });

  it('closes a connection whose handshake is of no use', async () => {
    const place = new Place(() => {
      throw new Error('protocolVersion: missing');
    });
    place.host.start();
    const state = await place.until('lost');
    assert.equal(place.closed, 1);
    assert.deepEqual(state.kind === 'lost' && state.trouble, { kind: 'other', detail: 'protocolVersion: missing' });
  });

  it('is lost with the reason when the connection ends, and comes back', async () => {
    const place = new Place();
    place.host.start();
    await place.until('attached');
    place.now = 60_000;
    place.ended.fire('the server is stopping');
    assert.deepEqual(place.host.state, {
      kind: 'lost',
      trouble: { kind: 'ended', detail: 'the server is stopping' },
      waitMs: 1_000,
    });
    place.pass();
    await place.until('attached');
  });

  it('is let go at once, with what was begun', async () => {
    const place = new Place();
    place.host.start();
    place.host.dispose();
    place.host.start();
    await place.until('attached');
    assert.deepEqual(place.tried.length, 1);
    place.host.dispose();
    assert.equal(place.closed, 1);
    assert.equal(place.host.state.kind, 'stopped');
  });

  it('lets who needs it wait while it connects, and says why not otherwise', async () => {
    const place = new Place();
    const say = (state: RemoteState) => whyNot(l10n, 'Build', 'wss://b.example', state);
    await assert.rejects(
      place.host.connected(say),
      /not attached to Build\. Attach it with "Switchboard: Attach to Host…"/,
    );
    place.host.start();
    await place.host.connected(say);
    place.ended.fire('the server is stopping');
    await assert.rejects(place.host.connected(say), /Not connected to Build\. .*wss:\/\/b\.example was closed/);
  });
});

describe('the words for a host elsewhere', () => {
  const troubles = ['silent', 'untrusted', 'unfit', 'name', 'full', 'other', 'said', 'ended'] as const;
  const wrong: readonly RemoteState[] = [
    ...troubles.map((kind) => ({ kind: 'lost', trouble: { kind, detail: 'D' }, waitMs: 4_000 }) as const),
    { kind: 'tokenMissing' },
    { kind: 'tokenRefused' },
  ];

  it('say of everything that is wrong what happened, where, and what to do', () => {
    const rows = wrong.map((it) => problemRow(l10n, 'wss://b.example', it));
    for (const row of rows) assert.match(row?.detail ?? '', /wss:\/\/b\.example.*\. \S/);
    assert.equal(new Set(rows.map((it) => it?.detail)).size, wrong.length);
    assert.deepEqual(
      rows.map((it) => it?.help),
      [...troubles.map(() => 'retry'), 'token', 'token'],
    );
    assert.match(rows[0]?.label ?? '', /4 s/);
  });

  it('name every state in the tree, and nothing is wrong while it connects and stands', () => {
    const fine: readonly RemoteState[] = [{ kind: 'stopped' }, { kind: 'connecting' }, { kind: 'attached' }];
    assert.deepEqual(
      fine.map((it) => problemRow(l10n, 'wss://b.example', it)),
      [undefined, undefined, undefined],
    );
    const words = [...fine, wrong[0]!, wrong.at(-1)!, wrong.at(-2)!].map((it) => stateWords(l10n, it));
    assert.equal(new Set(words).size, words.length);
  });
});
