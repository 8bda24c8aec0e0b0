import { createServer, type Server, type Socket } from 'node:net';
import type { Runtime } from '../../platform/runtime.ts';
import type { Build } from '../../protocol/hostInfo.ts';
import { negotiateVersion } from '../../protocol/version.ts';
import type { RunningWebSocketServer } from '../../transport/webSocket/server.ts';
import { decideAttach } from '../attach/decideAttach.ts';
import {
  type AttachLine,
  type ListenLine,
  Preamble,
  type PreambleAnswer,
  parseLine,
  readLine,
  toLine,
} from '../attach/preamble.ts';
import { reasonOf } from '../failure.ts';
import { type ListenAnswer, ListenOptions } from '../serve/listenLine.ts';
import type { Host } from './hostContract.ts';

/** How long a process may take to send its first line. */
const PREAMBLE_MS = 5_000;
/** Of the line that says where to listen: it holds an environment and settings of agents. */
const MAX_LISTEN_BYTES = 4 * 1024 * 1024;

export interface HostServerDeps extends Pick<Runtime, 'clock' | 'timers' | 'log'> {
  readonly dataDir: string;
  readonly host: Host;
  readonly build: Build;
  readonly pid: number;
  readonly startedAt: string;
  readonly isLeaving: () => boolean;
  /** A newer build wants this host's place. */
  readonly makeRoom: () => void;
  readonly newerBuildWaiting: () => boolean;
  readonly stop: (reason: string) => void;
  /** A connection opened or closed. */
  readonly changed: () => void;
}

/** Listens where relays look, reads each one's first line, and hands the stream to the host. */
export class HostServer {
  readonly #deps: HostServerDeps;
  #server: Server | undefined;
  readonly #sockets = new Set<Socket>();
  #attached = 0;
  /** That listen for clients over WebSocket, each as long as the process that asked for it is there. */
  readonly #listeners = new Set<Pick<RunningWebSocketServer, 'stopAccepting'>>();
  /** Connections that came before {@link serve}; undefined afterwards. */
  #early: Socket[] | undefined = [];

  constructor(deps: HostServerDeps) {
    this.#deps = deps;
  }

  /** Nobody is connected, and nobody wants it to listen. */
  get isUnused(): boolean {
    return this.#attached === 0 && this.#listeners.size === 0;
  }

  /** Listens, once more where it did before: connections that are open go on. @throws when the path cannot be bound */
  listen(path: string): Promise<void> {
    // First, because closing removes the path.
    this.#server?.close();
    const server = createServer((socket) => this.#accept(socket));
    this.#server = server;
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, () => {
        server.off('error', reject);
        server.on('error', (error) => this.#deps.log.error({ error }, 'the socket failed'));
        resolve();
      });
    });
  }

  /** Answers from now on, those that are waiting first. */
  serve(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const socket of early) this.#greet(socket);
  }

  /** Takes no more connections and frees the path; those that are open go on. */
  stopListening(): void {
    this.#server?.close();
    for (const it of this.#listeners) it.stopAccepting();
  }

  /** Ends what the host left open. */
  closeAll(): void {
    for (const socket of this.#sockets) socket.destroySoon();
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', (error) => this.#deps.log.debug({ error }, 'a connection failed'));
    if (this.#early) this.#early.push(socket);
    else this.#greet(socket);
  }

  #greet(socket: Socket): void {
    this.#serve(socket).catch((thrown: unknown) => {
      this.#deps.log.error({ thrown }, 'a connection could not be served');
      socket.destroy();
    });
  }

  async #serve(socket: Socket): Promise<void> {
    const preamble = parseLine(await readLine(socket, PREAMBLE_MS, this.#deps.timers), Preamble);
    if (!preamble) return this.#answer(socket, { ok: false, reason: 'malformed', build: this.#deps.build });
    switch (preamble.switchboard) {
      case 'attach':
        return this.#attach(socket, preamble);
      case 'listen':
        return this.#listen(socket, preamble);
      case 'status':
        return this.#answer(socket, { ok: true, build: this.#deps.build, status: this.#status() });
      case 'stop':
        return this.#stop(socket, preamble.force);
    }
  }

  /** Answers whether this host is for a process of that build. A newer build gets its place as soon as that is free. */
  #takes(socket: Socket, { build: peer, protocol }: AttachLine | ListenLine): boolean {
    const { host, build } = this.#deps;
    const { refuse, makeRoom } = decideAttach({
      host: build,
      peer,
      protocolsMeet: negotiateVersion([protocol]) !== undefined,
      isBusy: host.isBusy(),
      isLeaving: this.#deps.isLeaving(),
    });
    if (refuse) this.#answer(socket, { ok: false, reason: refuse, build });
    else if (!socket.destroyed) socket.write(toLine({ ok: true, build }));
    if (makeRoom) this.#deps.makeRoom();
    return !refuse && !socket.destroyed;
  }

  #attach(socket: Socket, line: AttachLine): void {
    const { host, log } = this.#deps;
    const { build: peer, limits } = line;
    if (this.#takes(socket, line)) {
      this.#attached += 1;
      socket.on('close', () => {
        this.#attached -= 1;
        this.#deps.changed();
      });
      host.attach(socket, { build: peer, limits });
      log.info({ peer, attached: this.#attached }, 'a client connected');
      this.#deps.changed();
    }
  }

  /** Listens over WebSocket where the next line says, until the process that wants it is gone. */
  async #listen(socket: Socket, line: ListenLine): Promise<void> {
    if (!this.#takes(socket, line)) return;
    const { timers, changed, isLeaving } = this.#deps;
    socket.allowHalfOpen = true; // its end says that we may stop, and ours that we have
    const ended = new Promise<void>((resolve) => void socket.once('end', resolve).once('close', () => resolve()));
    // Most hosts serve windows of this machine alone, and start faster without it.
    const { openListener } = await import('../serve/listener.ts');
    const options = parseLine(await readLine(socket, PREAMBLE_MS, timers, MAX_LISTEN_BYTES), ListenOptions);
    const answer = (it: ListenAnswer) => socket.write(toLine(it));
    if (!options) return socket.destroySoon();
    let listener: RunningWebSocketServer;
    try {
      listener = await openListener(options, this.#deps);
    } catch (thrown) {
      answer({ ok: false, why: reasonOf(thrown) });
      return socket.destroySoon();
    }
    this.#listeners.add(listener);
    changed();
    if (isLeaving()) listener.stopAccepting();
    answer({ ok: true, port: listener.port });
    socket.resume();
    await ended;
    this.#listeners.delete(listener);
    await listener.close();
    socket.destroySoon();
    changed();
  }

  #stop(socket: Socket, force: boolean): void {
    const { host, build } = this.#deps;
    const isRefused = host.isBusy() && !force;
    this.#answer(socket, isRefused ? { ok: false, reason: 'busy', build } : { ok: true, build });
    if (!isRefused) this.#deps.stop('a client requested a stop');
  }

  #status(): NonNullable<Extract<PreambleAnswer, { ok: true }>['status']> {
    const { host, pid, startedAt, newerBuildWaiting } = this.#deps;
    return { pid, startedAt, clients: host.clients, busy: host.isBusy(), newerBuildWaiting: newerBuildWaiting() };
  }

  #answer(socket: Socket, answer: PreambleAnswer): void {
    socket.end(toLine(answer));
  }
}
