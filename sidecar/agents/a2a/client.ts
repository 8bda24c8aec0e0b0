import { createParser } from 'eventsource-parser';
import { Fault } from '../../platform/faults.ts';
import { parsedJson } from '../../platform/json.ts';
import { shownText } from '../../platform/shownText.ts';
import type { Timers } from '../../platform/timers.ts';
import { A2aAnswer, a2aErrors } from '../../protocol/gateway/a2aWire.ts';
import { headersOf, refusalOf, unreachable } from '../gatewayCall.ts';
import type { RemoteAccess } from '../remoteAccess.ts';
import {
  type AgentEvent,
  type Era,
  type Manners,
  type OutgoingMessage,
  readCard,
  readEvent,
  readTask,
  toParams,
} from './wire.ts';

/** Until a response begins. There is no limit for a stream that has begun. */
const ANSWER_MS = 330_000;
/** For requests about a task, and for the card. */
const ASK_MS = 20_000;
/** For an event of a stream. The gateway has a lower limit. */
const MAX_CHARACTERS = 64 * 1024 * 1024;

/** An agent that is registered in the gateway. */
export interface RemoteAgent {
  /** The gateway's own ID. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

export interface A2aClientDeps {
  readonly agent: RemoteAgent;
  readonly access: RemoteAccess;
  readonly timers: Pick<Timers, 'after' | 'deadline'>;
}

type Method = 'send' | 'stream' | 'get' | 'cancel';
const methods: Readonly<Record<Era, Readonly<Record<Method, string>>>> = {
  '0.3': { send: 'message/send', stream: 'message/stream', get: 'tasks/get', cancel: 'tasks/cancel' },
  '1.0': { send: 'SendMessage', stream: 'SendStreamingMessage', get: 'GetTask', cancel: 'CancelTask' },
};

/** Calls one agent through the gateway, over JSON-RPC. Every method throws a {@link Fault} with a message for the user. */
export class A2aClient {
  readonly #deps: A2aClientDeps;
  readonly #url: string;
  #count = 0;
  #manners: Promise<Manners> | undefined;

  constructor(deps: A2aClientDeps) {
    this.#deps = deps;
    this.#url = `${deps.access.url}/a2a/${encodeURIComponent(deps.agent.id)}`;
  }

  /** Sends a message. If the agent does not stream, its response is the only event. */
  async *send(message: OutgoingMessage, signal: AbortSignal): AsyncGenerator<AgentEvent, void> {
    const { era, streams } = await this.#learnManners(signal);
    const response = await this.#post(streams ? 'stream' : 'send', toParams(message, era), signal, ANSWER_MS);
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
      yield this.#read(readEvent, await this.#resultOf(response));
      return;
    }
    for await (const data of this.#eventsOf(response)) yield this.#read(readEvent, this.#unwrap(data));
  }

  async task(taskId: string, signal: AbortSignal): Promise<Extract<AgentEvent, { kind: 'task' }>> {
    return this.#read(readTask, await this.#resultOf(await this.#post('get', { id: taskId }, signal, ASK_MS)));
  }

  /** @param limitMs how long the agent may take to answer */
  async cancel(taskId: string, limitMs: number): Promise<void> {
    const response = await this.#post('cancel', { id: taskId }, this.#deps.timers.deadline(limitMs), limitMs);
    this.#read(readTask, await this.#resultOf(response));
  }

  /** The card is requested once, before the first call. */
  #learnManners(signal: AbortSignal): Promise<Manners> {
    const asked = (this.#manners ??= this.#askCard(signal));
    asked.catch(() => {
      if (this.#manners === asked) this.#manners = undefined;
    });
    return asked;
  }

  async #askCard(signal: AbortSignal): Promise<Manners> {
    const limited = AbortSignal.any([signal, this.#deps.timers.deadline(ASK_MS)]);
    const response = await this.#fetch(
      `${this.#url}/.well-known/agent-card.json`,
      { headers: headersOf(this.#deps.access) },
      limited,
    );
    const manners = this.#read(readCard, await this.#jsonOf(response));
    if (manners) return manners;
    throw new Fault(
      'unavailable',
      `${this.#name} accepts calls only over HTTP+JSON. Sessions need an agent that accepts JSON-RPC.`,
    );
  }

  get #name(): string {
    return this.#deps.agent.name;
  }

  async #post(method: Method, params: object, signal: AbortSignal, limitMs: number): Promise<Response> {
    const { era } = await this.#learnManners(signal);
    this.#count += 1;
    const body = JSON.stringify({ jsonrpc: '2.0', id: this.#count, method: methods[era][method], params });
    const accept = method === 'stream' ? 'text/event-stream, application/json' : 'application/json';
    const headers = {
      ...headersOf(this.#deps.access),
      'content-type': 'application/json',
      accept,
      'a2a-version': era,
    };
    const late = new AbortController();
    const stop = this.#deps.timers.after(limitMs, () => late.abort());
    try {
      return await this.#fetch(this.#url, { method: 'POST', headers, body }, AbortSignal.any([signal, late.signal]));
    } finally {
      stop();
    }
  }

  async #fetch(url: string, init: RequestInit, signal: AbortSignal): Promise<Response> {
    const response = await fetch(url, { ...init, signal }).catch((cause: unknown) => {
      throw unreachable(this.#name, cause);
    });
    if (response.ok) return response;
    throw await refusalOf(response, this.#name);
  }

  async #jsonOf(response: Response): Promise<unknown> {
    const text = await response.text().catch((cause: unknown) => {
      throw this.#broken(cause);
    });
    return parsedJson(text);
  }

  async #resultOf(response: Response): Promise<unknown> {
    return this.#unwrapAnswer(await this.#jsonOf(response));
  }
  #unwrap(data: string): unknown {
    return this.#unwrapAnswer(parsedJson(data));
  }

  /** The result in a JSON-RPC response. */
  #unwrapAnswer(body: unknown): unknown {
    const answer = this.#read((it) => A2aAnswer.parse(it), body);
    if (!answer.error) return answer.result;
    const { code, message } = answer.error as { readonly code: number; readonly message: string };
    throw new AgentError(`${this.#name} returned an error: ${shownText(message, 500)} (${code})`, code);
  }

  /** The data of each event. */
  async *#eventsOf(response: Response): AsyncGenerator<string, void> {
    if (!response.body) return;
    const ready: string[] = [];
    let isTooLarge = false;
    const parser = createParser({
      maxBufferSize: MAX_CHARACTERS,
      onEvent: ({ data }) => void ready.push(data),
      onError: ({ type }) => {
        isTooLarge ||= type === 'max-buffer-size-exceeded';
      },
    });
    const decoder = new TextDecoder();
    try {
      for await (const chunk of response.body) {
        parser.feed(decoder.decode(chunk, { stream: true }));
        yield* ready.splice(0);
        if (isTooLarge) throw new Fault('too_large', `${this.#name} sent an event that is too large.`);
      }
    } catch (thrown) {
      throw thrown instanceof Fault ? thrown : this.#broken(thrown);
    }
  }

  #read<T>(read: (value: unknown) => T, value: unknown): T {
    try {
      return read(value);
    } catch (cause) {
      if (cause instanceof Fault) throw cause;
      throw new Fault('unavailable', `${this.#name} returned something that is not a valid A2A response.`, { cause });
    }
  }

  #broken(cause: unknown): StreamBroken {
    return new StreamBroken('unavailable', `The connection to ${this.#name} was lost. Try again.`, { cause });
  }
}

/** The connection was lost. The task may continue. */
export class StreamBroken extends Fault {}

/** A JSON-RPC error of the agent, or of the gateway on its behalf. */
export class AgentError extends Fault {
  /** The request itself was not refused, and may succeed later. The gateway reports an unreachable agent like this. */
  readonly isInternal: boolean;

  constructor(message: string, code: number) {
    super('unavailable', message);
    this.isInternal = code === a2aErrors.internal;
  }
}
