import type { SecretStorage } from 'vscode';
import { Listeners } from '../../src/client/listeners.ts';

/** A secret storage in memory; several windows may share it, and each hears of every change. */
export class MemorySecrets {
  readonly values = new Map<string, string>();
  readonly #changed = new Listeners<{ readonly key: string }>();

  keys = async (): Promise<string[]> => [...this.values.keys()];
  get = async (key: string): Promise<string | undefined> => this.values.get(key);
  async store(key: string, value: string): Promise<void> {
    this.values.set(key, value);
    this.#changed.fire({ key });
  }
  async delete(key: string): Promise<void> {
    this.values.delete(key);
    this.#changed.fire({ key });
  }
  readonly onDidChange: SecretStorage['onDidChange'] = (listener) => this.#changed.add(listener);
}
