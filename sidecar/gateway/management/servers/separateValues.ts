import type { McpServerRecord } from '../../../protocol/gateway/mcpServer.ts';
import type { Beside } from '../../storage/records.ts';
import { type SealedValues, sealedNames, withSealedValues } from '../../storage/sealedValues.ts';
import type { Secrets } from '../../storage/secrets.ts';
import { MASK, unmasked } from '../mask.ts';

type Texts = Readonly<Record<string, string>> | null | undefined;

/** Values of headers and variables apart from the record: it keeps their names, what they say is sealed beside it. */
export function separateValues(clear: McpServerRecord): {
  readonly record: McpServerRecord;
  readonly values: SealedValues;
} {
  const { static_headers, env, env_vars } = clear;
  const ofVars = Object.fromEntries((env_vars ?? []).map((it) => [it.name, it.value]));
  return {
    record: {
      ...clear,
      ...(static_headers && { static_headers: masked(static_headers) }),
      ...(env && { env: masked(env) }),
      ...(env_vars && { env_vars: env_vars.map((it) => ({ ...it, value: it.value === '' ? '' : MASK })) }),
    },
    values: { ...kept('static_headers', static_headers), ...kept('env', env), ...kept('env_vars', ofVars) },
  };
}

/** @param written whose headers and variables may say {@link MASK}: those keep the value they had */
export function withKeptValues<T extends Partial<McpServerRecord>>(
  written: T,
  before: McpServerRecord,
  values: SealedValues | undefined,
): T {
  const { static_headers, env, env_vars } = withSealedValues(before, values);
  const ofVars = Object.fromEntries((env_vars ?? []).map((it) => [it.name, it.value]));
  return {
    ...written,
    ...(written.static_headers && { static_headers: unmasked(written.static_headers, static_headers) }),
    ...(written.env && { env: unmasked(written.env, env) }),
    ...(written.env_vars && {
      env_vars: written.env_vars.map((it) => ({
        ...it,
        value: it.value === MASK ? (ofVars[it.name] ?? '') : it.value,
      })),
    }),
  };
}

export const masked = (texts: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(texts).map(([name, it]) => [name, it === '' ? '' : MASK]));

/** What there is to seal. */
export function kept(name: keyof SealedValues, texts: Texts): SealedValues {
  const given = Object.entries(texts ?? {}).filter(([, it]) => it !== '');
  return given.length === 0 ? {} : { [name]: Object.fromEntries(given) };
}

/** For the write of the record: whoever is notified of it reads both, and a write that fails leaves both as they were. */
export function sealing(
  secrets: Secrets,
  kind: 'mcp_server' | 'agent',
  id: string,
  { credentials, values }: { readonly credentials: object; readonly values: SealedValues },
): Beside {
  return async (transaction) => {
    const inside = secrets.within(transaction);
    for (const [name, value] of [
      [sealedNames.credentials, credentials],
      [sealedNames.values, values],
    ] as const) {
      if (Object.keys(value).length > 0) await inside.put(kind, id, name, JSON.stringify(value));
      else await inside.remove(kind, id, name);
    }
  };
}
