import type { Timers } from '../../platform/timers.ts';
import type { WindowInfo } from '../../protocol/window.ts';
import type { PushedToken } from '../context/tokens.ts';
import type { Grant } from '../resources/grants.ts';

/** How long a client is remembered after its connection broke. */
export const CLIENT_GRACE_MS = 300_000;

/** Names of clients that are bound to who used them. */
const MAX_OWNERS = 10_000;

/** A client across its connections. Everything in it is in memory only. */
export interface ClientRecord {
  readonly clientId: string;
  readonly protocolVersion: string;
  /** By resource; pushed with `authenticate`. */
  readonly tokens: Map<string, PushedToken>;
  /** Channels of which it got a state, so that envelopes alone can bring it up to date. */
  readonly baselines: Set<string>;
  /** Changed by {@link Clients.setWindow}. */
  window: WindowInfo | undefined;
  /** How it calls itself, for a person. */
  name: string | undefined;
  /** Files and folders that a person let it have, for as long as it is known. */
  readonly grants: Grant[];
  /** The connection that speaks for it now. */
  connection: object | undefined;
}

const texts = new WeakMap<WindowInfo, string>();
function textOf(window: WindowInfo): string {
  const text = texts.get(window) ?? JSON.stringify(window);
  texts.set(window, text);
  return text;
}

/** Who is or was connected a moment ago. */
export class Clients {
  /** By name: whom a connection can come back as. */
  readonly #records = new Map<string, ClientRecord>();
  /** Whose name was taken over by another handshake, for as long as their connection lasts. */
  readonly #superseded = new Set<ClientRecord>();
  /** Who used a name first, also after that client was forgotten. */
  readonly #owners = new Map<string, string | undefined>();
  readonly #forgetting = new Map<ClientRecord, () => void>();
  readonly #timers: Pick<Timers, 'after'>;
  readonly #forgotten: (record: ClientRecord) => void;

  /**
   * @param forgotten a client is gone for good
   */
  constructor(timers: Pick<Timers, 'after'>, forgotten: (record: ClientRecord) => void) {
    this.#timers = timers;
    this.#forgotten = forgotten;
  }

  get(clientId: string): ClientRecord | undefined {
    return this.#records.get(clientId);
  }

  /** Whether nobody else used the name first. */
  isFree(clientId: string, credential: string | undefined): boolean {
    return !this.#owners.has(clientId) || this.#owners.get(clientId) === credential;
  }
  /** Binds a name to the credential that uses it first. */
  bind(clientId: string, credential: string | undefined): void {
    if (this.#owners.size >= MAX_OWNERS && !this.#owners.has(clientId)) this.#forgetOwner();
    this.#owners.set(clientId, credential);
  }
  /** The oldest name of which nothing else is known. */
  #forgetOwner(): void {
    for (const it of this.#owners.keys()) {
      if (this.#records.has(it)) continue;
      this.#owners.delete(it);
      return;
    }
  }

  /** A fresh record for a client that says hello; what was known of it is gone, its tokens included. */
  add(clientId: string, protocolVersion: string, connection: object): ClientRecord {
    const before = this.#records.get(clientId);
    if (before) {
      this.#keep(before);
      this.#forgotten(before);
      if (before.connection) this.#superseded.add(before);
    }
    const record: ClientRecord = {
      clientId,
      protocolVersion,
      tokens: new Map(),
      baselines: new Set<string>(),
      window: undefined,
      name: undefined,
      grants: [],
      connection,
    };
    this.#records.set(clientId, record);
    return record;
  }

  /** What the client's window is now. Windows that declare the same are one value, so that what was made for one serves all. */
  setWindow(record: ClientRecord, window: WindowInfo | undefined): void {
    const text = window && textOf(window);
    const same = this.known().find((it) => it.window && textOf(it.window) === text);
    record.window = window && (same?.window ?? window);
  }

  resume(record: ClientRecord, connection: object): void {
    this.#keep(record);
    record.connection = connection;
  }

  /** The connection is gone; another one may have taken over meanwhile. */
  leave(record: ClientRecord, connection: object): void {
    if (record.connection !== connection) return;
    record.connection = undefined;
    if (this.#superseded.delete(record)) return this.#forgotten(record); // nobody can come back as this one
    const stop = this.#timers.after(CLIENT_GRACE_MS, () => {
      this.#forgetting.delete(record);
      this.#records.delete(record.clientId);
      this.#forgotten(record);
    });
    this.#forgetting.set(record, stop);
  }

  connected(): ClientRecord[] {
    return this.known().filter((it) => it.connection !== undefined);
  }

  /** Also those that broke off a moment ago. */
  known(): ClientRecord[] {
    return [...this.#records.values(), ...this.#superseded];
  }

  /** A channel is gone: whatever has its name later is another one. */
  dropChannel(channel: string): void {
    for (const { baselines } of this.known()) baselines.delete(channel);
  }

  /** Takes back what a person granted. @returns whether there was such a grant */
  withdraw(grant: string): boolean {
    for (const { grants } of this.known()) {
      const at = grants.findIndex((it) => it.id === grant);
      if (at < 0) continue;
      grants.splice(at, 1);
      return true;
    }
    return false;
  }

  close(): void {
    for (const stop of this.#forgetting.values()) stop();
    this.#forgetting.clear();
  }

  #keep(record: ClientRecord): void {
    this.#forgetting.get(record)?.();
    this.#forgetting.delete(record);
  }
}
