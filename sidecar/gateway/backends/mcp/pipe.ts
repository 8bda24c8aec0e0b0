import type { BackendFailure } from './failure.ts';
import type { Outbound } from './types.ts';

export interface PipeHandlers {
  /** One JSON-RPC message as text. */
  onMessage(text: string): void;
  /** Once; nothing comes after it. */
  onClose(failure: BackendFailure): void;
}

/** A channel that carries whole messages both ways, with no relation between them: stdio, and the older SSE transport. */
export interface MessagePipe {
  /** Call it once, before the first message is sent. @throws {BackendFailure} */
  open(handlers: PipeHandlers): Promise<void>;
  /** @throws {BackendFailure} */
  send(text: string, outbound: Outbound, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}
