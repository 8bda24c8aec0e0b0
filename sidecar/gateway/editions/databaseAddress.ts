import { Fault } from '../../platform/faults.ts';
import type { DatabaseAddress } from '../storage/database/database.ts';
import { readText } from './serverOptions.ts';

/**
 * The database that a file with `postgres://…` names; `undefined` where no file is named.
 * @throws {Fault} `invalid_params` for a file that cannot be read, or contains something else
 */
export function readAddress(path: string | undefined): DatabaseAddress | undefined {
  if (path === undefined) return undefined;
  const url = readText(path, '--database-file').trim();
  if (!/^postgres(?:ql)?:\/\//.test(url)) {
    throw new Fault(
      'invalid_params',
      'The file specified by --database-file must contain a URL that begins with postgres://.',
      {
        data: { field: '--database-file' },
      },
    );
  }
  return { kind: 'postgres', url };
}
