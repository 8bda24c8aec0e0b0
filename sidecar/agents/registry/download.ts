import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { Agent, type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import { Fault } from '../../platform/faults.ts';
import { isAddress, isOwnMachine } from './entry.ts';

export interface DownloadOptions {
  readonly mostBytes: number;
  /** How long the server may be silent. */
  readonly silentMs: number;
  /** Its proxy variables count, as for programs of the person. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly onBytes?: (done: number, total: number | undefined) => void;
}

const MOST_REDIRECTS = 5;

/** Reads a small file whole. @throws {Fault} `unavailable`, `too_large` */
export async function fetchBytes(url: string, options: DownloadOptions): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  await download(url, options, (chunk) => void chunks.push(chunk));
  return Buffer.concat(chunks);
}

/** Writes what the address serves into a new file. @returns its SHA-256 in hexadecimal @throws {Fault} as above */
export async function fetchFile(url: string, path: string, options: DownloadOptions): Promise<string> {
  const hash = createHash('sha256');
  const file = await open(path, 'wx', 0o600);
  try {
    await download(url, options, async (chunk) => {
      hash.update(chunk);
      await file.write(chunk);
    });
  } finally {
    await file.close();
  }
  return hash.digest('hex');
}

/** How large a file is, where the server says so. */
export async function sizeOf(url: string, options: Omit<DownloadOptions, 'mostBytes'>): Promise<number | undefined> {
  return answered(url, 'HEAD', options, ({ headers }) => Promise.resolve(lengthOf(headers)));
}

async function download(
  url: string,
  options: DownloadOptions,
  take: (chunk: Uint8Array) => void | Promise<void>,
): Promise<void> {
  const { mostBytes, onBytes } = options;
  await answered(url, 'GET', options, async ({ body, headers }) => {
    const total = lengthOf(headers);
    const tooLarge = () =>
      new Fault('too_large', `${hostOf(url)} sent more than ${Math.ceil(mostBytes / 1_048_576)} MB.`);
    if (total !== undefined && total > mostBytes) throw tooLarge();
    let done = 0;
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      done += chunk.length;
      if (done > mostBytes) throw tooLarge();
      await take(chunk);
      onBytes?.(done, total);
    }
    if (total !== undefined && done !== total)
      throw new Fault('unavailable', `${hostOf(url)} closed the connection early.`);
  });
}

/** Follows redirects by hand: none leaves https, and only what began on this machine may stay there over http. */
async function answered<T>(
  url: string,
  method: 'GET' | 'HEAD',
  { silentMs, env, signal }: Pick<DownloadOptions, 'silentMs' | 'env' | 'signal'>,
  read: (answer: Dispatcher.ResponseData) => Promise<T>,
): Promise<T> {
  const dispatcher = dispatcherFor(env);
  let at = url;
  try {
    for (let hops = 0; hops <= MOST_REDIRECTS; hops += 1) {
      if (!isAddress(at) || (isOwnMachine(at) && !isOwnMachine(url)))
        throw new Fault('unavailable', `${hostOf(url)} redirected to an address that is not https.`);
      const answer = await request(at, {
        method,
        dispatcher,
        signal,
        headersTimeout: silentMs,
        bodyTimeout: silentMs,
        headers: { 'user-agent': 'switchboard', accept: '*/*' },
      });
      const { statusCode, headers, body } = answer;
      if (statusCode === 200) return await read(answer);
      body.on('error', () => undefined).destroy();
      const location = headers['location'];
      if (
        ![301, 302, 303, 307, 308].includes(statusCode) ||
        typeof location !== 'string' ||
        !URL.canParse(location, at)
      )
        throw new Fault('unavailable', `${hostOf(at)} responded with status ${statusCode}.`);
      at = new URL(location, at).href;
    }
    throw new Fault('unavailable', `${hostOf(url)} redirected more than ${MOST_REDIRECTS} times.`);
  } catch (thrown) {
    if (thrown instanceof Fault || signal.aborted) throw thrown;
    throw new Fault('unavailable', `${hostOf(at)} could not be reached (${reasonOf(thrown)}).`, { cause: thrown });
  } finally {
    await dispatcher.destroy();
  }
}

function dispatcherFor(env: Readonly<Record<string, string>>): Dispatcher {
  const of = (name: string) => env[name] ?? env[name.toLowerCase()] ?? '';
  const [http, https, all] = [of('HTTP_PROXY'), of('HTTPS_PROXY'), of('ALL_PROXY')];
  if (http === '' && https === '' && all === '') return new Agent({ connectTimeout: 10_000 });
  return new EnvHttpProxyAgent({
    httpProxy: http || all,
    httpsProxy: https || http || all,
    noProxy: ['localhost', '127.0.0.1', '[::1]', of('NO_PROXY')].filter(Boolean).join(','),
    connectTimeout: 10_000,
  });
}

function lengthOf(headers: Dispatcher.ResponseData['headers']): number | undefined {
  const text = headers['content-length'];
  return typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : undefined;
}
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : 'The server');

/** A word of the system's, and no text of the server's. */
function reasonOf(thrown: unknown): string {
  const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined;
  return typeof code === 'string' ? code : 'no answer';
}
