import { unwatchFile, watchFile } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Log } from '../../platform/logger.ts';
import type { Certificate } from '../http/listen.ts';
import { type CertificateFiles, readCertificate } from './serverOptions.ts';

/** How soon a new certificate is seen. Looked for by time and size, through links: mounts and renewers change those. */
export const CERTIFICATE_MS = 1_000;

export interface CertificateWatchDeps {
  /** Absent: there is nothing to watch. */
  readonly files: CertificateFiles | undefined;
  /** Serves it from now on. @throws where certificate and key do not belong together */
  readonly renew: (certificate: Certificate) => void;
  readonly log: Log;
}

/** Follows the certificate of the gateway; one that cannot be used changes nothing, and is read again when it changes. */
export function watchCertificate({ files, renew, log }: CertificateWatchDeps) {
  if (!files) return { look: () => undefined, close: () => undefined };
  let current = readCertificate(files);
  const look = () => {
    try {
      const next = readCertificate(files);
      if (isDeepStrictEqual(next, current)) return;
      renew(next);
      current = next;
      log.info({}, 'The certificate was reloaded. New connections use the new one.');
    } catch (thrown) {
      // Renewers write two files one after the other: between them they do not belong together.
      log.warn({ thrown }, 'The new certificate cannot be used yet. The previous one remains in use.');
    }
  };
  const paths = [files.cert_file, files.key_file];
  for (const it of paths) watchFile(it, { interval: CERTIFICATE_MS, persistent: false }, look);
  return {
    look,
    close() {
      for (const it of paths) unwatchFile(it, look);
    },
  };
}
