import type { ChatFromPage } from '../../src/webviews/contract/chat.ts';

const eventName = 'chat-tell';

/** Elements say what a person wants by an event; only the page itself talks to the extension. */
export function tell(from: HTMLElement, message: ChatFromPage): void {
  from.dispatchEvent(new CustomEvent(eventName, { detail: message, bubbles: true }));
}

export function onTell(root: HTMLElement, listener: (message: ChatFromPage) => void): void {
  root.addEventListener(eventName, (event) => listener((event as CustomEvent<ChatFromPage>).detail));
}
