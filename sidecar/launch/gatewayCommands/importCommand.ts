import { importRole } from '../gateway/importRole.ts';
import type { CommandRun } from './command.ts';
import { writeOwnFile } from './files.ts';

/** `gateway import FILE`: as `switchboard import FILE`, and to a file if one is named. */
export const importCommand: CommandRun = async (asked, { loadGateway }) => {
  const configuration = await importRole(asked.argument, loadGateway);
  const out = asked.one('out');
  if (out === undefined) return { text: configuration, data: { configuration } };
  writeOwnFile(out, configuration);
  return { text: `Created ${out}.\n`, data: { file: out } };
};
