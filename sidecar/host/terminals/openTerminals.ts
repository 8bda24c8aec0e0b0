import { join } from 'node:path';
import type { Children } from '../../platform/children/children.ts';
import { agentEnvironment, stripEnvironment } from '../../platform/children/environment.ts';
import { findShell } from '../../platform/children/findShell.ts';
import { type PtyChild, shellOf } from '../../platform/children/pty.ts';
import { Fault } from '../../platform/faults.ts';
import type { TerminalAction, TerminalClaim, TerminalState } from '../../protocol/channels/terminal/schema.ts';
import type { Params } from '../../protocol/methods.ts';
import { schemes } from '../../protocol/uris.ts';
import { visibleText } from '../../protocol/visibleText.ts';
import type { CommandRequest } from '../context/commandTerminals.ts';
import type { EffectDeps } from '../context/effectDeps.ts';
import { toFileUri } from '../context/paths.ts';
import { Access, type ResourceRequester } from '../resources/access.ts';
import { checkTerminalAction, holds, refuseClaim, type TerminalContext } from './checkTerminal.ts';
import { RunCommand } from './commandTerminal.ts';
import { integrate } from './shellIntegration.ts';
import { Terminal } from './terminal.ts';

export interface OpenTerminalsDeps {
  readonly effects: EffectDeps;
  readonly dataDir: string;
  readonly children: Pick<Children, 'openPty'>;
  /** Characters that each terminal keeps of what was printed. */
  readonly mostOutput: () => number;
  /** The list of terminals is another one. */
  readonly onChanged: () => void;
}

/** Terminals that one host may have. */
const MAX_TERMINALS = 50;
const MAX_TITLE = 80;
/** The size until a person opens it. */
const COMMAND_SIZE = { cols: 120, rows: 30 };

/** The terminals that run or ran. Loaded with the first one. */
export class OpenTerminals {
  readonly #deps: OpenTerminalsDeps;
  readonly #access: Access;
  readonly #terminals = new Map<string, Terminal>();
  readonly #making = new Set<string>();
  /** The {@link #terminals} of agents. */
  readonly #commands = new Map<string, RunCommand>();

  constructor(deps: OpenTerminalsDeps) {
    this.#deps = deps;
    this.#access = new Access(deps);
  }

  get channels(): readonly string[] {
    return [...this.#terminals.keys()];
  }
  get(channel: string): Terminal | undefined {
    return this.#terminals.get(channel);
  }

  /** @throws {Fault} `invalid_params`, `already_exists`, `not_trusted`, `forbidden`, `not_found`, `unavailable` */
  async create(
    params: Params<'createTerminal'>,
    requester: ResourceRequester,
    context: TerminalContext,
  ): Promise<void> {
    const { store } = this.#deps.effects;
    const { channel, claim, name } = params;
    if (!new RegExp(`^${schemes.terminal}:/[^/]+$`).test(channel))
      throw new Fault('invalid_params', 'channel: not a terminal URI');
    if (!context.trusted) throw new Fault('not_trusted', 'Trust this folder to use terminals.', { data: {} });
    const refused = refuseClaim(claim, context, false);
    if (refused !== undefined) throw new Fault('invalid_params', refused);
    if (store.has(channel) || this.#making.has(channel))
      throw new Fault('already_exists', 'the terminal already exists');
    await this.#make(channel, async () => {
      await this.#open(params, name?.trim() || undefined, await this.#folderFor(params.cwd, requester), requester);
    });
  }

  /** A terminal for one command that its agent was allowed to run. @throws {Fault} `unavailable`, `command_missing` */
  async run(request: CommandRequest): Promise<RunCommand> {
    const { effects } = this.#deps;
    const channel = `${schemes.terminal}:/${effects.newId()}`;
    const { session, turnId, toolCallId, command, cwd, window, env, outputBytes, isSetUp } = request;
    const own = Object.keys(window).length > 0 ? window : process.env;
    const shell = findShell(stripEnvironment(own));
    const title = titleOf(command);
    return this.#make(channel, async () => {
      const child = await this.#deps.children.openPty({
        command: shell,
        args: ['-c', command],
        cwd,
        // Nobody could close a pager.
        env: { ...environmentOf(own), PAGER: 'cat', GIT_PAGER: 'cat', ...env },
        ...COMMAND_SIZE,
        title,
        ...(!isSetUp && { session }),
      });
      const claim: TerminalClaim = { kind: 'session', session, turnId, toolCallId };
      // It listens before the channel exists, because a short command prints only once.
      const running = new RunCommand({
        channel,
        title,
        child,
        outputBytes,
        claim: () => effects.store.state('terminal', channel)?.claim,
        remove: () => this.remove(channel),
      });
      await this.#keep(channel, child, { title, claim, cwd, ...COMMAND_SIZE }, '');
      this.#commands.set(channel, running);
      return running;
    });
  }

  /** The terminal's claim changed. */
  claimed(channel: string): void {
    this.#commands.get(channel)?.claimed();
  }

  /** Why a client's action is refused; `undefined` when it may be committed. */
  check(action: TerminalAction, state: TerminalState, context: TerminalContext): string | undefined {
    return checkTerminalAction(action, state, context);
  }

  /** @throws {Fault} `forbidden` for whoever does not hold it */
  async dispose(channel: string, { claim }: TerminalState, context: TerminalContext): Promise<void> {
    if (!holds(claim, context)) {
      throw new Fault('forbidden', 'this terminal is controlled by another client', { data: {} });
    }
    await this.remove(channel);
  }

  /** Ends the program and takes the channel away. */
  async remove(channel: string): Promise<void> {
    const { store, dropChannel } = this.#deps.effects;
    const terminal = this.#terminals.get(channel);
    if (!terminal) return;
    this.#terminals.delete(channel);
    this.#commands.delete(channel);
    await terminal.stop();
    store.remove(channel);
    this.#deps.onChanged();
    await store.settled();
    dropChannel(channel);
  }

  async #open(
    { channel, claim, cols = 80, rows = 24 }: Params<'createTerminal'>,
    name: string | undefined,
    cwd: string,
    requester: ResourceRequester,
  ): Promise<void> {
    const { effects, dataDir, children } = this.#deps;
    const own = requester.window && Object.keys(requester.window.env).length > 0 ? requester.window.env : process.env;
    const shell = shellOf(own);
    const title = name ?? shell.split(/[\\/]/).at(-1) ?? shell;
    const nonce = effects.newId();
    const { args, env } = await integrate(shell, join(dataDir, 'shell'), nonce);
    const session = claim.kind === 'session' ? { session: claim.session } : {};
    const environment = { ...environmentOf(own), ...env };
    const request = { command: shell, args, cwd, env: environment, cols, rows, title, ...session };
    await this.#keep(channel, await children.openPty(request), { title, claim, cwd, cols, rows }, nonce);
  }

  async #make<T>(channel: string, open: () => Promise<T>): Promise<T> {
    if (this.#terminals.size + this.#making.size >= MAX_TERMINALS) {
      throw new Fault('unavailable', `too many terminals (limit: ${MAX_TERMINALS})`);
    }
    this.#making.add(channel);
    try {
      return await open();
    } finally {
      this.#making.delete(channel);
    }
  }

  async #keep(
    channel: string,
    child: PtyChild,
    { cwd, ...shown }: Pick<TerminalState, 'title' | 'claim' | 'cols' | 'rows'> & { readonly cwd: string },
    nonce: string,
  ): Promise<void> {
    const { effects } = this.#deps;
    const state: TerminalState = { ...shown, content: [], cwd: toFileUri(cwd), isPty: child.isPty };
    try {
      effects.store.create('terminal', channel, state, {}, true);
    } catch (thrown) {
      await child.stop(); // nobody could end it any more
      throw thrown;
    }
    const parts = { onExit: () => this.#deps.onChanged(), mostOutput: this.#deps.mostOutput };
    this.#terminals.set(channel, new Terminal(effects, channel, child, nonce, parts));
    this.#deps.onChanged();
    await effects.store.settled();
  }

  /** A folder that the client may read and write; without one, the first of its sessions' folders. */
  async #folderFor(cwd: string | undefined, requester: ResourceRequester): Promise<string> {
    if (cwd === undefined) {
      const [first] = await this.#access.folders(requester);
      if (first === undefined) throw new Fault('invalid_params', 'cwd: is required because no session has a folder');
      return first;
    }
    const { real, kind } = await this.#access.require(requester, cwd, { read: true, write: true }, 'cwd');
    if (kind === 'absent') throw new Fault('not_found', 'cwd: folder not found');
    if (kind !== 'folder') throw new Fault('invalid_params', 'cwd: not a folder');
    return real;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Without secrets, and without variables that change what programs do. */
const environmentOf = (own: Environment) => ({
  ...agentEnvironment(own, []),
  TERM: 'xterm-256color',
  COLORTERM: 'truecolor',
});

/** The first line of a command, as the name of its terminal. */
function titleOf(command: string): string {
  const [first = ''] = visibleText(command.trim()).split('\n');
  return first.length > MAX_TITLE ? `${first.slice(0, MAX_TITLE - 1)}…` : first;
}
