import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { type ServedEditor, serveEditor } from '../../support/editor/server.ts';
import { takesStepPictures } from '../../support/editor/stepPictures.ts';
import { pressKeyOnce, write } from './keys.ts';
import { pressOnce } from './press.ts';
import { forgetScreenshots, screenshotPath } from './screenshots.ts';
import { leavePage, takePage } from './servedPages.ts';
import { until } from './until.ts';

const SUITE = 'agents-ui';

export interface AgentsUiOptions {
  readonly workspace: string;
  /** The host that the editor talks to, which is all that it knows of us. */
  readonly agentHost: { readonly port: number; readonly token: string };
}

/** VS Code's own agents UI, without any extension of ours: what a person sees and clicks in it. */
export class AgentsUi {
  readonly #folder: string;
  readonly #editor: ServedEditor;
  readonly #page: Page;

  private constructor(folder: string, editor: ServedEditor, page: Page) {
    this.#folder = folder;
    this.#editor = editor;
    this.#page = page;
  }

  static async open({ workspace, agentHost }: AgentsUiOptions): Promise<AgentsUi> {
    forgetScreenshots(SUITE);
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-agents-ui-')));
    const settings = { 'chat.disableAIFeatures': false };
    const editor = await serveEditor({ dataDir: join(folder, 'editor'), packages: [], settings, agentHost });
    const page = await takePage({ width: 1440, height: 900 });
    await page.goto(editor.addressOf(workspace));
    await page.locator('.monaco-workbench .part.statusbar').waitFor({ timeout: 60_000 });
    return new AgentsUi(folder, editor, page);
  }

  /** The open chat, with its input. */
  get chat(): Locator {
    return this.#page.locator('.interactive-session:visible').first();
  }
  button(name: string | RegExp): Locator {
    return this.chat.getByRole('button', { name }).first();
  }

  async command(title: string): Promise<void> {
    const input = this.#page.locator('.quick-input-widget input');
    await until(`"${title}" is chosen in the palette`, async () => {
      await this.#page.keyboard.press('F1');
      await input.waitFor({ timeout: 1_500 });
      await write(input, `>${title}`, 1_500);
      const rows = this.#page.locator('.quick-input-widget').getByRole('option', { name: title });
      return pressOnce(rows.first());
    });
  }

  #offer(agent: string): Locator {
    return this.#page.locator('.action-widget').getByRole('menuitemcheckbox', { name: new RegExp(`^${agent}`) });
  }
  /** Opens the picker of agents in a new chat, where it stands at `current`, and waits until `agent` is in it. */
  async openPicker(current: string, agent: string): Promise<void> {
    await until(`the picker offers ${agent}`, async () => {
      await this.chat.getByText(current, { exact: true }).click({ timeout: 5_000 });
      try {
        await this.#offer(agent).first().waitFor({ timeout: 3_000 });
        return true;
      } catch (thrown) {
        await this.#page.keyboard.press('Escape'); // it does not change while it is open
        throw thrown;
      }
    });
  }
  /** Chooses in the picker, which stands at `current`: again where the menu, which ignores the first moments, did not take it. */
  async pick(agent: string, current: string): Promise<void> {
    const chosen = this.chat.getByText(agent, { exact: true });
    await until(`${agent} is chosen`, async () => {
      if (await chosen.isVisible()) return true;
      if (!(await this.#offer(agent).first().isVisible()))
        await this.chat.getByText(current, { exact: true }).click({ timeout: 5_000 });
      await this.#offer(agent).first().click({ timeout: 3_000 });
      await chosen.waitFor({ timeout: 3_000 });
      return true;
    });
  }

  /** Opens a session from the list beside the chat, and waits for its request of this title. */
  async openSession(title: string): Promise<void> {
    await this.command('Chat Agent Sessions: Show Agent Sessions Sidebar');
    const entry = this.#page.locator('.agent-sessions-viewer').getByText(title).first();
    await until(`a click on "${title}" opens the session`, async () => {
      await entry.click({ timeout: 5_000 }); // the list is drawn anew as it grows, and then takes no click
      await this.chat.locator('.interactive-request').getByText(title).first().waitFor({ timeout: 5_000 });
      return true;
    });
  }

  /**
   * Sends a message, and waits until the chat shows it. A turn that was stopped gives its prompt back to the input at times,
   * so what stands there is replaced until it is the message alone.
   */
  async send(text: string): Promise<void> {
    const input = this.chat.locator('.interactive-input-part .monaco-editor').first();
    const field = input.locator('.native-edit-context, textarea.inputarea').first();
    const sent = this.chat.locator('.interactive-request').getByText(text, { exact: true });
    const typed = async () => (await input.locator('.view-lines').textContent())?.replaceAll('\u00a0', ' ').trim();
    const before = await sent.count();
    let isTaken = false;
    await until(`"${text}" is sent`, async () => {
      if (!isTaken && (await typed()) !== text && (await pressKeyOnce(field, 'ControlOrMeta+A')))
        await this.#page.keyboard.insertText(text);
      if ((await typed()) === text) isTaken = await pressKeyOnce(field, 'Enter');
      await sent.nth(before).waitFor({ timeout: 2_000 });
      return true;
    });
  }

  async sees(text: string | RegExp): Promise<void> {
    await this.chat.getByText(text).last().waitFor({ timeout: 60_000 });
  }
  /** Sees code in an editor of the chat, character by character. */
  async seesCode(text: string): Promise<void> {
    await until(`the chat shows ${text}`, async () => {
      const lines = await this.chat.locator('.view-lines, code').allTextContents();
      return lines.some((it) => it.replaceAll('\u00a0', ' ').includes(text));
    });
  }
  async shows(text: string): Promise<boolean> {
    const all = await this.chat.textContent();
    return all?.includes(text) === true;
  }

  /** Saves a screenshot if screenshots of steps are on. */
  async screenshot(step: string): Promise<void> {
    if (takesStepPictures) await this.pictureNow(step);
  }

  async pictureNow(step: string): Promise<void> {
    await this.#page.screenshot({ path: screenshotPath(SUITE, step) });
  }

  async close(): Promise<void> {
    await leavePage(this.#page, this.#editor.blank);
    this.#editor.close();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}
