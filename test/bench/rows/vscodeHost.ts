import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installAgents, realAgents } from '../../support/agents/realAgents.ts';
import { startModel } from '../../support/model/server.ts';
import { alternate, type Row, RUNS, ratioRow } from '../measure.ts';
import { openOurHost } from '../publicHosts/ourHost.ts';
import { Side } from '../publicHosts/side.ts';
import { openVscodeHost, type PublicHost } from '../publicHosts/vscodeHost.ts';

const PROVIDER = 'claude';
const SESSIONS = 5;
const SUBSCRIBERS = 20;
const DRAFTS = 500;
/** A turn goes through processes of the agent, so that its time varies more than that of the others. */
const TURNS = 20;

type Measure = (side: Side) => Promise<number>;
/** Name, measure, what share of theirs it may take, and how many times it is taken. */
const measures: readonly (readonly [string, Measure, number, number?])[] = [
  ['connection and handshake', (it) => it.handshake(), 0.5],
  [`list of ${SESSIONS} sessions`, (it) => it.list(), 0.5],
  [`a turn of ${PROVIDER}`, (it) => it.turn(), 1, TURNS],
  [`${DRAFTS} drafts of one client heard by ${SUBSCRIBERS}`, (it) => it.fanOut(DRAFTS), 0.5],
];

/**
 * Our host against VS Code's own, both in the public protocol 0.9.0 by the same client, each with Claude's SDK on the same
 * model of this machine: VS Code has the SDK in its process, we reach it over ACP as any other agent.
 */
export async function vscodeHost(): Promise<readonly Row[]> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-bench-')));
  const folder = join(root, 'work');
  mkdirSync(folder);
  const model = await startModel();
  const hosts: PublicHost[] = [];
  const sides: Side[] = [];
  const open = async (host: PublicHost) => {
    hosts.push(host);
    const { href } = pathToFileURL(folder);
    const options = { provider: PROVIDER, folder: href, sessions: SESSIONS, subscribers: SUBSCRIBERS };
    const side = await Side.open({ url: host.url, ...options });
    sides.push(side);
    return side;
  };
  try {
    const bin = await installAgents();
    const agent = realAgents(bin).find((it) => it.setting.id === PROVIDER)!;
    const env = (home: string) => agent.env(join(root, home), model.url);
    const ours = await open(await openOurHost(agent, env('ours'), root));
    const theirs = await openVscodeHost(join(bin, '..', '..'), env('theirs'))
      .then(open)
      .catch((thrown: unknown) => `VS Code's own host is not to be had here: ${String(thrown)}`);
    const rows: Row[] = [];
    for (const [name, measure, limit, runs = RUNS] of measures)
      rows.push(await rowOf({ name, measure, limit, runs }, ours, theirs));
    return rows;
  } finally {
    for (const it of sides) it.close();
    for (const it of hosts) await it.close();
    await model.close();
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** @param theirs the other host, or why there is none: then the row has our figure alone */
async function rowOf(
  { name, measure, limit, runs }: { name: string; measure: Measure; limit: number; runs: number },
  ours: Side,
  theirs: Side | string,
): Promise<Row> {
  if (typeof theirs === 'string')
    return { name: `${name}, our host`, value: await measure(ours), unit: 'ms', detail: theirs };
  const figures = await alternate(
    () => measure(ours),
    () => measure(theirs),
    runs,
  );
  return ratioRow(`${name}, our host against VS Code's own`, figures, limit);
}
