import { isLoopback } from '../../platform/loopback.ts';
import type { Runtime } from '../../platform/runtime.ts';
import { type AddressGuard, openAddressGuard } from './addressGuard.ts';
import type { App } from './app.ts';
import { type Certificate, type Listening, type ListenOptions, listen } from './listen.ts';

export interface FrontDoorOptions {
  readonly listen: ListenOptions;
  readonly publicUrl?: string | undefined;
  readonly allowedHosts?: readonly string[];
  readonly allowedOrigins?: readonly string[];
  readonly runtime: Pick<Runtime, 'timers'>;
}

/** The listener, and the names it answers to: those depend on the port, which may be known only once it listens. */
export interface FrontDoor {
  /** Callers reach us over TLS: ours, or that of what is in front of us. */
  readonly isSecure: boolean;
  readonly guard: () => AddressGuard;
  /** As callers reach us: the public URL, else the host they used. @param host one that the guard let pass */
  readonly baseUrl: (host?: string) => string;
  /** As {@link Listening.renewCertificate}. */
  renewCertificate(certificate: Certificate): void;
  close(graceMs: number): Promise<void>;
}

/** @throws {Fault} as {@link listen} */
export async function openFrontDoor(
  { listen: wanted, publicUrl, allowedHosts = [], allowedOrigins = [], runtime }: FrontDoorOptions,
  appFor: (door: FrontDoor) => App,
): Promise<FrontDoor> {
  let listening: Listening | undefined;
  let guard: AddressGuard | undefined;
  const hasTls = wanted.tls !== undefined;
  const own = () => `${hostInUrl(wanted.host)}:${listening?.port ?? wanted.port}`;
  const door: FrontDoor = {
    isSecure: hasTls || (publicUrl !== undefined && new URL(publicUrl).protocol === 'https:'),
    guard: () => (guard ??= openAddressGuard({ hosts: hostsOf(), origins: [...allowedOrigins, ...publicOrigins()] })),
    baseUrl: (host = own()) => publicUrl?.replace(/\/+$/, '') ?? `${hasTls ? 'https' : 'http'}://${host}`,
    renewCertificate: (certificate) => listening?.renewCertificate(certificate),
    close: async (graceMs) => listening?.close(graceMs),
  };
  const publicOrigins = () => (publicUrl === undefined ? [] : [new URL(publicUrl).origin]);
  const hostsOf = () => {
    const port = listening?.port ?? wanted.port;
    // A gateway on all addresses also serves loopback, for health checks. This does not weaken `security.dns-rebinding`: browsers
    // send the name that a page used, and no foreign name is a loopback host.
    const isLocal = isLoopback(wanted.host) || wanted.host === '0.0.0.0' || wanted.host === '::';
    const local = isLocal ? [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`] : [];
    const outside = publicUrl === undefined ? [] : [new URL(publicUrl).host];
    return [own(), ...local, ...outside, ...allowedHosts];
  };
  listening = await listen(appFor(door), wanted, runtime.timers);
  return door;
}

const hostInUrl = (host: string) => (host.includes(':') ? `[${host}]` : host);
