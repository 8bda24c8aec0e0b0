import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Where editors keep it, from their folder. */
const places = [
  `node_modules/@vscode/ripgrep-universal/bin/${process.platform}-${process.arch}`,
  'node_modules/@vscode/ripgrep/bin',
  'node_modules.asar.unpacked/@vscode/ripgrep/bin',
];

/** The absolute path of the ripgrep that the editor ships. @param appRoot the folder of the editor */
export function ripgrepOf(appRoot: string): string | undefined {
  const name = process.platform === 'win32' ? 'rg.exe' : 'rg';
  return places.map((it) => join(appRoot, it, name)).find((it) => existsSync(it));
}
