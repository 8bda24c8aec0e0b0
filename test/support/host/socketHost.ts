import { spawn } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';

export interface SocketHost {
  /** @throws when nobody listens any more */
  connect(): Promise<Socket>;
  /** As `kill -9` does. Settles when it is gone. */
  kill(): Promise<void>;
  /** Settles with why it ended: a signal, or an exit code. */
  readonly ended: Promise<NodeJS.Signals | number | null>;
  readonly stderr: () => string;
}

let count = 0;

/** A host of its own on `dataDir`, as {@link file://./socketHost.child.ts} plays it. */
export async function startSocketHost(dataDir: string, folder: string): Promise<SocketHost> {
  count += 1;
  const socket = join(folder, `${process.pid}-${count}.sock`);
  const child = spawn(process.execPath, [join(import.meta.dirname, 'socketHost.child.ts'), dataDir, socket], {
    stdio: 'pipe',
  });
  let stderr = '';
  child.stderr.on('data', (it) => (stderr = `${stderr}${it}`.slice(-10_000)));
  const ended = new Promise<NodeJS.Signals | number | null>(
    (resolve) => void child.once('close', (code, signal) => resolve(signal ?? code)),
  );
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve());
    void ended.then((why) => reject(new Error(`the host ended before it listened (${why}): ${stderr}`)));
  });
  return {
    ended,
    stderr: () => stderr,
    connect: () =>
      new Promise((resolve, reject) => {
        const stream = connect(socket, () => resolve(stream));
        stream.once('error', reject);
      }),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
