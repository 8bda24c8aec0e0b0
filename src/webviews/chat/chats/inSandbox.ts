import { SANDBOX } from '../../../../sidecar/protocol/channels/session/sandboxChoice.ts';
import type { OpenChat } from '../openChat.ts';

/** Turns the page into a new chat with the same agent, whose session will run in a sandbox. */
export function inSandbox(chat: OpenChat): void {
  const { folder, provider = chat.session?.provider } = chat.chosen;
  chat.restart({
    ...(folder !== undefined && { folder }),
    ...(provider !== undefined && { provider }),
    config: { [SANDBOX]: 'on' },
  });
}
