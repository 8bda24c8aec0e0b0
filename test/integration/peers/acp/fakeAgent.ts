import { fileURLToPath } from 'node:url';
import type { AcpAgent } from '../../../../sidecar/agents/acp/wellKnown.ts';

/** The scripted agent as a real child process. `flags` choose how it behaves: see agent.ts. */
export function fakeAgent(flags: readonly string[]): AcpAgent {
  return {
    id: 'fake',
    displayName: 'Fake',
    command: process.execPath,
    args: [fileURLToPath(new URL('./agent.ts', import.meta.url)), ...flags],
    env: ['FAKE_*'],
  };
}
