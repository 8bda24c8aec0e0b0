import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import Provider, { type Configuration, type KoaContextWithOIDC } from 'oidc-provider';
import { type Listening, listen } from './listen.ts';
import { memoryAdapter } from './memoryAdapter.ts';

const timed = [
  'AccessToken',
  'AuthorizationCode',
  'ClientCredentials',
  'Grant',
  'IdToken',
  'Interaction',
  'RefreshToken',
  'Session',
];
const exchange = 'urn:ietf:params:oauth:grant-type:token-exchange';
const entra = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** One request to the token endpoint, as it arrived. */
export interface TokenRequest {
  readonly authorization: string | undefined;
  readonly form: Readonly<Record<string, string>>;
}

export interface AuthorizationServer extends Listening {
  readonly tokenRequests: TokenRequest[];
  /** Called after each of them. */
  onTokenRequest: () => void;
  /** Who the browser is, when a sign-in begins. */
  account: string;
  /** The person says no. */
  refuses: boolean;
  /** Members of its answers with a code to type elsewhere (RFC 8628, 3.2), over its own. */
  deviceAnswer: {
    readonly interval?: number;
    readonly expires_in?: number;
    readonly verification_uri_complete?: string;
  };
  /** How long codes to type elsewhere are good. */
  deviceSeconds: number;
  /** While it is set, answers token requests instead of the server. */
  intercept: ((request: TokenRequest, response: ServerResponse) => void) | undefined;
  /** The account that a token was issued to, while it is good. */
  accountOf(token: string): Promise<string | undefined>;
  /** What a token grants, while it is good. */
  scopesOf(token: string): Promise<readonly string[]>;
  /** An access token is good no more, before its time. */
  forget(token: string): Promise<void>;
  /** Whether a refresh token is good. */
  knows(refreshToken: string): Promise<boolean>;
  /** Ends every token and grant of an account, as its owner would. */
  revoke(refreshToken: string): Promise<void>;
}

export const confidential = { id: 'gateway', secret: 'canary-client-secret-1' } as const;

/**
 * A certified OAuth 2.1 authorization server on loopback: code flow with PKCE, refresh with rotation, client_credentials,
 * dynamic registration, device codes, RFC 8693 and the `jwt-bearer` of Entra. Its pages sign in whoever `account` names at once.
 */
export async function startAuthorizationServer(
  more: Partial<Configuration> = {},
  host?: string,
): Promise<AuthorizationServer> {
  let handle = (_: IncomingMessage, response: ServerResponse): void => void response.writeHead(503).end();
  const server = createServer((request, response) => handle(request, response));
  const listening = await listen(server, host);
  const tokenRequests: TokenRequest[] = [];
  const provider = new Provider(listening.url, {
    adapter: memoryAdapter(),
    jwks: {
      keys: [
        { ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }), alg: 'ES256' },
      ],
    } as never,
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    ttl: { ...Object.fromEntries(timed.map((it) => [it, 3600])), DeviceCode: () => own.deviceSeconds },
    clients: [
      {
        client_id: confidential.id,
        client_secret: confidential.secret,
        grant_types: ['authorization_code', 'refresh_token', 'client_credentials', exchange, entra],
        redirect_uris: ['http://127.0.0.1/callback'],
        token_endpoint_auth_method: 'client_secret_post',
      },
      {
        client_id: 'basic client',
        client_secret: 'canary secret:2',
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
        token_endpoint_auth_method: 'client_secret_basic',
      },
    ],
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      deviceFlow: {
        enabled: true,
        userCodeInputSource: (context, form, _out, error) => devicePage(context, error?.name ?? 'Which code?', form),
        userCodeConfirmSource: (context, form, _client, _device, code) => devicePage(context, `Is it ${code}?`, form),
        successSource: (context) => devicePage(context, 'You are signed in.'),
      },
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: (_, __, oneOf) => oneOf ?? [],
        getResourceServerInfo: (_, resource) => ({
          scope: 'read write',
          audience: resource,
          accessTokenFormat: 'opaque',
        }),
        useGrantedResource: () => true,
      },
    },
    scopes: ['openid', 'offline_access', 'read', 'write'],
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    issueRefreshToken: (_, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    cookies: { keys: ['test'] },
    clientBasedCORS: () => false,
    ...more,
  });
  for (const type of [exchange, entra]) {
    provider.registerGrantType(
      type,
      (context) => exchangeToken(provider, context),
      ['subject_token', 'subject_token_type', 'assertion', 'requested_token_use', 'audience', 'resource', 'scope'],
      ['audience', 'resource'],
    );
  }
  provider.use(async (context, next) => {
    await next();
    if (context.path === '/device/auth' && context.status === 200)
      context.body = { ...(context.body as object), ...own.deviceAnswer };
    if (context.path !== '/token') return;
    const form = Object.fromEntries(
      Object.entries(context['oidc']?.body ?? {}).map(([name, it]) => [name, String(it)]),
    );
    tokenRequests.push({ authorization: context.get('authorization') || undefined, form });
    own.onTokenRequest();
  });
  const callback = provider.callback();
  const own: AuthorizationServer = {
    ...listening,
    tokenRequests,
    onTokenRequest: () => undefined,
    account: 'alice',
    refuses: false,
    deviceAnswer: { interval: 1 },
    deviceSeconds: 3600,
    intercept: undefined,
    accountOf: async (token) => (await provider.AccessToken.find(token))?.accountId,
    scopesOf: async (token) => (await provider.AccessToken.find(token))?.scope?.split(' ') ?? [],
    async forget(token) {
      await (await provider.AccessToken.find(token))?.destroy();
    },
    knows: async (refreshToken) => (await provider.RefreshToken.find(refreshToken)) !== undefined,
    async revoke(refreshToken) {
      await (await provider.RefreshToken.find(refreshToken))?.destroy();
    },
  };
  handle = (request, response) => {
    const serve = request.url?.startsWith('/interaction/')
      ? signIn(provider, own, request, response)
      : request.url === '/token' && own.intercept
        ? answerToken(own, request, response)
        : callback(request, response);
    serve.catch((thrown: unknown) => void response.writeHead(500).end(String(thrown)));
  };
  return own;
}

function devicePage(context: KoaContextWithOIDC, words: string, form = ''): void {
  const button = (id: string, label: string, more = '') =>
    `<button type="submit" form="${id}" ${more}>${label}</button>`;
  const id = /form id="([^"]+)"/.exec(form)?.[1] ?? '';
  const no = id.includes('Confirm') ? button(id, 'No', 'name="abort" value="yes"') : '';
  const yes = id === '' ? '' : button(id, 'Continue');
  context.body = `<!DOCTYPE html><title>Device</title><h1>${words}</h1>${form}${yes}${no}`;
}

async function signIn(
  provider: Provider,
  { account, refuses }: AuthorizationServer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const details = await provider.interactionDetails(request, response);
  if (refuses) {
    await provider.interactionFinished(request, response, { error: 'access_denied' });
    return;
  }
  const grant = new provider.Grant({ accountId: account, clientId: textOf(details.params['client_id']) });
  const scope = textOf(details.params['scope']);
  if (scope) grant.addOIDCScope(scope);
  const resource = details.params['resource'];
  if (typeof resource === 'string') grant.addResourceScope(resource, scope);
  const result = { login: { accountId: account }, consent: { grantId: await grant.save() } };
  await provider.interactionFinished(request, response, result);
}

async function answerToken(
  { intercept, tokenRequests, onTokenRequest }: AuthorizationServer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
  const one = { authorization: request.headers.authorization, form };
  tokenRequests.push(one);
  onTokenRequest();
  intercept?.(one, response);
}

async function exchangeToken(provider: Provider, context: KoaContextWithOIDC): Promise<void> {
  const { client, params } = context.oidc;
  const subject = textOf(params?.['subject_token']) || textOf(params?.['assertion']);
  const found = await provider.AccessToken.find(subject);
  if (!client || !found) {
    context.status = 400;
    context.body = { error: 'invalid_grant', error_description: `no such token: ${subject}` };
    return;
  }
  const grant = new provider.Grant({ accountId: found.accountId, clientId: client.clientId });
  const grantId = await grant.save();
  const issued = new provider.AccessToken({
    accountId: found.accountId,
    client,
    grantId,
    gty: 'exchange',
    scope: textOf(params?.['scope']),
  } as ConstructorParameters<Provider['AccessToken']>[0]);
  context.body = {
    access_token: await issued.save(),
    issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    token_type: 'Bearer',
    expires_in: 600,
  };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
