import * as vscode from 'vscode';
import type { HostPort } from '../client/port.ts';
import { HostTerminal } from './hostTerminal.ts';

/** The host's terminals that this window shows, each once. */
export class OpenTerminals implements vscode.Disposable {
  readonly #port: HostPort;
  readonly #clientId: string;
  readonly #open = new Map<string, vscode.Terminal>();

  constructor(port: HostPort, clientId: string) {
    this.#port = port;
    this.#clientId = clientId;
  }

  show(uri: string, name: string): void {
    const known = this.#open.get(uri);
    if (known) return known.show();
    const onClosed = () => this.#open.delete(uri);
    const pty = new HostTerminal({ port: this.#port, clientId: this.#clientId, uri, onClosed });
    const terminal = vscode.window.createTerminal({ name, pty, iconPath: new vscode.ThemeIcon('server-process') });
    this.#open.set(uri, terminal);
    terminal.show();
  }

  dispose(): void {
    for (const it of this.#open.values()) it.dispose();
  }
}
