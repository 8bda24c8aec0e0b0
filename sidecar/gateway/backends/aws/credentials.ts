import { Fault } from '../../../platform/faults.ts';
import type { AwsKeys, AwsOptions } from './options.ts';

/** Keys that end at some time are fetched anew this long before it. */
const earlyMs = 5 * 60_000;

interface Temporary extends AwsKeys {
  readonly expiration?: Date;
}

interface Entry {
  readonly fetched: Promise<Temporary>;
  untilMs: number;
}

export interface AwsDeps {
  readonly nowMs: () => number;
  /** Where roles are assumed; default the region's own address. */
  readonly stsEndpoint?: string;
  /** The machine's own chain: environment, profile, web identity, container, instance. Default the AWS SDK's. */
  readonly chain?: () => Promise<Temporary>;
}

/**
 * Credentials for SigV4. A role wins over keys, and is assumed with them where they are given; without either the
 * machine's chain is asked. Temporary ones are fetched anew 5 minutes before they end, by one request at a time.
 */
export class AwsCredentialSource {
  readonly #deps: AwsDeps;
  readonly #entries = new Map<string, Entry>();

  constructor(deps: AwsDeps) {
    this.#deps = deps;
  }

  /**
   * @param owner who they are for, with the version of the registration: other keys have another owner
   * @throws {Fault} `unavailable` where there are none
   */
  async credentials(owner: string, options: AwsOptions): Promise<AwsKeys> {
    if (options.role === undefined && options.keys) return options.keys;
    const found = this.#entries.get(owner);
    if (found && this.#deps.nowMs() < found.untilMs) return found.fetched;
    const entry: Entry = { fetched: this.#fetch(options), untilMs: Number.POSITIVE_INFINITY };
    this.#entries.set(owner, entry);
    try {
      const { expiration } = await entry.fetched;
      if (expiration) entry.untilMs = expiration.getTime() - earlyMs;
      return await entry.fetched;
    } catch (thrown) {
      if (this.#entries.get(owner) === entry) this.#entries.delete(owner);
      throw unavailable(thrown);
    }
  }

  /** A registration changed or was removed. */
  forget(owner: string): void {
    for (const key of this.#entries.keys()) {
      if (key === owner || key.startsWith(`${owner} `)) this.#entries.delete(key);
    }
  }

  async #fetch({ region, keys, role, sessionName }: AwsOptions): Promise<Temporary> {
    if (role === undefined && this.#deps.chain) return this.#deps.chain();
    const providers = await import('@aws-sdk/credential-providers');
    if (role === undefined) return providers.fromNodeProviderChain({ clientConfig: { region } })();
    const assume = providers.fromTemporaryCredentials({
      params: {
        RoleArn: role,
        RoleSessionName: sessionName ?? `switchboard-${Math.floor(this.#deps.nowMs() / 1000)}`,
      },
      ...(keys && { masterCredentials: keys }),
      clientConfig: { region, ...(this.#deps.stsEndpoint !== undefined && { endpoint: this.#deps.stsEndpoint }) },
    });
    return assume();
  }
}

function unavailable(thrown: unknown): Fault {
  const kind = thrown instanceof Error ? thrown.name : 'unknown';
  return new Fault('unavailable', 'No cloud credentials were found for this backend.', {
    data: { reason: 'no_cloud_credentials' },
    cause: new Error(`cloud credentials failed: ${kind}`),
  });
}
