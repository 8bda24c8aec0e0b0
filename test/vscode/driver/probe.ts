import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './until.ts';

/** An open tab, as the editor itself tells it. A diff has two URIs, a multi-diff has none that an extension may see. */
export interface Tab {
  readonly label: string;
  readonly isActive: boolean;
  readonly isDirty: boolean;
  readonly kind: 'text' | 'diff' | 'webview' | 'custom' | 'other';
  readonly uri?: string;
  readonly original?: string;
}

/** The extension host of one window, asked through the test's own extension. */
export class Probe {
  readonly pid: number;
  readonly #port: number;
  readonly #secret: string;

  constructor(file: string) {
    const { port, secret, pid } = JSON.parse(readFileSync(file, 'utf8')) as {
      port: number;
      secret: string;
      pid: number;
    };
    this.#port = port;
    this.#secret = secret;
    this.pid = pid;
  }

  /** Runs `source`, the body of an async function of `vscode` and `arg`, and answers what it returns as JSON. */
  async run<T>(source: string, arg?: unknown): Promise<T> {
    const response = await fetch(`http://127.0.0.1:${this.#port}/`, {
      method: 'POST',
      headers: { 'x-secret': this.#secret },
      body: JSON.stringify({ source, arg }),
    });
    const answer = (await response.json()) as { value: T; error?: string };
    if (answer.error !== undefined) throw new Error(`in the editor: ${answer.error}`);
    return answer.value;
  }

  tabs(): Promise<Tab[]> {
    return this.run(`
      return vscode.window.tabGroups.all.flatMap((group) => group.tabs).map((tab) => {
        const { label, isActive, isDirty, input } = tab;
        const kind = input instanceof vscode.TabInputText ? 'text' : input instanceof vscode.TabInputTextDiff ? 'diff'
          : input instanceof vscode.TabInputWebview ? 'webview' : input instanceof vscode.TabInputCustom ? 'custom' : 'other';
        const uri = (input?.uri ?? input?.modified)?.toString();
        return { label, isActive, isDirty, kind, uri, original: input?.original?.toString() };
      });`);
  }

  /** Every open document: what the two sides of the diff editors show, among others. */
  documents(): Promise<{ uri: string; text: string; isDirty: boolean }[]> {
    return this.run(
      'return vscode.workspace.textDocuments.map((it) => ({ uri: it.uri.toString(), text: it.getText(), isDirty: it.isDirty }));',
    );
  }

  command<T>(id: string, ...args: unknown[]): Promise<T> {
    return this.run('return vscode.commands.executeCommand(arg.id, ...arg.args);', { id, args });
  }

  /** The milliseconds that our `activate()` took, as the editor measured it, are not public; whether it is active is. */
  isActive(extension: string): Promise<boolean> {
    return this.run('return vscode.extensions.getExtension(arg)?.isActive === true;', extension);
  }
}

/** Follows the folder in which each new extension host leaves its address. */
export class ProbeFolder {
  readonly path: string;
  readonly #seen = new Set<string>();

  constructor(path: string) {
    this.path = path;
  }

  /** The extension host that started since the last call. */
  async next(): Promise<Probe> {
    const file = await until('the window runs its extensions', () => this.#files().find((it) => !this.#seen.has(it)));
    this.#seen.add(file);
    return new Probe(join(this.path, file));
  }

  /** What started until now is not meant by the next `next()`. */
  forget(): void {
    for (const it of this.#files()) this.#seen.add(it);
  }

  /** Of all extension hosts that started, even if they have ended. */
  pids(): number[] {
    return this.#files().map((it) => new Probe(join(this.path, it)).pid);
  }

  #files(): string[] {
    return existsSync(this.path)
      ? readdirSync(this.path)
          .filter((it) => it.endsWith('.json'))
          .sort()
      : [];
  }
}
