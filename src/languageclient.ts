import { EventEmitter } from 'node:events';
import { type CancellationToken, LogLevel } from 'vscode';
import {
  CloseAction,
  ErrorAction,
  type InitializeParams,
  LanguageClient,
  type LanguageClientOptions,
  RevealOutputChannelOn,
  type StaticFeature,
} from 'vscode-languageclient/node';
import { strippedEnvironment } from './config/environment.ts';
import type { Relay, RelayModule, RelayOptions } from './sidecar/relay.ts';
import { untraced } from './sidecar/untraced.ts';

/**
 * Starts the relay and answers once `initialize` was answered.
 * @throws what the host answered to `initialize`, or why the process could not be started
 */
export const openRelay: RelayModule['openRelay'] = async (options): Promise<Relay> => {
  const events = new EventEmitter();
  let closing = false;
  const client = new QuietClient(
    'switchboard',
    'Switchboard Host',
    {
      command: process.execPath,
      args: [options.modulePath, '--stdio', '--data-dir', options.dataDir],
      options: { env: { ...strippedEnvironment(process.env), ELECTRON_RUN_AS_NODE: '1' } },
    },
    clientOptions(options, (reason) => events.emit('closed', reason)),
  );
  client.registerFeature(handshake(options.initializeParams));
  const inboxes = new Map(options.notifications.map((method) => [method, new Inbox()]));
  for (const [method, inbox] of inboxes) client.onNotification(method, (params: unknown) => inbox.receive(params));
  await client.start();

  return {
    initializeResult: client.initializeResult,
    request: (method: string, params: unknown, token?: CancellationToken) => client.sendRequest(method, params, token),
    notify: (method, params) => client.sendNotification(method, params),
    onNotification: (method, listener) =>
      inboxes.get(method)?.open(listener) ?? client.onNotification(method, listener),
    onClosed(listener) {
      const once = (reason: string) => {
        if (!closing) listener(reason);
      };
      events.once('closed', once);
      return { dispose: () => events.off('closed', once) };
    },
    async close() {
      closing = true;
      if (!client.isRunning()) return;
      // The host may be the first to leave: then the goodbye has nobody to answer it, and the end is the same.
      await client.stop().catch((error: unknown) => options.log.debug(`no goodbye from the relay: ${String(error)}`));
    },
  };
};

/** Notifications of one method. The host may send before anybody listens: those wait for the first listener. */
class Inbox {
  #waiting: unknown[] = [];
  #listener: ((params: unknown) => void) | undefined;

  receive(params: unknown): void {
    if (this.#listener) this.#listener(params);
    else this.#waiting.push(params);
  }

  open(listener: (params: unknown) => void): { dispose(): void } {
    this.#listener = listener;
    for (const it of this.#waiting.splice(0)) listener(it);
    return {
      dispose: () => {
        if (this.#listener === listener) this.#listener = undefined;
      },
    };
  }
}

/** The library shows a toast of its own for every failure; ours are rows and the log (ux.md 6.5). */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

function clientOptions(options: RelayOptions, closed: (reason: string) => void): LanguageClientOptions {
  return {
    documentSelector: [],
    outputChannel: options.log,
    traceOutputChannel: untraced(options.log, LogLevel.Info),
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      // Starting again is the supervisor's: it waits longer each time and gives up with a row (traps.md 2).
      closed: () => {
        closed('The connection to the host ended.');
        return { action: CloseAction.DoNotRestart, handled: true, message: 'The relay ended.' };
      },
    },
  };
}

/** Adds the protocol's members to the one `initialize` of both (decisions.md). */
function handshake(members: Readonly<Record<string, unknown>>): StaticFeature {
  return {
    getState: () => ({ kind: 'static' }),
    fillInitializeParams: (params: InitializeParams) => void Object.assign(params, members),
    fillClientCapabilities: () => {},
    initialize: () => {},
    clear: () => {},
  };
}
