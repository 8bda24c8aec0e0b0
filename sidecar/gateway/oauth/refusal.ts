/** The words of RFC 6749 (4.1.2.1, 5.2), RFC 7591 (3.2.2) and RFC 8707 (2) that we answer with. */
export type OAuthErrorWord =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_target'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'access_denied'
  | 'server_error'
  | 'temporarily_unavailable';

/** What an OAuth client did wrong, in the words of its protocol. The message is shown to it. */
export class OAuthRefusal extends Error {
  override readonly name = 'OAuthRefusal';
  readonly error: OAuthErrorWord;

  constructor(error: OAuthErrorWord, message: string) {
    super(message);
    this.error = error;
  }
}

/** As JSON, for what no browser asked for (RFC 6749 5.2). */
export function refusalResponse({ error, message }: OAuthRefusal): Response {
  const isClient = error === 'invalid_client';
  return jsonAnswer(
    { error, error_description: message },
    isClient ? 401 : 400,
    isClient ? { 'www-authenticate': 'Basic realm="Switchboard"' } : {},
  );
}

/** An answer that holds or is about a credential: nobody keeps it. */
export function jsonAnswer(body: object, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json(body, { status, headers: { 'cache-control': 'no-store', pragma: 'no-cache', ...headers } });
}
