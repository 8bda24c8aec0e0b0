import type { NewPlace } from '../client/hosts.ts';

/** What commands need of the chat: where it is shown is the person's setting. */
export interface ChatSurface {
  /** Shows the chat of a session; without one, a new chat that becomes a session with its first prompt. */
  open(
    session: string | undefined,
    options?: {
      readonly provider?: string;
      readonly prompt?: string;
      readonly send?: boolean;
      /** Of the session. Absent: the one that is shown, or its first. */
      readonly chat?: string;
    } & NewPlace,
  ): void;
  /** Adds a chat to a session, or one beside the chat of it that is shown; without a session to the one used last. */
  begin(what: 'newChat' | 'askBeside', session?: string): void;
  /** Moves the chat of the side bar into the editor area. */
  openInEditor(): void;
  /** Shows the chat with its earlier turns attached to the next prompt, where the person may take them out again. */
  attachTranscript(session: string): void;
}
