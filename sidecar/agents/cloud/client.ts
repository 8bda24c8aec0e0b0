import { Fault } from '../../platform/faults.ts';
import { parsedJson } from '../../platform/json.ts';
import type { Timers } from '../../platform/timers.ts';
import { headersOf, refusalOf, unreachable } from '../gatewayCall.ts';
import type { RemoteAccess } from '../remoteAccess.ts';
import {
  type CloudAgent,
  type CloudMessage,
  type CloudPrompt,
  type Launch,
  readAgent,
  readAgents,
  readMessages,
  toLaunch,
  toPrompt,
} from './wire.ts';

const ANSWER_MS = 60_000;
/** The most that the service returns at once. */
const MOST_AGENTS = 100;
/** The longest wait that the service may ask for. */
const MOST_RETRY_MS = 300_000;

export interface CloudClientDeps {
  /** Of the service, for messages. */
  readonly name: string;
  readonly access: RemoteAccess;
  readonly timers: Pick<Timers, 'deadline'>;
}

/** The call may succeed later. */
export class Temporary extends Fault {
  /** How long the service asks to wait. */
  readonly retryAfterMs: number;

  constructor({ code, message, cause }: Fault, retryAfterMs: number) {
    super(code, message, { cause });
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * Calls the cloud-agents service through the gateway, which adds the service's own credential. Every method throws a
 * {@link Fault} with a message for the user.
 */
export class CloudClient {
  readonly #deps: CloudClientDeps;

  constructor(deps: CloudClientDeps) {
    this.#deps = deps;
  }

  /** The agents of the account, as the service orders them. */
  async list(signal: AbortSignal): Promise<readonly CloudAgent[]> {
    return this.#read(readAgents, await this.#ask('GET', `?limit=${MOST_AGENTS}`, signal));
  }

  /** @param launchId with which the service recognizes a launch that is sent again */
  async launch(launch: Launch, launchId: string, signal: AbortSignal): Promise<CloudAgent> {
    return this.#read(readAgent, await this.#ask('POST', '', signal, toLaunch(launch), launchId));
  }

  async agent(id: string, signal: AbortSignal): Promise<CloudAgent> {
    return this.#read(readAgent, await this.#ask('GET', pathOf(id), signal));
  }

  /** Oldest first. */
  async messages(id: string, signal: AbortSignal): Promise<readonly CloudMessage[]> {
    return this.#read(readMessages, await this.#ask('GET', `${pathOf(id)}/conversation`, signal));
  }

  async followUp(id: string, prompt: CloudPrompt, signal: AbortSignal): Promise<void> {
    await this.#ask('POST', `${pathOf(id)}/followup`, signal, { prompt: toPrompt(prompt) });
  }

  /** @param limitMs how long the service may take to answer */
  async stop(id: string, limitMs: number): Promise<void> {
    await this.#ask('POST', `${pathOf(id)}/stop`, this.#deps.timers.deadline(limitMs));
  }

  async delete(id: string, signal: AbortSignal): Promise<void> {
    await this.#ask('DELETE', pathOf(id), signal);
  }

  async #ask(method: string, path: string, signal: AbortSignal, body?: object, launchId?: string): Promise<unknown> {
    const { name, access, timers } = this.#deps;
    const headers = {
      ...headersOf(access),
      accept: 'application/json',
      ...(body && { 'content-type': 'application/json' }),
      ...(launchId !== undefined && { 'idempotency-key': launchId }),
    };
    const lost = (cause: unknown) => {
      throw new Temporary(unreachable(name, cause), 0);
    };
    const response = await fetch(`${access.url}/cloudagents/v0/agents${path}`, {
      method,
      headers,
      redirect: 'error',
      signal: AbortSignal.any([signal, timers.deadline(ANSWER_MS)]),
      ...(body && { body: JSON.stringify(body) }),
    }).catch(lost);
    if (!response.ok) {
      const refusal = await refusalOf(response, name);
      const isTemporary = response.status === 429 || response.status >= 500;
      throw isTemporary ? new Temporary(refusal, retryAfterOf(response)) : refusal;
    }
    return parsedJson(await response.text().catch(lost));
  }

  #read<T>(read: (value: unknown) => T, value: unknown): T {
    try {
      return read(value);
    } catch (cause) {
      throw new Fault('unavailable', `${this.#deps.name} returned an invalid response.`, { cause });
    }
  }
}

const pathOf = (id: string): string => `/${encodeURIComponent(id)}`;

/** Only a number of seconds is read. A date is ignored. */
function retryAfterOf(response: Response): number {
  const seconds = Number(response.headers.get('retry-after') ?? 0);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0) * 1_000, MOST_RETRY_MS) : 0;
}
