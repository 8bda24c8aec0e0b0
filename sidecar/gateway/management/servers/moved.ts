import type { McpCredentials, McpServerRecord, McpServerUpdate } from '../../../protocol/gateway/mcpServer.ts';
import type { SealedValues } from '../../storage/sealedValues.ts';
import { serverOrigin, tokenOrigins } from '../../wire/serverOrigins.ts';
import { MASK } from '../mask.ts';
import { badField } from '../read.ts';

interface Move {
  readonly before: McpServerRecord;
  readonly after: McpServerRecord;
  /** What was sealed before. */
  readonly values: SealedValues | undefined;
  readonly credentials: McpCredentials;
}

/**
 * Nobody reads the secrets of a server, so nobody may point it elsewhere and get them sent there: who changes where they go
 * gives them anew, or takes them away (`security.secret-of-another-origin`).
 * @throws {Fault} `invalid_params` naming the first that would go along
 */
export function checkMove({ before, after, values, credentials }: Move, written: Partial<McpServerUpdate>): void {
  const stays = (name: 'auth_value' | 'client_secret') =>
    Boolean(credentials[name]) && written.credentials?.[name] === undefined;
  if (serverOrigin(before) !== serverOrigin(after)) {
    if (stays('auth_value')) throw goesAlong('credentials.auth_value');
    for (const name of ['static_headers', 'env_vars'] as const) {
      const given = written[name];
      for (const [it, value] of Object.entries(values?.[name] ?? {}))
        if ((given === undefined || textOf(given, it) === MASK) && !isPlaceholder(value))
          throw goesAlong(`${name}.${it}`);
    }
  }
  if (secretOrigins(before) !== secretOrigins(after) && stays('client_secret'))
    throw goesAlong('credentials.client_secret');
}

function textOf(given: McpServerUpdate['static_headers'] | McpServerUpdate['env_vars'], name: string) {
  return Array.isArray(given) ? given.find((it) => it.name === name)?.value : given?.[name];
}

/** A name in place of a secret, perhaps after the word of a scheme. */
const isPlaceholder = (value: string) => /^(?:\w+ )?\$\{[A-Za-z_]\w*\}$/.test(value);

/** Where the secret of our client goes, and the tokens that it gets. */
const secretOrigins = (it: McpServerRecord) =>
  `${tokenOrigins(it)} ${serverOrigin({ url: it.token_exchange_endpoint })}`;

const goesAlong = (field: string) =>
  badField(field, 'was set for a different address. Set it again for the new address, or set it to null to remove it');
