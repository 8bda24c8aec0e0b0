import { Fault } from '../../platform/faults.ts';
import type { ResourceReadResult } from '../../protocol/commands.ts';
import type { Params, Result } from '../../protocol/methods.ts';
import type { AccessQuestion } from '../../protocol/resources.ts';
import type { EffectDeps } from '../context/effectDeps.ts';
import { toFileUri } from '../context/paths.ts';
import { isTop } from '../files/locate.ts';
import { describe, list, readWhole } from '../files/readFiles.ts';
import { copy, makeFolder, move, remove } from '../files/trees.ts';
import { write } from '../files/writeFiles.ts';
import { Access, type ResourceRequester, reading, writing } from './access.ts';
import { AccessQuestions } from './accessQuestions.ts';
import { contentTypeOf } from './contentTypes.ts';
import { encodeBytes } from './encodeBytes.ts';
import { parseResourceUri, unreachable } from './fileUris.ts';
import type { Need } from './grants.ts';
import { type PublishedDeps, PublishedResources } from './publishedResources.ts';
import { ResourceWatches } from './resourceWatches.ts';

export interface FileResourcesDeps extends Pick<PublishedDeps, 'askClient'> {
  readonly effects: EffectDeps;
  readonly dataDir: string;
  /** Whether a window is connected in which a person can be asked. */
  readonly hasWindow: () => boolean;
  readonly questionsChanged: (items: readonly AccessQuestion[]) => void;
}

/** The resource family on files, and on what clients published. Loaded with the first request. */
export class FileResources {
  readonly questions: AccessQuestions;
  readonly watches: ResourceWatches;
  readonly #deps: FileResourcesDeps;
  readonly #access: Access;
  readonly #published: PublishedResources;

  constructor(deps: FileResourcesDeps) {
    this.#deps = deps;
    this.#access = new Access(deps);
    this.#published = new PublishedResources(deps);
    this.questions = new AccessQuestions(deps.questionsChanged);
    this.watches = new ResourceWatches(deps.effects, this.#access);
  }

  async read(params: Params<'resourceRead'>, requester: ResourceRequester): Promise<ResourceReadResult> {
    if (isPublished(params.uri)) return this.#published.ask('resourceRead', params, requester);
    const located = await this.#access.require(requester, params.uri, reading);
    return encodeBytes(await readWhole(located), params.encoding);
  }

  async write(params: Params<'resourceWrite'>, requester: ResourceRequester): Promise<Result<'resourceWrite'>> {
    const bytes = decode(params.data, params.encoding);
    const located = await this.#access.require(requester, params.uri, writing);
    const { createOnly = false, mode = 'truncate', position = 0, ifMatch } = params;
    await write(located, { bytes, createOnly, mode, position, ifMatch });
    return {};
  }

  async list(params: Params<'resourceList'>, requester: ResourceRequester): Promise<Result<'resourceList'>> {
    if (isPublished(params.uri)) return this.#published.ask('resourceList', params, requester);
    const located = await this.#access.require(requester, params.uri, reading);
    const roots = [
      ...(await this.#access.folders(requester)),
      ...requester.grants.filter((it) => it.read).map((it) => it.real),
    ];
    return { entries: await list(located, roots) };
  }

  async copy(params: Params<'resourceCopy'>, requester: ResourceRequester): Promise<Result<'resourceCopy'>> {
    const source = await this.#access.require(requester, params.source, reading, 'source');
    const destination = await this.#access.require(requester, params.destination, writing, 'destination', false);
    await this.#access.requireTree(requester, source, destination);
    await copy(source, destination, params.failIfExists ?? false);
    return {};
  }

  async move(params: Params<'resourceMove'>, requester: ResourceRequester): Promise<Result<'resourceMove'>> {
    const both: Need = { read: true, write: true };
    const source = await this.#access.require(requester, params.source, both, 'source', false);
    const destination = await this.#access.require(requester, params.destination, writing, 'destination', false);
    await this.#access.requireMovable(requester, source);
    await this.#access.requireTree(requester, source, destination);
    await move(source, destination, params.failIfExists ?? false);
    return {};
  }

  async delete(params: Params<'resourceDelete'>, requester: ResourceRequester): Promise<Result<'resourceDelete'>> {
    const located = await this.#access.require(requester, params.uri, writing, 'uri', false);
    await this.#access.requireMovable(requester, located);
    await remove(located, params.recursive ?? false);
    return {};
  }

  async resolve(params: Params<'resourceResolve'>, requester: ResourceRequester): Promise<Result<'resourceResolve'>> {
    if (isPublished(params.uri)) return this.#published.ask('resourceResolve', params, requester);
    const located = await this.#access.require(requester, params.uri, reading, 'uri', params.followSymlinks ?? true);
    const isDangling = located.kind === 'link' && params.followSymlinks !== false;
    if (isDangling) throw new Fault('not_found', 'the target of this link does not exist');
    const described = await describe(located);
    return {
      uri: toFileUri(located.real),
      ...described,
      ...(described.type === 'file' && contentType(located.real)),
    };
  }

  async mkdir(params: Params<'resourceMkdir'>, requester: ResourceRequester): Promise<Result<'resourceMkdir'>> {
    await makeFolder(await this.#access.require(requester, params.uri, writing));
    return {};
  }

  /** Asks a person, unless it is allowed already. What they allow counts for this client, until it is forgotten. */
  async request(
    params: Params<'resourceRequest'>,
    requester: ResourceRequester,
    signal: AbortSignal,
  ): Promise<Result<'resourceRequest'>> {
    const need = { read: params.read === true || params.write !== true, write: params.write === true };
    const { real } = await this.#access.locate(params.uri);
    if (await this.#access.isAllowed(requester, real, need)) return {};
    if (isTop(real)) throw unreachable();
    if (!this.#deps.hasWindow())
      throw new Fault('forbidden', 'no window is open where the user can be asked for access', { data: {} });
    const id = this.#deps.effects.newId();
    const question = { id, asker: requester.name ?? requester.clientId, uri: toFileUri(real), ...need };
    if (!(await this.questions.ask(requester.clientId, question, signal))) {
      throw new Fault('forbidden', 'the user denied access', { data: {} });
    }
    requester.grants.push({ id, real, ...need });
    return {};
  }
}

/** Files and what the host minted are no client's. */
function isPublished(uri: string): boolean {
  return parseResourceUri(uri, 'uri').kind === 'other';
}

function contentType(path: string): { contentType?: string } {
  const type = contentTypeOf(path);
  return type === undefined ? {} : { contentType: type };
}

function decode(data: string, encoding: 'base64' | 'utf-8'): Buffer {
  if (encoding === 'utf-8') return Buffer.from(data, 'utf8');
  const bytes = Buffer.from(data, 'base64');
  if (bytes.toString('base64') !== data) throw new Fault('invalid_params', 'data: must be base64');
  return bytes;
}
