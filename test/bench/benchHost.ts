import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ChatActionOf } from '../../sidecar/protocol/channels/chat/actions.ts';
import type { SessionState } from '../../sidecar/protocol/channels/session/schema.ts';
import { sessionUri } from '../../sidecar/protocol/uris.ts';
import type { PeerConnection } from '../../sidecar/transport/peer.ts';
import { testWindow } from '../support/host/hostPlace.ts';
import { openSidecarPlace, type RunningSidecar, type SidecarPlace } from '../support/sidecar.ts';
import { Dispatcher } from './dispatcher.ts';
import { seedSessions } from './seed.ts';

/** The built sidecar on data of its own, and a workspace. */
export interface BenchHost {
  readonly place: SidecarPlace;
  readonly folder: string;
  addRunbook(name: string, text: string): void;
  connect(): Promise<BenchClient>;
  close(): Promise<void>;
}
export interface BenchClient {
  readonly sidecar: RunningSidecar;
  readonly peer: PeerConnection;
  readonly dispatcher: Dispatcher;
  /** A session with the runbook agent; answers its URI and that of its chat, subscribed. */
  newSession(): Promise<{ session: string; chat: string }>;
  /** Plays a turn to its end. @returns milliseconds from the dispatch to the closing action */
  turn(chat: string, text: string): Promise<number>;
}

export function openBenchHost(): BenchHost {
  const place = openSidecarPlace();
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-bench-')));
  return {
    place,
    folder,
    addRunbook(name, text) {
      mkdirSync(join(folder, '.switchboard/runbooks'), { recursive: true });
      writeFileSync(join(folder, '.switchboard/runbooks', `${name}.md`), text);
    },
    async connect() {
      const sidecar = place.start();
      const clientId = randomUUID();
      const dispatcher = new Dispatcher(sidecar.peer, clientId);
      await initialize(sidecar.peer, clientId, folder);
      return { sidecar, peer: sidecar.peer, dispatcher, ...turnsOf(sidecar.peer, dispatcher, folder) };
    },
    async close() {
      await place.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A host on which nothing runs yet, with `count` stored sessions of one turn each; `session` is the newest. */
export async function openHostWithSessions(count: number): Promise<BenchHost & { readonly session: string }> {
  const host = openBenchHost();
  host.addRunbook('words', '# Words\n\nSome words.\n');
  const client = await host.connect();
  const { session, chat } = await client.newSession();
  await client.turn(chat, '/words');
  client.sidecar.endInput();
  await host.place.killHost();
  await seedSessions(host.place.dataDir, session, count);
  return { ...host, session };
}

export function initialize(peer: PeerConnection, clientId: string, folder: string): Promise<unknown> {
  const { PATH = '' } = process.env;
  const window = { ...testWindow, folders: [pathToFileURL(folder).href], env: { PATH, HOME: folder } };
  return peer.sendRequest('initialize', {
    channel: 'host-root://',
    protocolVersions: ['0.7.0'],
    clientId,
    initialSubscriptions: ['host-root://'],
    initializationOptions: { build: { version: '0.1.0', builtAtMs: 1 }, window },
  });
}

function turnsOf(
  peer: PeerConnection,
  dispatcher: Dispatcher,
  folder: string,
): Pick<BenchClient, 'newSession' | 'turn'> {
  return {
    async newSession() {
      const session = sessionUri(randomUUID());
      await peer.sendRequest('createSession', {
        channel: session,
        provider: 'runbook',
        workingDirectories: [pathToFileURL(folder).href],
      });
      const { snapshot } = (await peer.sendRequest('subscribe', { channel: session })) as {
        snapshot: { state: SessionState };
      };
      const chat = snapshot.state.defaultChat ?? '';
      await peer.sendRequest('subscribe', { channel: chat, view: { turns: 1 } });
      return { session, chat };
    },
    async turn(chat, text) {
      const ended = dispatcher.heard('chat/turnComplete');
      const started = performance.now();
      const action: ChatActionOf<'chat/turnStarted'> = {
        type: 'chat/turnStarted',
        turnId: randomUUID(),
        startedAt: new Date(started).toISOString(),
        message: { text, origin: { kind: 'user' } },
      };
      await dispatcher.dispatch(chat, action);
      await ended;
      return performance.now() - started;
    },
  };
}
