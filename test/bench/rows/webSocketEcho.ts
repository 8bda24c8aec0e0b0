import { randomUUID } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { serve } from '../../support/host/served.ts';
import { openSidecarPlace } from '../../support/sidecar.ts';
import { drafts } from '../dispatcher.ts';
import { startChild } from '../gateway/child.ts';
import { alternate, median, type Row, ratioRow } from '../measure.ts';
import { type Dialect, ownDialect, PublicClient, publicDialect } from '../publicHosts/publicClient.ts';

const SINGLE = 2_000;
const BURST = 2_000;
const SUBSCRIBERS = 20;
const FANNED = 500;

/**
 * Dispatch to echo over WebSocket, on disk first, against a server that sends back what it is sent; and how long 20 clients
 * take to hear 500 drafts by our own names against by the public ones.
 */
export async function webSocketEcho(): Promise<readonly Row[]> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-bench-')));
  const place = openSidecarPlace();
  const bare = await startChild('../bareWebSocket');
  const clients: PublicClient[] = [];
  try {
    const served = await serve(place, root, { connections: 64, messagesPerSecond: 1_000_000 });
    const url = `${served.url}/?tkn=${served.token}`;
    const open = async (at: string, dialect: Dialect) => {
      const client = await PublicClient.open(at, dialect);
      clients.push(client);
      return client;
    };
    const echo = await open(bare.url, ownDialect);
    const rows: Row[] = [];
    const fanned: (() => Promise<number>)[] = [];
    for (const [name, dialect] of [
      ['our protocol', ownDialect],
      ['the public protocol', publicDialect],
    ] as const) {
      const client = await open(url, dialect);
      await client.initialize();
      const chat = await newChat(client, dialect, root);
      const singles = await alternate(
        () => oneByOne(client, chat),
        () => oneByOne(echo, chat),
      );
      const bursts = await alternate(
        () => burst(client, chat),
        () => burst(echo, chat),
      );
      rows.push(
        ratioRow(`dispatch to echo over WebSocket in ${name}, one at a time, durable against bare`, singles, 6),
        ratioRow(`dispatch to echo over WebSocket in ${name}, ${BURST} at once, durable against bare`, bursts, 6),
      );
      const followers: PublicClient[] = [];
      for (let n = 0; n < SUBSCRIBERS; n += 1) {
        const follower = await open(url, dialect);
        await follower.initialize();
        await follower.subscribe(chat);
        followers.push(follower);
      }
      fanned.push(() => fanOut(client, followers, chat));
    }
    const [own, named] = fanned as [() => Promise<number>, () => Promise<number>];
    const fan = await alternate(own, named);
    const { limit: _none, ...row } = ratioRow(
      `${FANNED} drafts heard by ${SUBSCRIBERS}, our names against public`,
      fan,
    );
    return [...rows, { ...row, floor: 0.8 }];
  } finally {
    for (const it of clients) it.close();
    await bare.close();
    await place.close();
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function newChat(client: PublicClient, { root }: Dialect, folder: string): Promise<string> {
  const session = `${root === publicDialect.root ? 'runbook' : 'host-session'}:/${randomUUID()}`;
  const workingDirectories = [pathToFileURL(folder).href];
  await client.request('createSession', { channel: session, provider: 'runbook', workingDirectories });
  const { defaultChat } = await client.subscribe<{ defaultChat: string }>(session);
  await client.subscribe(defaultChat);
  return defaultChat;
}

/** Milliseconds, the median of many. */
async function oneByOne(client: PublicClient, chat: string): Promise<number> {
  const figures: number[] = [];
  for (const it of client.written(chat, drafts(SINGLE))) {
    const started = performance.now();
    await client.echoed([it]);
    figures.push(performance.now() - started);
  }
  return median(figures);
}

/** Milliseconds until the last echo, all sent at once. */
async function burst(client: PublicClient, chat: string): Promise<number> {
  const texts = client.written(chat, drafts(BURST));
  const started = performance.now();
  await client.echoed(texts);
  return performance.now() - started;
}

async function fanOut(client: PublicClient, followers: readonly PublicClient[], chat: string): Promise<number> {
  const heard = followers.map((it) => it.came('"chat/draftChanged"', FANNED));
  const texts = client.written(chat, drafts(FANNED));
  const started = performance.now();
  await Promise.all([...heard, client.echoed(texts)]);
  return performance.now() - started;
}
