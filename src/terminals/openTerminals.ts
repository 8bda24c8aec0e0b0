import * as vscode from 'vscode';
import type { Host } from '../client/hosts.ts';
import { HostTerminal } from './hostTerminal.ts';

/** The terminals of hosts that this window shows, each once. */
export class OpenTerminals implements vscode.Disposable {
  /** By host and URI: two hosts may give the same one. */
  readonly #open = new Map<string, vscode.Terminal>();

  show({ id, client }: Pick<Host, 'id' | 'client'>, uri: string, name: string): void {
    const key = `${id} ${uri}`;
    const known = this.#open.get(key);
    if (known) return known.show();
    const onClosed = () => this.#open.delete(key);
    const pty = new HostTerminal({ port: client, clientId: client.clientId, uri, onClosed });
    const terminal = vscode.window.createTerminal({ name, pty, iconPath: new vscode.ThemeIcon('server-process') });
    this.#open.set(key, terminal);
    terminal.show();
  }

  dispose(): void {
    for (const it of this.#open.values()) it.dispose();
  }
}
