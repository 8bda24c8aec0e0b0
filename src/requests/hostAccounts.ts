import type { RootState } from '../../sidecar/protocol/channels/root/schema.ts';
import { ROOT } from '../../sidecar/protocol/uris.ts';
import type { Host, Hosts } from '../client/hosts.ts';
import type { Disposable } from '../client/port.ts';
import { whenShown } from '../client/whenShown.ts';
import type { Tokens } from '../config/tokens.ts';
import { Accounts, type AccountsDeps } from './accounts.ts';

export interface HostAccountsDeps extends Omit<AccountsDeps, 'port' | 'tokens'> {
  readonly hosts: Pick<Hosts, 'all' | 'of' | 'at' | 'onDidChange'>;
  /** @param host empty for the host of this machine, otherwise its address */
  readonly tokensOf: (host: string) => Tokens;
  /** A host wants a token of this window. */
  readonly demanded: (signedIn: SignedIn, resource: string, reason: string) => void;
}

/** A person's sign-ins, as one host knows them. */
export interface SignedIn {
  readonly host: Host;
  readonly tokens: Tokens;
  readonly accounts: Accounts;
}

/** The sign-ins of each host that the window is attached to: none gets those to another. */
export class HostAccounts implements Disposable {
  readonly #deps: HostAccountsDeps;
  readonly #all = new Map<Host, SignedIn & { readonly stops: readonly Disposable[] }>();
  readonly #stop: Disposable;

  constructor(deps: HostAccountsDeps) {
    this.#deps = deps;
    this.#stop = deps.hosts.onDidChange(({ kind }) => {
      if (kind === 'list') this.#follow();
    });
    this.#follow();
  }

  get all(): readonly SignedIn[] {
    return [...this.#all.values()];
  }
  /** @param id empty for the host of this machine; `undefined` for one that is not attached to */
  at(id: string): SignedIn | undefined {
    const host = this.#deps.hosts.at(id);
    return host && this.#all.get(host);
  }
  /** Of the host whose session, or other channel, it is. */
  of(uri: string): SignedIn | undefined {
    return this.#all.get(this.#deps.hosts.of(uri));
  }

  /** What an agent of the host cannot be used without and the host does not have, and what people call the agent. */
  async missing({ host, accounts }: SignedIn, provider: string | undefined) {
    const { agents } = await whenShown<RootState>(host.client, ROOT);
    const agent = provider === undefined ? agents[0] : agents.find((it) => it.provider === provider);
    return { agent: agent?.displayName, resources: await accounts.missing(agent?.protectedResources ?? []) };
  }

  dispose(): void {
    this.#stop.dispose();
    for (const host of [...this.#all.keys()]) this.#leave(host);
  }

  #follow(): void {
    const { all } = this.#deps.hosts;
    for (const host of [...this.#all.keys()]) if (!all.includes(host)) this.#leave(host);
    for (const host of all) if (!this.#all.has(host)) this.#add(host);
  }

  #add(host: Host): void {
    const { tokensOf, demanded } = this.#deps;
    const { client, attention } = host;
    const tokens = tokensOf(host.id);
    const accounts = new Accounts({ ...this.#deps, port: client, tokens });
    const tried = new Set<string>();
    const pushPending = () => {
      for (const { request, key } of attention.pending) {
        if (request.kind !== 'toolAuthentication' || tried.has(key)) continue;
        tried.add(key);
        const { resource, reason } = request.toolCall.auth;
        if (reason !== 'insufficientScope') void accounts.push(resource.resource, reason === 'expired');
      }
    };
    const signedIn = { host, tokens, accounts };
    const stops = [
      client.onDidConnect(() => {
        tried.clear();
        void accounts.pushAll();
      }),
      client.onDidDisconnect(() => accounts.disconnected()),
      client.onNotification('auth/required', ({ resource, reason }) => demanded(signedIn, resource, reason)),
      tokens.onDidChange((resource) => void accounts.follow(resource)),
      attention.onDidChange(pushPending),
    ];
    this.#all.set(host, { ...signedIn, stops });
  }

  #leave(host: Host): void {
    for (const it of this.#all.get(host)?.stops ?? []) it.dispose();
    this.#all.delete(host);
  }
}
