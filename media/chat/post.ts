import type { ChatFromPage } from '../../src/webviews/contract/chat.ts';

const eventName = 'chat-post';

/** Elements say what a person wants by an event; only the page itself talks to the extension. */
export function post(from: HTMLElement, message: ChatFromPage): void {
  from.dispatchEvent(new CustomEvent(eventName, { detail: message, bubbles: true }));
}

export function onPost(root: HTMLElement, listener: (message: ChatFromPage) => void): void {
  root.addEventListener(eventName, (event) => listener((event as CustomEvent<ChatFromPage>).detail));
}
