import { type ChildProcess, spawn } from 'node:child_process';
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
import type { Connection } from './client/connection.ts';
import { tapped } from './client/tap.ts';
import { strippedEnvironment } from './config/environment.ts';
import type { Relay, RelayModule, RelayOptions } from './sidecar/relay.ts';
import { untraced } from './sidecar/untraced.ts';

/**
 * Starts the relay and answers once `initialize` was answered.
 * @throws what the host answered to `initialize`, or why the process could not be started
 */
export const openRelay: RelayModule['openRelay'] = async (options): Promise<Relay> => {
  const events = new EventEmitter();
  const ending = new LastWords();
  const client = new QuietClient(
    'switchboard',
    'Switchboard Host',
    () => Promise.resolve(ending.listenTo(startRelay(options))),
    clientOptions(options, () => void ending.exited().then(() => events.emit('closed', ending.reason))),
  );
  client.registerFeature(handshake(options.initializeParams));
  for (const [method, answer] of Object.entries(options.requests)) client.onRequest(method, answer);
  const inboxes = new Map(options.notifications.map((method) => [method, new Inbox()]));
  for (const [method, inbox] of inboxes) client.onNotification(method, (params: unknown) => inbox.receive(params));
  try {
    await client.start();
  } catch (thrown) {
    await ending.exited();
    throw ending.toFailure(thrown);
  }

  const connection: Connection = {
    initializeResult: client.initializeResult,
    request: (method: string, params: unknown, token?: CancellationToken) => client.sendRequest(method, params, token),
    notify: (method, params) => client.sendNotification(method, params),
    onNotification: (method, listener) =>
      inboxes.get(method)?.open(listener) ?? client.onNotification(method, listener),
    onClosed(listener) {
      events.once('closed', listener);
      return { dispose: () => events.off('closed', listener) };
    },
  };
  return {
    ...tapped(connection, options.tap),
    async close() {
      // The host may be the first to leave: then the goodbye has nobody to answer it, and the end is the same.
      if (client.isRunning())
        await client.stop().catch((error: unknown) => options.log.debug(`no goodbye from the relay: ${String(error)}`));
      // The library does not tell the end of a client that was stopped.
      events.emit('closed', 'The connection to the host was closed.');
    },
  };
};

function startRelay({ modulePath, dataDir, limits }: RelayOptions): ChildProcess {
  const args = ['--stdio', '--data-dir', dataDir, '--limits', JSON.stringify(limits)];
  return spawn(process.execPath, [modulePath, ...args], {
    env: { ...strippedEnvironment(process.env), ELECTRON_RUN_AS_NODE: '1' },
    stdio: 'pipe',
    windowsHide: true,
  });
}

/** The relay says on its standard error, in one sentence for the person, why it ends; its exit code says which case it is. */
class LastWords {
  #line = '';
  #exitCode: number | null = null;
  #exited: Promise<unknown> | undefined;

  listenTo(relay: ChildProcess): ChildProcess {
    relay.stderr?.on('data', (chunk: Buffer) => {
      this.#line = `${this.#line}${chunk.toString()}`.trimEnd().split('\n').at(-1)?.slice(-500) ?? '';
    });
    this.#exited = new Promise((resolve) => {
      relay.once('close', (code) => {
        this.#exitCode = code;
        resolve(code);
      });
    });
    return relay;
  }

  /** Settles when the process is gone and all it said was read, or after a moment where it lives on. */
  exited(): Promise<unknown> {
    const moment = new Promise((resolve) => void setTimeout(resolve, 500).unref());
    return Promise.race([this.#exited, moment]);
  }

  get reason(): string {
    return this.#exitCode !== null && this.#exitCode !== 0 && this.#line !== ''
      ? this.#line
      : 'The connection to the host ended.';
  }

  /** A refusal that the host answered to `initialize` keeps its own words. */
  toFailure(thrown: unknown): unknown {
    if (this.#exitCode === null || this.#exitCode === 0) return thrown;
    return Object.assign(new Error(this.reason, { cause: thrown }), { exitCode: this.#exitCode });
  }
}

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

/** The library shows a toast of its own for every failure; ours are shown as rows and in the log. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

function clientOptions(options: RelayOptions, closed: () => void): LanguageClientOptions {
  return {
    documentSelector: [{ scheme: 'file', pattern: '**/switchboard.jsonc' }],
    outputChannel: options.log,
    traceOutputChannel: untraced(options.log, LogLevel.Info),
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      // Starting again is the supervisor's: it waits longer each time and gives up with a row.
      closed: () => {
        closed();
        return { action: CloseAction.DoNotRestart, handled: true, message: 'The relay ended.' };
      },
    },
  };
}

/** Adds the host protocol's members to the one `initialize` that serves both protocols. */
function handshake(members: Readonly<Record<string, unknown>>): StaticFeature {
  return {
    getState: () => ({ kind: 'static' }),
    fillInitializeParams: (params: InitializeParams) => void Object.assign(params, members),
    fillClientCapabilities: () => {},
    initialize: () => {},
    clear: () => {},
  };
}
