import type {
  InitializeParams,
  InitializeResult,
  McpEra,
  RpcNotification,
  RpcRequest,
  RpcResponse,
} from '../../../protocol/gateway/mcpWire.ts';
import type { OpenApiPreview } from '../../../protocol/gateway/openapi.ts';
import type { ApiSettings } from '../openapi/documents.ts';
import type { StreamEvent } from './streamEvent.ts';

/** What a connection needs to know of a registered server. */
export interface McpTarget {
  readonly server_id: string;
  /** Alias or name: for people and in messages. Never an address. */
  readonly name: string;
  readonly transport: 'http' | 'sse' | 'stdio';
  /** For http and sse. */
  readonly url?: string;
  /** For http: its tools are the operations of an OpenAPI document, so it is no MCP server itself. */
  readonly openapi?: ApiSettings;
  /** For stdio: an absolute path, or a name that is looked up on PATH. */
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** How long the backend may be silent during a request. */
  readonly timeoutMs: number;
  /** Of one answer or one event. */
  readonly maxResponseBytes: number;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE' | 'PUT' | 'PATCH' | 'HEAD' | 'OPTIONS';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Called when the request is on its way. */
  readonly onSent?: () => void;
}

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Read to its end or destroyed; one that is left alone keeps its socket. */
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * Adds what the backend's registration and the caller bring along (credentials, static and passed headers, signatures),
 * checks the address and sends. Follows no redirect. Rejects with the client library's error, or a Fault of its own.
 */
export type HttpSend = (request: HttpRequest, signal: AbortSignal) => Promise<HttpResponse>;

/** One call's way out: made by whoever knows credentials, used here without looking into it. */
export interface Outbound {
  /** Which credentials the call goes out with. Connections are never shared between two identities. */
  readonly identity: string;
  readonly send: HttpSend;
  /** `traceparent` and `tracestate` of the call; absent where no traces are exported. */
  readonly trace?: Readonly<Record<string, string>> | undefined;
}

/** What a request brought. */
export type Reply =
  | {
      readonly kind: 'message';
      readonly status: number;
      readonly text: string;
      readonly message: RpcResponse;
      /** What is behind the backend answered with HTTP 5xx, which is an answer of the protocol like others. */
      readonly isServerError?: boolean;
    }
  /**
   * Messages that belong to the request, the response being the last. In a session, a backend may end it without a
   * response before any event, or after an event with an ID, from which the client resumes. Any other early end throws
   * a BackendFailure.
   */
  | { readonly kind: 'stream'; readonly events: AsyncIterable<StreamEvent> };

export interface RequestOptions {
  readonly outbound: Outbound;
  readonly signal: AbortSignal;
  /** Headers of MCP as the caller sent them: `Mcp-Param-…` of the modern era, the version of the legacy one. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The answer is a stream that goes on until its caller leaves: only its first message has a time limit. */
  readonly isOpenEnded?: boolean;
  /** Called when the request is on its way, where the transport knows. */
  readonly onSent?: () => void;
}

/**
 * A warm connection to one MCP server for one identity and, where the server keeps sessions, one session.
 * All three transports pass the same contract suite.
 */
export interface McpBackend {
  readonly era: McpEra;
  /** What `initialize` answered; absent in the modern era, which has none. */
  readonly hello: InitializeResult | undefined;
  /** The server's own session id; only streamable HTTP has one. */
  readonly sessionId: string | undefined;
  readonly isClosed: boolean;
  /** Somebody waits for an answer, reads its stream or listens. */
  readonly isBusy: boolean;
  /** @throws {BackendFailure} and nothing else */
  request(request: RpcRequest, options: RequestOptions): Promise<Reply>;
  /** Sends a notification, or the answer to a request of the server's. */
  send(message: RpcNotification | RpcResponse, options: RequestOptions): Promise<void>;
  /** Messages that the server sends unasked; `undefined` where it has no such stream. One listener at a time. */
  listen(lastEventId: string | undefined, options: RequestOptions): Promise<AsyncIterable<StreamEvent> | undefined>;
  /** For a server that is an OpenAPI service: all operations of its document. @throws {BackendFailure} */
  preview?(): Promise<OpenApiPreview>;
  /** @param isKept the server's session goes on: at another replica, or after a restart */
  close(isKept?: boolean): Promise<void>;
}

/** How a legacy connection introduces itself: the caller's own words where it serves one session. */
export interface Introduction {
  readonly params: InitializeParams;
  /** True where several callers use the connection: ids are renamed, and questions of the server are refused. */
  readonly isShared: boolean;
}
