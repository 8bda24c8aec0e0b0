import { fileURLToPath } from 'node:url';

const agent = fileURLToPath(new URL('../../integration/peers/acp/agent.ts', import.meta.url));

/** A program that is a whole agent, as a package or an archive brings it: the scripted one, under the Node of the tests. */
export function agentProgram(...flags: readonly string[]): string {
  return `#!/bin/sh\nexec '${process.execPath}' '${agent}' ${flags.join(' ')} "$@"\n`;
}
