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
 * Commands that an agent runs in the host's terminals. A request is not a permission. If the same command was just allowed for
 * the same call, it runs once without another question. Every other command is judged like any other call.
 */
export class AgentCommands implements SessionTerminals {
  readonly #deps: AgentCommandsDeps;
  /** The command that each call was allowed to run and has not run yet. Folders are real paths. */
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

  /** Ends the commands of the turn, except those that a person moved to the background. */
  async end(): Promise<void> {
    const running = [...this.#running];
    this.#running.clear();
    await Promise.all(running.map((it) => it.release()));
  }

  async #folder(given: string | undefined): Promise<string> {
    const cwd = given ?? this.#deps.folders[0];
    if (cwd === undefined || !isAbsolute(cwd)) throw new Fault('invalid_params', 'cwd: must be an absolute path');
    const real = await toRealPath(cwd);
    const found = await stat(real).catch(() => undefined); // an unreadable folder cannot be used
    if (!found?.isDirectory()) throw new Fault('not_found', 'cwd: folder not found');
    return real;
  }
}

/** Variables that affect only how a program prints, or that name its caller. */
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

/** Variables that could change what a program does become part of the command, and are judged, shown, and stored with it. */
function withVariables({ command, env }: TerminalCommand): Pick<TerminalCommand, 'command' | 'env'> {
  const told = Object.entries(env).filter(([name]) => !plainVariables.has(name));
  const exports = told.map(([name, value]) => `export ${name}=${shellWord(value)}`);
  return {
    command: [...exports, command].join('\n'),
    env: Object.fromEntries(Object.entries(env).filter(([name]) => plainVariables.has(name))),
  };
}
