import { open, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { rootStateOf } from '../client/rootState.ts';
import { settingIds } from '../manifest/manifest.ts';
import { now } from '../platform/clock.ts';
import type { DiagnosticsDeps } from './diagnosticsModule.ts';
import { type HealthFacts, healthRows } from './health.ts';
import type { Diagnostics } from './report.ts';

/** Of the host's log, what happened last. */
const LOG_BYTES = 65_536;
const LOG_LINES = 200;

export async function collect(deps: DiagnosticsDeps): Promise<Diagnostics> {
  const { hosts, dataDir } = deps;
  const isRunning = deps.hostState().kind === 'running';
  const processes = isRunning ? await hosts.local.client.request('x-switchboard/processes', {}) : undefined;
  return {
    at: now(),
    versions: versionsOf(deps),
    health: healthRows(await healthFacts(deps), vscode.l10n),
    counts: {
      hosts: hosts.all.length,
      sessions: hosts.sessions.length,
      'pending requests': hosts.attention.pending.length,
      'MCP servers of the gateway': deps.gateway().picture?.servers.length ?? 0,
      'workspace folders': vscode.workspace.workspaceFolders?.length ?? 0,
    },
    settings: changedSettings(),
    processes: processes?.items ?? [],
    logLines: await logTail(join(dataDir, 'host.log')),
  };
}

export function versionsOf({ build, hosts }: DiagnosticsDeps): Readonly<Record<string, string>> {
  return {
    Switchboard: `${build.version} (${new Date(build.builtAtMs).toISOString()})`,
    'host protocol': hosts.local.client.handshake?.protocolVersion ?? '-',
    'VS Code': `${vscode.version} (${vscode.env.appName}, ${vscode.env.appHost})`,
    remote: vscode.env.remoteName ?? '-',
    'Node.js': process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    language: vscode.env.language,
  };
}

/** Asks the host for its build where it runs, and starts nothing. */
export async function healthFacts(deps: DiagnosticsDeps): Promise<HealthFacts> {
  const { client } = deps.hosts.local;
  const host = deps.hostState();
  const processes = host.kind === 'running' ? await client.request('x-switchboard/processes', {}) : undefined;
  const disk = await statfs(deps.dataDir).catch(() => undefined);
  const database = await stat(join(deps.dataDir, 'host.db')).catch(() => undefined);
  return {
    isTrusted: vscode.workspace.isTrusted,
    host,
    gateway: gatewayFacts(deps.gateway()),
    agents: rootStateOf(client)?.agents.map((it) => it.displayName) ?? [],
    notices: client.notices,
    freeBytes: disk && disk.bavail * disk.bsize,
    databaseBytes: database?.size,
    build: deps.build,
    hostBuild: processes?.build,
  };
}

function gatewayFacts({
  isAvailable,
  problem,
  picture,
}: ReturnType<DiagnosticsDeps['gateway']>): HealthFacts['gateway'] {
  if (!isAvailable) return { kind: 'off' };
  if (problem !== undefined) return { kind: 'failed', reason: problem };
  if (!picture) return { kind: 'unused' };
  const unhealthy = picture.servers.filter((it) => it.status === 'unhealthy').length;
  return { kind: 'running', servers: picture.servers.length, unhealthy };
}

function changedSettings(): Record<string, unknown> {
  const configuration = vscode.workspace.getConfiguration();
  return Object.fromEntries(
    Object.values(settingIds).flatMap((id) => {
      const { globalValue, workspaceValue, workspaceFolderValue } = configuration.inspect(id) ?? {};
      const value = workspaceFolderValue ?? workspaceValue ?? globalValue;
      return value === undefined ? [] : [[id, value]];
    }),
  );
}

/** Whole lines only. Empty where there is no log yet. */
async function logTail(path: string): Promise<readonly string[]> {
  const file = await open(path).catch(() => undefined);
  if (!file) return [];
  try {
    const { size } = await file.stat();
    const start = Math.max(0, size - LOG_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LOG_BYTES), 0, LOG_BYTES, start);
    const lines = buffer.toString('utf8', 0, bytesRead).trimEnd().split('\n');
    return lines.slice(start === 0 ? 0 : 1).slice(-LOG_LINES);
  } finally {
    await file.close();
  }
}
