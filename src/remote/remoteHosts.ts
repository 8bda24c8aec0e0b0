import * as vscode from 'vscode';
import type { RootState } from '../../sidecar/protocol/channels/root/schema.ts';
import { ROOT } from '../../sidecar/protocol/uris.ts';
import type { Host } from '../client/hosts.ts';
import { Listeners } from '../client/listeners.ts';
import type { ChannelView, Disposable } from '../client/port.ts';
import { afterDelay } from '../client/requests.ts';
import { chance } from '../platform/clock.ts';
import { initializeParams } from '../sidecar/initializeParams.ts';
import type { SessionsTree } from '../views/sessions/provider.ts';
import { type Attached, HostCommands, type HostCommandsDeps } from './hostCommands.ts';
import { HostsTree, type HostsTreeDeps } from './hostsTree.ts';
import { HostTokens, type SignedInTo } from './hostTokens.ts';
import { RemoteHost } from './remoteHost.ts';
import { plainName, whyNot } from './remoteTexts.ts';
import { openWebSocketConnection } from './webSocketConnection.ts';

export interface RemoteHostsDeps extends Pick<HostCommandsDeps, 'hosts' | 'config' | 'list' | 'save'> {
  readonly secrets: vscode.SecretStorage;
  readonly signedInTo: SignedInTo;
  /** Of this build, for logs of the hosts. */
  readonly version: string;
  readonly tree: Pick<HostsTreeDeps, 'local' | 'state'> & {
    readonly view: { fill(provider: vscode.TreeDataProvider<unknown>): void };
  };
  /** A client with all that is drawn from it. */
  readonly makeHost: (about: {
    readonly id: string;
    readonly nameOf: () => string;
    readonly connect: () => Promise<void>;
  }) => Host;
  readonly makeTree: (host: Host, onDidChangeRoot: (listener: () => void) => Disposable) => SessionsTree;
  readonly warn: (message: string) => void;
}

/** One host of the setting, with what ends when it is let go. */
interface Followed extends Attached {
  readonly tree: SessionsTree;
  readonly stops: readonly { dispose(): void }[];
}

/** The hosts elsewhere that the setting names: attached to, shown beside the one of this machine, and let go. */
export class RemoteHosts implements vscode.Disposable {
  /** What a person does with them. */
  readonly commands: HostCommands;
  readonly #deps: RemoteHostsDeps;
  readonly #tokens: HostTokens;
  readonly #attached = new Map<string, Followed>();
  /** By address, also of hosts that are not attached any more: a chat that is open may show one. */
  readonly #known = new Map<string, Host>();
  /** Fires the address of a host that says something new of itself. */
  readonly #roots = new Listeners<string>();
  readonly #tree: HostsTree;
  readonly #stop: { dispose(): void };

  constructor(deps: RemoteHostsDeps) {
    this.#deps = deps;
    this.#tokens = new HostTokens(deps.secrets, deps.signedInTo);
    this.commands = new HostCommands({
      ...deps,
      tokens: this.#tokens,
      attached: this.#attached,
      whyNot: (address, state) => this.#whyNot(address, state),
    });
    this.#stop = this.#tokens.onDidChange((address) => this.#attached.get(address)?.remote.retry());
    this.#tree = new HostsTree({
      ...deps.tree,
      hosts: deps.hosts,
      far: () =>
        [...this.#attached.values()].map(({ host, remote, tree }) => ({ id: host.id, state: remote.state, tree })),
    });
    deps.tree.view.fill(this.#tree);
  }

  /** Attaches to what the setting names now, and lets go of what it does not. */
  follow(): void {
    const wanted = this.#deps.list();
    for (const address of [...this.#attached.keys()])
      if (!wanted.some((it) => it.address === address)) this.#letGo(address);
    for (const { address } of wanted) if (!this.#attached.has(address)) this.#add(address);
    const attached = wanted.flatMap(({ address }) => this.#attached.get(address) ?? []);
    this.#deps.hosts.setOthers(attached.map((it) => it.host));
    this.#tree.listChanged();
    for (const { remote } of attached) remote.start();
  }

  elsewhere(address: string): Host {
    const known = this.#known.get(address);
    if (known) return known;
    const host = this.#deps.makeHost({
      id: address,
      nameOf: () => this.#deps.list().find((it) => it.address === address)?.name ?? plainName(address),
      connect: () => this.#connected(address),
    });
    // The host notifies of its sessions those who look at its root; opening that earlier would ask for a connection.
    let root: ChannelView<RootState> | undefined;
    host.client.onDidConnect(() => {
      if (root) return;
      root = host.client.open<RootState>(ROOT);
      root.onDidChange(() => this.#roots.fire(address));
    });
    this.#known.set(address, host);
    return host;
  }

  dispose(): void {
    this.#stop.dispose();
    for (const address of [...this.#attached.keys()]) this.#letGo(address);
    this.#tree.dispose();
  }

  #add(address: string): void {
    const host = this.elsewhere(address);
    const remote = new RemoteHost({
      token: () => this.#tokens.get(address),
      open: (token, signal) =>
        openWebSocketConnection({
          address,
          token,
          signal,
          initializeParams: initializeParams(host.client.clientId, this.#deps.version, { servedWindow: true }),
        }),
      attach: (connection) => host.client.attach(connection),
      schedule: afterDelay,
      random: chance,
      monotonicMs: () => performance.now(),
    });
    const tree = this.#deps.makeTree(host, (listener) =>
      this.#roots.add((changed) => {
        if (changed === address) listener();
      }),
    );
    const changed = remote.onDidChange((state) => {
      if (state.kind === 'lost') this.#deps.warn(`no connection to a host elsewhere: ${state.trouble.kind}`);
      this.#tree.hostChanged(address);
    });
    this.#attached.set(address, {
      host,
      remote,
      tree,
      stops: [changed, remote, this.#tree.follow(address, tree), tree],
    });
  }

  #letGo(address: string): void {
    const attached = this.#attached.get(address);
    this.#attached.delete(address);
    for (const it of attached?.stops ?? []) it.dispose();
    attached?.host.client.dispose();
  }

  #connected(address: string): Promise<void> {
    const attached = this.#attached.get(address);
    if (!attached) return Promise.reject(new Error(this.#whyNot(address, { kind: 'stopped' })));
    return attached.remote.connected((state) => this.#whyNot(address, state));
  }

  #whyNot(address: string, state: RemoteHost['state']): string {
    return whyNot(vscode.l10n, this.elsewhere(address).name, address, state);
  }
}
