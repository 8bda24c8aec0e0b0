import { sep } from 'node:path';
import { Fault } from '../../platform/faults.ts';
import type { SessionSummary } from '../../protocol/channels/session/schema.ts';
import { ROOT } from '../../protocol/uris.ts';
import { sessionState } from '../context/chatAccess.ts';
import type { Asker, EffectDeps } from '../context/effectDeps.ts';
import { realFolders } from '../context/paths.ts';
import { isIn, isTop, type Located, locate } from '../files/locate.ts';
import { parseResourceUri, unreachable } from './fileUris.ts';
import { covers, type Grant, type Need } from './grants.ts';

/** A client with what it may reach. */
export interface ResourceAsker extends Asker {
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
  /(?:^|\/)(?:(?:\.git|\.husky|\.vscode|\.github\/hooks|\.(?:agents|claude|github)\/plugins)(?:\/|$)|\.?mcp\.json$|\.claude\/settings[^/]*\.json$)/i;

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
  async require(asker: ResourceAsker, uri: string, need: Need, field = 'uri', follow = true): Promise<Located> {
    const located = await this.locate(uri, field, follow);
    if (await this.isAllowed(asker, located.real, need)) return located;
    const request = { channel: ROOT, uri, ...(need.read && { read: true }), ...(need.write && { write: true }) };
    throw new Fault('forbidden', `${field}: outside of what this client may reach`, { data: { request } });
  }

  /** @throws {Fault} `invalid_params`, `forbidden` for what nobody can be granted */
  async locate(uri: string, field = 'uri', follow = true): Promise<Located> {
    const parsed = parseResourceUri(uri, field);
    if (parsed.kind !== 'file') throw unreachable();
    const located = await locate(parsed.path, follow);
    if (isIn(located.real, this.#deps.dataDir)) throw unreachable();
    return located;
  }

  async isAllowed(asker: ResourceAsker, real: string, need: Need): Promise<boolean> {
    if (asker.grants.some((it) => covers(it, real, need))) return true;
    const folders = await this.folders(asker);
    return folders.some((it) => isIn(real, it) && !(need.write && isRunByOthers(real, it)));
  }

  /** Real paths of the folders of the sessions in the list, and of those that the client looks at. */
  async folders(asker: ResourceAsker): Promise<string[]> {
    const { store, storage } = this.#deps.effects;
    const uris = new Set<string>();
    for (const { summary } of storage.sessions.page(MAX_SESSIONS)) {
      for (const it of (JSON.parse(summary) as SessionSummary).workingDirectories ?? []) uris.add(it);
    }
    for (const channel of asker.baselines) {
      for (const it of sessionState(store, channel)?.workingDirectories ?? []) uris.add(it);
    }
    return realFolders([...uris]);
  }

  /** @throws {Fault} `forbidden` for a folder of a session itself, and for the top of a disk */
  async requireMovable(asker: ResourceAsker, { real }: Located): Promise<void> {
    if (isTop(real) || (await this.folders(asker)).includes(real)) {
      throw new Fault('forbidden', 'this folder belongs to a session', { data: {} });
    }
  }
}

function isRunByOthers(real: string, folder: string): boolean {
  return runByOthers.test(real.slice(folder.length).replaceAll(sep, '/'));
}
