import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { killTree, letGo, programStarter } from './leash.ts';
import { processesMarked } from './processTable.ts';
import type { PtyChild, PtyRequest } from './pty.ts';
import { SIGNAL_EXIT } from './signalExit.ts';

const GRACE_MS = 500;
/** How long to wait for output after the program ended. */
const DRAIN_MS = 200;
/** What a person reads first. */
const NOTICE =
  'This terminal runs over pipes, because Switchboard has no terminal module for this platform. Programs that fill the screen do not work in it.\r\n';

/**
 * A program over pipes, where the package has no terminal module. Nobody between the keyboard and the program edits lines,
 * so that is done here: what is typed is shown, and sent with the end of its line.
 * @param leashId marks every descendant through its environment
 */
export async function openPiped(request: PtyRequest, leashId: string): Promise<PtyChild> {
  const { command, args, cwd, env } = request;
  const start = await programStarter();
  // A shell asks for commands by itself only at a terminal.
  const asked = args.length > 0 || process.platform === 'win32' ? args : ['-i'];
  const child = start({ command, args: asked, cwd, env, leashId, stderr: 'merged' });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  return toPipedChild(child, leashId);
}

function toPipedChild(child: ChildProcess, leashId: string): PtyChild {
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr) throw new Error('a terminal was started without pipes');
  const listeners: ((data: string) => void)[] = [];
  const show = (text: string) => {
    for (const it of listeners) it(text.replace(/\r?\n/g, '\r\n'));
  };
  stdin.on('error', () => undefined); // a program that ended does not read: `exited` settles
  for (const it of [stdout, stderr]) it.setEncoding('utf8').on('data', show);
  const exited = new Promise<number>((resolve) => {
    // Its output is complete at `close`, but its children may keep that from happening.
    child.once('exit', (code, signal) => {
      letGo(child);
      const done = () => resolve(code ?? SIGNAL_EXIT + constants.signals[signal ?? 'SIGKILL']);
      const drained = setTimeout(done, DRAIN_MS);
      child.once('close', () => {
        clearTimeout(drained);
        done();
      });
    });
  });
  const interrupt = () => {
    // The whole group, as a terminal does. A program that ended has none.
    if (process.platform === 'win32') child.kill('SIGINT');
    else if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGINT');
  };
  const line = new TypedLine({ show, send: (text) => stdin.write(text), end: () => stdin.end(), interrupt });
  return {
    pid: child.pid!,
    isPty: false,
    notice: NOTICE,
    exited,
    onData: (listener) => void listeners.push(listener),
    write: (data) => line.type(data),
    resize: () => undefined, // a pipe has no size
    pause: () => void stdout.pause(),
    resume: () => void stdout.resume(),
    async stop() {
      stdout.resume();
      letGo(child);
      const forced = setTimeout(() => killTree(child), GRACE_MS);
      await exited;
      clearTimeout(forced);
      for (const pid of processesMarked(leashId)) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch (thrown) {
          if ((thrown as NodeJS.ErrnoException).code !== 'ESRCH') throw thrown;
        }
      }
    },
  };
}

interface TypedLineDeps {
  readonly show: (text: string) => void;
  readonly send: (text: string) => void;
  readonly end: () => void;
  readonly interrupt: () => void;
}

/** What a person types until the end of the line. */
class TypedLine {
  readonly #deps: TypedLineDeps;
  #text = '';

  constructor(deps: TypedLineDeps) {
    this.#deps = deps;
  }

  type(data: string): void {
    for (const key of data.replace(/\r\n/g, '\r')) this.#type(key);
  }

  #type(key: string): void {
    const { show, send, end, interrupt } = this.#deps;
    if (key === '\r' || key === '\n') {
      show('\n');
      send(`${this.#text}\n`);
      this.#text = '';
    } else if (key === '\x7f' || key === '\b') {
      if (this.#text === '') return;
      this.#text = Array.from(this.#text).slice(0, -1).join('');
      show('\b \b');
    } else if (key === '\x03') {
      this.#text = '';
      show('^C\n');
      interrupt();
    } else if (key === '\x04') {
      if (this.#text === '') end();
    } else {
      this.#text += key;
      show(key);
    }
  }
}
