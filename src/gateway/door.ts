import type { HostPort } from '../client/port.ts';
import type { Localizer } from '../platform/localizer.ts';
import { whyOf } from '../platform/whyOf.ts';
import { GatewayError } from './gatewayError.ts';
import type { OwnSecrets } from './secrets.ts';

/** Where the gateway is, and the key with which this window talks to it. */
export interface GatewayAddress {
  readonly baseUrl: string;
  readonly key: string;
}

export interface DoorDeps {
  readonly port: Pick<HostPort, 'request' | 'onDidDisconnect'>;
  readonly own: () => Promise<OwnSecrets>;
  readonly isEnabled: () => boolean;
  /** Programs that servers may run. */
  readonly allowedCommands: () => readonly string[];
  readonly l10n: Localizer;
}

/** Starts the gateway beside the host with the first need, and again after the host went. */
export class GatewayDoor {
  readonly #deps: DoorDeps;
  readonly #stop: { dispose(): void };
  #opening: Promise<GatewayAddress> | undefined;

  constructor(deps: DoorDeps) {
    this.#deps = deps;
    this.#stop = deps.port.onDidDisconnect(() => this.forget());
  }

  /** Whether this window started it, or found it. */
  get isOpen(): boolean {
    return this.#opening !== undefined;
  }

  /** @throws {GatewayError} where it is turned off or cannot be started */
  address(): Promise<GatewayAddress> {
    if (!this.#deps.isEnabled()) {
      this.forget();
      return Promise.reject(new GatewayError(this.#deps.l10n.t('The gateway is turned off in the settings.')));
    }
    if (this.#opening) return this.#opening;
    const opening = this.#start();
    this.#opening = opening;
    opening.catch(() => {
      if (this.#opening === opening) this.forget();
    });
    return opening;
  }

  /** The next need asks the host again: it may have moved, or not have the changed settings. */
  forget(): void {
    this.#opening = undefined;
  }

  dispose(): void {
    this.#stop.dispose();
  }

  async #start(): Promise<GatewayAddress> {
    const { port, own, allowedCommands, l10n } = this.#deps;
    const { secret, adminKey } = await own();
    try {
      const { baseUrl } = await port.request('x-switchboard/gatewayStart', {
        adminKey,
        ...(secret !== undefined && { secret }),
        allowedCommands: [...allowedCommands()],
      });
      return { baseUrl, key: adminKey };
    } catch (thrown) {
      const why = whyOf(thrown);
      throw new GatewayError(l10n.t('The gateway could not be started: {0}', why), { cause: thrown });
    }
  }
}
