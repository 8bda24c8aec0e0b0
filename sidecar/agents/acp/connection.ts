import { Readable, Writable } from 'node:stream';
import type { AnyMessage, ClientContext } from '@agentclientprotocol/sdk';
import type { LeashedChild } from '../../platform/children/children.ts';
import { agentEnvironment, redact } from '../../platform/children/environment.ts';
import { findCommand } from '../../platform/children/findCommand.ts';
import { Fault } from '../../platform/faults.ts';
import type { ModelsThrough } from '../models.ts';
import type { SessionContext } from '../provider.ts';
import type { TerminalExit } from '../terminals.ts';
import type { AcpDeps } from './acpDeps.ts';
import { chooseModels } from './chosenModels.ts';
import { confinedEnvironment, confinedNeeds, makeState, needlessHosts } from './confined.ts';
import { Elicitation, type Elicited } from './elicitation.ts';
import { agentErrorCode, commandMissing, toAgentFault } from './faults.ts';
import type { AcpAgent } from './wellKnown.ts';
import {
  CreateTerminal,
  PermissionRequest,
  ReadTextFile,
  SessionNotification,
  TerminalRequest,
  WriteTextFile,
} from './wire.ts';

/** What the agent may ask of us; each parsed already. */
export interface ClientHandlers {
  update(update: unknown): void;
  permission(request: PermissionRequest): Promise<unknown>;
  elicit(request: Elicitation): Promise<Elicited>;
  readText(request: {
    path: string;
    line?: number | null | undefined;
    limit?: number | null | undefined;
  }): Promise<string>;
  writeText(request: { path: string; content: string }): Promise<void>;
  readonly terminals: TerminalHandlers;
}

export interface TerminalHandlers {
  /** @returns its id */
  create(request: CreateTerminal): Promise<string>;
  output(id: string): Promise<object>;
  waitForExit(id: string): Promise<TerminalExit>;
  kill(id: string): Promise<void>;
  release(id: string): Promise<void>;
}

/** One agent process with its connection. */
export interface AgentConnection {
  /**
   * Sends a request and waits for its answer.
   * @param limitMs how long; none for a prompt, which takes as long as it takes
   * @throws {Fault} `unavailable` when the agent is gone or silent; else what the agent answered
   */
  request(method: string, params: unknown, limitMs?: number): Promise<unknown>;
  notify(method: string, params: unknown): Promise<void>;
  /** Settles with a reason for a person when the process ended, asked or not. */
  readonly ended: Promise<string>;
  /** `_meta` of the request that opens the conversation. */
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  /** Where its calls to models go. */
  readonly modelsThrough: ModelsThrough;
  /** @see needlessHosts */
  readonly needless: readonly string[];
  /** Takes secrets and the home folder out of the agent's words. */
  clean(text: string): string;
  /** The last line of its standard error, cleaned. */
  lastWords(): string | undefined;
  close(): Promise<void>;
}

/**
 * @throws {Fault} `command_missing`, or `unavailable` when it cannot be started, has changed since its installation, or
 *   cannot use the models that a person chose for it
 */
export async function connect(
  agent: AcpAgent,
  context: SessionContext,
  { children, timers }: AcpDeps,
  handlers: ClientHandlers,
): Promise<AgentConnection> {
  const tokens = tokensOf(agent, context);
  const own = { ...agent.defaults, ...agentEnvironment(context.env, agent.env), ...agent.variables, ...tokens };
  const command = findCommand(agent.command, own);
  if (!command) throw commandMissing(agent);
  const [cwd] = context.folders;
  if (cwd === undefined) throw new Fault('folder_needed', `${agent.displayName} requires a working folder.`);
  const models = await chooseModels(agent, own, context.models);
  const modelsThrough = models ? 'gateway' : 'own';
  const env = models ? models.environment(own) : own;
  await agent.verify?.();
  const confined = context.isSandboxed ? await confine(agent, context, models?.url) : undefined;
  const child = await children.spawn({
    command,
    args: agent.args,
    env: confined ? confinedEnvironment(agent, env) : env,
    role: 'agent',
    title: agent.displayName,
    session: context.sessionId,
    cwd,
    ...(confined && { confined }),
  });
  const clean = (text: string) =>
    redact(models ? text.replaceAll(models.key, '[removed]') : text, env, [...agent.env, ...Object.keys(tokens)]);
  const ended = child.exited.then(({ code, signal }) => {
    const how = code === null ? `terminated by ${signal ?? 'a signal'}` : `exit code ${code}`;
    const lines = clean(child.stderrTail())
      .split('\n')
      .filter((it) => it.trim() !== '');
    const tail = lines.slice(-4).join('\n').slice(-600);
    return `${agent.displayName} stopped unexpectedly (${how})${tail ? `: ${tail}` : '.'}`;
  });
  const peer = await openPeer(child, handlers);
  return {
    async request(method, params, limitMs) {
      let stopTimer: (() => void) | undefined;
      const silent = new Promise<never>((_, reject) => {
        if (limitMs === undefined) return;
        const message = `${agent.displayName} did not respond within ${Math.round(limitMs / 1000)} s.`;
        stopTimer = timers.after(limitMs, () => reject(new Fault('unavailable', message, { data: { method } })));
      });
      const answer = peer.request<unknown>(method, params).catch(async (thrown: unknown) => {
        // A dying agent closes its output before its exit is known; the exit holds more.
        if (isConnectionClosed(thrown)) throw new Fault('unavailable', await ended, { cause: thrown });
        throw thrown;
      });
      const end = ended.then((reason) => Promise.reject(new Fault('unavailable', reason)));
      try {
        return await Promise.race([answer, silent, end]);
      } finally {
        stopTimer?.(); // the race is over: a late refusal says nothing new
      }
    },
    notify: (method, params) =>
      peer.notify(method, params).catch((thrown) => Promise.reject(toAgentFault(agent, thrown, clean))),
    meta: models?.meta,
    modelsThrough,
    needless: needlessHosts(agent, modelsThrough),
    ended,
    clean,
    lastWords: () => clean(child.stderrTail()).trim().split('\n').at(-1)?.slice(-300) || undefined,
    close: () => child.stop(),
  };
}

/** What the agent reaches on this machine has to be known before it starts. */
async function confine(agent: AcpAgent, context: SessionContext, models: string | undefined) {
  makeState(agent);
  const offered = await context.offeredServer?.();
  const servers = [...(context.toolServers ?? []), ...(offered ? [offered] : [])].map((it) => it.url);
  return confinedNeeds(agent, models === undefined ? servers : [...servers, models]);
}

/** By variable; those that somebody pushed. */
function tokensOf({ protectedResources = [] }: AcpAgent, context: SessionContext): Record<string, string> {
  return Object.fromEntries(
    protectedResources.flatMap(({ env, metadata }) => {
      const token = context.token(metadata.resource);
      return token === undefined ? [] : [[env, token] as const];
    }),
  );
}

async function openPeer(child: LeashedChild, handlers: ClientHandlers): Promise<ClientContext> {
  const acp = await import('@agentclientprotocol/sdk');
  const { methods } = acp;
  /** What failed on purpose is answered with its sentence; of anything else the SDK says that it is an internal error. */
  const answered = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      throw new acp.RequestError(agentErrorCode(thrown), thrown.message);
    }
  };
  const { terminals } = handlers;
  const { create, output, waitForExit, kill, release } = methods.client.terminal;
  const done = async (work: Promise<void>) => {
    await answered(work);
    return {};
  };
  const app = acp
    .client({ name: 'Switchboard' })
    .onRequest(methods.client.session.requestPermission, looseParser(PermissionRequest), ({ params }) =>
      handlers.permission(params),
    )
    .onRequest(methods.client.elicitation.create, looseParser(Elicitation), ({ params }) => handlers.elicit(params))
    .onRequest(methods.client.fs.readTextFile, looseParser(ReadTextFile), async ({ params }) => ({
      content: await answered(handlers.readText(params)),
    }))
    .onRequest(methods.client.fs.writeTextFile, looseParser(WriteTextFile), async ({ params }) => {
      await answered(handlers.writeText(params));
      return {};
    })
    .onRequest(create, looseParser(CreateTerminal), async ({ params }) => ({
      terminalId: await answered(terminals.create(params)),
    }))
    .onRequest(output, looseParser(TerminalRequest), ({ params }) => answered(terminals.output(params.terminalId)))
    .onRequest(waitForExit, looseParser(TerminalRequest), ({ params }) =>
      answered(terminals.waitForExit(params.terminalId)),
    )
    .onRequest(kill, looseParser(TerminalRequest), ({ params }) => done(terminals.kill(params.terminalId)))
    .onRequest(release, looseParser(TerminalRequest), ({ params }) => done(terminals.release(params.terminalId)))
    .onNotification('*', () => undefined); // what we do not know is no fault of the agent's
  const input = Readable.toWeb(
    Readable.from(onlyMessages(child.stdout), { objectMode: true }),
  ) as ReadableStream<Uint8Array>;
  const wire = acp.ndJsonStream(Writable.toWeb(child.stdin) as WritableStream<Uint8Array>, input);
  return app.connect({ writable: wire.writable, readable: wire.readable.pipeThrough(updatesTo(handlers)) }).agent;
}

/**
 * Takes updates out before the SDK sees them: its router refuses a whole update for one member that it does not know,
 * and there are agents that send such. They reach us in the order in which they were sent, before any answer behind them.
 */
function updatesTo(handlers: ClientHandlers): TransformStream<AnyMessage, AnyMessage> {
  return new TransformStream({
    transform(message, controller) {
      if (!('method' in message) || message.method !== 'session/update') {
        controller.enqueue(message);
        return;
      }
      const { data } = SessionNotification.safeParse(message.params);
      if (data) handlers.update(data.update);
    },
  });
}

/** The SDK's own schemas refuse what some agents send; ours take what we use. */
function looseParser<T>(schema: { parse(value: unknown): T }): { parse(value: unknown): T } {
  return { parse: (value) => schema.parse(value) };
}

/** Drops lines that are no JSON objects: some agents, and what they start, print to standard output. */
async function* onlyMessages(stdout: Readable): AsyncGenerator<Uint8Array> {
  let rest: Buffer[] = [];
  for await (const data of stdout as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = data.indexOf(10); end !== -1; end = data.indexOf(10, from)) {
      const line = Buffer.concat([...rest, data.subarray(from, end + 1)]);
      rest = [];
      from = end + 1;
      if (line.subarray(0, 80).toString('latin1').trimStart().startsWith('{')) yield line;
    }
    if (from < data.length) rest.push(data.subarray(from));
  }
}

function isConnectionClosed(thrown: unknown): boolean {
  return !(typeof thrown === 'object' && thrown !== null && 'code' in thrown && typeof thrown.code === 'number');
}

/** The parameters of `initialize`. */
export function introduction(): object {
  return {
    protocolVersion: 1,
    clientInfo: { name: 'switchboard', title: 'Switchboard', version: '1' },
    clientCapabilities: {
      fs: { readTextFile: true, writeTextFile: true },
      terminal: true,
      auth: { terminal: true },
      elicitation: { form: {}, url: {} },
      session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
      _meta: { 'terminal-auth': true },
    },
  };
}
