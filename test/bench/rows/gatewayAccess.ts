import { Access, type AccessOptions, type Levels } from '../../../sidecar/gateway/access/access.ts';
import { Catalogue } from '../../../sidecar/gateway/access/catalogue.ts';
import { median, type Row, RUNS } from '../measure.ts';

const SERVERS = 200;
const TOOLS = 20;
const RESOLUTIONS = 2_000;

/**
 * What a caller may use, from the records of all five levels, and whether that holds one tool: what the first call of a
 * caller costs after any record was changed. Later calls take what was resolved.
 */
export function gatewayAccess(): Promise<readonly Row[]> {
  const servers = Array.from({ length: SERVERS }, (_, at) => ({
    server_id: `0199c0de-0000-7000-8000-${String(at).padStart(12, '0')}`,
    alias: `server-${at}`,
    mcp_access_groups: [`group-${at % 10}`],
    allowed_tools: toolNames,
  }));
  const catalogue = new Catalogue(servers);
  const options: AccessOptions = { defaultAccess: 'none', emptyListInherits: false };
  let at = 0;
  const resolve = (levels: Levels) => {
    at = (at + 1) % SERVERS;
    const access = new Access(levels, catalogue, options);
    if (access.servers.size !== SERVERS || !access.allowsTool(servers[at]?.server_id ?? '', 'tool-3'))
      throw new Error('this caller may use everything');
  };
  const microseconds = (count: number, levelsOf: () => Levels) => {
    const all = Array.from({ length: count }, levelsOf);
    const started = performance.now();
    for (const it of all) resolve(it);
    return ((performance.now() - started) * 1_000) / count;
  };
  const known = levels();
  const warm = Array.from({ length: RUNS + 1 }, () => microseconds(RESOLUTIONS, () => known)).slice(1);
  const cold = Array.from({ length: RUNS + 1 }, () => microseconds(RESOLUTIONS / 10, levels)).slice(1);
  return Promise.resolve([
    {
      name: `access resolution with five levels, ${SERVERS} servers and ${TOOLS} tools of each`,
      value: median(warm),
      limit: 15,
      unit: 'µs',
      detail: `all servers and one tool; ${median(cold).toFixed(0)} µs where no level was read before`,
    },
  ]);
}

const toolNames = Array.from({ length: TOOLS }, (_, at) => `tool-${at}`);
const aliases = Array.from({ length: SERVERS }, (_, at) => `server-${at}`);

/** Every level names every server and tool: nothing is decided early. */
function levels(): Levels {
  const level = () => ({
    mcp_servers: [...aliases],
    mcp_tool_permissions: Object.fromEntries(aliases.map((it) => [it, toolNames])),
    agents: [],
  });
  return { key: level(), team: level(), endUser: level(), agent: level(), organization: level() };
}
