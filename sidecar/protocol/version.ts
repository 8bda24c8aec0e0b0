import type { UnsupportedVersionData } from './errors.ts';

export const PROTOCOL_VERSION = '0.7.0';

/** What `data` of -32005 says. */
export const unsupportedVersion: UnsupportedVersionData = { supportedVersions: ['^0.7.0'] };

/**
 * The first offered version that fits, in the client's order. Any patch level of 0.7 fits. `undefined`: answer -32005
 * with {@link unsupportedVersion}, then close (`host.version.unserved`).
 */
export function negotiateVersion(offered: readonly string[]): string | undefined {
  return offered.find((it) => /^0\.7\.(0|[1-9]\d*)$/.test(it));
}
