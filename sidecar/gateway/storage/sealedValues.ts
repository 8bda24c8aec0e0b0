import * as z from 'zod';
import type { Secrets } from './secrets.ts';

const Texts = z.record(z.string(), z.string());

/**
 * Secret texts of a record that are no credentials: values of headers and of environment variables that the configuration
 * names by their place. The record holds the others; these are sealed beside it under `values`.
 */
export const SealedValues = z.object({
  static_headers: Texts.optional(),
  env: Texts.optional(),
  /** Of `env_vars`, by name. */
  env_vars: Texts.optional(),
  /** Of `gateway_params.static_headers`. */
  params_headers: Texts.optional(),
});
export type SealedValues = z.infer<typeof SealedValues>;

/** Names under which a server's or agent's secrets are sealed. */
export const sealedNames = { credentials: 'credentials', values: 'values' } as const;

export async function readSealedValues(
  secrets: Secrets,
  kind: 'mcp_server' | 'agent',
  id: string,
): Promise<SealedValues | undefined> {
  const text = await secrets.get(kind, id, sealedNames.values);
  return text === undefined ? undefined : SealedValues.parse(JSON.parse(text));
}

/** All records of a kind with what is sealed beside them put in: for the memory that calls are served from. */
export async function withAllSealedValues<T extends Holder>(
  secrets: Secrets,
  kind: 'mcp_server' | 'agent',
  records: readonly T[],
  idOf: (record: T) => string,
): Promise<readonly T[]> {
  if (records.length === 0) return records;
  const names = await secrets.names(kind);
  const holders = new Set(names.filter((it) => it.name === sealedNames.values).map((it) => it.id));
  return Promise.all(
    records.map(async (it) => {
      const id = idOf(it);
      return holders.has(id) ? withSealedValues(it, await readSealedValues(secrets, kind, id)) : it;
    }),
  );
}

interface Holder {
  readonly static_headers?: Readonly<Record<string, string>> | null | undefined;
  readonly env?: Readonly<Record<string, string>> | null | undefined;
  readonly env_vars?: readonly { readonly name: string; readonly value?: string | undefined }[] | null | undefined;
  readonly gateway_params?:
    | { readonly static_headers?: Readonly<Record<string, string>> | null | undefined }
    | null
    | undefined;
}

/** The record with what is sealed beside it put in: for a call, never for an answer or a log. */
export function withSealedValues<T extends Holder>(record: T, values: SealedValues | undefined): T {
  if (!values) return record;
  const { static_headers, env, env_vars, params_headers } = values;
  return {
    ...record,
    ...(static_headers && { static_headers: { ...record.static_headers, ...static_headers } }),
    ...(env && { env: { ...record.env, ...env } }),
    ...(env_vars && {
      env_vars: (record.env_vars ?? []).map((it) => ({ ...it, value: env_vars[it.name] ?? it.value })),
    }),
    ...(params_headers && {
      gateway_params: {
        ...record.gateway_params,
        static_headers: { ...record.gateway_params?.static_headers, ...params_headers },
      },
    }),
  };
}
