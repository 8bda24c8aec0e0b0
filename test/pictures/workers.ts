import { join } from 'node:path';

const program = join(import.meta.dirname, '../integration/peers/acp/agent.ts');

/** The scripted agent of the tests, under a name. */
export const worker = (id: string, displayName: string, ...flags: readonly string[]) => ({
  id,
  displayName,
  command: process.execPath,
  args: [program, ...flags],
});

/** The setting that gives an editor these agents. */
export const withAgents = (...agents: readonly object[]) => ({ 'switchboard.agents': agents });
