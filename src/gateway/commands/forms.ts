/** One thing that is asked for about a server's credential. */
export interface CredentialField {
  /** As the gateway calls it. */
  readonly name: string;
  readonly isSecret?: boolean;
  readonly isOptional?: boolean;
  /** Stands in the record itself, beside what is sealed. */
  readonly isOpen?: boolean;
}

/** The nine ways to authenticate to a server, and what each needs to know. */
export const authFields: Readonly<Record<string, readonly CredentialField[]>> = {
  none: [],
  bearer_token: [{ name: 'auth_value', isSecret: true }],
  api_key: [{ name: 'auth_value', isSecret: true }],
  basic: [{ name: 'auth_value', isSecret: true }],
  authorization: [{ name: 'auth_value', isSecret: true }],
  token: [{ name: 'auth_value', isSecret: true }],
  oauth2: [
    { name: 'client_id', isOptional: true },
    { name: 'client_secret', isSecret: true, isOptional: true },
  ],
  oauth2_token_exchange: [
    { name: 'token_exchange_endpoint', isOpen: true },
    { name: 'audience', isOpen: true, isOptional: true },
    { name: 'client_id' },
    { name: 'client_secret', isSecret: true },
  ],
  cloud_sigv4: [
    { name: 'aws_region_name' },
    { name: 'aws_service_name' },
    { name: 'aws_access_key_id', isOptional: true },
    { name: 'aws_secret_access_key', isSecret: true, isOptional: true },
  ],
};

/** The body of a registration from what a person answered; empty answers are left out. */
export function withCredential(
  authType: string,
  answers: Readonly<Record<string, string>>,
): { readonly auth_type: string; readonly credentials?: object } {
  const given = (authFields[authType] ?? []).filter(({ name }) => (answers[name] ?? '') !== '');
  const pick = (isOpen: boolean) =>
    Object.fromEntries(given.filter((it) => (it.isOpen ?? false) === isOpen).map(({ name }) => [name, answers[name]]));
  const sealed = pick(false);
  const flow = authType === 'oauth2' ? { oauth2_flow: 'authorization_code' } : {};
  return {
    auth_type: authType,
    ...flow,
    ...pick(true),
    ...(Object.keys(sealed).length > 0 && { credentials: sealed }),
  };
}

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
