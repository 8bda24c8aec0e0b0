import type { CallContext, Caller } from '../../../sidecar/gateway/auth/caller.ts';
import { hashKey } from '../../../sidecar/gateway/auth/keys.ts';
import { Progress } from '../../../sidecar/gateway/auth/progress.ts';

/** A resolved call with as much of its caller as a test is about. */
export function callContext({
  caller,
  ...more
}: Omit<Partial<CallContext>, 'caller'> & {
  readonly caller: Omit<Partial<Caller>, 'key'> & { readonly key: { readonly token: string } };
}): CallContext {
  const { token } = caller.key;
  const stamps = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' };
  const key = { token, token_id: hashKey(token), key_name: 'sk-...', rotation_count: 0, ...stamps };
  return {
    requestId: 'request-1',
    baseUrl: 'https://gateway.test',
    headers: new Map(),
    bearer: undefined,
    holdsKey: (text) => text.includes(token),
    clientAddress: '127.0.0.1',
    signal: new AbortController().signal,
    progress: new Progress(() => 0),
    ...more,
    caller: {
      isAdmin: false,
      team: undefined,
      organization: undefined,
      user: undefined,
      owner: undefined,
      traceId: undefined,
      sessionId: undefined,
      tags: [],
      debug: false,
      isDebugRefused: false,
      mcpServers: undefined,
      mcpAccessGroups: undefined,
      endUser: undefined,
      endUserId: undefined,
      agent: undefined,
      ...caller,
      key,
    },
  };
}
