import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { projectRoot } from './test/support/cache.ts';
import { desktopCommand } from './test/support/editor/desktopCommand.ts';
import { endProcessesMentioning } from './test/support/editor/processes.ts';
import { serveEditor } from './test/support/editor/server.ts';
import { say } from './test/support/say.ts';
import { makeScratch } from './test/support/scratch.ts';
import { packageForHere } from './vsix.ts';

// `npm start`: a real VS Code with Switchboard in it, on a copy of the sample workspace. Ctrl-C ends all of it.
process.chdir(projectRoot);
const scratch = makeScratch('switchboard-start');
let ending = false;
let exitCode = 0;
const closing: (() => void)[] = [];

function end(): never {
  if (!ending) {
    ending = true;
    for (const it of closing) it();
    endProcessesMentioning(scratch.dataDir);
    scratch.remove();
  }
  process.exit(exitCode);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);

try {
  say('start: building');
  const built = spawnSync(process.execPath, ['esbuild.mjs'], { stdio: 'inherit' });
  if (built.status !== 0) throw new Error('the build failed');
  const vsix = await packageForHere();
  if (!scratch.hasGit) say('start: git is not installed, so the sample folder has no history');
  say(`start: the sample project is in ${scratch.workspace} and goes away when this ends`);
  const desktop = desktopCommand(process.env);
  if (desktop.command === undefined) {
    say(`start: ${desktop.why}; serving VS Code for a browser`);
    // A served editor opens a new folder untrusted without a word. Asked as a desktop one does, trust is one click.
    const settings = { 'security.workspace.trust.startupPrompt': 'always' };
    const editor = await serveEditor({ dataDir: scratch.dataDir, packages: [vsix], asksForTrust: true, settings });
    closing.push(() => editor.close());
    say(`start: open ${editor.addressOf(scratch.workspace)}`);
    say('start: Ctrl-C ends it');
  } else {
    await openDesktop(desktop.command, vsix);
    end();
  }
} catch (thrown) {
  process.stderr.write(`start: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
  exitCode = 1;
  end();
}

/** Opens the installed VS Code with data folders of its own: nothing of the person's is changed. Settles when its window closes. */
async function openDesktop(command: string, vsix: string): Promise<void> {
  const own = [
    '--user-data-dir',
    join(scratch.dataDir, 'user'),
    '--extensions-dir',
    join(scratch.dataDir, 'extensions'),
  ];
  const shell = process.platform === 'win32';
  say('start: installing the extension');
  const installed = spawnSync(command, [...own, '--install-extension', vsix, '--force'], { stdio: 'ignore', shell });
  if (installed.status !== 0) throw new Error('VS Code did not install the extension');
  say('start: opening VS Code; closing its window or Ctrl-C ends it');
  const code = spawn(command, [...own, '--new-window', '--wait', scratch.workspace], { stdio: 'ignore', shell });
  await new Promise<void>((resolve, reject) => {
    code.on('error', reject);
    code.on('close', () => resolve());
  });
}
