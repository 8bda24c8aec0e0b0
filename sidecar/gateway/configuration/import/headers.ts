import type { TextOrSecret } from '../../../protocol/gateway/config/secretRef.ts';
import { type Collector, type Fields, variableName } from './imported.ts';
import { toValue } from './placeholders.ts';

/** Schemes of `Authorization` that have an auth_type of their own. */
const schemes: Readonly<Record<string, string>> = { bearer: 'bearer_token', basic: 'basic', token: 'token' };

/** The headers of another program's file: what authenticates becomes `auth_type` and `credentials`, the rest stays. */
export function fromHeaders(server: string, headers: Fields, path: string, to: Collector): Fields {
  const fixed: Record<string, TextOrSecret> = {};
  let auth: Fields = {};
  for (const [name, raw] of Object.entries(headers)) {
    const at = `${path}.${name}`;
    if (typeof raw !== 'string') {
      to.note(at, 'skipped: it is not a string');
      continue;
    }
    const own = variableName(server, name === 'Authorization' ? 'token' : name);
    const lower = name.toLowerCase();
    if (lower === 'authorization') {
      const [, scheme = '', rest = ''] = /^(\w+)\s+(.+)$/s.exec(raw) ?? [];
      const auth_type = schemes[scheme.toLowerCase()] ?? 'authorization';
      const value = auth_type === 'authorization' ? raw : rest;
      auth = { auth_type, credentials: { auth_value: toValue(value, name, own, at, to) } };
    } else if (lower === 'x-api-key') {
      auth = { auth_type: 'api_key', credentials: { auth_value: toValue(raw, name, own, at, to) } };
    } else fixed[name] = toValue(raw, name, own, at, to);
  }
  return { ...auth, ...(Object.keys(fixed).length > 0 && { static_headers: fixed }) };
}
