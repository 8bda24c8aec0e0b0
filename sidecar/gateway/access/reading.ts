import type { Catalogue } from './catalogue.ts';
import {
  agentStatement,
  modelStatement,
  type ObjectPermission,
  type ReadingOptions,
  serverStatement,
  toolStatement,
} from './permission.ts';
import type { Places } from './places.ts';
import { inherit, type Statement } from './statement.ts';

/** What one level says, found out once for as long as neither its record nor the catalogue changes. */
export class Reading {
  readonly servers: Statement;
  readonly agents: Statement;
  readonly models: Statement;
  /** The servers that are let through; absent where all are. */
  readonly serverPlaces: Places | undefined;
  readonly #permission: ObjectPermission;
  readonly #catalogue: Catalogue;
  readonly #options: ReadingOptions;
  readonly #tools = new Map<string, Statement>();

  constructor(permission: ObjectPermission, catalogue: Catalogue, options: ReadingOptions) {
    const servers = serverStatement(permission, catalogue, options);
    this.servers = servers;
    if (servers.kind === 'only') this.serverPlaces = catalogue.placesOf(servers.names);
    this.agents = agentStatement(permission, catalogue, options);
    this.models = modelStatement(permission, catalogue, options);
    this.#permission = permission;
    this.#catalogue = catalogue;
    this.#options = options;
  }

  tools(serverId: string): Statement {
    let statement = this.#tools.get(serverId);
    if (!statement) {
      statement = toolStatement(this.#permission, serverId, this.#catalogue, this.#options);
      this.#tools.set(serverId, statement);
    }
    return statement;
  }
}

export type LevelReading = Pick<Reading, 'servers' | 'serverPlaces' | 'agents' | 'models' | 'tools'>;

/** Of a level that is not there. */
const silent: LevelReading = {
  servers: inherit,
  serverPlaces: undefined,
  agents: inherit,
  models: inherit,
  tools: () => inherit,
};

type Kept = WeakMap<ObjectPermission, Reading>;
const kept = new WeakMap<Catalogue, { readonly inheriting: Kept; readonly exact: Kept }>();

/** Records and catalogues never change once they were made; what replaces one is read anew. */
export function readingOf(
  permission: ObjectPermission | undefined,
  catalogue: Catalogue,
  options: ReadingOptions,
): LevelReading {
  if (!permission) return silent;
  let ofCatalogue = kept.get(catalogue);
  if (!ofCatalogue) kept.set(catalogue, (ofCatalogue = { inheriting: new WeakMap(), exact: new WeakMap() }));
  const readings = options.emptyListInherits ? ofCatalogue.inheriting : ofCatalogue.exact;
  let reading = readings.get(permission);
  if (!reading) readings.set(permission, (reading = new Reading(permission, catalogue, options)));
  return reading;
}
