import { isAbsolute } from 'node:path';
import type { PtyChild } from '../../platform/children/pty.ts';
import type { TerminalAction, TerminalState } from '../../protocol/channels/terminal/schema.ts';
import type { EffectDeps } from '../context/effectDeps.ts';
import { toFileUri } from '../context/paths.ts';
import { trimScrollback } from './scrollback.ts';
import { ShellEvents } from './shellEvents.ts';

/** Output that may wait; the program waits when it writes more. */
const MAX_WAITING = 128 * 1024;
/** Output that comes together is one action. */
const GATHER_MS = 16;

/** One program at a terminal, and its channel. */
export class Terminal {
  readonly child: PtyChild;
  readonly #deps: EffectDeps;
  readonly #channel: string;
  readonly #events: ShellEvents;
  readonly #onExit: () => void;
  readonly #mostOutput: () => number;
  #waiting = '';
  #isPaused = false;
  #stopTimer: (() => void) | undefined;
  #command: { readonly id: string; readonly startedMs: number } | undefined;
  #sinceTrim = 0;

  /** @param parts `mostOutput`: characters that are kept of what it prints */
  constructor(
    deps: EffectDeps,
    channel: string,
    child: PtyChild,
    nonce: string,
    parts: { readonly onExit: () => void; readonly mostOutput: () => number },
  ) {
    this.#deps = deps;
    this.#channel = channel;
    this.child = child;
    this.#events = new ShellEvents(nonce);
    this.#onExit = parts.onExit;
    this.#mostOutput = parts.mostOutput;
    if (child.notice !== undefined) this.#receive(child.notice);
    child.onData((data) => this.#receive(data));
    void child.exited.then((exitCode) => this.#ended(exitCode));
  }

  async stop(): Promise<void> {
    await this.child.stop();
    this.#stopTimer?.();
  }

  #receive(data: string): void {
    this.#waiting += data;
    if (this.#waiting.length > MAX_WAITING && !this.#isPaused) {
      this.#isPaused = true;
      this.child.pause();
    }
    this.#stopTimer ??= this.#deps.timers.after(GATHER_MS, () => void this.#flush());
  }

  async #flush(): Promise<void> {
    this.#stopTimer = undefined;
    // A disk that takes nothing holds the program up, and not our memory.
    await this.#deps.store.whenWritable();
    const data = this.#waiting;
    this.#waiting = '';
    this.#emit(data);
    if (this.#isPaused) {
      this.#isPaused = false;
      this.child.resume();
    }
  }

  #emit(data: string): void {
    for (const event of this.#events.read(data)) {
      switch (event.kind) {
        case 'data':
          this.#output(event.data);
          break;
        case 'cwd':
          this.#cwd(event.path);
          break;
        case 'started':
          this.#started(event.commandLine);
          break;
        case 'ended':
          this.#finished(event.exitCode);
      }
    }
  }

  #output(data: string): void {
    this.#commit({ type: 'terminal/data', data });
    this.#sinceTrim += data.length;
    const most = this.#mostOutput();
    if (this.#sinceTrim < most / 4) return;
    this.#sinceTrim = 0;
    this.#deps.store.replaceState('terminal', this.#channel, (state) => trimScrollback(state, most));
  }

  #started(commandLine: string): void {
    const commandId = this.#deps.newId();
    const timestamp = this.#deps.clock.nowMs();
    this.#command = { id: commandId, startedMs: timestamp };
    this.#commit({ type: 'terminal/commandExecuted', commandId, commandLine, timestamp });
  }

  /** The first prompt ends no command: it shows that this shell reports them. */
  #finished(exitCode: number | undefined): void {
    const command = this.#command;
    this.#command = undefined;
    if (!command) {
      if (this.#state()?.supportsCommandDetection !== true)
        this.#commit({ type: 'terminal/commandDetectionAvailable' });
      return;
    }
    const durationMs = Math.max(0, this.#deps.clock.nowMs() - command.startedMs);
    const code = exitCode === undefined ? {} : { exitCode };
    this.#commit({ type: 'terminal/commandFinished', commandId: command.id, durationMs, ...code });
  }

  #cwd(path: string): void {
    if (!isAbsolute(path)) return;
    const cwd = toFileUri(path);
    if (this.#state()?.cwd !== cwd) this.#commit({ type: 'terminal/cwdChanged', cwd });
  }

  #ended(exitCode: number): void {
    this.#stopTimer?.();
    this.#emit(this.#waiting);
    this.#waiting = '';
    const rest = this.#events.end();
    if (rest !== '') this.#output(rest);
    this.#commit({ type: 'terminal/exited', exitCode });
    this.#onExit();
  }

  #state(): TerminalState | undefined {
    return this.#deps.store.state('terminal', this.#channel);
  }
  #commit(action: TerminalAction): void {
    if (this.#deps.store.has(this.#channel)) this.#deps.store.commit(this.#channel, action);
  }
}
