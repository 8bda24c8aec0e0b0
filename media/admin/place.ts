import * as z from 'zod';
import { languageOf } from '../../sidecar/protocol/words/languages.ts';
import type { GatewayFromPage, GatewayPageState, GatewayToPage } from '../../src/webviews/contract/gatewayPages.ts';
import { connectBridge } from '../shared/bridge.ts';
import { useTranslations } from '../shared/l10n.ts';
import { type Answer, ApiError, type Transport } from './api.ts';

/** Where the pages run: in a browser, signed in by a cookie, or in a webview, where the extension holds the key. */
export interface Place {
  readonly transport: Transport;
  /** True where the page itself signs in and out. */
  readonly signsIn: boolean;
  /** The gateway's own address, without a slash at the end. */
  baseUrl(): string;
  /** The address's query when the page was opened. */
  query(): string;
  /** Keeps the query, so that a reload and the browser's Back lead to the same page. */
  remember(query: string, replace: boolean): void;
  /** Told when somebody else changes the query: Back and Forward, a command of the editor. */
  onQuery(listener: () => void): void;
  /** The secret of an invitation whose link was opened. It leaves the address, and is there once. */
  invitation(): string | undefined;
  /** Opens an address in place of the pages. */
  leave(url: string): void;
  copy(text: string): Promise<void>;
  save(name: string, text: string): void;
}

export function browserPlace(): Place {
  // What is in front of /ui/: a reverse proxy may serve the gateway below a path.
  const baseUrl = location.origin + location.pathname.replace(/\/ui\/.*$/, '');
  return {
    signsIn: true,
    baseUrl: () => baseUrl,
    transport: async ({ method, path, body }, signal) => {
      const response = await fetch(baseUrl + path, {
        method,
        credentials: 'same-origin',
        ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
        ...(signal && { signal }),
      });
      const text = await response.text();
      const date = response.headers.get('date') ?? undefined;
      return { status: response.status, body: parsed(text), date };
    },
    query: () => location.search,
    remember(query, replace) {
      if (replace) history.replaceState(null, '', query);
      else history.pushState(null, '', query);
    },
    onQuery: (listener) => window.addEventListener('popstate', listener),
    invitation() {
      const secret = /^#invitation=([\w-]+)$/.exec(location.hash)?.[1];
      if (secret !== undefined) history.replaceState(null, '', location.pathname + location.search);
      return secret;
    },
    leave: (url) => location.assign(url),
    copy: (text) => navigator.clipboard.writeText(text),
    save(name, text) {
      const link = document.createElement('a');
      link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
      link.download = name;
      link.click();
      URL.revokeObjectURL(link.href);
    },
  };
}

/** Loads the texts in the browser's language, where there are some; English is in the script. */
export async function useBrowserLanguage(): Promise<void> {
  const language = languageOf(navigator.languages);
  if (!language) return;
  // What the page cannot load it shows in English, and the browser's console says why.
  const response = await fetch(`bundle.l10n.${language}.json`);
  if (!response.ok) return;
  useTranslations(z.record(z.string(), z.string()).parse(await response.json()));
  document.documentElement.lang = language;
}

/** @returns once the extension has said which page to show */
export function webviewPlace(): Promise<Place> {
  const pending = new Map<number, { resolve(answer: Answer): void; reject(error: Error): void }>();
  let query = '';
  let baseUrl = '';
  let lastId = 0;
  let listener: (() => void) | undefined;
  return new Promise((opened) => {
    const bridge = connectBridge<GatewayToPage, GatewayFromPage, GatewayPageState>((message) => {
      if (message.type === 'open') {
        useTranslations(message.strings);
        ({ baseUrl } = message);
        query = listener ? message.query : (bridge.saved()?.query ?? message.query);
        if (!listener) opened(place);
        else {
          bridge.save({ query });
          listener();
        }
        return;
      }
      const waiting = pending.get(message.id);
      pending.delete(message.id);
      if (message.type === 'unreachable') waiting?.reject(new ApiError(0, message.reason));
      else waiting?.resolve({ status: message.status, body: message.body, date: message.date });
    });
    const place: Place = {
      signsIn: false,
      baseUrl: () => baseUrl,
      transport: (ask, signal) =>
        new Promise((resolve, reject) => {
          lastId += 1;
          const id = lastId;
          pending.set(id, { resolve, reject });
          signal?.addEventListener('abort', () => {
            pending.delete(id);
            bridge.post({ type: 'abort', id });
            reject(new DOMException('aborted', 'AbortError'));
          });
          bridge.post({ type: 'ask', id, ...ask });
        }),
      query: () => query,
      remember(next) {
        query = next;
        bridge.save({ query });
      },
      onQuery: (it) => (listener = it),
      invitation: () => undefined,
      leave: () => undefined, // nobody signs in or out here
      copy: async (text) => bridge.post({ type: 'copy', text }),
      save: (name, text) => bridge.post({ type: 'save', name, text }),
    };
    bridge.post({ type: 'ready' });
  });
}

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return text; // no JSON: the schema of the answer refuses it, and its words are shown to nobody
  }
}
