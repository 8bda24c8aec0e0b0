import type { WindowInfo } from '../../protocol/window.ts';
import type { Interpreter, Passage } from '../../transport/webSocket/bridge.ts';

/** What `window` stands for, which a window on another machine cannot know: programs, rules and environment of this one. */
const asked = /"servedWindow"\s*:\s*true/;

/**
 * One connection of a window elsewhere that asks for the window of whoever serves (`initializationOptions.servedWindow`). Only
 * its handshake is read; everything else passes as it is.
 */
export class ServedFace implements Interpreter {
  readonly #window: Omit<WindowInfo, 'answersQuestions'>;

  /** @param window as other clients get it; a person sits at this one, who may be asked */
  constructor({ answersQuestions: _nobody, ...window }: WindowInfo) {
    this.#window = window;
  }

  /** Whether the first message of a connection asks for it. */
  static isAsked(text: string): boolean {
    return asked.test(text) && introduced(text, {}) !== undefined;
  }

  fromClient(text: string): Passage {
    return { toHost: (asked.test(text) ? introduced(text, this.#window) : undefined) ?? text };
  }

  fromHost(text: string): Passage {
    return { toClient: text };
  }
}

/** The same handshake with the window in it; `undefined` for a message that is none. */
function introduced(text: string, window: object): string | undefined {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return undefined; // the host says what is wrong with it
  }
  const method = member(message, 'method');
  const params = member(message, 'params');
  const options = member(params, 'initializationOptions');
  if ((method !== 'initialize' && method !== 'reconnect') || member(options, 'servedWindow') !== true) return undefined;
  const initializationOptions = { ...(options as object), window };
  return JSON.stringify({ ...(message as object), params: { ...(params as object), initializationOptions } });
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}
