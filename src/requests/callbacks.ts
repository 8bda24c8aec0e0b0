import type * as vscode from 'vscode';

/** Where browsers come back to after a sign-in: each answer goes to whoever waits for its state, every other is dropped. */
export class Callbacks implements vscode.UriHandler {
  readonly #waiting = new Map<string, (answer: URLSearchParams) => void>();

  handleUri({ query }: vscode.Uri): void {
    const answer = new URLSearchParams(query);
    this.#waiting.get(answer.get('state') ?? '')?.(answer);
  }

  /** Settles with the answer of the sign-in with this state. @throws the reason of `signal` */
  wait(state: string, signal: AbortSignal): Promise<URLSearchParams> {
    return new Promise((resolve, reject) => {
      const end = () => {
        this.#waiting.delete(state);
        signal.removeEventListener('abort', aborted);
      };
      const aborted = () => {
        end();
        reject(signal.reason);
      };
      this.#waiting.set(state, (answer) => {
        end();
        resolve(answer);
      });
      signal.addEventListener('abort', aborted);
      if (signal.aborted) aborted();
    });
  }
}
