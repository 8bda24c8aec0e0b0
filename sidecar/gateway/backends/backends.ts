import { createHmac } from 'node:crypto';
import { Fault } from '../../platform/faults.ts';
import type { Runtime } from '../../platform/runtime.ts';
import { type AgentAuthDeps, agentCredential, checkAgentCredential } from './a2a/credential.ts';
import { type AgentRegistration, type AgentSecrets, agentHeaderRules } from './a2a/mode.ts';
import type { AuthDeps, Credential } from './auth/authenticator.ts';
import { authenticatorOf } from './auth/index.ts';
import { AwsCredentialSource } from './aws/credentials.ts';
import { type HeaderPlan, type HeaderRules, type InboundHeaders, planHeaders } from './headers.ts';
import { type ModelRegistration, modelSocketsOf, modelTarget } from './modelTarget.ts';
import type { Connect } from './net/agent.ts';
import { type AddressPolicy, checkNetwork, type LookupAll, lookupAll, readTarget } from './net/guard.ts';
import { checkHealth, type Health } from './net/health.ts';
import { type BackendTarget, openPool, type Pool } from './net/pool.ts';
import { readBody } from './net/readBody.ts';
import { SeenCertificates } from './net/seenCertificates.ts';
import { keyDocument, smallFetch } from './net/smallFetch.ts';
import { ClientTokens } from './oauth/clientTokens.ts';
import { findAuthorizationServer, isIssuerRegistered, readResource } from './oauth/discovery.ts';
import { ExchangedTokens } from './oauth/exchangedTokens.ts';
import { UpstreamSignIn } from './oauth/flow.ts';
import type { RegisteredClientStore, UsedStates, UserToken, UserTokenStore } from './oauth/stores.ts';
import { UserTokens } from './oauth/userTokens.ts';
import { type Outbound, openOutbound } from './outbound.ts';
import { PassthroughIndex } from './passthrough.ts';
import { type BackendSecrets, isWebAddress, labelOf, type McpRegistration } from './registration.ts';
import { type Variables, variablesOf } from './variables.ts';

export interface BackendsDeps extends Omit<Runtime, 'log'> {
  /** At least 32 bytes, the same on all replicas and after a restart. */
  readonly secret: Uint8Array;
  readonly tokens: UserTokenStore;
  readonly clients: RegisteredClientStore;
  readonly states: UsedStates;
  readonly providerKey: AgentAuthDeps['providerKey'];
  /** Default: the system's resolver. */
  readonly lookup?: LookupAll;
  /** Opens sockets to addresses that the network guard allowed. Default: TCP and TLS. */
  readonly connect?: Connect | undefined;
  /** A server rejected the credential of its registration in the configuration file. */
  readonly credentialRefused?: (() => void) | undefined;
  /** Where cloud roles are assumed. Default: the region's own address. */
  readonly stsEndpoint?: string;
}

/** What one call brings. */
export interface CallFacts {
  readonly inbound: InboundHeaders;
  /** Whose stored tokens are used: the user of the key, else the key's hash. */
  readonly user: string;
  readonly signal: AbortSignal;
  /** The caller's own values of `env_vars` with scope `user`. */
  readonly userVariables?: Variables;
  /** Headers of the gateway itself: trace id, agent id, a guardrail's assertion. */
  readonly added?: Readonly<Record<string, string>>;
}

/** The way of calls whose credential is the same each time, and what it was made from beside the server. */
interface KnownWay {
  readonly passthrough: PassthroughIndex;
  readonly secrets: BackendSecrets;
  readonly user: string;
  readonly way: Outbound;
}

/** How calls leave the gateway: connections, credentials, headers. One for the process. */
export class Backends {
  readonly pool: Pool;
  readonly certificates = new SeenCertificates();
  readonly signIn: UpstreamSignIn;
  readonly #auth: AuthDeps;
  readonly #net: { readonly lookup: LookupAll; readonly timers: Runtime['timers'] };
  readonly #providerKey: AgentAuthDeps['providerKey'];
  readonly #credentialRefused: BackendsDeps['credentialRefused'];
  readonly #plans = new WeakMap<object, { readonly plan: HeaderPlan; readonly tokenHeader: string | undefined }>();
  /** By the headers of a caller, which are one value for as long as its connection sends the same. */
  readonly #ways = new WeakMap<InboundHeaders['headers'], WeakMap<McpRegistration, KnownWay>>();
  #servers = new PassthroughIndex('mcp', []);
  #agents = new PassthroughIndex('a2a', []);

  constructor(deps: BackendsDeps) {
    const { clock, timers, secret, tokens: store, clients, states } = deps;
    const nowMs = () => clock.nowMs();
    const fingerprint = (text: string) => createHmac('sha256', secret).update(text).digest('hex');
    this.#net = { lookup: deps.lookup ?? lookupAll, timers };
    this.pool = openPool({
      clock,
      timers,
      connect: deps.connect,
      certificates: this.certificates,
      ...(deps.lookup && { lookup: deps.lookup }),
    });
    const fetchFor = (server: McpRegistration) => smallFetch(this.pool, helperOf(server), timers);
    const { newId, random } = deps;
    this.signIn = new UpstreamSignIn({ tokens: store, clients, states, fetchFor, nowMs, newId, random, secret });
    this.#providerKey = deps.providerKey;
    this.#credentialRefused = deps.credentialRefused;
    this.#auth = {
      userTokens: new UserTokens({ store, clients, fetchFor, nowMs }),
      clientTokens: new ClientTokens({ fetchFor, nowMs }),
      exchangedTokens: new ExchangedTokens({ fetchFor, nowMs, fingerprint }),
      aws: new AwsCredentialSource({ nowMs, ...(deps.stsEndpoint !== undefined && { stsEndpoint: deps.stsEndpoint }) }),
      fingerprint,
      nowMs,
    };
  }

  /** Everything that is registered, whenever that changed: per-user headers are matched against all of it. */
  setRegistered(servers: readonly McpRegistration[], agents: readonly AgentRegistration[]): void {
    const named = servers.map((it) => ({ id: it.server_id, names: [it.alias, it.server_name] }));
    this.#servers = new PassthroughIndex('mcp', named);
    this.#agents = new PassthroughIndex(
      'a2a',
      agents.map((it) => ({ id: it.agent_id, names: [it.agent_id, it.agent_name] })),
    );
  }

  /**
   * What is wrong with a server, when it is saved.
   * @throws {Fault} `invalid_params` or `forbidden`, naming the field
   */
  async checkServer(server: McpRegistration, secrets: BackendSecrets): Promise<void> {
    if (server.url) await checkNetwork(server.url, serverTarget(server), this.#net, 'allow_private_network');
    if (server.url) readTarget(server.url, serverTarget(server));
    const { spec_path } = server;
    if (spec_path && isWebAddress(spec_path)) {
      await checkNetwork(spec_path, serverTarget(server), this.#net, 'allow_private_network');
      readTarget(spec_path, serverTarget(server), 'spec_path');
    }
    planHeaders(serverRules(server, secrets));
    authenticatorOf(server.auth_type).check(server, secrets);
  }

  /** The same for an agent; its address is the registered one, never that of a card it serves. */
  async checkAgent(agent: AgentRegistration, secrets: AgentSecrets, url: string): Promise<void> {
    await checkNetwork(url, agentTarget(agent), this.#net, 'gateway_params.allow_private_network');
    readTarget(url, agentTarget(agent));
    planHeaders(agentHeaderRules(agent));
    checkAgentCredential(agent, secrets);
  }

  /** The same for a backend of a model. */
  async checkModel(model: ModelRegistration, url: string): Promise<void> {
    await checkNetwork(url, modelTarget(model), this.#net, 'gateway_params.allow_private_network');
    readTarget(url, modelTarget(model), 'gateway_params.api_base');
  }

  /** The same for an address that is no backend of calls. @param field where it was given */
  async checkAddress(url: string, policy: AddressPolicy, field: string): Promise<void> {
    await checkNetwork(url, policy, this.#net, 'allow_private_network');
    readTarget(url, policy, field);
  }

  /** The protected-resource metadata of a server (RFC 9728), as it gives it to anybody. @throws {Fault} `unavailable` */
  resourceOf(server: McpRegistration) {
    return readResource(server, smallFetch(this.pool, helperOf(server), this.#net.timers));
  }

  /**
   * Who issued a token that a program brings now, where the server itself is the only one to say so: it may say otherwise when
   * the token is renewed. `undefined` where the registration says it, or nobody.
   */
  async issuerOf(server: McpRegistration): Promise<Pick<UserToken, 'issuer' | 'renewed_at'> | undefined> {
    if (isIssuerRegistered(server)) return undefined;
    try {
      const fetch = smallFetch(this.pool, helperOf(server), this.#net.timers);
      const { issuer, token_endpoint } = await findAuthorizationServer(server, fetch);
      return { issuer, renewed_at: new URL(token_endpoint).origin };
    } catch (thrown) {
      if (thrown instanceof Fault) return undefined; // the token is good by itself, and is not renewed
      throw thrown;
    }
  }

  /**
   * The way of one call to an MCP server.
   * @throws {Fault} `auth_required` where the caller has to do something first (`data.reason`: `sign_in`,
   *   `subject_token_missing`, `subject_token_refused`, `variable_missing`); `unavailable`; `invalid_params`
   */
  forServer(server: McpRegistration, secrets: BackendSecrets, call: CallFacts): Outbound | Promise<Outbound> {
    const { headers, bearer, holdsKey } = call.inbound;
    const { user, signal } = call;
    const isOwn = call.added !== undefined || call.userVariables !== undefined;
    const known = isOwn ? undefined : this.#ways.get(headers)?.get(server);
    if (known?.passthrough === this.#servers && known.secrets === secrets && known.user === user) return known.way;
    const request = { server, secrets, caller: { user, bearer, holdsKey }, signal };
    const found = authenticatorOf(server.auth_type).credential(request, this.#auth);
    const { passthrough, open } = this.#wayOf(server, secrets, call);
    if (found instanceof Promise) return found.then(open);
    const way = open(found);
    if (isOwn || found.sign || found.renew || found.needs) return way;
    const ways = this.#ways.get(headers) ?? new WeakMap<McpRegistration, KnownWay>();
    this.#ways.set(headers, ways.set(server, { passthrough, secrets, user, way }));
    return way;
  }

  #wayOf(server: McpRegistration, secrets: BackendSecrets, { inbound, userVariables, added }: CallFacts) {
    const passthrough = this.#servers;
    const { headers, bearer, holdsKey } = inbound;
    const open = (credential: Credential): Outbound =>
      openOutbound({
        pool: this.pool,
        target: serverTarget(server),
        plan: this.#plan(server, serverRules(server, secrets)),
        passthrough,
        inbound: { headers, bearer, holdsKey },
        credential,
        variables: variablesOf(server.env_vars, userVariables),
        ...(added && { added }),
        refused: server.from_config ? this.#credentialRefused : undefined,
        fingerprint: this.#auth.fingerprint,
      });
    return { passthrough, open };
  }

  /** The way of one call to an agent. @throws {Fault} as `forServer` */
  async forAgent(agent: AgentRegistration, secrets: AgentSecrets, call: CallFacts): Promise<Outbound> {
    const deps = { aws: this.#auth.aws, nowMs: this.#auth.nowMs, providerKey: this.#providerKey };
    return openOutbound({
      pool: this.pool,
      target: agentTarget(agent),
      plan: this.#plan(agent, agentHeaderRules(agent)),
      passthrough: this.#agents,
      inbound: call.inbound,
      credential: await agentCredential(agent, secrets, deps),
      ...(call.added && { added: call.added }),
      fingerprint: this.#auth.fingerprint,
    });
  }

  /**
   * A small JSON document at an address that the configuration names, for example a key set.
   *
   * @param allowPrivate whether it may be on this machine or a private network
   * @throws {Fault} `unavailable`, `forbidden`
   */
  async fetchJson(url: string, { allowPrivate = false, signal }: FetchOptions = {}): Promise<unknown> {
    const fetch = smallFetch(this.pool, keySetAt(url, allowPrivate), this.#net.timers);
    return keyDocument(fetch, url, signal);
  }

  /** Posts to a service that the configuration names beside its backends. @throws {Fault} or the HTTP client's own error */
  async postToService(
    target: { readonly name: string; readonly url: string; readonly allowPrivate: boolean; readonly timeoutMs: number },
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<{ readonly status: number; readonly text: string }> {
    const { name, url, allowPrivate, timeoutMs } = target;
    const either = AbortSignal.any([signal, this.#net.timers.deadline(timeoutMs)]);
    const service = { id: `service ${name}`, name, allowPrivate };
    const response = await this.pool.request(service, { method: 'POST', url, headers, body }, either);
    return { status: response.status, text: await readBody(response.body, MAX_SERVICE_ANSWER) };
  }

  /** Whether a server answers over HTTP at all. */
  serverHealth(server: McpRegistration, url: string, signal: AbortSignal): Promise<Health> {
    return checkHealth(this.pool, serverTarget(server), url, signal, this.#net.timers);
  }
  agentHealth(agent: AgentRegistration, url: string, signal: AbortSignal): Promise<Health> {
    return checkHealth(this.pool, agentTarget(agent), url, signal, this.#net.timers);
  }

  /** A person connected to or disconnected from a server: the next call reads the stored token. */
  forgetToken(serverId: string, user: string): void {
    this.#auth.userTokens.forget(serverId, user);
  }

  /** A registration changed or was removed: sockets, tokens and cloud credentials are let go. */
  async forget(id: string): Promise<void> {
    this.#auth.userTokens.forget(id);
    this.#auth.clientTokens.forget(id);
    this.#auth.exchangedTokens.forget(id);
    this.#auth.aws.forget(`mcp ${id}`);
    this.#auth.aws.forget(`a2a ${id}`);
    await Promise.all([this.pool.forget(id), this.pool.forget(`${id} authorization`)]);
  }

  forgetModel(id: string): Promise<void> {
    return this.pool.forget(modelSocketsOf(id));
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  #plan(record: object, rules: HeaderRules): HeaderPlan {
    const tokenHeader = rules.upstream_token_header ?? undefined;
    const found = this.#plans.get(record);
    if (found && found.tokenHeader === tokenHeader) return found.plan;
    const plan = planHeaders(rules);
    this.#plans.set(record, { plan, tokenHeader });
    return plan;
  }
}

/** Bytes. */
const MAX_SERVICE_ANSWER = 8_000_000;

function serverTarget(server: McpRegistration): BackendTarget {
  return {
    id: server.server_id,
    name: labelOf(server),
    version: server.updated_at ?? '',
    allowPrivate: server.allow_private_network === true,
    ...(server.max_concurrent_requests && { maxConcurrent: server.max_concurrent_requests }),
  };
}

interface FetchOptions {
  readonly allowPrivate?: boolean;
  readonly signal?: AbortSignal;
}

/** An address that the configuration names beside its backends. One that is away keeps nobody from another. */
function keySetAt(url: string, allowPrivate: boolean): BackendTarget {
  const place = URL.canParse(url) ? new URL(url).origin : '';
  return { id: `key sets ${allowPrivate} ${place}`, name: 'key set', allowPrivate, connections: 8 };
}

/** Its authorization server has sockets of its own, under the same permission. */
const helperOf = (server: McpRegistration): BackendTarget => ({
  id: `${server.server_id} authorization`,
  name: labelOf(server),
  version: server.updated_at ?? '',
  allowPrivate: server.allow_private_network === true,
  connections: 8,
});

function agentTarget({ agent_id, agent_name, gateway_params, updated_at }: AgentRegistration): BackendTarget {
  return {
    id: agent_id,
    name: agent_name,
    version: updated_at ?? '',
    allowPrivate: gateway_params?.allow_private_network === true,
    ...(gateway_params?.max_concurrent_requests && { maxConcurrent: gateway_params.max_concurrent_requests }),
  };
}

const serverRules = (server: McpRegistration, { upstream_token_header }: BackendSecrets): HeaderRules => ({
  id: server.server_id,
  static_headers: server.static_headers,
  extra_headers: server.extra_headers,
  upstream_token_header,
});
