import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { ToolDecision, ToolFacts } from '../../agents/provider.ts';
import type { AgentTerminal, SessionTerminals, TerminalCommand } from '../../agents/terminals.ts';
import { shellWord } from '../../platform/children/shellWord.ts';
import { Fault } from '../../platform/faults.ts';
import type { CommandTerminal } from '../context/commandTerminals.ts';
import type { EffectDeps } from '../context/effectDeps.ts';
import { toRealPath } from '../context/paths.ts';

export interface AgentCommandsDeps {
  readonly effects: EffectDeps;
  readonly session: string;
  readonly turnId: string;
  /** Real paths of the session's folders. */
  readonly folders: readonly string[];
  /** Of the window that the session works for, as it is now. */
  readonly env: () => Readonly<Record<string, string>>;
  /** Decides about a command, and may ask a person. @param isKnown whether it was allowed a moment ago */
  readonly confirm: (facts: ToolFacts, isKnown: boolean) => Promise<ToolDecision>;
  /** The turn's. */
  readonly signal: AbortSignal;
}

/**
 * Commands that an agent has run in terminals of the host: the request for one is no permission. The very command of a call
 * that was allowed runs once without another question, and every other is asked about as any other call is.
 */
export class AgentCommands implements SessionTerminals {
  readonly #deps: AgentCommandsDeps;
  /** What a call was allowed to run, while it runs and did not run it. Folders are real. */
  readonly #allowed = new Map<string, { readonly command: string; readonly cwd: string | undefined }>();
  readonly #running = new Set<CommandTerminal>();

  constructor(deps: AgentCommandsDeps) {
    this.#deps = deps;
    const end = () => void this.end().catch((thrown: unknown) => deps.effects.report(deps.effects.newId(), thrown));
    deps.signal.addEventListener('abort', end, { once: true });
  }

  /** @param edited the command as a person changed it */
  allowed({ toolCallId, command, cwd }: ToolFacts, edited: string | undefined): void {
    if (command !== undefined) this.#allowed.set(toolCallId, { command: edited ?? command, cwd });
  }

  over(toolCallId: string): void {
    this.#allowed.delete(toolCallId);
  }

  async run(request: TerminalCommand): Promise<AgentTerminal> {
    const { effects, signal } = this.#deps;
    const { outputBytes } = request;
    const { command, env } = withVariables(request);
    const cwd = await this.#folder(request.cwd);
    const toolCallId = request.toolCallId ?? effects.newId();
    const title = `Run ${request.command.trim().split('\n')[0]}`;
    const facts: ToolFacts = {
      toolCallId,
      kind: 'shell',
      invocationMessage: title,
      toolInput: command,
      command,
      cwd,
      paths: [],
    };
    const known = this.#allowed.get(toolCallId);
    this.#allowed.delete(toolCallId); // it is for one run
    const decision = await this.#deps.confirm(facts, known?.command === command && known.cwd === cwd);
    this.#allowed.delete(toolCallId); // what was just allowed runs now
    if (!decision.allow) throw new Fault('forbidden', decision.reason ?? 'The user denied running this command.');
    signal.throwIfAborted();
    const { session, turnId } = this.#deps;
    const ran = decision.editedInput ?? command;
    const running = await effects.commands.run({
      session,
      turnId,
      toolCallId,
      command: ran,
      cwd,
      window: this.#deps.env(),
      env,
      outputBytes,
    });
    this.#running.add(running);
    if (signal.aborted) await this.end();
    return {
      id: running.channel,
      toolCallId,
      title,
      isOwnCall: request.toolCallId === undefined,
      ended: running.ended,
      get isInBackground() {
        return running.isInBackground;
      },
      shown: () => running.shown(),
      output: () => running.output(),
      waitForExit: () => running.waitForExit(),
      kill: () => running.kill(),
      release: () => running.release(),
    };
  }

  /** With its turn ends what a person did not move to the background. */
  async end(): Promise<void> {
    const running = [...this.#running];
    this.#running.clear();
    await Promise.all(running.map((it) => it.release()));
  }

  async #folder(given: string | undefined): Promise<string> {
    const cwd = given ?? this.#deps.folders[0];
    if (cwd === undefined || !isAbsolute(cwd)) throw new Fault('invalid_params', 'cwd: must be an absolute path');
    const real = await toRealPath(cwd);
    const found = await stat(real).catch(() => undefined); // what cannot be looked at is no folder to run in
    if (!found?.isDirectory()) throw new Fault('not_found', 'cwd: folder not found');
    return real;
  }
}

/** They say how a program should print, or who runs it: no program does something else because of them. */
const plainVariables: ReadonlySet<string> = new Set([
  'CI',
  'CLAUDECODE',
  'CLICOLOR',
  'COLUMNS',
  'FORCE_COLOR',
  'LINES',
  'NO_COLOR',
  'TERM',
]);

/** What could make a program do something else becomes part of the command, so that it is judged, shown and kept with it. */
function withVariables({ command, env }: TerminalCommand): Pick<TerminalCommand, 'command' | 'env'> {
  const told = Object.entries(env).filter(([name]) => !plainVariables.has(name));
  const exports = told.map(([name, value]) => `export ${name}=${shellWord(value)}`);
  return {
    command: [...exports, command].join('\n'),
    env: Object.fromEntries(Object.entries(env).filter(([name]) => plainVariables.has(name))),
  };
}
