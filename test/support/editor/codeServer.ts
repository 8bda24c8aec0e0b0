import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cached } from '../cache.ts';
import { npm } from '../npm.ts';
import { say } from '../say.ts';

/** code-server 4.139.1 is VS Code 1.139.1 with its web workbench, from npm: nothing else delivers one there. */
export const codeServerVersion = '4.139.1';

/** Answers the path of `server-main.js`. The first time it installs about 475 MB, in about a minute. */
export async function codeServer(): Promise<string> {
  const folder = await cached(`code-server-${codeServerVersion}`, async (partial) => {
    say(`editor: installing VS Code from npm (code-server ${codeServerVersion}, 475 MB, about a minute, once)`);
    await npm(['install', '--prefix', partial, `code-server@${codeServerVersion}`, '--ignore-scripts'], partial);
    say('editor: installing what VS Code itself needs');
    // Its native modules are optional: output channels stay empty and the watchdog is missing, nothing else.
    const bare = ['install', '--omit=dev', '--omit=optional', '--ignore-scripts'];
    await npm(bare, vscodeOf(partial));
    await npm(bare, join(vscodeOf(partial), 'extensions')); // without it the editor complains of a missing TypeScript
  });
  return join(vscodeOf(folder), 'out', 'server-main.js');
}

/**
 * The built-in extensions that suites use or that the sample workspace needs. Without this selection, each window would load about a
 * hundred.
 */
const shown = [
  ...['git', 'git-base', 'json-language-features', 'typescript-language-features'],
  ...['json', 'javascript', 'typescript-basics', 'markdown-basics', 'css', 'html', 'python', 'shellscript', 'yaml'],
  ...['xml', 'diff', 'ini', 'log', 'theme-defaults', 'theme-seti'],
  'node_modules', // contains the TypeScript server
];

/** Makes a folder for `--builtin-extensions-dir` with the built-in extensions that suites need. */
export async function linkBuiltIn(folder: string): Promise<void> {
  const all = join(dirname(await codeServer()), '..', 'extensions');
  mkdirSync(folder, { recursive: true });
  for (const it of shown) symlinkSync(join(all, it), join(folder, it), 'junction');
}

function vscodeOf(folder: string): string {
  return join(folder, 'node_modules', 'code-server', 'lib', 'vscode');
}
