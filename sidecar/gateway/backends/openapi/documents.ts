import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { Runtime } from '../../../platform/runtime.ts';
import type { OpenApiOptions } from '../../../protocol/gateway/openapi.ts';
import { BackendFailure, toFailure } from '../mcp/failure.ts';
import type { McpTarget } from '../mcp/types.ts';
import { wholeText } from '../net/answerBody.ts';
import { statusWords } from '../net/health.ts';
import type { BackendTarget, Pool } from '../net/pool.ts';
import { isWebAddress } from '../registration.ts';
import { baseUrlOf } from './baseUrl.ts';
import { documentLimits, readDocument, UnusableDocument } from './document.ts';
import { type ApiOperations, readOperations } from './operations.ts';

/** What the registration of a server says of its OpenAPI document. */
export interface ApiSettings extends OpenApiOptions {
  /** An address, or the absolute path of a file. */
  readonly spec: string;
  readonly allowPrivate: boolean;
  /** The registration is from the configuration file: through the API nobody reads files of this machine. */
  readonly mayReadFiles: boolean;
  /** How old the document may be. Default 5 minutes; 0 asks for it anew. */
  readonly maxAgeMs?: number;
}

/** A document as it was read last. */
export interface LoadedApi extends ApiOperations {
  readonly title: string;
  readonly version: string;
  /** The first of the document's servers, as it stands there. */
  readonly server: string | undefined;
  /** Where requests go; a sentence where the registration has to say it. */
  readonly base: URL | UnusableDocument;
}

interface Entry {
  loaded: LoadedApi | undefined;
  /** SHA-256 of the text. */
  hash: string;
  /** `ETag` of the answer, or of a file its time and size. */
  etag: string | undefined;
  checkedMs: number;
  failure: BackendFailure | undefined;
  loading: Promise<LoadedApi> | undefined;
}

export interface ApiDocumentsDeps extends Pick<Runtime, 'clock' | 'timers'> {
  readonly pool: Pool;
  /** The arguments of a call match the schema of its tool: `undefined`, or in words why they do not. */
  readonly checkArguments: (call: CheckedCall) => Promise<string | undefined>;
  /** The document of a server has changed, and with it perhaps its tools. */
  readonly onChanged: (serverId: string) => void;
}

/** What a check of arguments is about. */
export interface CheckedCall {
  readonly server: { readonly server_id: string };
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly known: { readonly schema: Record<string, unknown>; readonly text: string; readonly hash: string };
}

const freshForMs = 5 * 60_000;
/** How long a document that could not be read is left alone. */
const failedForMs = 10_000;
const fetchMs = 20_000;

/** The OpenAPI documents of servers, each as it was read last. Connections to one server share its document. */
export class ApiDocuments {
  readonly #deps: ApiDocumentsDeps;
  readonly #entries = new Map<string, Entry>();

  constructor(deps: ApiDocumentsDeps) {
    this.#deps = deps;
  }

  checkArguments(call: CheckedCall): Promise<string | undefined> {
    return this.#deps.checkArguments(call);
  }

  /**
   * The document of a server. One that is older than allowed is used while it is fetched anew, unless its age may be 0.
   * @throws {BackendFailure} `document` for one that cannot be used, and as a request does
   */
  async of(target: McpTarget, settings: ApiSettings): Promise<LoadedApi> {
    const { clock } = this.#deps;
    const found = this.#entries.get(target.server_id);
    const entry: Entry = found ?? {
      loaded: undefined,
      hash: '',
      etag: undefined,
      checkedMs: Number.NEGATIVE_INFINITY,
      failure: undefined,
      loading: undefined,
    };
    if (!found) this.#entries.set(target.server_id, entry);
    const { loaded, failure, checkedMs } = entry;
    const { maxAgeMs = freshForMs } = settings;
    const ageMs = clock.monotonicMs() - checkedMs;
    if (maxAgeMs === 0) return this.#load(entry, target, settings);
    if (loaded) {
      if (ageMs >= (failure ? failedForMs : maxAgeMs)) this.#load(entry, target, settings).catch(() => undefined); // health checks tell of it
      return loaded;
    }
    if (failure && ageMs < failedForMs) throw failure;
    return this.#load(entry, target, settings);
  }

  /** A registration changed or was removed. */
  forget(serverId: string): void {
    if (this.#entries.delete(serverId)) void this.#deps.pool.forget(targetId(serverId));
  }

  #load(entry: Entry, target: McpTarget, settings: ApiSettings): Promise<LoadedApi> {
    entry.loading ??= this.#read(entry, target, settings)
      .catch((thrown: unknown) => {
        entry.failure = asFailure(thrown, target);
        throw entry.failure;
      })
      .finally(() => {
        entry.checkedMs = this.#deps.clock.monotonicMs();
        entry.loading = undefined;
      });
    return entry.loading;
  }

  async #read(entry: Entry, target: McpTarget, settings: ApiSettings): Promise<LoadedApi> {
    const source = await (isWebAddress(settings.spec)
      ? this.#fetch(target, settings, entry)
      : readLocal(settings, entry.etag));
    entry.failure = undefined;
    if (entry.loaded && (source === 'same' || hashOf(source.text) === entry.hash)) return entry.loaded;
    if (source === 'same') throw new UnusableDocument('The OpenAPI document cannot be fetched.');
    const loaded = await loadedFrom(source.text, target, settings);
    const isChange = entry.loaded !== undefined;
    Object.assign(entry, { loaded, hash: hashOf(source.text), etag: source.etag });
    if (isChange) this.#deps.onChanged(target.server_id);
    return loaded;
  }

  /** Without a credential: whoever serves the document may be somebody else than the API. */
  async #fetch(
    target: McpTarget,
    { spec, allowPrivate }: ApiSettings,
    { etag, loaded }: Entry,
  ): Promise<Source | 'same'> {
    const { pool, timers } = this.#deps;
    const from: BackendTarget = { id: targetId(target.server_id), name: target.name, allowPrivate, connections: 2 };
    const headers = {
      accept: 'application/json, application/yaml;q=0.9, */*;q=0.5',
      ...(etag !== undefined && loaded && { 'if-none-match': etag }),
    };
    const response = await pool.request(from, { method: 'GET', url: spec, headers }, timers.deadline(fetchMs));
    if (response.status !== 200) {
      response.body.destroy();
      if (response.status === 304) return 'same';
      throw new UnusableDocument(`The OpenAPI document could not be fetched. ${statusWords(response.status)}`);
    }
    const text = await wholeText(response.body, documentLimits.json);
    if (text === undefined)
      throw new UnusableDocument(`The OpenAPI document is longer than ${documentLimits.json} bytes.`);
    const given = response.headers['etag'];
    return { text, etag: typeof given === 'string' && given.length <= 1_024 ? given : undefined };
  }
}

interface Source {
  readonly text: string;
  readonly etag: string | undefined;
}

/** Reads a document that is not kept, for somebody who looks at it. @throws {BackendFailure} */
export async function loadedFrom(
  text: string,
  { url }: Pick<McpTarget, 'url'>,
  settings: ApiSettings,
): Promise<LoadedApi> {
  const document = await readDocument(text);
  const { title, version, server } = document;
  return { title, version, server, base: baseOr(document, settings, url), ...readOperations(document, settings) };
}

function baseOr(document: Parameters<typeof baseUrlOf>[0], { spec }: ApiSettings, url: string | undefined) {
  try {
    return baseUrlOf(document, { spec, url });
  } catch (thrown) {
    if (thrown instanceof UnusableDocument) return thrown;
    throw thrown;
  }
}

async function readLocal({ spec, mayReadFiles }: ApiSettings, known: string | undefined): Promise<Source | 'same'> {
  if (!mayReadFiles)
    throw new UnusableDocument(
      "'spec_path' must be an http or https URL. Only the configuration file can name a file.",
    );
  try {
    const { size, mtimeMs } = await stat(spec);
    const etag = `${mtimeMs} ${size}`;
    if (etag === known) return 'same';
    if (size > documentLimits.json)
      throw new UnusableDocument(`The OpenAPI document is longer than ${documentLimits.json} bytes.`);
    return { text: await readFile(spec, 'utf8'), etag };
  } catch (thrown) {
    if (thrown instanceof UnusableDocument) throw thrown;
    throw new UnusableDocument(
      'The file of the OpenAPI document cannot be read. Check that it exists and may be read.',
    );
  }
}

const targetId = (serverId: string) => `${serverId} document`;
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

function asFailure(thrown: unknown, { name }: McpTarget): BackendFailure {
  if (thrown instanceof UnusableDocument) return documentFailure(thrown);
  return toFailure(thrown, name);
}

export const documentFailure = ({ message, cause }: Error): BackendFailure =>
  new BackendFailure('document', message, { mayHaveRun: false, cause });
