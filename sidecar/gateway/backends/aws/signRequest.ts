import { cloudSigv4 } from '../../../protocol/gateway/authTypes/cloudSigv4.ts';
import type { FinalRequest } from '../auth/authenticator.ts';
import type { AwsKeys } from './options.ts';

export interface SigningOptions {
  readonly credentials: AwsKeys;
  readonly region: string;
  readonly service: string;
  readonly nowMs: number;
}

/** Written by the signer; whatever stood there before is replaced. */
const signedBySigner = cloudSigv4.owns;

/**
 * A SigV4 signature over method, path, query, body and the headers host, content-type and x-amz-*: a hop that changes
 * other headers does not break it.
 * @returns the headers to add: `authorization`, `x-amz-date`, and for temporary keys `x-amz-security-token`
 */
export async function signRequest(request: FinalRequest, options: SigningOptions): Promise<Record<string, string>> {
  const [{ SignatureV4 }, { Hash }] = await Promise.all([import('@smithy/signature-v4'), import('@smithy/hash-node')]);
  const url = new URL(request.url);
  const signer = new SignatureV4({
    credentials: options.credentials,
    region: options.region,
    service: options.service,
    sha256: Hash.bind(null, 'sha256'),
    applyChecksum: false,
  });
  const signed = await signer.sign(
    {
      method: request.method,
      protocol: url.protocol,
      hostname: url.hostname,
      ...(url.port !== '' && { port: Number(url.port) }),
      path: url.pathname,
      query: queryOf(url),
      headers: { ...signable(request.headers), host: url.host },
      ...(request.body !== undefined && { body: request.body }),
    },
    { signingDate: new Date(options.nowMs) },
  );
  const written = Object.entries(signed.headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(written.filter(([name]) => signedBySigner.some((it) => it === name)));
}

function signable(headers: Readonly<Record<string, string>>): Record<string, string> {
  const chosen = Object.entries(headers).filter(
    ([name]) => name === 'content-type' || (name.startsWith('x-amz-') && !signedBySigner.some((it) => it === name)),
  );
  return Object.fromEntries(chosen);
}

/** As the backend will read it: percent-decoded, a plus sign being a plus sign. */
function queryOf(url: URL): Record<string, string | string[]> {
  // Without a prototype: a parameter may be called `toString`.
  const query = Object.create(null) as Record<string, string | string[]>;
  for (const pair of url.search.slice(1).split('&')) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = decoded(at < 0 ? pair : pair.slice(0, at));
    const value = at < 0 ? '' : decoded(pair.slice(at + 1));
    const before = query[name];
    query[name] = before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value];
  }
  return query;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // an escape that is none stands for itself
  }
}
