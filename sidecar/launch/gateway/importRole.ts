import { readFile } from 'node:fs/promises';
import { Fault } from '../../platform/faults.ts';
import { exitCodes, LaunchFailure, reasonOf } from '../failure.ts';
import type { GatewayRoles } from './gatewayContract.ts';

/**
 * `switchboard import FILE`: the text of a `switchboard.jsonc` for what another program's file says.
 * @throws {LaunchFailure} `badFolder` for a file that cannot be read, `usage` for one that holds nothing of that kind
 */
export async function importRole(file: string, load: () => Promise<GatewayRoles>): Promise<string> {
  const text = await readFile(file, 'utf8').catch((thrown: unknown) => {
    throw new LaunchFailure(exitCodes.badFolder, `${file} cannot be read: ${reasonOf(thrown)}.`, thrown);
  });
  try {
    return await (await load()).importFile(text, file);
  } catch (thrown) {
    if (thrown instanceof Fault) throw new LaunchFailure(exitCodes.usage, `${file}: ${thrown.message}`, thrown);
    throw thrown;
  }
}
