import type { RootState } from '../../sidecar/protocol/channels/root/schema.ts';
import { ROOT } from '../../sidecar/protocol/uris.ts';
import type { HostClient } from './hostClient.ts';
import { Listeners } from './listeners.ts';
import type { ChannelView, Disposable } from './port.ts';

/** What a host says of itself, where somebody of this window looks at it already; asks for no connection. */
export function rootStateOf(client: Pick<HostClient, 'holds' | 'open'>): RootState | undefined {
  if (!client.holds(ROOT)) return undefined;
  const view = client.open<RootState>(ROOT);
  const { shown } = view;
  view.dispose();
  return shown;
}

/**
 * What a host says of itself, from the first connection on; opening it earlier would ask for one. The host notifies of its
 * sessions those who look at its root.
 */
export class FollowedRoot implements Disposable {
  readonly #changed = new Listeners<void>();
  readonly #connected: Disposable;
  #view: ChannelView<RootState> | undefined;

  constructor(client: Pick<HostClient, 'onDidConnect' | 'open'>) {
    this.#connected = client.onDidConnect(() => {
      if (this.#view) return;
      this.#view = client.open<RootState>(ROOT);
      this.#view.onDidChange(() => this.#changed.fire());
    });
  }

  get shown(): RootState | undefined {
    return this.#view?.shown;
  }

  readonly onDidChange = (listener: () => void): Disposable => this.#changed.add(listener);

  dispose(): void {
    this.#connected.dispose();
    this.#view?.dispose();
  }
}
