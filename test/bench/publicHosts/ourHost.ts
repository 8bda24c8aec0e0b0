import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RealAgent } from '../../support/agents/realAgents.ts';
import { serve } from '../../support/host/served.ts';
import { openSidecarPlace } from '../../support/sidecar.ts';
import type { PublicHost } from './vscodeHost.ts';

/** `switchboard serve` on data of its own, with the agent as a window would give it. */
export async function openOurHost(
  agent: RealAgent,
  env: Readonly<Record<string, string>>,
  root: string,
): Promise<PublicHost> {
  const place = openSidecarPlace();
  const windowFile = join(root, 'window.json');
  writeFileSync(windowFile, JSON.stringify({ agents: [agent.setting] }));
  const limits = { messagesPerSecond: 1_000_000 };
  const { url, token } = await serve(place, root, limits, ['--window-file', windowFile], env);
  return { url: `${url}/?tkn=${token}`, close: () => place.close() };
}
