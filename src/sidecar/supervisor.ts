import * as vscode from 'vscode';
import { chance } from '../platform/clock.ts';
import { fromHost } from '../platform/localizer.ts';
import { whyOf } from '../platform/whyOf.ts';
import { Backoff } from './backoff.ts';
import type { Relay } from './relay.ts';
import { takeOver } from './takeOver.ts';

export type HostState =
  /** `byPerson`: not because nothing needed it yet. */
  | { readonly kind: 'stopped'; readonly byPerson: boolean }
  | { readonly kind: 'starting' }
  | { readonly kind: 'running' }
  /** `otherBuild`: the host that runs is newer than this window and does not understand it. */
  | { readonly kind: 'failed'; readonly reason: string; readonly otherBuild: boolean };

/** The exit code of a relay whose host speaks no protocol version of its own (sidecar/launch/failure.ts). */
const VERSIONS = 76;

export interface SupervisorDeps {
  /** One try: starts the relay and answers after the handshake. */
  readonly open: () => Promise<Relay>;
  /** Takes over a relay whose handshake was answered. @throws when the host's answer is of no use */
  readonly attach: (relay: Relay) => void;
  /** Whether this window may start anything: it is trusted. */
  readonly mayStart: () => boolean;
  readonly log: Pick<vscode.LogOutputChannel, 'info' | 'warn' | 'error'>;
}

/** Owns the relay: starts it on the first need, again after it ended, and gives up with a reason. */
export class Supervisor implements vscode.Disposable {
  readonly #deps: SupervisorDeps;
  readonly #backoff = new Backoff(chance);
  readonly #stateChanged = new vscode.EventEmitter<HostState>();
  readonly onDidChangeState = this.#stateChanged.event;
  #state: HostState = { kind: 'stopped', byPerson: false };
  #relay: Relay | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Rises when what was begun is not wanted any more. */
  #generation = 0;

  constructor(deps: SupervisorDeps) {
    this.#deps = deps;
  }

  get state(): HostState {
    return this.#state;
  }

  /** Starts the host unless it runs, starts, or failed for good. Does nothing in a folder that is not trusted. */
  need(): void {
    if (this.#state.kind === 'stopped' && this.#deps.mayStart()) void this.#start(this.#generation);
  }

  /** Settles when the host is connected. Rejects when this window may not start it, or when starting was given up. */
  connected(): Promise<void> {
    this.need();
    return new Promise((resolve, reject) => {
      const settle = (state: HostState): boolean => {
        if (state.kind === 'starting') return false;
        if (state.kind === 'running') resolve();
        else reject(new Error(whyNot(state, this.#deps.mayStart())));
        return true;
      };
      if (settle(this.#state)) return;
      const stop = this.onDidChangeState((state) => {
        if (settle(state)) stop.dispose();
      });
    });
  }

  /** Starts afresh, also after a failure. The old relay goes first. */
  async restart(): Promise<void> {
    await this.stop();
    this.#backoff.reset();
    this.need();
  }

  /** Ends the relay of this window. The host itself goes on for other windows and running turns. */
  async stop(): Promise<void> {
    this.#generation += 1;
    clearTimeout(this.#timer);
    const relay = this.#relay;
    this.#relay = undefined;
    this.#become({ kind: 'stopped', byPerson: true });
    await relay?.close();
  }

  dispose(): void {
    void this.stop().catch((error: unknown) => this.#deps.log.warn(`the relay did not stop: ${whyOf(error)}`));
    this.#stateChanged.dispose();
  }

  async #start(generation: number): Promise<void> {
    this.#become({ kind: 'starting' });
    const startedAt = performance.now();
    await takeOver({
      open: this.#deps.open,
      isWanted: () => generation === this.#generation,
      attach: (relay) => {
        this.#relay = relay;
        const connectedAt = performance.now();
        this.#deps.log.info(`connected to the host after ${Math.round(connectedAt - startedAt)} ms`);
        relay.onClosed((reason) => {
          if (generation === this.#generation) this.#again(generation, reason, performance.now() - connectedAt);
        });
        this.#deps.attach(relay);
        this.#become({ kind: 'running' });
      },
      failed: (error) => {
        if (exitCodeOf(error) === VERSIONS) this.#giveUp(whyOf(error), true);
        else this.#again(generation, whyOf(error), 0);
      },
    });
  }

  #again(generation: number, reason: string, livedMs: number): void {
    this.#relay = undefined;
    const waitMs = this.#backoff.next(livedMs);
    this.#deps.log.warn(`the relay ended: ${reason}`);
    if (waitMs === undefined) return this.#giveUp(reason, false);
    this.#become({ kind: 'starting' });
    this.#timer = setTimeout(() => {
      if (generation === this.#generation) void this.#start(generation);
    }, waitMs);
  }

  #giveUp(reason: string, otherBuild: boolean): void {
    this.#deps.log.error(`the host could not be started; giving up until it is asked for again: ${reason}`);
    this.#become({ kind: 'failed', reason, otherBuild });
  }

  #become(state: HostState): void {
    if (state.kind === this.#state.kind && state.kind !== 'failed') return;
    this.#state = state;
    this.#stateChanged.fire(state);
  }
}

function whyNot(state: HostState, mayStart: boolean): string {
  if (!mayStart) return vscode.l10n.t('This folder is not trusted, so agents cannot run here.');
  return state.kind === 'failed'
    ? vscode.l10n.t('The host could not be started: {0}', fromHost(vscode.l10n, state.reason))
    : vscode.l10n.t('The host is stopped.');
}

function exitCodeOf(error: unknown): unknown {
  return error instanceof Error && 'exitCode' in error ? error.exitCode : undefined;
}
