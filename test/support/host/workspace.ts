import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { URI } from 'vscode-uri';

/** A folder with files, by their paths. */
export interface Workspace {
  readonly path: string;
  readonly uri: string;
  write(files: Readonly<Record<string, string>>): void;
  uriOf(path: string): string;
  remove(path?: string): void;
}

export function openWorkspace(files: Readonly<Record<string, string>> = {}): Workspace {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-workspace-')));
  const write: Workspace['write'] = (all) => {
    for (const [name, content] of Object.entries(all)) {
      mkdirSync(dirname(join(path, name)), { recursive: true });
      writeFileSync(join(path, name), content);
    }
  };
  write(files);
  return {
    path,
    uri: URI.file(path).toString(),
    write,
    uriOf: (name) => URI.file(join(path, name)).toString(),
    remove: (name = '') => rmSync(join(path, name), { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
}
