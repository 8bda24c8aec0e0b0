import { spawnSync } from 'node:child_process';
import { accessSync, chmodSync, constants, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { SandboxManager } from '@anthropic-ai/sandbox-runtime';
import { type FromOwner, type Obstacle, ToOwner } from './messages.ts';

/**
 * The process that owns the sandbox of one session. The library keeps its policy in variables of its module, so two
 * sessions cannot share a process. Its proxies run here: without this process nothing inside reaches the network.
 * It works in an empty folder of its own, because the library protects files of the working directory by placeholders.
 * Ends with its standard input.
 */
async function own(): Promise<void> {
  const waiting = new Map<number, (answer: { allow: boolean; reason?: string }) => void>();
  let count = 0;
  try {
    await begin(({ host, port }) => {
      count += 1;
      const id = count;
      say({ kind: 'asks', id, host, port: port ?? 443 });
      return new Promise((resolve) => void waiting.set(id, resolve));
    });
  } catch (thrown) {
    say({ kind: 'failed', ...(thrown instanceof CannotStart ? thrown.why : unknownReason(thrown)) });
    return;
  }
  say({ kind: 'ready' });
  for await (const line of createInterface({ input: process.stdin })) {
    const message = ToOwner.parse(JSON.parse(line));
    if (message.kind === 'wrap') {
      void wrap(message);
      continue;
    }
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  }
}

class CannotStart extends Error {
  readonly why: { readonly obstacle: Obstacle; readonly detail: string };

  constructor(obstacle: Obstacle, detail: string) {
    super(detail);
    this.why = { obstacle, detail };
  }
}

const unknownReason = (thrown: unknown) =>
  ({ obstacle: 'namespaces', detail: thrown instanceof Error ? thrown.message : String(thrown) }) as const;

type Ask = (asked: { readonly host: string; readonly port: number | undefined }) => Promise<Answer>;
type Answer = { readonly allow: boolean; readonly reason?: string };

/** @throws {CannotStart} */
async function begin(ask: Ask): Promise<void> {
  if (process.platform !== 'linux' && process.platform !== 'darwin') throw new CannotStart('system', process.platform);
  const seccomp = process.platform === 'linux' ? { seccomp: { applyPath: seccompProgram() } } : {};
  // The library searches the working directory for files to protect. It is empty, so nothing has to search it.
  const ripgrep = { command: 'true' };
  const missing = ['bwrap', 'socat'].filter((it) => process.platform === 'linux' && !isOnPath(it));
  if (missing.length > 0) throw new CannotStart('programs', missing.join(', '));
  await SandboxManager.initialize(
    {
      network: { allowedDomains: [], deniedDomains: [] },
      filesystem: { denyRead: [], allowWrite: [], denyWrite: [] },
      ripgrep,
      ...seccomp,
    },
    async (asked) => {
      const { allow, reason } = await ask(asked);
      return allow ? true : { allow: false, reason: reason ?? 'Not allowed in this session.' };
    },
  );
  const { warnings } = SandboxManager.checkDependencies(ripgrep);
  if (warnings.some((it) => it.includes('seccomp not available'))) throw new CannotStart('processor', process.arch);
  await prove();
}

/** A program that does nothing runs inside: whether the system lets one start is known only then. */
async function prove(): Promise<void> {
  const { argv } = await SandboxManager.wrapWithSandboxArgv('exit 0', '/bin/sh');
  const { status, stderr } = spawnSync(argv[0]!, argv.slice(1), { encoding: 'utf8', timeout: 20_000 });
  if (status !== 0) throw new CannotStart('namespaces', stderr.trim().split('\n').at(-1)?.slice(0, 200) ?? '');
}

/**
 * The program that blocks local sockets, which is packaged beside this one. An installation may have lost the right to
 * execute it: then a copy in the owner's folder is used.
 * @throws {CannotStart} where there is none for this processor
 */
function seccompProgram(): string {
  const folder = import.meta.url.endsWith('.ts')
    ? new URL('../../../node_modules/@anthropic-ai/sandbox-runtime/vendor/', import.meta.url)
    : new URL('./vendor/', import.meta.url);
  const { pathname } = new URL(`seccomp/${process.arch}/apply-seccomp`, folder);
  const path = decodeURIComponent(pathname);
  try {
    accessSync(path, constants.R_OK);
  } catch {
    throw new CannotStart('processor', process.arch);
  }
  try {
    accessSync(path, constants.X_OK);
    return path;
  } catch {
    const copy = join(process.cwd(), 'apply-seccomp');
    copyFileSync(path, copy);
    chmodSync(copy, 0o700);
    return copy;
  }
}

function isOnPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(':').some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return folder.startsWith('/'); // a relative entry would find programs of the folder
    } catch {
      return false;
    }
  });
}

async function wrap({ id, line, shell, files }: Extract<ToOwner, { kind: 'wrap' }>): Promise<void> {
  const { writes, protects, hidden, shown } = files;
  const literally = (paths: readonly string[]) => paths.map((path) => ({ path, literal: true as const }));
  // Folders that all sessions of the library would share.
  const shared = SandboxManager.getFsWriteConfig().allowOnly.filter((it) => !it.startsWith('/dev/'));
  const filesystem = {
    allowWrite: literally(writes),
    denyWrite: literally([...protects, ...shared]),
    denyRead: literally(hidden),
    allowRead: literally(shown),
  };
  try {
    // The name of a command is part of the proxy's user name: of such a length it needs no padding there.
    const commandId = String(id).padStart(24, '0');
    const { argv } = await SandboxManager.wrapWithSandboxArgv(line, shell, { filesystem }, undefined, undefined, {
      commandId,
    });
    say({ kind: 'wrapped', id, command: argv });
  } catch (thrown) {
    say({ kind: 'unwrapped', id, detail: thrown instanceof Error ? thrown.message : String(thrown) });
  }
}

function say(message: FromOwner): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

// Whoever ends this process asks so: what the library left in the folder for temporary files is removed.
process.once('SIGTERM', () => void SandboxManager.reset().finally(() => process.exit(0)));
await own();
await SandboxManager.reset();
process.exit(0);
