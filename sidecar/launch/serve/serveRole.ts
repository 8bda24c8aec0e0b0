import { createHash } from 'node:crypto';
import { AhpAdapters } from '../../dialect/ahpAdapters.ts';
import { stripEnvironment } from '../../platform/children/environment.ts';
import { openLog } from '../../platform/logger.ts';
import { isThisMachine } from '../../transport/webSocket/admission.ts';
import { openWebSocketServer } from '../../transport/webSocket/server.ts';
import { findHost } from '../attach/findHost.ts';
import type { ServeOptions } from '../command/commandLine.ts';
import { type ExitCode, exitCodes, LaunchFailure, reasonOf } from '../failure.ts';
import type { RoleContext } from '../runSidecar.ts';
import { ClientTokens, clientTokensFile, credentialOf, SHARED } from './clientTokens.ts';
import { readServedWindow } from './servedWindow.ts';
import { readServeLimits } from './serveLimits.ts';
import { readTokenFile } from './tokenFile.ts';
import { WindowAdapter } from './windowAdapter.ts';

/** How long a connection may go on whose token was revoked. */
const REVOKED_MS = 500;

/**
 * The user's host over WebSocket, until the system asks to end. It is a relay with many clients: each has a connection of
 * its own to the host, which is found or started for it, so a host that is replaced costs a reconnect and nothing else.
 */
export async function serveRole(context: RoleContext, options: ServeOptions): Promise<ExitCode> {
  const { process, ...rest } = context;
  const { clock, timers } = context;
  const host = options.host ?? '127.0.0.1';
  const { port, tokenFile } = required(options);
  if (!isThisMachine(host)) {
    const message = `Switchboard listens on this machine only, not at ${host}: put a proxy with TLS in front of it, and name it with --allow-host.`;
    throw new LaunchFailure(exitCodes.usage, message);
  }
  const limits = readServeLimits(options.limitsFile);
  const window = { ...readServedWindow(options.windowFile), env: stripEnvironment(process.env) };
  const token = readTokenFile(tokenFile, process.platform, context);
  const log = openLog();
  log.hide(token);
  // Two servers of one host with two tokens: whoever has one of them is not whoever has the other.
  const sharedCredential = `${SHARED}:${createHash('sha256').update(token).digest('hex').slice(0, 32)}`;
  const finding = {
    ...rest,
    execPath: process.execPath,
    pid: process.pid,
    limits: limits.connection,
  };
  const tokens = new ClientTokens(clientTokensFile(context.dataDir));
  const ahpAdapters = new AhpAdapters({ build: context.build, window });
  const server = await openWebSocketServer({
    host,
    port,
    credentialOf: (given) => credentialOf(given, token, tokens.current()),
    allowedHosts: options.allowedHosts.map((it) => it.toLowerCase()),
    allowedOrigins: options.allowedOrigins,
    connections: limits.connections,
    messageBytes: limits.connection.messageBytes,
    messagesPerSecond: limits.messagesPerSecond,
    clock,
    timers,
    connect: (credential) =>
      findHost({ ...finding, credential: credential === SHARED ? sharedCredential : credential }),
    adapterFor: (text) => {
      const chosen = ahpAdapters.choose(text);
      return chosen === 'none' ? new WindowAdapter(window) : chosen;
    },
    onRefused: (why) => log.warn({ why }, 'a client was sent away'),
    onFailed: (thrown) => log.error({ thrown }, 'a client could not be brought to the host'),
  }).catch((thrown: unknown) => {
    throw new LaunchFailure(
      exitCodes.noHost,
      `Switchboard cannot listen at ${host}:${port}: ${reasonOf(thrown)}.`,
      thrown,
    );
  });
  const stopLooking = timers.every(REVOKED_MS, () => {
    const ids = new Set([SHARED, ...tokens.current().map((it) => it.id)]);
    server.dropUnless((credential) => ids.has(credential));
  });
  const signalled = new Promise((resolve) => {
    for (const it of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(it, resolve);
  });
  process.stdout.write(`Switchboard serves ws://${host.includes(':') ? `[${host}]` : host}:${server.port}\n`);
  await signalled;
  stopLooking();
  await server.close();
  return exitCodes.ok;
}

/** @throws {LaunchFailure} `usage` */
function required({ port, tokenFile }: ServeOptions): { readonly port: number; readonly tokenFile: string } {
  const fail = (message: string): never => {
    throw new LaunchFailure(exitCodes.usage, message);
  };
  if (port === undefined || !/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    return fail('serve needs --port, a number from 0 (any that is free) to 65535.');
  if (tokenFile === undefined) return fail('serve needs --token-file, where the token is or will be put.');
  return { port: Number(port), tokenFile };
}
