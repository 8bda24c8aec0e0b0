import { hashKey } from '../../../sidecar/gateway/auth/keys.ts';
import type { Random } from '../../fuzz/random.ts';
import { HttpLine, type Listener } from './httpLine.ts';
import type { Known } from './rights.ts';
import type { SimReplica } from './simReplica.ts';

export interface CallerSession {
  readonly token: string;
  readonly path: string;
  /** The key with which it was opened. */
  readonly key: string;
  /** When its end was acknowledged, and by which replica. */
  ended?: { readonly atMs: number; readonly by: SimReplica };
}
/** A tool call that was sent. */
export interface SimCall {
  readonly mark: string;
  readonly id: number;
  readonly server: string;
  readonly tool: string;
  readonly key: string;
  readonly session: CallerSession | undefined;
  readonly replica: SimReplica;
  /** What the replica had to know when the call was sent. */
  readonly known: Known;
  /** The last progress that arrived. */
  progress: number;
  lastEventId: string | undefined;
  /** Of its record. */
  requestId: string | undefined;
  isCancelled: boolean;
}
export interface Open {
  readonly line: HttpLine;
  readonly replica: SimReplica;
}
export interface RpcMessage {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly progress?: number; readonly message?: string };
  readonly result?: {
    readonly isError?: boolean;
    readonly content?: readonly { readonly text: string }[];
    readonly tools?: readonly { readonly name: string }[];
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** The mark of a call, which names its caller. */
const MARK = /<(\w+) \d+>/g;

/** One person's MCP client, with its own key. */
export class SimCaller {
  readonly name: string;
  key = '';
  sessions: CallerSession[] = [];
  /** Calls whose connection broke and that may be resumed. */
  broken: SimCall[] = [];
  underWay: SimCall[] = [];
  opens: Open[] = [];
  readonly #random: Random;
  #count = 0;

  constructor(name: string, random: Random) {
    this.name = name;
    this.#random = random;
  }

  get token(): string {
    return hashKey(this.key);
  }
  nextId(): number {
    this.#count += 1;
    return this.#count;
  }
  markOf(id: number): string {
    return `<${this.name} ${id}>`;
  }

  /** An unused connection to a replica, or else a new one. */
  lineTo(replica: SimReplica): HttpLine {
    this.opens = this.opens.filter((it) => !it.line.isClosed);
    const free = this.opens.filter((it) => it.replica === replica && it.line.isFree);
    if (free.length > 0) return this.#random.pick(free).line;
    const line = new HttpLine(replica.connect());
    this.opens.push({ line, replica });
    return line;
  }

  post(replica: SimReplica, path: string, body: object, listener: Listener, more: Record<string, string> = {}): void {
    this.send(replica, 'POST', path, body, listener, more);
  }
  send(
    replica: SimReplica,
    method: string,
    path: string,
    body: object | undefined,
    listener: Listener,
    more: Record<string, string> = {},
  ): void {
    const headers = {
      authorization: `Bearer ${this.key}`,
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      ...more,
    };
    this.lineTo(replica).send({ method, path, headers, ...(body && { body }) }, listener);
  }

  /** The first mark of another caller in a text. */
  foreign(text: string): string | undefined {
    for (const [mark, name] of text.matchAll(MARK)) if (name !== this.name) return mark;
    return undefined;
  }
}

export const readMessage = (text: string): RpcMessage => JSON.parse(text) as RpcMessage;
