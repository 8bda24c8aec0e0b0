import { readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { isStoreRef, type SecretRef, type StoreRef } from '../../protocol/gateway/config/secretRef.ts';

/** Where secrets are looked up: handed in, so that nothing here reads the process. */
export interface SecretSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of the configuration file: paths of secrets begin there. */
  readonly folder: string;
  /** Absent: none is configured. */
  readonly stores?: SecretStoreReads | undefined;
}

/** Secrets that are kept elsewhere. */
export interface SecretStoreReads {
  read(ref: StoreRef): Promise<FoundSecret>;
}

export type FoundSecret = { readonly value: string } | { readonly missing: string };

/** A secret, or in words why it is not there. Never empty: an empty secret would be sent as none. */
export async function findSecret(ref: SecretRef, { env, folder, stores }: SecretSources): Promise<FoundSecret> {
  if (isStoreRef(ref))
    return stores ? stores.read(ref) : { missing: "the file has no 'secret_stores', where this secret would be read" };
  if ('env' in ref) {
    const value = env[ref.env];
    return value ? { value } : { missing: `the environment variable '${ref.env}' is not set` };
  }
  try {
    const text = await readFile(secretPath(ref.file, folder), 'utf8');
    const value = text.replace(/\r?\n$/, '');
    return value === '' ? { missing: `the file '${ref.file}' is empty` } : { value };
  } catch (thrown) {
    return { missing: `the file '${ref.file}' cannot be read: ${reason(thrown)}` };
  }
}

export const secretPath = (file: string, folder: string): string => (isAbsolute(file) ? file : join(folder, file));

function reason(thrown: unknown): string {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
  if (code === 'ENOENT') return 'it does not exist';
  return code === 'EACCES' || code === 'EPERM' ? 'permission denied' : code || 'it is not a text file';
}
