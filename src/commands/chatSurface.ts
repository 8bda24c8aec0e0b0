/** What commands need of the chat: where it is shown is the person's setting. */
export interface ChatSurface {
  /** Shows the chat of a session; without one, a new chat that becomes a session with its first prompt. */
  open(session: string | undefined): void;
}
