import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { Fault } from '../../../platform/faults.ts';
import { HIDDEN, namesSecret, type Redactor } from '../../../platform/redact.ts';
import type { RecordOf } from '../../../protocol/channels/session/sessionFile.ts';
import { contentUri, parseContentUri } from '../../../protocol/uris.ts';

/** Larger contents are not in the file: a session of years would not fit anywhere. */
const MAX_CONTENT_BYTES = 1024 * 1024;

export interface PortableDeps {
  readonly redactor: Pick<Redactor, 'text'>;
  /** @throws {Fault} `content_not_found` */
  readonly readContent: (uri: string) => Promise<Uint8Array>;
}

/**
 * Makes what is kept here what can be read elsewhere: addresses of the session and its chats become numbers, secrets are
 * taken out, and contents are named by the bytes that are in the file.
 */
export class Portable {
  readonly #deps: PortableDeps;
  /** By address here. */
  readonly #addresses: ReadonlyMap<string, string>;
  /** Of contents that were seen: what they are in the file. */
  readonly #shas = new Map<string, string>();

  /** @param addresses of the session, its chats and its changesets, and what they are in the file */
  constructor(deps: PortableDeps, addresses: ReadonlyMap<string, string>) {
    this.#deps = deps;
    this.#addresses = addresses;
  }

  /** The contents that `value` refers to and that are not in the file yet. */
  async *contentsOf(value: unknown): AsyncGenerator<RecordOf<'content'>> {
    for (const uri of contentUris(value)) {
      const sha = parseContentUri(uri)?.sha256 ?? '';
      if (this.#shas.has(sha)) continue;
      this.#shas.set(sha, sha);
      const bytes = await readPortable(this.#deps.readContent, uri);
      if (!bytes) continue;
      const clean = isUtf8(bytes) ? Buffer.from(this.#deps.redactor.text(Buffer.from(bytes).toString('utf8'))) : bytes;
      const sha256 = createHash('sha256').update(clean).digest('hex');
      this.#shas.set(sha, sha256);
      yield toRecord(sha256, clean);
    }
  }

  /** Call {@link contentsOf} before. */
  convert<T>(value: T): T {
    return this.#convert(value, '', false) as T;
  }

  #convert(value: unknown, key: string, isSecret: boolean): unknown {
    if (typeof value === 'string') return isSecret ? HIDDEN : this.#text(value, key);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((it) => this.#convert(it, key, isSecret));
    const isEmbedded = 'type' in value && value.type === 'embeddedResource';
    const members = Object.entries(value).map(([name, it]) => {
      if (isEmbedded && name === 'data' && typeof it === 'string') return [name, this.#embedded(it)];
      return [name, this.#convert(it, name, isSecret || namesSecret(name))];
    });
    return Object.fromEntries(members);
  }

  #text(text: string, key: string): string {
    const content = parseContentUri(text);
    if (content) return contentUri(this.#shas.get(content.sha256) ?? content.sha256, this.#clean(content.fileName));
    const sha = this.#shas.get(text);
    if (sha !== undefined) return sha;
    const address = this.#address(text);
    if (address !== undefined) return address;
    return key === 'toolInput' ? this.#arguments(text) : this.#clean(text);
  }

  /** Arguments of a tool are JSON in a text: names of secrets are found in them only when they are read. */
  #arguments(text: string): string {
    let read: unknown;
    try {
      read = JSON.parse(text);
    } catch {
      return this.#clean(text); // any other text
    }
    if (typeof read !== 'object' || read === null) return this.#clean(text);
    const clean = JSON.stringify(this.#convert(read, '', false));
    return clean === JSON.stringify(read) ? text : clean;
  }

  #address(text: string): string | undefined {
    if (!text.startsWith('host-')) return undefined;
    const exact = this.#addresses.get(text);
    if (exact !== undefined) return exact;
    // Changesets and comments lie below their session.
    const owner = [...this.#addresses.keys()].find((it) => text.startsWith(`${it}/`));
    return owner === undefined ? undefined : `${this.#addresses.get(owner)}${text.slice(owner.length)}`;
  }

  #embedded(base64: string): string {
    const bytes = Buffer.from(base64, 'base64');
    return isUtf8(bytes) ? Buffer.from(this.#clean(bytes.toString('utf8'))).toString('base64') : base64;
  }

  #clean(text: string): string {
    return this.#deps.redactor.text(text);
  }
}

function toRecord(sha256: string, bytes: Uint8Array): RecordOf<'content'> {
  const encoding = isUtf8(bytes) ? 'utf-8' : 'base64';
  return { kind: 'content', sha256, encoding, data: Buffer.from(bytes).toString(encoding) };
}

/** All of them, wherever they stand. */
export function contentUris(value: unknown): string[] {
  if (typeof value === 'string') return parseContentUri(value) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return (Array.isArray(value) ? value : Object.values(value)).flatMap(contentUris);
}

/** What goes into a file; `undefined` for a content that is too large, or not kept any more. */
export async function readPortable(
  readContent: PortableDeps['readContent'],
  uri: string,
): Promise<Uint8Array | undefined> {
  try {
    const bytes = await readContent(uri);
    return bytes.byteLength <= MAX_CONTENT_BYTES ? bytes : undefined;
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.code === 'content_not_found') return undefined;
    throw thrown;
  }
}
