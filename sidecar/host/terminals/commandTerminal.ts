import { constants } from 'node:os';
import type { ShownTerminal, TerminalExit, TerminalOutput } from '../../agents/terminals.ts';
import type { PtyChild } from '../../platform/children/pty.ts';
import { SIGNAL_EXIT } from '../../platform/children/signalExit.ts';
import { Fault } from '../../platform/faults.ts';
import { PlainOutput } from '../../protocol/channels/terminal/plainOutput.ts';
import type { TerminalClaim } from '../../protocol/channels/terminal/schema.ts';
import type { CommandTerminal } from '../context/commandTerminals.ts';

/** The bytes of output that are kept for the agent. */
const MOST_OUTPUT = 1024 * 1024;
/** The bytes of output that stay in the chat. */
const MOST_PREVIEW = 16 * 1024;

const BACKGROUND: TerminalExit = { exitCode: null, signal: null };

export interface RunCommandDeps {
  readonly channel: string;
  readonly title: string;
  readonly child: PtyChild;
  readonly outputBytes: number | undefined;
  /** Its holder; `undefined` once its channel is gone. */
  readonly claim: () => TerminalClaim | undefined;
  /** Removes its channel. */
  readonly remove: () => Promise<void>;
}

/** The command of an agent in a terminal: what it printed as text, how it ended, and whether it is in the background. */
export class RunCommand implements CommandTerminal {
  readonly ended: Promise<void>;
  readonly #deps: RunCommandDeps;
  readonly #output: PlainOutput;
  readonly #preview = new PlainOutput(MOST_PREVIEW);
  readonly #waiting = new Set<(exit: TerminalExit) => void>();
  #exit: TerminalExit | undefined;
  #isBackground = false;
  #wasKilled = false;

  constructor(deps: RunCommandDeps) {
    this.#deps = deps;
    this.#output = new PlainOutput(Math.min(deps.outputBytes ?? MOST_OUTPUT, MOST_OUTPUT));
    deps.child.onData((data) => {
      this.#output.add(data);
      this.#preview.add(data);
    });
    this.ended = deps.child.exited.then((code) => {
      this.#exit = this.#exitOf(code);
      this.#settle(this.#exit);
    });
  }

  get channel(): string {
    return this.#deps.channel;
  }

  get isInBackground(): boolean {
    return this.#isBackground;
  }

  shown(): ShownTerminal {
    const { channel: resource, title, child } = this.#deps;
    const { text: preview, truncated } = this.#preview.read();
    const code = this.#exit?.exitCode ?? undefined;
    const result = this.#exit && { ...(code !== undefined && { exitCode: code }), preview, truncated };
    return { resource, title, isPty: child.isPty, ...(result && { result }) };
  }

  output(): TerminalOutput {
    return { ...this.#output.read(), ...(this.#exit && { exit: this.#exit }) };
  }

  waitForExit(): Promise<TerminalExit> {
    if (this.#exit) return Promise.resolve(this.#exit);
    if (this.#isBackground) return Promise.resolve(BACKGROUND);
    return new Promise((resolve) => void this.#waiting.add(resolve));
  }

  /** Its claim changed. */
  claimed(): void {
    const claim = this.#deps.claim();
    this.#isBackground = claim?.kind !== 'session' || claim.toolCallId === undefined;
    if (this.#isBackground) this.#settle(BACKGROUND);
  }

  async kill(): Promise<void> {
    if (this.#exit) return;
    if (this.#isBackground)
      throw new Fault('forbidden', 'The user moved this command to the background, so it was not ended.');
    await this.#stop();
  }

  async release(): Promise<void> {
    if (this.#isBackground) return;
    await this.#stop();
    await this.#deps.remove();
  }

  async #stop(): Promise<void> {
    this.#wasKilled = this.#exit === undefined;
    await this.#deps.child.stop();
    await this.ended;
  }

  #exitOf(code: number): TerminalExit {
    const signal =
      this.#wasKilled && Object.entries(constants.signals).find(([, it]) => it === code - SIGNAL_EXIT)?.[0];
    return signal ? { exitCode: null, signal } : { exitCode: code, signal: null };
  }

  #settle(exit: TerminalExit): void {
    for (const it of this.#waiting) it(exit);
    this.#waiting.clear();
  }
}
