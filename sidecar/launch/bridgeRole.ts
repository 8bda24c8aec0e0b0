import { request } from 'node:http';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import * as z from 'zod';
import { parsedJson } from '../platform/json.ts';
import { jsonRpcErrors } from '../protocol/jsonRpcErrors.ts';
import { type ExitCode, exitCodes, LaunchFailure } from './failure.ts';
import { TOOLS_HEADERS, TOOLS_URL } from './host/toolProgram.ts';
import { readEvents } from './readEvents.ts';

const Headers = z.record(z.string(), z.string());
const Message = z.looseObject({ id: z.union([z.string(), z.number()]).optional(), method: z.string().optional() });
type Message = z.infer<typeof Message>;
const Greeting = z.object({ result: z.object({ protocolVersion: z.string() }) });

/**
 * An MCP server on standard input and output that has nothing of its own: it hands every line to a server over HTTP on this
 * machine, for agents that reach none by themselves. Ends with its input.
 * @throws {LaunchFailure} `usage` without an address in the environment
 */
export async function bridgeRole(
  input: Readable,
  output: Writable,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ExitCode> {
  const url = URL.parse(env[TOOLS_URL] ?? '');
  const given = Headers.safeParse(parsedJson(env[TOOLS_HEADERS] ?? '{}'));
  if (url?.protocol !== 'http:' || !given.success)
    throw new LaunchFailure(
      exitCodes.usage,
      'This program must be started by an agent, with the URL of an MCP server.',
    );
  const bridge = new LineBridge(url, given.data, (line) => void output.write(`${line}\n`));
  for await (const line of createInterface({ input })) if (line.trim() !== '') await bridge.take(line);
  return exitCodes.ok;
}

class LineBridge {
  readonly #url: URL;
  readonly #headers: Record<string, string>;
  readonly #write: (line: string) => void;

  constructor(url: URL, headers: Readonly<Record<string, string>>, write: (line: string) => void) {
    this.#url = url;
    this.#headers = { ...headers };
    this.#write = write;
  }

  /** Settles when the next line may go: what others stand on has arrived, and a call may take as long as it takes. */
  async take(line: string): Promise<void> {
    const message = Message.safeParse(parsedJson(line)).data;
    if (!message)
      return this.#write(JSON.stringify(errorTo(null, jsonRpcErrors.parse, 'This is not a valid message.')));
    const sent = this.#post(line, message);
    if (message.id === undefined || message.method === 'initialize') await sent;
    if (message.method === 'initialize') void this.#listen();
  }

  async #post(line: string, { id, method }: Message): Promise<void> {
    const answer = (text: string) => {
      const greeting = method === 'initialize' ? Greeting.safeParse(parsedJson(text)).data : undefined;
      if (greeting) this.#headers['mcp-protocol-version'] = greeting.result.protocolVersion;
      this.#write(text);
    };
    const status = await this.#send('POST', line, answer).catch(() => 0);
    if ((status < 200 || status > 299) && id !== undefined && method !== undefined)
      this.#write(
        JSON.stringify(errorTo(id, -32000, `The session's tools cannot be reached (${status || 'no answer'}).`)),
      );
  }

  /** Messages that the server sends unasked. Servers without such messages refuse this. */
  async #listen(): Promise<void> {
    await this.#send('GET', undefined, this.#write).catch(() => undefined); // the host is gone: calls report it
  }

  /** @returns the status, once everything was read */
  #send(method: 'GET' | 'POST', body: string | undefined, onEvent: (text: string) => void): Promise<number> {
    return new Promise((resolve, reject) => {
      const headers = {
        ...this.#headers,
        accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      };
      const asked = request(this.#url, { method, headers }, (response) => {
        const { statusCode: status = 0 } = response;
        const session = response.headers['mcp-session-id'];
        if (typeof session === 'string') this.#headers['mcp-session-id'] = session;
        const isGood = status >= 200 && status <= 299;
        readEvents(response, (text) => isGood && onEvent(text)).then(() => resolve(status), reject);
      });
      asked.on('error', reject).end(body);
    });
  }
}

function errorTo(id: string | number | null, code: number, message: string): object {
  return { jsonrpc: '2.0', id, error: { code, message } };
}
