import { mkdirSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Page, ViewportSize } from 'playwright-core';
import type { ContentOptions } from '../../../sidecar/gateway/activity/content/contents.ts';
import type { SignInOptions } from '../../../sidecar/gateway/oauth/signin/contract.ts';
import type { Gateway } from '../../../sidecar/gateway/options.ts';
import type { Guardrail } from '../../../sidecar/protocol/gateway/guardrail.ts';
import type { EchoBackend, Heard } from '../../support/backends/echoBackend.ts';
import { cacheFolder, projectRoot } from '../../support/cache.ts';
import { emptyPage } from '../../support/editor/emptyPage.ts';
import { inBothSchemes, type PathOf } from '../../support/editor/schemes.ts';
import { type SharedBrowser, shareBrowser } from '../../support/editor/sharedBrowser.ts';
import { takesStepPictures } from '../../support/editor/stepPictures.ts';
import { openStand } from '../../support/gateway/stand.ts';
import { type HttpFixture, httpFixture } from '../../support/mcp/httpFixture.ts';

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
  /** What is seen, in light and in dark, into `.vscode-test/screenshots/admin`, in a run that takes the pictures of steps. */
  picture(name: string): Promise<void>;
  pictures(pathOf: PathOf): Promise<void>;
  close(): Promise<void>;
}

export interface AdminOptions {
  /** As in the configuration file. */
  readonly guardrails?: readonly Guardrail[];
  readonly viewport?: ViewportSize;
  readonly signIn?: SignInOptions;
  /** Requests and responses are stored. */
  readonly content?: ContentOptions;
  /** Default: as for one person's own gateway. */
  readonly defaultAccess?: 'none';
}

export async function startAdmin(options: AdminOptions = {}): Promise<AdminHarness> {
  const { guardrails = [], viewport = { width: 1360, height: 860 }, defaultAccess, signIn, content } = options;
  const backend = await httpFixture({ name: 'files', json: true });
  const stand = await openStand({
    adminKey,
    guardrails: () => guardrails,
    toolSearchAbove: 250,
    stdio: { isTrusted: true, allowedCommands: [process.execPath] },
    pagesFolder: join(projectRoot, 'dist', 'media', 'admin'),
    version: '0.0.0',
    ...(defaultAccess && { defaultAccess }),
    ...(signIn && { signIn }),
    content,
  });
  const { gateway, backend: peer } = stand;
  peer.answer = answerAsPeer;
  const browser = await shareBrowser();
  const pages = new AdminPages(browser, gateway.baseUrl, viewport);
  mkdirSync(screenshots, { recursive: true });
  return {
    gateway,
    backend,
    peer,
    open: (path, locale) => openPage(pages, path, locale),
    call: (method, path, body, headers = {}) =>
      fetch(`${gateway.baseUrl}${path}`, {
        method,
        headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    async close() {
      await browser.close();
      await stand.close();
      await backend.close();
    },
  };
}

/** Chooses in the menu of a record's row. */
export async function choose(page: Page, name: string, action: string | RegExp): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

/** The pages of a suite in the browser. One that a test closed is taken for the next test, emptied, as its process has the scripts. */
class AdminPages {
  readonly #browser: SharedBrowser;
  readonly #origin: string;
  readonly #viewport: ViewportSize;
  #free: Page | undefined;

  constructor(browser: SharedBrowser, origin: string, viewport: ViewportSize) {
    this.#browser = browser;
    this.#origin = origin;
    this.#viewport = viewport;
  }

  async take(locale: string | undefined): Promise<Page> {
    const free = this.#free;
    if (free && locale === undefined) {
      this.#free = undefined;
      return free;
    }
    const context = await this.#browser.newContext({ viewport: this.#viewport, ...(locale && { locale }) });
    return context.newPage();
  }

  addressOf(path: string): string {
    return `${this.#origin}${path}`;
  }

  async giveBack(page: Page, isLikeOthers: boolean): Promise<void> {
    page.removeAllListeners('pageerror').removeAllListeners('console');
    if (this.#free || !isLikeOthers) return page.context().close();
    await page.unrouteAll();
    await emptyPage(page, this.addressOf('/healthz'));
    await page.context().clearPermissions();
    await page.emulateMedia({ colorScheme: null, forcedColors: null, contrast: null });
    await page.setViewportSize(this.#viewport);
    this.#free = page;
  }
}

async function openPage(pages: AdminPages, path: string, locale: string | undefined): Promise<OpenAdmin> {
  const page = await pages.take(locale);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (it) => {
    // A refused sign-in is an error to the browser's console; the page says it in words.
    if (it.type() === 'error' && !it.text().includes('401')) complaints.push(it.text());
  });
  await page.goto(pages.addressOf(path));
  const pictures = async (pathOf: PathOf) => {
    await page.waitForLoadState('networkidle');
    await page.mouse.move(0, 0);
    await inBothSchemes(page, async (scheme) => void (await page.screenshot({ path: pathOf(scheme) })));
  };
  return {
    page,
    complaints,
    async signIn(key = adminKey) {
      await page.getByLabel('Virtual key').fill(key);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('navigation', { name: 'Gateway pages' }).waitFor();
    },
    async picture(name) {
      if (takesStepPictures) await pictures((scheme) => join(screenshots, `${name}-${scheme}.png`));
    },
    pictures,
    close: () => pages.giveBack(page, locale === undefined),
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

const completion = {
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-5-mini',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Of the model.' } }],
  usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
};

function answerAsPeer({ path, body }: Heard, response: ServerResponse): void {
  response.setHeader('content-type', 'application/json');
  if (path.endsWith('agent-card.json')) return void response.end(JSON.stringify(card));
  if (path.endsWith('/chat/completions')) return void response.end(JSON.stringify(completion));
  if (path.startsWith('/cloud/v0/')) return void response.end(JSON.stringify({ agents: [] }));
  const { id = null } = body.length === 0 ? {} : (JSON.parse(body.toString()) as { id?: unknown });
  const parts = [{ kind: 'text', text: 'Done.' }];
  const result = { kind: 'message', role: 'agent', messageId: 'm', parts };
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}
