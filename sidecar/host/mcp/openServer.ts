import type { CallToolResult, Client, Tool } from '@modelcontextprotocol/client';
import type { OfferedResult, OutputContent } from '../../agents/provider.ts';
import type { Children } from '../../platform/children/children.ts';
import { agentEnvironment, redact } from '../../platform/children/environment.ts';
import { findCommand } from '../../platform/children/findCommand.ts';
import { Fault } from '../../platform/faults.ts';
import { isRecord } from '../../platform/isRecord.ts';
import { ToolDefinition } from '../../protocol/shared.ts';
import { fetchWithToken } from './challenge.ts';
import { ChildTransport } from './childTransport.ts';
import type { HttpServer, ServerConfig, StdioServer } from './serverConfig.ts';

export interface OpenServerDeps {
  readonly children: Pick<Children, 'spawn'>;
  /** For the list of processes, and for people. */
  readonly name: string;
  readonly session: string;
  /** Of the window. */
  readonly env: Readonly<Record<string, string>>;
  /** Of now, for servers that want one. */
  readonly token: () => string | undefined;
}

export interface OpenServer {
  readonly tools: readonly ToolDefinition[];
  /** Rejects with the reason of `signal`, with a `Challenge` somewhere among its causes, or with what went wrong. */
  call(name: string, input: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<OfferedResult>;
  onTools(listener: () => void): void;
  /** Settles once it ended, asked or not. */
  readonly ended: Promise<string>;
  close(): Promise<void>;
}

/** How long a server may take to be ready. Those that are installed when they are first run take long. */
export const START_LIMIT_MS = 60_000;
/** How long a call may go without a word from the server. */
const SILENT_CALL_MS = 600_000;
/** A server that knows nothing of the newer era may not answer at all when asked about it. */
const PROBE_MS = 3_000;
const MAX_TOOLS = 1_000;

/** Starts or reaches a server, shakes hands and reads its tools. Rejects as {@link OpenServer.call} does. */
export async function openServer(config: ServerConfig, deps: OpenServerDeps, signal: AbortSignal): Promise<OpenServer> {
  if (config.kind !== 'stdio') return connect(await atAddress(config, deps), 'auto', signal);
  try {
    return await connect(await asProgram(config, deps), 'auto', signal);
  } catch (thrown) {
    if (signal.aborted || !(thrown instanceof Fault) || thrown.code !== 'unavailable') throw thrown;
    // Programs of the older era may end when they are asked about the newer.
    return connect(await asProgram(config, deps), 'legacy', signal);
  }
}

interface Reached {
  readonly transport: Parameters<Client['connect']>[0];
  readonly ended?: Promise<string>;
}

async function atAddress(config: HttpServer, { token }: OpenServerDeps): Promise<Reached> {
  const mcp = await import('@modelcontextprotocol/client');
  const options = { fetch: fetchWithToken(token), requestInit: { headers: config.headers } };
  const url = new URL(config.url);
  return {
    transport:
      config.kind === 'sse'
        ? new mcp.SSEClientTransport(url, options)
        : new mcp.StreamableHTTPClientTransport(url, options),
  };
}

async function asProgram(config: StdioServer, deps: OpenServerDeps): Promise<Reached> {
  const mcp = await import('@modelcontextprotocol/client');
  const env = { ...agentEnvironment(deps.env, []), ...config.env };
  const command = findCommand(config.command, env);
  if (command === undefined) throw new Fault('command_missing', `The program "${config.command}" was not found.`);
  const child = await deps.children.spawn({
    command,
    args: config.args,
    env,
    role: 'tool',
    title: deps.name,
    session: deps.session,
    ...(config.cwd !== undefined && { cwd: config.cwd }),
  });
  const ended = child.exited.then(({ code, signal }) => {
    const how = code === null ? `terminated by ${signal ?? 'a signal'}` : `exit code ${code}`;
    const stderr = redact(child.stderrTail(), env, Object.keys(config.env))
      .trim()
      .split('\n')
      .slice(-4)
      .join('\n')
      .slice(-600);
    return `${deps.name} stopped (${how})${stderr ? `: ${stderr}` : '.'}`;
  });
  return { transport: new ChildTransport(child, mcp), ended };
}

async function connect(reached: Reached, mode: 'auto' | 'legacy', signal: AbortSignal): Promise<OpenServer> {
  const { Client } = await import('@modelcontextprotocol/client');
  const changed: (() => void)[] = [];
  let tools: readonly ToolDefinition[] = [];
  const take = (all: readonly Tool[]) => {
    tools = all.slice(0, MAX_TOOLS).flatMap((it) => toDefinition(it) ?? []);
  };
  const client = new Client(
    { name: 'switchboard', title: 'Switchboard', version: '1' },
    {
      versionNegotiation: { mode, probe: { timeoutMs: PROBE_MS } },
      listChanged: {
        tools: {
          onChanged(_error, all) {
            if (!all) return; // it could not be asked: what was known stays
            take(all);
            for (const listener of changed) listener();
          },
        },
      },
    },
  );
  const closed = new Promise<string>((resolve) => {
    client.onclose = () => resolve('The server closed the connection.');
  });
  let ended: string | undefined;
  void reached.ended?.then((why) => {
    ended = why;
  });
  try {
    await client.connect(reached.transport, { signal, timeout: START_LIMIT_MS });
    take((await client.listTools(undefined, { signal, timeout: START_LIMIT_MS })).tools);
  } catch (thrown) {
    const why = ended;
    await reached.transport.close();
    if (why !== undefined) throw new Fault('unavailable', why, { cause: thrown });
    throw thrown;
  }
  return {
    get tools() {
      return tools;
    },
    async call(name, input, callSignal) {
      const params = { name, arguments: { ...input } };
      const options = {
        signal: callSignal,
        timeout: SILENT_CALL_MS,
        resetTimeoutOnProgress: true,
        onprogress: () => undefined, // progress restarts the time limit only where it has a handler
      };
      return toResult(await client.callTool(params, options));
    },
    onTools: (listener) => void changed.push(listener),
    // The exit of a program holds more than the end of its pipes.
    ended: closed.then((why) => reached.ended ?? why),
    close: () => client.close(),
  };
}

/** Schemas that the protocol cannot carry are left out; a tool without a name does not exist. */
function toDefinition(tool: Tool): ToolDefinition | undefined {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  const plain = { name, ...(title !== undefined && { title }), ...(description !== undefined && { description }) };
  const whole = { ...plain, inputSchema, ...(outputSchema && { outputSchema }), ...(annotations && { annotations }) };
  const found = [whole, { ...plain, ...(annotations && { annotations }) }, plain];
  return found.find((it): it is ToolDefinition => ToolDefinition.safeParse(it).success);
}

function toResult({ content, structuredContent, isError }: CallToolResult): OfferedResult {
  const all = content.map(toContent);
  const first = all.find((it) => it.kind === 'text');
  return {
    success: isError !== true,
    content: all,
    ...(isRecord(structuredContent) && { structuredContent }),
    ...(isError === true && { error: first?.kind === 'text' ? first.text : 'The tool failed.' }),
  };
}

function toContent(block: CallToolResult['content'][number]): OutputContent {
  switch (block.type) {
    case 'text':
      return { kind: 'text', text: block.text };
    case 'image':
    case 'audio':
      return { kind: 'data', base64: block.data, contentType: block.mimeType };
    case 'resource': {
      const { resource } = block;
      return 'blob' in resource
        ? { kind: 'data', base64: resource.blob, contentType: resource.mimeType ?? 'application/octet-stream' }
        : { kind: 'text', text: resource.text };
    }
    case 'resource_link':
      return { kind: 'text', text: block.uri };
  }
}
