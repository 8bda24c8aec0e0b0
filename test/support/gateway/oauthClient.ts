import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthTokens,
} from '@modelcontextprotocol/client';

/** What an MCP client keeps while it signs in, with the official SDK's own OAuth behind it. */
export class KeepingProvider implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly clientMetadata: OAuthClientMetadata;
  client: OAuthClientInformationMixed | undefined;
  held: OAuthTokens | undefined;
  /** Where the person is sent. */
  asked: URL | undefined;
  #verifier = '';
  #discovered: Parameters<NonNullable<OAuthClientProvider['saveDiscoveryState']>>[0] | undefined;

  constructor(redirectUrl: string, more: Partial<OAuthClientMetadata> = {}) {
    this.redirectUrl = redirectUrl;
    this.clientMetadata = {
      client_name: 'Test client',
      redirect_uris: [redirectUrl],
      token_endpoint_auth_method: 'none',
      ...more,
    };
  }

  state = (): string => 'state of the client';
  clientInformation = () => this.client;
  saveClientInformation = (client: OAuthClientInformationMixed): void => void (this.client = client);
  tokens = () => this.held;
  saveTokens = (tokens: OAuthTokens): void => void (this.held = tokens);
  redirectToAuthorization = (url: URL): void => void (this.asked = url);
  saveCodeVerifier = (verifier: string): void => void (this.#verifier = verifier);
  codeVerifier = (): string => this.#verifier;
  saveDiscoveryState: NonNullable<OAuthClientProvider['saveDiscoveryState']> = (it) => void (this.#discovered = it);
  discoveryState = () => this.#discovered;
}
