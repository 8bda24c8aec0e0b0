/** What guardrails read of a registered MCP server. The record itself fits. */
export interface GuardedServer {
  readonly server_id: string;
  readonly transport: 'http' | 'sse' | 'stdio';
  readonly url?: string | null | undefined;
  readonly auth_type?: string | null | undefined;
  readonly static_headers?: Readonly<Record<string, string>> | null | undefined;
  readonly extra_headers?: readonly string[] | null | undefined;
  readonly delegate_auth_to_upstream?: boolean | null | undefined;
  readonly oauth_passthrough?: boolean | null | undefined;
}

/** Who is calling, as far as an assertion says it. The resolved caller fits. */
export interface GuardedCaller {
  /** `token` is the hash of the key, in hex. */
  readonly key?:
    | {
        readonly token: string;
        readonly key_alias?: string | null | undefined;
        readonly user_id?: string | null | undefined;
        readonly team_id?: string | null | undefined;
      }
    | undefined;
  readonly user?: { readonly user_id: string; readonly user_email?: string | null | undefined } | undefined;
  readonly endUser?: { readonly user_id: string } | undefined;
  readonly team?: { readonly team_id: string } | undefined;
  readonly organization?: { readonly organization_id: string } | undefined;
}

export interface GuardedContext {
  readonly caller: GuardedCaller;
  /** The caller's own bearer token, when it is not the virtual key. */
  readonly bearer?: string | undefined;
  readonly signal: AbortSignal;
}

/** Who turns to which server. */
export interface GuardedTarget {
  readonly context: GuardedContext;
  readonly server: GuardedServer;
  /** Guardrails that the key, the team or the request asks for, by name. */
  readonly names?: readonly string[] | undefined;
}

/** A tool call as guardrails see it. */
export interface GuardedCall extends GuardedTarget {
  /** Bare name. */
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** What a guardrail refuses with, in words for the caller: never with the value that was refused. */
export interface GuardRefusal {
  readonly guardrail_name: string;
  readonly error: 'guardrail_violation' | 'blocked_pii_entity';
  readonly message: string;
}

export interface PreVerdict {
  readonly refusal?: GuardRefusal;
  /** Instead of the caller's. */
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** Sent to the backend with this call. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A tool as a server's list gives it. */
export type ToolDefinition = Readonly<Record<string, unknown>>;

/** One configured guardrail at work. A throw is a refusal without words: nothing goes on. */
export interface Rule {
  pre?(call: GuardedCall): PreVerdict | Promise<PreVerdict>;
  /** When the call may be paid and is about to be sent: what has to ask its server something. */
  beforeSending?(call: GuardedCall): Promise<GuardRefusal | undefined>;
  during?(call: GuardedCall, signal: AbortSignal): GuardRefusal | undefined | Promise<GuardRefusal | undefined>;
  /** Before a server is asked for its tools: headers or a refusal. */
  list?(target: GuardedTarget): Promise<PreVerdict>;
}

/** Refuses in the name of a guardrail. */
export const violation = (guardrail_name: string, message: string): GuardRefusal => ({
  guardrail_name,
  error: 'guardrail_violation',
  message,
});
