import type { AuthField, AuthTypeDefinition } from '../../../sidecar/protocol/gateway/authTypes/definition.ts';
import { type AuthTypeName, authTypes } from '../../../sidecar/protocol/gateway/authTypes/index.ts';

/** What is asked about the credential of a new server, by the path in its record. */
export function askedFields(authType: AuthTypeName): readonly (readonly [path: string, field: AuthField])[] {
  const { fields }: AuthTypeDefinition = authTypes[authType];
  return Object.entries(fields).filter(([, it]) => it.asked !== undefined);
}

/** The body of a registration from what a person answered; empty answers are left out. */
export function withCredential(
  authType: AuthTypeName,
  answers: Readonly<Record<string, string>>,
): { readonly auth_type: AuthTypeName; readonly credentials?: object } {
  const { presets }: AuthTypeDefinition = authTypes[authType];
  const given = askedFields(authType).flatMap(([path]) => (answers[path] ? [[path, answers[path]] as const] : []));
  const isSealed = ([path]: readonly [string, string]) => path.startsWith(SEALED);
  const sealed = given.filter(isSealed).map(([path, answer]) => [path.slice(SEALED.length), answer]);
  return {
    auth_type: authType,
    ...presets,
    ...Object.fromEntries(given.filter((it) => !isSealed(it))),
    ...(sealed.length > 0 && { credentials: Object.fromEntries(sealed) as object }),
  };
}

const SEALED = 'credentials.';

/** Words of a command line: blanks part them, quotes hold them together, a backslash before a quote is the quote. */
export function splitCommandLine(line: string): string[] {
  const words: string[] = [];
  for (const [, double, single, plain] of line.matchAll(/"((?:\\"|[^"])*)"|'([^']*)'|(\S+)/g))
    words.push(double?.replaceAll('\\"', '"') ?? single ?? plain ?? '');
  return words;
}

/** Of this machine or a private network, as far as the address itself says. */
export function isPrivateAddress(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return (
    /^(localhost|.*\.(localhost|local|internal))$/i.test(hostname) ||
    /^(127|10|192\.168|169\.254|172\.(1[6-9]|2\d|3[01]))\./.test(hostname) ||
    /^\[(::1|f[cde][0-9a-f]{2}:.*)\]$/i.test(hostname)
  );
}

/**
 * Where an agent takes calls: what its card says, if that is at the place that the card came from. A card that leads elsewhere
 * is not believed: the person sees the address that they gave, and can change it.
 */
export function endpointOf(
  {
    url,
    supportedInterfaces,
  }: {
    readonly url?: string | undefined;
    readonly supportedInterfaces?:
      | readonly { readonly url: string; readonly protocolBinding?: string | undefined }[]
      | undefined;
  },
  address: string,
): string {
  const said = supportedInterfaces?.find((it) => it.protocolBinding === 'JSONRPC')?.url ?? url;
  const { origin } = new URL(address);
  if (said !== undefined && URL.canParse(said) && new URL(said).origin === origin) return said;
  return address.replace(/\/(\.well-known\/)?[\w.-]+\.json$/, '').replace(/\/+$/, '');
}

/** What a server could be called: a word of its program or of its host. */
export function nameFor(where: string): string {
  const word = URL.canParse(where)
    ? new URL(where).hostname.replace(/^(www|mcp|api)\./, '').split('.')[0]
    : splitCommandLine(where)
        .findLast((it) => !it.startsWith('-'))
        ?.split('/')
        .at(-1)
        ?.replace(/@.*$/, '')
        .replace(/^(mcp-server|server|mcp)-|-(mcp-server|mcp|server)$/g, '');
  return (word ?? '').replaceAll(/[^A-Za-z0-9-]+/g, '-').replaceAll(/^-+|-+$/g, '') || 'server';
}
