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
  readonly clientMetadataUrl?: string;
  client: OAuthClientInformationMixed | undefined;
  held: OAuthTokens | undefined;
  /** Where the person is sent. */
  asked: URL | undefined;
  #verifier = '';
  #discovered: Parameters<NonNullable<OAuthClientProvider['saveDiscoveryState']>>[0] | undefined;

  /** @param document where the client publishes its own metadata */
  constructor(redirectUrl: string, more: Partial<OAuthClientMetadata> = {}, document?: string) {
    this.redirectUrl = redirectUrl;
    if (document !== undefined) this.clientMetadataUrl = document;
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
