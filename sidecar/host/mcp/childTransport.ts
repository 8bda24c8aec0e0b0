import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { LeashedChild } from '../../platform/children/children.ts';

/** What the library brings to read and write lines of JSON-RPC. */
interface Lines {
  readonly ReadBuffer: new () => { append(chunk: Buffer): void; readMessage(): JSONRPCMessage | null };
  readonly serializeMessage: (message: JSONRPCMessage) => string;
}

/** A server that runs on our leash: one message a line on its standard input and output. */
export class ChildTransport implements Transport {
  readonly #child: LeashedChild;
  readonly #lines: Lines;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  constructor(child: LeashedChild, lines: Lines) {
    this.#child = child;
    this.#lines = lines;
  }

  async start(): Promise<void> {
    const buffer = new this.#lines.ReadBuffer();
    this.#child.stdout.on('data', (chunk: Buffer) => {
      try {
        buffer.append(chunk);
        for (let it = buffer.readMessage(); it !== null; it = buffer.readMessage()) this.onmessage?.(it);
      } catch (thrown) {
        // No line of JSON-RPC, or one without an end: whoever waits for an answer learns that it ended.
        this.onerror?.(thrown instanceof Error ? thrown : new Error(String(thrown)));
        void this.close();
      }
    });
    void this.#child.exited.then(() => this.onclose?.());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#child.stdin.write(this.#lines.serializeMessage(message), (error) => (error ? reject(error) : resolve()));
    });
  }

  async close(): Promise<void> {
    await this.#child.stop();
  }
}
