export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The JSON of the body, or of the last message of the stream. */
  readonly json: RawMessage;
}
export interface RawMessage {
  readonly id?: unknown;
  readonly result?: Record<string, unknown> & {
    content?: { text?: string }[];
    isError?: boolean;
    tools?: { name: string }[];
  };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Speaks MCP byte by byte, so that a test can say what no real client would. */
export class RawClient {
  readonly #url: string;
  readonly #headers: Record<string, string>;

  constructor(url: string, headers: Record<string, string> = {}) {
    this.#url = url;
    this.#headers = { authorization: 'Bearer key-1', ...headers };
  }

  with(headers: Record<string, string>): RawClient {
    return new RawClient(this.#url, { ...this.#headers, ...headers });
  }

  at(url: string): RawClient {
    return new RawClient(url, this.#headers);
  }

  async post(body: unknown, headers: Record<string, string> = {}): Promise<RawAnswer> {
    const response = await this.#fetch(body, headers);
    return { status: response.status, headers: response.headers, json: lastMessage(await response.text()) };
  }

  request(method: string, params: object = {}, headers: Record<string, string> = {}): Promise<RawAnswer> {
    return this.post({ jsonrpc: '2.0', id: 1, method, params }, headers);
  }

  call(name: string, args: object = {}): Promise<RawAnswer> {
    return this.request('tools/call', { name, arguments: args });
  }

  /** A client with a session. */
  async initialized(): Promise<RawClient> {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
    const { headers } = await this.request('initialize', params);
    const session = this.with({ 'mcp-session-id': headers.get('mcp-session-id') ?? 'none' });
    await session.post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return session;
  }

  /** A request of the newer era, with its headers. */
  modern(
    method: string,
    params: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ): Promise<RawAnswer> {
    const newer = inNewerEra(method, params);
    return this.request(method, newer.params, { ...newer.headers, ...headers });
  }

  /** The same, read by whoever asked. */
  modernStream(method: string, params: Record<string, unknown>): Promise<Response> {
    const newer = inNewerEra(method, params);
    return this.#fetch({ jsonrpc: '2.0', id: 1, method, params: newer.params }, newer.headers);
  }

  async send(method: 'GET' | 'DELETE', headers: Record<string, string> = {}): Promise<Response> {
    return fetch(this.#url, { method, headers: { ...this.#headers, ...headers } });
  }

  #fetch(body: unknown, headers: Record<string, string>): Promise<Response> {
    return fetch(this.#url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...this.#headers,
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }
}

function inNewerEra(method: string, params: Record<string, unknown>) {
  const name = params['name'] ?? params['uri'];
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  };
  const headers = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': name }),
  };
  return { params: { ...params, _meta }, headers };
}

function lastMessage(text: string): RawMessage {
  const data = text.includes('data: ')
    ? text
        .split('\n')
        .findLast((it) => it.startsWith('data: '))
        ?.slice(6)
    : text;
  return data ? (JSON.parse(data) as RawMessage) : {};
}
