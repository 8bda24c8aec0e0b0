import { shellWord } from '../../platform/children/shellWord.ts';
import { Fault } from '../../platform/faults.ts';
import type { AgentTerminal, SessionTerminals, TerminalExit } from '../terminals.ts';
import type { TerminalHandlers } from './connection.ts';
import type { LiveTurn } from './turn.ts';
import type { CreateTerminal } from './wire.ts';

/** The terminals that an agent created, until it releases them. */
export class AcpTerminals implements TerminalHandlers {
  readonly #run: SessionTerminals['run'];
  readonly #turn: () => LiveTurn | undefined;
  readonly #held = new Map<string, AgentTerminal>();

  constructor(run: SessionTerminals['run'], turn: () => LiveTurn | undefined) {
    this.#run = run;
    this.#turn = turn;
  }

  async create(request: CreateTerminal): Promise<string> {
    const turn = this.#turn();
    if (!turn) throw new Fault('forbidden', 'commands can be run only during a turn');
    await turn.reached();
    const command = lineOf(request);
    const toolCallId = turn.callFor(command);
    const terminal = await this.#run({
      command,
      env: Object.fromEntries((request.env ?? []).map((it) => [it.name, it.value])),
      ...(request.cwd != null && { cwd: request.cwd }),
      ...(request.outputByteLimit != null && { outputBytes: request.outputByteLimit }),
      ...(toolCallId !== undefined && { toolCallId }),
    });
    this.#held.set(terminal.id, terminal);
    turn.opened(terminal);
    return terminal.id;
  }

  async output(id: string): Promise<object> {
    const { text, truncated, exit } = this.#find(id).output();
    return { output: text, truncated, ...(exit && { exitStatus: exit }) };
  }

  waitForExit(id: string): Promise<TerminalExit> {
    return this.#find(id).waitForExit();
  }

  kill(id: string): Promise<void> {
    return this.#find(id).kill();
  }

  async release(id: string): Promise<void> {
    const terminal = this.#find(id);
    this.#held.delete(id);
    await terminal.release();
    this.#turn()?.released(terminal);
  }

  #find(id: string): AgentTerminal {
    const found = this.#held.get(id);
    if (!found) throw new Fault('invalid_params', 'terminalId: the terminal does not exist or was released');
    return found;
  }
}

/** Some agents send a whole command line instead of a command and its arguments. */
function lineOf({ command, args }: CreateTerminal): string {
  return args?.length ? [command, ...args].map(shellWord).join(' ') : command;
}
