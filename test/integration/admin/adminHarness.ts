import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { type Gateway, openGateway } from '../../../sidecar/gateway/gateway.ts';
import { openChildren } from '../../../sidecar/platform/children/children.ts';
import { systemClock } from '../../../sidecar/platform/clock.ts';
import { systemRuntime } from '../../../sidecar/platform/runtime.ts';
import type { Guardrail } from '../../../sidecar/protocol/gateway/guardrail.ts';
import { type EchoBackend, type Heard, startEchoBackend } from '../../support/backends/echoBackend.ts';
import { cacheFolder, projectRoot } from '../../support/cache.ts';
import { type HeadlessBrowser, launchBrowser } from '../../support/editor/browser.ts';
import { type HttpFixture, httpFixture } from '../../support/mcp/httpFixture.ts';
import { keepingLog } from '../../support/testLog.ts';

export const adminKey = 'sk-admin-of-the-tests-0001';
const screenshots = join(cacheFolder, 'screenshots', 'admin');

/** A whole gateway with its pages, a real MCP server behind it, and a browser in front. */
export interface AdminHarness {
  readonly gateway: Gateway;
  /** A real MCP server. */
  readonly backend: HttpFixture;
  /** An A2A agent, and a cloud-agents service. */
  readonly peer: EchoBackend;
  /** A page that nobody has signed in to yet. */
  /** @param locale what the browser says its language is */
  open(path: string, locale?: string): Promise<OpenAdmin>;
  /** As a program calls the gateway. */
  call(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
  close(): Promise<void>;
}
export interface OpenAdmin {
  readonly page: Page;
  /** Errors of the page, and what the content security policy refused. */
  readonly complaints: readonly string[];
  signIn(key?: string): Promise<void>;
  /** What is seen, in light and in dark, into `.vscode-test/screenshots/admin`. */
  picture(name: string): Promise<void>;
  close(): Promise<void>;
}

/** @param guardrails as in the configuration file */
export async function startAdmin(guardrails: readonly Guardrail[] = []): Promise<AdminHarness> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-admin-'));
  const children = openChildren(join(folder, 'children.json'), systemClock.now);
  const backend = await httpFixture({ name: 'files', json: true });
  const peer = await startEchoBackend();
  peer.answer = answerAsPeer;
  const gateway = await openGateway({
    database: { kind: 'sqlite', file: join(folder, 'gateway.db') },
    secret: randomBytes(32),
    adminKey,
    listen: { host: '127.0.0.1', port: 0 },
    defaultAccess: 'all',
    stdio: { isTrusted: false, allowedCommands: [] },
    cloudAgents: { upstreamUrl: peer.url, prefix: 'cloudagents' },
    guardrails: () => guardrails,
    pagesFolder: join(projectRoot, 'dist', 'media', 'admin'),
    children,
    env: {},
    runtime: systemRuntime(keepingLog().log),
    version: '0.0.0',
  });
  const browser = await launchBrowser();
  mkdirSync(screenshots, { recursive: true });
  return {
    gateway,
    backend,
    peer,
    open: (path, locale) => openPage(browser, `${gateway.baseUrl}${path}`, locale),
    call: (method, path, body, headers = {}) =>
      fetch(`${gateway.baseUrl}${path}`, {
        method,
        headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    async close() {
      await browser.close();
      await gateway.close(1_000);
      await backend.close();
      await peer.close();
      await children.stopAll();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function openPage({ browser }: HeadlessBrowser, address: string, locale?: string): Promise<OpenAdmin> {
  const context = await browser.newContext({ viewport: { width: 1360, height: 860 }, ...(locale && { locale }) });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (it) => {
    // A refused sign-in is an error to the browser's console; the page says it in words.
    if (it.type() === 'error' && !it.text().includes('401')) complaints.push(it.text());
  });
  await page.goto(address);
  return {
    page,
    complaints,
    async signIn(key = adminKey) {
      await page.getByLabel('Virtual key').fill(key);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('navigation', { name: 'Pages of the gateway' }).waitFor();
    },
    async picture(name) {
      await page.waitForLoadState('networkidle');
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.screenshot({ path: join(screenshots, `${name}-${colorScheme}.png`) });
      }
    },
    close: () => context.close(),
  };
}

const card = {
  protocolVersion: '0.3.0',
  name: 'Release writer',
  description: 'Writes release notes from commits.',
  version: '1.2.0',
  url: 'http://elsewhere.example/a2a',
  capabilities: { streaming: false },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'notes', name: 'Release notes', description: 'Of a range of commits', tags: ['git'] }],
};

function answerAsPeer({ path, body }: Heard, response: ServerResponse): void {
  response.setHeader('content-type', 'application/json');
  if (path.endsWith('agent-card.json')) return void response.end(JSON.stringify(card));
  if (path.startsWith('/v0/')) return void response.end(JSON.stringify({ agents: [] }));
  const { id = null } = body.length === 0 ? {} : (JSON.parse(body.toString()) as { id?: unknown });
  const parts = [{ kind: 'text', text: 'Done.' }];
  const result = { kind: 'message', role: 'agent', messageId: 'm', parts };
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}
