import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { projectRoot } from './test/support/cache.ts';
import { desktopCommand } from './test/support/editor/desktopCommand.ts';
import { endProcessesMentioning, processesMentioning } from './test/support/editor/processes.ts';
import { serveEditor } from './test/support/editor/server.ts';
import { say } from './test/support/say.ts';
import { makeScratch } from './test/support/scratch.ts';
import { until } from './test/support/until.ts';
import { packageForHere } from './vsix.ts';

// `npm start`: a real VS Code with Switchboard in it, on a copy of the sample workspace. Ctrl-C ends all of it.
process.chdir(projectRoot);
const scratch = makeScratch('switchboard-start');
let ending = false;
let exitCode = 0;
const closing: (() => void)[] = [];

/** A terminal and npm may both send the signal, so only the first one counts. */
async function end(): Promise<void> {
  if (ending) return;
  ending = true;
  try {
    for (const it of closing) it();
    // A process may start another one while it is being ended, and is there for a moment after it was killed.
    await until('no process of this editor runs', hasNoProcess, 10_000);
    scratch.remove();
  } catch (thrown) {
    tell(thrown);
  }
  process.exit(exitCode);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end());

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
    await end();
  }
} catch (thrown) {
  if (!ending) tell(thrown); // otherwise, what was about to start was ended
  await end();
}

function hasNoProcess(): boolean {
  endProcessesMentioning(scratch.dataDir);
  return processesMentioning(scratch.dataDir).length === 0;
}

function tell(thrown: unknown): void {
  process.stderr.write(`start: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
  exitCode = 1;
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
