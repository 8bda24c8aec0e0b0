import { isHeaderValue } from '../../backends/headerNames.ts';
import { readBearerChallenge } from '../../backends/oauth/bearerChallenge.ts';
import type { McpContext, McpDeps } from '../mcpDeps.ts';
import type { SignInNeeded } from '../methods/serve.ts';

/**
 * The challenge of a server that authenticates callers itself, relayed to a caller who may use it. The challenge stays
 * as it is, but the address of its metadata document becomes one of ours, because clients refuse a document about
 * another address than the one they called (RFC 9728 3.3).
 */
export function signInResponse(
  deps: Pick<McpDeps, 'signInDocument'>,
  { baseUrl }: McpContext,
  pathname: string,
  { serverId, challenge }: SignInNeeded,
): Response {
  const bearer = readBearerChallenge(challenge);
  const error = { message: 'Sign in to this server first.', type: 'auth_error', param: null, code: '401' };
  const headers = new Headers({ 'cache-control': 'no-store' });
  if (challenge !== undefined && !bearer && isHeaderValue(challenge)) headers.set('www-authenticate', challenge);
  else {
    const parameters = [
      ...(bearer?.error === undefined ? [] : [`error="${plain(bearer.error)}"`]),
      ...(bearer?.scopes ? [`scope="${plain(bearer.scopes.join(' '))}"`] : []),
      `resource_metadata="${deps.signInDocument(baseUrl, pathname, serverId)}"`,
    ];
    headers.set('www-authenticate', `Bearer ${parameters.join(', ')}`);
  }
  return Response.json({ error }, { status: 401, headers });
}

/** What stands within quotes, without what could end them or the header. */
const plain = (text: string) => text.replaceAll(/[^\x20-\x7e]|["\\]/g, '');
