import { say } from '../support/say.ts';
import { toolSearch } from './gateway/toolSearch.ts';
import { gatewayWorkers } from './gateway/workers.ts';
import type { Row } from './measure.ts';
import { activation } from './rows/activation.ts';
import { catalogue } from './rows/catalogue.ts';
import { chatPages } from './rows/chatPages.ts';
import { diskBytes } from './rows/diskBytes.ts';
import { echo } from './rows/echo.ts';
import { gatewayFrontierCalls } from './rows/frontier/calls.ts';
import { gatewayFrontierKeys } from './rows/frontier/keys.ts';
import { gatewayFrontierLog } from './rows/frontier/log.ts';
import { gatewayFrontierPeers } from './rows/frontier/peers.ts';
import { gatewayFrontierServers } from './rows/frontier/servers.ts';
import { gatewayFrontierSessions } from './rows/frontier/sessions.ts';
import { gatewayAccess } from './rows/gatewayAccess.ts';
import { gatewayCalls } from './rows/gatewayCalls.ts';
import { gatewayMemory } from './rows/gatewayMemory.ts';
import { gatewayModels } from './rows/gatewayModels.ts';
import { gatewayReads } from './rows/gatewayReads.ts';
import { gatewayStart } from './rows/gatewayStart.ts';
import { gatewayStreams } from './rows/gatewayStreams.ts';
import { history } from './rows/history.ts';
import { hostStart } from './rows/hostStart.ts';
import { longChats } from './rows/longChats.ts';
import { reducers } from './rows/reducers.ts';
import { sandbox } from './rows/sandbox.ts';
import { search } from './rows/search.ts';
import { sessionsTree } from './rows/sessionsTree.ts';
import { shortTurns } from './rows/shortTurns.ts';
import { soak } from './rows/soak.ts';
import { streams } from './rows/streams.ts';
import { vscodeHost } from './rows/vscodeHost.ts';
import { webSocketEcho } from './rows/webSocketEcho.ts';

/**
 * `npm run bench [-- --check] [words]`: ratios against a baseline of the same run, medians of alternated runs. A word picks
 * the groups whose names begin with it. With `--check` the exit code is 1 when a goal is missed.
 */
const groups: Readonly<Record<string, () => Promise<readonly Row[]>>> = {
  echo,
  history,
  hostStart,
  catalogue,
  longChats,
  shortTurns,
  reducers,
  sandbox,
  search,
  streams,
  webSocketEcho,
  vscodeHost,
  chatPages,
  sessionsTree,
  diskBytes,
  gatewayAccess,
  gatewayCallsAlone: () => gatewayCalls(1),
  gatewayCallsAt16: () => gatewayCalls(16),
  gatewayCallsAt64: () => gatewayCalls(64),
  gatewayStreams,
  gatewayModels,
  gatewayStart,
  gatewayReads,
  gatewayMemory,
  gatewayFrontierCalls,
  gatewayFrontierPeers,
  gatewayFrontierServers,
  gatewayFrontierSessions,
  gatewayFrontierKeys,
  gatewayFrontierLog,
  gatewayWorkers,
  toolSearch,
  soak,
  activation,
};
const words = process.argv.slice(2);
const isCheck = words.includes('--check');
const wanted = words.filter((it) => !it.startsWith('-'));
const unknown = wanted.filter((word) => !Object.keys(groups).some((it) => it.startsWith(word)));
if (unknown.length > 0) throw new Error(`${unknown.join(', ')}: there is ${Object.keys(groups).join(', ')}`);
let missed = 0;

for (const [name, measure] of Object.entries(groups)) {
  if (wanted.length > 0 && !wanted.some((word) => name.startsWith(word))) continue;
  for (const row of await measure()) {
    const isMissed = !isKept(row);
    if (isMissed) missed += 1;
    say(
      `${row.name}: ${row.value.toFixed(2)} ${row.unit} (${goalOf(row)}${isMissed ? ', MISSED' : ''}; ${row.detail})`,
    );
  }
}
say(missed === 0 ? 'bench: every limit is kept' : `bench: ${missed} missed`);
process.exit(isCheck && missed > 0 ? 1 : 0);

function isKept({ value, limit, floor }: Row): boolean {
  return (limit === undefined || value <= limit) && (floor === undefined || value >= floor);
}

function goalOf({ limit, floor }: Row): string {
  if (limit !== undefined) return `limit ${limit}`;
  return floor === undefined ? 'no limit' : `at least ${floor}`;
}
