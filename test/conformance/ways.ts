import {
  ClientCredentialsProvider,
  type OAuthClientProvider,
  PrivateKeyJwtProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { KeepingProvider } from '../support/gateway/oauthClient.ts';
import { PageBrowser } from '../support/gateway/pageBrowser.ts';
import { openStand } from '../support/gateway/stand.ts';

/** What the suite tells of its server. */
export interface Scene {
  readonly url: string;
  readonly isGuarded: boolean;
  readonly given: Readonly<Record<string, string | undefined>>;
  /** Where the client publishes what it is, for the scenario about that. */
  readonly document?: string;
  /** The client acts by itself, for nobody. */
  readonly isMachine: boolean;
}
/** @returns false where what was thrown asks for no sign-in */
export type SignIn = (thrown: unknown) => Promise<boolean>;
export interface Road {
  transport(): StreamableHTTPClientTransport;
  readonly signIn: SignIn;
  close(): Promise<void>;
}

const redirect = 'http://127.0.0.1:9/callback';
/** The SDK's own client, OAuth included. */
function machine({ client_id = '', client_secret, private_key_pem, signing_algorithm }: Scene['given']) {
  return client_secret === undefined
    ? new PrivateKeyJwtProvider({
        clientId: client_id,
        privateKey: private_key_pem ?? '',
        algorithm: signing_algorithm ?? '',
      })
    : new ClientCredentialsProvider({ clientId: client_id, clientSecret: client_secret });
}

async function direct({ url, isGuarded, given, document, isMachine }: Scene): Promise<Road> {
  const provider = new KeepingProvider(redirect, {}, document);
  if (given['client_id'] !== undefined) {
    provider.client = { client_id: given['client_id'], client_secret: given['client_secret'] };
  }
  const authProvider: OAuthClientProvider = isMachine ? machine(given) : provider;
  let last: StreamableHTTPClientTransport | undefined;
  return {
    transport() {
      last = new StreamableHTTPClientTransport(new URL(url), isGuarded ? { authProvider } : {});
      return last;
    },
    async signIn(thrown) {
      if (!(thrown instanceof UnauthorizedError) || !provider.asked) return false;
      const end = await new PageBrowser(redirect).open(provider.asked.href);
      await last?.finishAuth(new URL(end.url).searchParams);
      return true;
    },
    close: () => Promise.resolve(),
  };
}

/** The same client with a virtual key, and the gateway as the one that signs in. */
async function through({ url, isGuarded, given, document, isMachine }: Scene): Promise<Road> {
  const whole = await openStand();
  const { client_id = document, client_secret, private_key_pem, signing_algorithm } = given;
  const credentials = {
    ...(client_id !== undefined && { client_id }),
    ...(client_secret !== undefined && { client_secret }),
    ...(private_key_pem !== undefined && { client_private_key: private_key_pem }),
    ...(signing_algorithm !== undefined && { client_assertion_signing_alg: signing_algorithm }),
  };
  const flow = isMachine ? ('client_credentials' as const) : undefined;
  const auth = isGuarded && { auth_type: 'oauth2' as const, ...(flow && { oauth2_flow: flow }) };
  await whole.addServer({ alias: 'suite', url, ...auth }, credentials);
  const key = await whole.addKey({ user_id: 'ada' });
  const headers = { 'x-gateway-api-key': `Bearer ${key}` };
  return {
    transport: () =>
      new StreamableHTTPClientTransport(new URL(`${whole.base}/suite/mcp`), { requestInit: { headers } }),
    async signIn(thrown) {
      if (!isGuarded || !/401|sign in/i.test(String(thrown))) return false;
      const answer = await whole.as(key, '/v1/mcp/server/id-suite/sign-in', { method: 'POST' });
      const { url: begin } = (await answer.json()) as { readonly url: string };
      const browser = new PageBrowser();
      const end = await browser.send(await browser.open(begin), { answer: 'allow' });
      if (end.status >= 400) throw new Error(end.text);
      return true;
    },
    close: () => whole.close(),
  };
}

export const ways: Readonly<Record<string, ((scene: Scene) => Promise<Road>) | undefined>> = { direct, through };
