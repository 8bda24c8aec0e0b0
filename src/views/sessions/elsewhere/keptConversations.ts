import * as vscode from 'vscode';
import { ROOT, sessionUri } from '../../../../sidecar/protocol/uris.ts';
import type { HostPort } from '../../../client/port.ts';
import { nowMs } from '../../../platform/clock.ts';
import { whyOf } from '../../../platform/whyOf.ts';
import type { ElsewhereNode, Kept } from './elsewhereNodes.ts';

/** A list that is older is requested again when it is shown. */
const FRESH_MS = 30_000;

type Conversation = Extract<ElsewhereNode, { kind: 'conversation' }>;

/** The conversations that agents keep. They are requested when a person expands an agent, because that starts the agent. */
export class KeptConversations implements vscode.Disposable {
  readonly #port: Pick<HostPort, 'request'>;
  readonly #folder: () => string | undefined;
  readonly #changed = new vscode.EventEmitter<string>();
  /** With the provider whose list changed. */
  readonly onDidChange = this.#changed.event;
  readonly #known = new Map<string, { kept: Kept; atMs: number }>();

  /** @param folder of the window, as a URI */
  constructor(port: Pick<HostPort, 'request'>, folder: () => string | undefined) {
    this.#port = port;
    this.#folder = folder;
  }

  of(provider: string): Kept {
    const known = this.#known.get(provider);
    const isFresh = known && (known.kept.state === 'loading' || nowMs() - known.atMs < FRESH_MS);
    if (!isFresh) void this.#ask(provider);
    return known?.kept ?? { state: 'loading' };
  }

  /** Creates a session that continues a conversation. @returns its URI */
  async bringIn({ provider, conversation: id }: Conversation): Promise<string> {
    const session = sessionUri(crypto.randomUUID());
    const location = { viewId: 'switchboard.sessions' };
    await vscode.window.withProgress({ location }, () =>
      this.#port.request('x-switchboard/conversationOpen', { ...this.#asked(provider), id, session }),
    );
    const known = this.#known.get(provider);
    if (known?.kept.state === 'loaded')
      this.#set(provider, { state: 'loaded', items: known.kept.items.filter((it) => it.id !== id) });
    return session;
  }

  dispose(): void {
    this.#changed.dispose();
  }

  async #ask(provider: string): Promise<void> {
    const known = this.#known.get(provider);
    this.#known.set(provider, { kept: known?.kept ?? { state: 'loading' }, atMs: nowMs() });
    try {
      const { items } = await this.#port.request('x-switchboard/conversations', this.#asked(provider));
      this.#set(provider, { state: 'loaded', items });
    } catch (thrown) {
      this.#set(provider, { state: 'failed', why: whyOf(thrown) });
    }
  }

  #asked(provider: string) {
    const folder = this.#folder();
    return { channel: ROOT, provider, ...(folder !== undefined && { workingDirectory: folder }) } as const;
  }

  #set(provider: string, kept: Kept): void {
    this.#known.set(provider, { kept, atMs: nowMs() });
    this.#changed.fire(provider);
  }
}

/** The conversation of a row. */
export function isConversation(row: unknown): row is Conversation {
  return typeof row === 'object' && row !== null && 'kind' in row && row.kind === 'conversation';
}
