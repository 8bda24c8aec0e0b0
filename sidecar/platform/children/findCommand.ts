import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/**
 * Where a command would be found, as a shell would look for it.
 *
 * @param command a name, or an absolute path
 * @returns the absolute path of the file to run, `undefined` when there is none
 */
export function findCommand(
  command: string,
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const endings = platform === 'win32' ? ['', ...(env['PATHEXT'] ?? '.EXE;.CMD;.BAT').split(';')] : [''];
  if (isAbsolute(command)) return endings.map((it) => command + it).find((it) => isRunnable(it, platform));
  if (command.includes('/') || command.includes('\\')) return undefined;
  const path = env['PATH'] ?? env['Path'] ?? '';
  for (const folder of path.split(delimiter)) {
    if (!isAbsolute(folder)) continue; // a relative entry would find programs of the workspace
    const found = endings.map((it) => join(folder, command + it)).find((it) => isRunnable(it, platform));
    if (found) return found;
  }
  return undefined;
}

function isRunnable(path: string, platform: NodeJS.Platform): boolean {
  try {
    if (!statSync(path).isFile()) return false;
    if (platform !== 'win32') accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // not there, or not for us: both mean "look on"
  }
}
