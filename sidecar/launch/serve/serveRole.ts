import { stripEnvironment } from '../../platform/children/environment.ts';
import { openLog } from '../../platform/logger.ts';
import { isThisMachine, MAX_WAITING } from '../../transport/webSocket/admission.ts';
import type { ServeOptions } from '../command/commandLine.ts';
import { type ExitCode, exitCodes, LaunchFailure, reasonOf } from '../failure.ts';
import type { RoleContext } from '../runSidecar.ts';
import { hashOf } from './clientTokens.ts';
import { holdPort } from './heldPort.ts';
import { openLease } from './lease.ts';
import type { ListenOptions } from './listenLine.ts';
import { readServedWindow } from './servedWindow.ts';
import { readServeLimits } from './serveLimits.ts';
import { readTokenFile } from './tokenFile.ts';

/**
 * The user's host over WebSocket, until the system asks to end. The host, which is found or started, listens itself: no
 * message goes through this process. When that host leaves, this process holds the port until the next client comes, and has
 * the next host listen: a host that is replaced costs a reconnect and nothing else.
 */
export async function serveRole(context: RoleContext, options: ServeOptions): Promise<ExitCode> {
  const { process, ...rest } = context;
  const host = options.host ?? '127.0.0.1';
  const { port, tokenFile } = required(options);
  if (!isThisMachine(host)) {
    const message = `Switchboard listens only on this machine, not on ${host}. To reach it from elsewhere, put a TLS proxy in front of it and specify the proxy's hostname with --allow-host.`;
    throw new LaunchFailure(exitCodes.usage, message);
  }
  const limits = readServeLimits(options.limitsFile);
  const window = { ...readServedWindow(options.windowFile), env: stripEnvironment(process.env) };
  const token = readTokenFile(tokenFile, process.platform, context);
  const log = openLog();
  log.hide(token);
  const finding = { ...rest, execPath: process.execPath, pid: process.pid };
  const wanted: ListenOptions = {
    host,
    port,
    tokenHash: hashOf(token).toString('hex'),
    allowedHosts: [...options.allowedHosts],
    allowedOrigins: [...options.allowedOrigins],
    connections: limits.connections,
    messagesPerSecond: limits.messagesPerSecond,
    limits: limits.connection,
    window,
  };
  let lease = await openLease(finding, wanted);
  const signalled = new Promise<'signalled'>((resolve) => {
    for (const it of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(it, () => resolve('signalled'));
  });
  process.stdout.write(`Switchboard serves ws://${host.includes(':') ? `[${host}]` : host}:${lease.port}\n`);
  const again = { ...wanted, port: lease.port };
  for (;;) {
    if ((await Promise.race([lease.ended, signalled])) === 'signalled') break;
    const most = again.connections + MAX_WAITING;
    const held = await holdPort({ host, port: again.port, most }, context).catch((thrown: unknown) => {
      throw new LaunchFailure(
        exitCodes.noHost,
        `Switchboard can no longer listen on ${host}:${again.port}: ${reasonOf(thrown)}.`,
        thrown,
      );
    });
    if ((await Promise.race([held.came, signalled])) === 'signalled') return exitCodes.ok;
    const next = await openLease(finding, again, held.release).catch((thrown: unknown) => {
      log.error({ thrown }, 'the waiting clients could not be connected to a host');
    });
    if (next) {
      held.passOn();
      lease = next;
    } else {
      held.release();
      held.drop();
    }
  }
  await lease.end();
  return exitCodes.ok;
}

/** @throws {LaunchFailure} `usage` */
function required({ port, tokenFile }: ServeOptions): { readonly port: number; readonly tokenFile: string } {
  const fail = (message: string): never => {
    throw new LaunchFailure(exitCodes.usage, message);
  };
  if (port === undefined || !/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    return fail('serve requires --port, a number from 0 (any free port) to 65535.');
  if (tokenFile === undefined) return fail('serve requires --token-file, the file that contains the client token.');
  return { port: Number(port), tokenFile };
}
