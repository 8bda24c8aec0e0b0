import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { drafts } from '../dispatcher.ts';
import { medianOf } from '../measure.ts';
import { PublicClient, publicRoot } from './publicClient.ts';

const HANDSHAKES = 20;
const LISTS = 20;
/** Longer than host and agent work on after a turn: what they do then belongs to that turn, and not to the next one of either host. */
const QUIET_MS = 600;

export interface SideOptions {
  readonly url: string;
  readonly provider: string;
  /** The URI of the folder that its sessions work in. */
  readonly folder: string;
  readonly sessions: number;
  readonly subscribers: number;
}

/** One of the two hosts that are compared, as a client sees it. All figures are milliseconds. */
export class Side {
  readonly #options: SideOptions;
  readonly #client: PublicClient;
  readonly #chat: string;
  readonly #followers: readonly PublicClient[];
  readonly #model: string | undefined;

  private constructor(
    options: SideOptions,
    client: PublicClient,
    { chat, followers, model }: { chat: string; followers: readonly PublicClient[]; model: string | undefined },
  ) {
    this.#options = options;
    this.#client = client;
    this.#chat = chat;
    this.#followers = followers;
    this.#model = model;
  }

  /** With sessions of one turn each, because VS Code's own host lists none before its first turn. */
  static async open(options: SideOptions): Promise<Side> {
    const client = await PublicClient.open(options.url);
    const agents = await client.initialize();
    const models = agents.find((it) => it.provider === options.provider)?.models ?? [];
    const model = (models.find((it) => it.id.includes('sonnet')) ?? models[0])?.id;
    let chat = '';
    for (let n = 0; n < options.sessions; n += 1) {
      chat = await newChat(client, options);
      await turnMs(client, chat, model);
    }
    const followers: PublicClient[] = [];
    for (let n = 0; n < options.subscribers; n += 1) {
      const follower = await PublicClient.open(options.url);
      await follower.initialize();
      await follower.subscribe(chat);
      followers.push(follower);
    }
    return new Side(options, client, { chat, followers, model });
  }

  /** From an open socket to the answer that has the root in it; then the socket is closed again. */
  handshake(): Promise<number> {
    return medianOf(HANDSHAKES, async () => {
      const started = performance.now();
      const client = await PublicClient.open(this.#options.url);
      await client.initialize();
      const tookMs = performance.now() - started;
      client.close();
      return tookMs;
    });
  }

  list(): Promise<number> {
    const { sessions } = this.#options;
    return medianOf(LISTS, async () => {
      const started = performance.now();
      const { items } = await this.#client.request<{ items: unknown[] }>('listSessions', { channel: publicRoot });
      if (items.length !== sessions) throw new Error(`${items.length} of ${sessions} sessions are listed`);
      return performance.now() - started;
    });
  }

  /** A prompt, from its dispatch to the closing action, after a pause in which the turn before comes to rest. */
  async turn(): Promise<number> {
    await wait(QUIET_MS);
    return turnMs(this.#client, this.#chat, this.#model);
  }

  /** Until the last follower heard the last of `count` drafts, sent at once by one client. */
  async fanOut(count: number): Promise<number> {
    const heard = this.#followers.map((it) => it.came('"chat/draftChanged"', count));
    const texts = this.#client.written(this.#chat, drafts(count));
    const started = performance.now();
    await Promise.all([...heard, this.#client.echoed(texts)]);
    return performance.now() - started;
  }

  close(): void {
    for (const it of [...this.#followers, this.#client]) it.close();
  }
}

async function newChat(client: PublicClient, { provider, folder }: SideOptions): Promise<string> {
  const session = `${provider}:/${randomUUID()}`;
  const config = { isolation: 'folder' };
  await client.request('createSession', { channel: session, provider, workingDirectories: [folder], config });
  const { defaultChat } = await client.subscribe<{ defaultChat: string }>(session);
  await client.subscribe(defaultChat);
  return defaultChat;
}

async function turnMs(client: PublicClient, chat: string, model: string | undefined): Promise<number> {
  let failure: unknown;
  const ended = client.heard((channel, action) => {
    if (channel === chat && action.type === 'chat/error') failure = action['error'];
    return isOf(chat, 'chat/turnComplete')(channel, action) || failure !== undefined;
  });
  const started = performance.now();
  client.dispatch(chat, {
    type: 'chat/turnStarted',
    turnId: randomUUID(),
    startedAt: new Date().toISOString(),
    message: {
      text: 'say Hello from the model.',
      origin: { kind: 'user' },
      ...(model !== undefined && { model: { id: model } }),
    },
  });
  await ended;
  if (failure !== undefined) throw new Error(`a turn failed: ${JSON.stringify(failure)}`);
  return performance.now() - started;
}

function isOf(chat: string, type: string) {
  return (channel: string, action: { readonly type: string }) => channel === chat && action.type === type;
}
