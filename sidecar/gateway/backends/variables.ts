import { Fault } from '../../platform/faults.ts';
import { isHeaderValue } from './headerNames.ts';

/** Values for `${NAME}` in `static_headers` (`env_vars`): those of the registration and those of the caller. */
export type Variables = Readonly<Record<string, string>>;

export interface EnvVar {
  readonly name: string;
  readonly value?: string | undefined;
  readonly scope?: 'global' | 'user' | undefined;
}

/** `global` variables have the registration's value; `user` ones the caller's own, or none. */
export function variablesOf(envVars: readonly EnvVar[] | null | undefined, ofUser: Variables = {}): Variables {
  const values = (envVars ?? []).flatMap(({ name, value = '', scope = 'global' }) => {
    const chosen = scope === 'user' ? ofUser[name] : value;
    return chosen === undefined ? [] : [[name, chosen] as const];
  });
  return Object.fromEntries(values);
}

/**
 * @param field for the message, for example `static_headers.Authorization`
 * @throws {Fault} `auth_required` with `data.missing` where a variable has no value: a person can set it;
 *   `invalid_params` where its value cannot be sent
 */
export function withVariables(text: string, field: string, variables: Variables = {}): string {
  if (!text.includes('${')) return text;
  const filled = text.replace(/\$\{([A-Za-z_]\w*)\}/g, (_, name: string) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value === undefined) {
      throw new Fault('auth_required', `'${field}' requires a value for '${name}'.`, {
        data: { reason: 'variable_missing', field, missing: [name] },
      });
    }
    return value;
  });
  if (isHeaderValue(filled)) return filled.trim();
  throw new Fault(
    'invalid_params',
    `'${field}' uses a variable whose value contains characters that are not allowed in a header.`,
    {
      data: { field },
    },
  );
}
