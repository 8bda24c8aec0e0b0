import { spawnSync } from 'node:child_process';
import { accessSync, chmodSync, constants, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { SandboxManager } from '@anthropic-ai/sandbox-runtime';
import { findCommand } from '../children/findCommand.ts';
import { isWithin } from './fileRules.ts';
import { type FileRules, type FromOwner, type Obstacle, ToOwner } from './messages.ts';

/**
 * The process that owns the sandbox of one session. The library keeps its policy in variables of its module, so two
 * sessions cannot share a process. Its proxies run here: without this process, programs in the sandbox have no network.
 * Its working directory is an empty folder, because the library puts placeholders for protected files there.
 * It exits at the end of its standard input.
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
  // The library searches the working directory for files to protect. That folder is empty, so no search is required.
  const ripgrep = { command: 'true' };
  await SandboxManager.initialize(
    {
      network: { allowedDomains: [], deniedDomains: [] },
      filesystem: { denyRead: [], allowWrite: [], denyWrite: [] },
      ripgrep,
      ...seccomp,
      ...programs(),
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

/** By absolute path, so that the environment of a program in the sandbox cannot select others. @throws {CannotStart} */
function programs(): { readonly bwrapPath?: string; readonly socatPath?: string } {
  if (process.platform !== 'linux') return {};
  const [bwrapPath, socatPath] = [findCommand('bwrap', process.env), findCommand('socat', process.env)];
  if (bwrapPath !== undefined && socatPath !== undefined) return { bwrapPath, socatPath };
  const missing = [...(bwrapPath === undefined ? ['bwrap'] : []), ...(socatPath === undefined ? ['socat'] : [])];
  throw new CannotStart('programs', missing.join(', '));
}

/** Runs a program that does nothing: only this shows whether the system lets a sandbox start. */
async function prove(): Promise<void> {
  const { argv } = await SandboxManager.wrapWithSandboxArgv('exit 0', '/bin/sh');
  const { status, stderr } = spawnSync(argv[0]!, argv.slice(1), { encoding: 'utf8', timeout: 20_000 });
  if (status !== 0) throw new CannotStart('namespaces', stderr.trim().split('\n').at(-1)?.slice(0, 200) ?? '');
}

/**
 * The program that blocks local sockets. It is packaged next to this one. If the installed file is not executable, a copy in
 * the owner's folder is used.
 * @throws {CannotStart} if there is none for this processor
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

async function wrap({ id, line, shell, files }: Extract<ToOwner, { kind: 'wrap' }>): Promise<void> {
  const { writes, protects, hidden, shown } = files;
  const literally = (paths: readonly string[]) => paths.map((path) => ({ path, literal: true as const }));
  // The library allows these folders by default. All sessions would share them.
  const shared = SandboxManager.getFsWriteConfig().allowOnly.filter((it) => !it.startsWith('/dev/'));
  const filesystem = {
    allowWrite: literally(writes),
    denyWrite: literally([...protects, ...shared, ...unwritable(files)]),
    denyRead: literally(hidden),
    allowRead: literally(shown),
  };
  try {
    // The ID is part of the proxy's user name, in base64. With this length, it has no padding.
    const commandId = String(id).padStart(24, '0');
    const { argv } = await SandboxManager.wrapWithSandboxArgv(line, shell, { filesystem }, undefined, undefined, {
      commandId,
    });
    say({ kind: 'wrapped', id, command: argv });
  } catch (thrown) {
    say({ kind: 'unwrapped', id, detail: thrown instanceof Error ? thrown.message : String(thrown) });
  }
}

/** Seatbelt lets a program write what it cannot read, if that is in a folder in which it can write. */
function unwritable({ writes, hidden }: FileRules): readonly string[] {
  return process.platform === 'darwin' ? hidden.filter((it) => !writes.some((own) => isWithin(own, it))) : [];
}

function say(message: FromOwner): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

// The library removes its files from the folder for temporary files.
process.once('SIGTERM', () => void SandboxManager.reset().finally(() => process.exit(0)));
await own();
await SandboxManager.reset();
process.exit(0);
