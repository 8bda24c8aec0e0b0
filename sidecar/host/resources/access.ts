import { opendir } from 'node:fs/promises';
import { basename, relative, sep } from 'node:path';
import { Fault } from '../../platform/faults.ts';
import type { SessionSummary } from '../../protocol/channels/session/schema.ts';
import { ROOT } from '../../protocol/uris.ts';
import type { EffectDeps, Requester } from '../context/effectDeps.ts';
import { realFolders } from '../context/paths.ts';
import { asFaults } from '../files/fileFaults.ts';
import { isIn, isTop, type Located, locate } from '../files/locate.ts';
import { parseResourceUri, unreachable } from './fileUris.ts';
import { covers, type Grant, type Need } from './grants.ts';

/** A client with what it may reach. */
export interface ResourceRequester extends Requester {
  readonly name: string | undefined;
  readonly grants: Grant[];
  /** Channels that it subscribed to. */
  readonly baselines: ReadonlySet<string>;
}

export interface AccessDeps {
  readonly effects: Pick<EffectDeps, 'store' | 'storage'>;
  /** The host's own files: for nobody. */
  readonly dataDir: string;
}

export const reading: Need = { read: true, write: false };
export const writing: Need = { read: false, write: true };

/** Sessions whose folders count, newest first. */
const MAX_SESSIONS = 200;
/** What is written there is run by others later. A person is asked, also inside the folders of a session. */
const runByOthers =
  /(?:^|\/)(?:(?:\.git|\.husky|\.vscode|\.switchboard|[^/]*\.code-workspace|\.github\/hooks|\.(?:agents|claude|github)\/plugins)(?:\/|$)|\.?mcp\.json$|\.claude\/settings[^/]*\.json$)/i;
/** A folder that gets such a name: what is in it already is run by others from then on. */
const runByName = /^\.(?:agents|claude|github)$/i;

/** May this client have this file? The folders of sessions are open to clients; anything else a person has to grant. */
export class Access {
  readonly #deps: AccessDeps;

  constructor(deps: AccessDeps) {
    this.#deps = deps;
  }

  /**
   * Where the URI leads, once the client may go there.
   * @throws {Fault} `invalid_params`; `forbidden`, with the request that would unlock it where one would
   */
  async require(requester: ResourceRequester, uri: string, need: Need, field = 'uri', follow = true): Promise<Located> {
    const located = await this.locate(uri, field, follow);
    if (await this.isAllowed(requester, located.real, need)) return located;
    const request = { channel: ROOT, uri, ...(need.read && { read: true }), ...(need.write && { write: true }) };
    throw new Fault('forbidden', `${field}: this client is not allowed to access this resource`, { data: { request } });
  }

  /** @throws {Fault} `invalid_params`, `forbidden` for what nobody can be granted */
  async locate(uri: string, field = 'uri', follow = true): Promise<Located> {
    const parsed = parseResourceUri(uri, field);
    if (parsed.kind !== 'file') throw unreachable();
    const located = await locate(parsed.path, follow);
    if (this.isOwn(located.real)) throw unreachable();
    return located;
  }

  async isAllowed(requester: ResourceRequester, real: string, need: Need): Promise<boolean> {
    if (requester.grants.some((it) => covers(it, real, need))) return true;
    const folders = await this.folders(requester);
    return !(need.write && isRunByOthers(real)) && folders.some((it) => isIn(real, it));
  }

  /** Real paths of the folders of the sessions in the list, and of those that the client looks at. */
  async folders(requester: ResourceRequester): Promise<string[]> {
    const { store, storage } = this.#deps.effects;
    const uris = new Set<string>();
    for (const { summary } of storage.sessions.page(MAX_SESSIONS)) {
      for (const it of (JSON.parse(summary) as SessionSummary).workingDirectories ?? []) uris.add(it);
    }
    for (const channel of requester.baselines) {
      for (const it of store.state('session', channel)?.workingDirectories ?? []) uris.add(it);
    }
    return realFolders([...uris]);
  }

  /** @throws {Fault} `forbidden` for what holds a folder of a session or the host's own files, and for the top of a disk */
  async requireMovable(requester: ResourceRequester, { real }: Located): Promise<void> {
    if (isTop(real) || (await this.folders(requester)).some((it) => isIn(it, real))) {
      throw new Fault('forbidden', "this folder contains a session's folder", { data: {} });
    }
    if (isIn(this.#deps.dataDir, real)) throw unreachable();
  }

  /**
   * A folder comes to another place with all that is in it (`security.run-by-others`).
   * @throws {Fault} `forbidden` for what holds the host's own files, or what others would run there
   */
  async requireTree(requester: ResourceRequester, source: Located, destination: Located): Promise<void> {
    if (isIn(this.#deps.dataDir, source.real)) throw unreachable();
    if (source.kind !== 'folder' || requester.grants.some((it) => covers(it, destination.real, writing))) return;
    if (runByName.test(basename(destination.real)) || (await asFaults(() => holdsRunByOthers(source.real)))) {
      const why =
        'destination: other programs would run files from this folder. Write the files one at a time. The user is asked to confirm';
      throw new Fault('forbidden', why, { data: {} });
    }
  }

  /** Whether it is one of the host's own files. */
  isOwn(real: string): boolean {
    return isIn(real, this.#deps.dataDir);
  }
}

async function holdsRunByOthers(folder: string): Promise<boolean> {
  for await (const { parentPath, name } of await opendir(folder, { recursive: true })) {
    if (runByOthers.test(`${sep}${relative(folder, parentPath)}${sep}${name}`.replaceAll(sep, '/'))) return true;
  }
  return false;
}

/** The whole path counts: a session may work in a folder of hooks itself. */
function isRunByOthers(real: string): boolean {
  return runByOthers.test(real.replaceAll(sep, '/'));
}
