import { say } from '../../../support/say.ts';
import { startChild } from '../../gateway/child.ts';
import { type Peer, startPeers } from '../../gateway/peers.ts';
import type { Row } from '../../measure.ts';
import { published } from './published.ts';
import { throughputRows } from './throughput.ts';

/** The same calls through what others have, and what they say of those that cannot be installed here. */
export async function gatewayFrontierPeers(): Promise<readonly Row[]> {
  const backend = await startChild('backend');
  const client = await startChild('client');
  const opened: Peer[] = [];
  try {
    const peers = await startPeers(`${backend.url}/mcp`, (it) => {
      opened.push(it);
      return it;
    });
    const rows: Row[] = [];
    for (const { target, pid } of peers) rows.push(...(await throughputRows(client, target, pid)));
    for (const { who, figures, setup, source } of published)
      say(`published, not measured here: ${who}: ${figures} (${setup}; ${source})`);
    return rows;
  } finally {
    for (const it of opened) await it.close();
    await client.close();
    await backend.close();
  }
}
