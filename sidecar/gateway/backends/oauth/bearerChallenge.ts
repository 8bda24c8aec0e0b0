/** What a resource server says it wants (RFC 6750 3, RFC 9728 5.1). */
export interface BearerChallenge {
  readonly resource_metadata?: string;
  readonly scopes?: readonly string[];
  readonly error?: string;
}

const maxLength = 4_096;
const schemes = /(?:^|,)\s*([A-Za-z][\w-]*)(?=\s+[\w-]+\s*=|\s*(?:,|$))/g;
const parameter = /([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",]+))/g;

/** The Bearer challenge among those of a `WWW-Authenticate` header; `undefined` where there is none. */
export function readBearerChallenge(header: string | string[] | undefined): BearerChallenge | undefined {
  const text = (Array.isArray(header) ? header.join(', ') : (header ?? '')).slice(0, maxLength);
  // Quoted text may hold anything, a comma and a scheme's name too: it is blanked while schemes are looked for.
  const bare = text.replace(/"(?:[^"\\]|\\.)*"/g, (quoted) => `"${'_'.repeat(quoted.length - 2)}"`);
  const found = [...bare.matchAll(schemes)];
  const at = found.findIndex((it) => it[1]?.toLowerCase() === 'bearer');
  const start = found[at]?.index;
  if (start === undefined) return undefined;
  const values = new Map<string, string>();
  for (const [, name = '', quoted, plain] of text.slice(start, found[at + 1]?.index).matchAll(parameter)) {
    values.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? plain ?? '');
  }
  const [metadata, error] = [values.get('resource_metadata'), values.get('error')];
  const scopes = values
    .get('scope')
    ?.split(/\s+/)
    .filter((it) => it !== '');
  return {
    ...(metadata !== undefined && { resource_metadata: metadata }),
    ...(scopes && { scopes }),
    ...(error !== undefined && { error }),
  };
}
