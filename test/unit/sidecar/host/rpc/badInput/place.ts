import type { Duplex } from 'node:stream';
import { ROOT } from '../../../../../../sidecar/protocol/uris.ts';
import type { HostPeer } from '../../../../../support/host/hostPeer.ts';
import { type HostPlace, openHostPlace, testWindow } from '../../../../../support/host/hostPlace.ts';
import { RawClient } from '../../../../../support/host/rawClient.ts';
import { memoryPair } from '../../../../../support/memoryPair.ts';
import { scriptedProvider } from '../../../../../support/scriptedProvider.ts';

/** What the rows of the table may name. */
export interface Names {
  /** A session of the client under test, and its default chat, in which a turn ran. */
  readonly session: string;
  readonly chat: string;
  readonly finishedTurn: string;
  /** The same of another client. In its chat a turn runs, which waits for a confirmation of the call `k`. */
  readonly foreign: { readonly session: string; readonly chat: string; readonly turn: string };
}

export interface BadInputPlace {
  readonly place: HostPlace;
  readonly names: Names;
  /** Heard by nobody but its sender: what the foreign client got must stay as it was. */
  readonly other: HostPeer;
  /** A connection that said nothing, or one with its handshake made as `c1`. */
  connect(isReady: boolean): Promise<RawClient>;
}

const provider = scriptedProvider(async function* (turn, host) {
  if (turn.text !== 'ask') return void (yield { kind: 'text', partId: 'a', text: 'done' });
  const facts = { toolCallId: 'k', kind: 'shell', invocationMessage: 'Run', command: 'make', paths: [] } as const;
  yield { kind: 'toolStarted', toolCallId: 'k', toolName: 'shell', displayName: 'Run' };
  await host.confirm({ ...facts, toolInput: 'make' });
});

/** One host for the whole table: that it still serves the last row is part of what is shown. */
export async function openBadInputPlace(): Promise<BadInputPlace> {
  const place = await openHostPlace([provider]);
  const mine = await place.connect('c1');
  const own = await mine.newSession();
  const finishedTurn = await mine.prompt(own.chat, 'hello');
  await mine.ended(own.chat, finishedTurn);
  const other = await place.connect('c2');
  const theirs = await other.newSession();
  const turn = await other.prompt(theirs.chat, 'ask');
  await other.until(() => other.session(theirs.session).inputNeeded !== undefined);
  return {
    place,
    names: { ...own, finishedTurn, foreign: { ...theirs, turn } },
    other,
    async connect(isReady) {
      const [near, far]: readonly [Duplex, Duplex] = memoryPair();
      place.host.attach(far, { build: { version: '0.1.0', builtAtMs: 1 } });
      const client = new RawClient(near);
      if (!isReady) return client;
      await client.ask('hello', 'initialize', {
        channel: ROOT,
        protocolVersions: ['0.7.0'],
        clientId: 'c1',
        initialSubscriptions: [own.session, theirs.session], // whoever answers what a chat asks sees it
        initializationOptions: { window: testWindow },
      });
      await client.until(() => client.heard.length === 2); // the answer, and what the host has to tell people
      client.heard.length = 0;
      return client;
    },
  };
}
