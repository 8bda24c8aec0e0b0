import type { Frame, Locator, Page } from 'playwright-core';
import type { Editor } from './editor.ts';
import { Notifications } from './notifications.ts';
import type { Probe } from './probe.ts';
import { TreeRows } from './tree.ts';
import { until } from './until.ts';

/** One window of the editor: what a person sees and clicks, found by its accessible role and name. */
export class EditorWindow {
  readonly editor: Editor;
  readonly page: Page;
  readonly notifications: Notifications;
  readonly #close: () => Promise<void>;
  #probe: Probe | undefined;

  private constructor(editor: Editor, page: Page, close: () => Promise<void>) {
    this.editor = editor;
    this.page = page;
    this.#close = close;
    this.notifications = new Notifications(this);
  }

  static async of(editor: Editor, page: Page, close: () => Promise<void>): Promise<EditorWindow> {
    const window = new EditorWindow(editor, page, close);
    await window.#ready();
    return window;
  }

  /** The extension host of this window, for what no eye can see: URIs and texts of open editors. */
  get probe(): Probe {
    if (!this.#probe) throw new Error('the window is not open');
    return this.#probe;
  }

  async reload(): Promise<void> {
    this.editor.probes.forget();
    await this.page.reload();
    await this.#ready();
  }

  /** Reloads by the editor's own command, which first saves what is open and how; {@link reload} gives it no time for that. */
  async reloadByCommand(): Promise<void> {
    this.editor.probes.forget();
    const loaded = this.page.waitForEvent('load', { timeout: 60_000 });
    await this.command('Developer: Reload Window');
    await loaded;
    await this.#ready();
  }

  async #ready(): Promise<void> {
    await this.page.locator('.monaco-workbench .part.statusbar').waitFor({ timeout: 60_000 });
    this.#probe = await this.editor.probes.next();
  }

  /** Closes the window as a person does. */
  async close(): Promise<void> {
    await this.#close();
  }

  /** Runs a command by its title in the palette: `Switchboard: New Session`. */
  async command(title: string): Promise<void> {
    await until(`"${title}" is chosen in the palette`, async () => {
      await this.openPalette(title);
      await this.#pick(title, 3_000); // an editor that opens meanwhile takes the focus, and the palette closes
      return true;
    });
  }

  /** Opens the command palette with `text` typed in. A page that has the focus hands F1 on, at times too late: pressed again. */
  async openPalette(text = ''): Promise<void> {
    const input = this.page.locator('.quick-input-widget input');
    await until('the command palette is open', async () => {
      await this.page.keyboard.press('F1');
      await input.waitFor({ timeout: 1_500 });
      await input.fill(`>${text}`, { timeout: 1_500 });
      return true;
    });
  }

  /** Chooses an entry of the open quick pick by the beginning of its label. */
  async pick(label: string): Promise<void> {
    await this.page.locator('.quick-input-widget input').fill(label);
    await this.#pick(label);
  }

  async #pick(label: string, timeout = 30_000): Promise<void> {
    const found = new RegExp(`^${label.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}`);
    await this.page.locator('.quick-input-widget').getByRole('option', { name: found }).first().click({ timeout });
  }

  /** The labels that the open quick pick shows now. */
  async picks(): Promise<string[]> {
    return this.page.locator('.quick-input-widget [role=option] .quick-input-list-label').allInnerTexts();
  }

  /** Answers the open input box. */
  async type(text: string): Promise<void> {
    const input = this.page.locator('.quick-input-widget input');
    await input.waitFor();
    await input.fill(text);
    await input.press('Enter');
  }

  /** Takes what the open quick pick or input box offers. */
  async accept(): Promise<void> {
    await this.page.locator('.quick-input-widget .quick-input-box input').press('Enter');
  }

  /** Types where the focus is, once it is in `place`: keys that come earlier go elsewhere. */
  async typeIn(place: Locator, text: string): Promise<void> {
    await until('the place to type in has the focus', () =>
      place.evaluate((it) => it.contains(it.ownerDocument.activeElement)),
    );
    await this.page.keyboard.type(text);
  }

  /** Shows a view container by its name in the activity bar, whatever shows now. */
  async openContainer(name: string): Promise<void> {
    const tab = this.page.locator('.part.activitybar').getByRole('tab', { name: new RegExp(`^${name}`) });
    if ((await tab.getAttribute('aria-selected')) !== 'true') await tab.click();
    await this.page.locator('.part.sidebar').waitFor();
  }

  /** The badge on a container's icon, as it is read aloud: `Switchboard - 1 needs you`. */
  async containerLabel(name: string): Promise<string> {
    const tab = this.page.locator('.part.activitybar').getByRole('tab', { name: new RegExp(`^${name}`) });
    return (await tab.getAttribute('aria-label')) ?? '';
  }

  /** Folds views of the shown container, so that others have more room. */
  async fold(...titles: readonly string[]): Promise<void> {
    for (const title of titles) {
      const header = this.#viewHeader(title);
      await header.waitFor();
      if ((await header.getAttribute('aria-expanded')) === 'true') await header.click();
    }
  }

  #viewHeader(title: string): Locator {
    const heading = this.page.getByRole('heading', { name: title, exact: true });
    return this.page.locator('.pane-header').filter({ has: heading });
  }

  /** A view of the shown container, by its title. It is unfolded where it was folded. */
  async view(title: string): Promise<Locator> {
    const header = this.#viewHeader(title);
    await header.waitFor();
    if ((await header.getAttribute('aria-expanded')) === 'false') await header.click();
    return this.page.locator('.pane').filter({ has: header });
  }

  /** The rows of a tree view. */
  async tree(title: string): Promise<TreeRows> {
    return new TreeRows(this, await this.view(title));
  }

  /** Clicks a button of a view's title bar or welcome text by its accessible name. */
  async clickInView(title: string, button: string | RegExp): Promise<void> {
    const view = await this.view(title);
    await view.hover();
    await view.getByRole('button', { name: button }).first().click();
  }

  /** What the status bar says, one text an item. */
  async statusBar(): Promise<string[]> {
    const items = this.page.locator('.part.statusbar .statusbar-item:visible');
    const labels = await items.evaluateAll((all) =>
      all.map((it) => it.getAttribute('aria-label') ?? it.textContent ?? ''),
    );
    return labels.map((it) => it.trim()).filter((it) => it !== '');
  }

  async clickStatusBar(label: string | RegExp): Promise<void> {
    await this.page.locator('.part.statusbar').getByRole('button', { name: label }).first().click();
  }

  /** The content frames of our pages, the visible ones first. */
  async webviews(): Promise<Frame[]> {
    const outer = this.page.frames().filter((it) => it.url().includes('extensionId=switchboard.switchboard'));
    const rated = await Promise.all(
      outer.map(async (it) => ({ frame: it.childFrames()[0], visible: await isVisible(it) })),
    );
    return rated
      .sort((a, b) => Number(b.visible) - Number(a.visible))
      .flatMap((it) => (it.frame && it.visible ? [it.frame] : []));
  }

  /** The page of ours that is visible now. Throws after 30 s without one. */
  async chat(): Promise<Frame> {
    return until('a chat page is visible', async () => {
      const [frame] = await this.webviews();
      return frame && (await frame.locator('body > *').count()) > 0 ? frame : undefined;
    });
  }

  /** Names of the open editors, the active one marked with `*`. */
  async openEditors(): Promise<string[]> {
    return (await this.probe.tabs()).map((it) => (it.isActive ? `*${it.label}` : it.label));
  }

  /** The window as an eye sees it and a hand finds it: trees redraw up to a quarter of a second late, toasts slide in. */
  async rest(): Promise<void> {
    await this.page.evaluate(untilStill, { stillMs: 350, limitMs: 1_500 });
  }

  /** Takes the mouse off what it stands on, and waits until the hover it showed there covers nothing any more. */
  async leaveHover(): Promise<void> {
    const hover = this.page.locator('.context-view .hover-contents:visible').first();
    const { width, height } = this.page.viewportSize() ?? { width: 800, height: 600 };
    const isGone = () =>
      hover.waitFor({ state: 'hidden', timeout: 1_000 }).then(
        () => true,
        () => false,
      );
    await until('no hover covers the window', async () => {
      await this.page.mouse.move(width / 2, height / 2);
      if (await isGone()) return true;
      // One that opened as the mouse left goes when the mouse was on it, or at a click beside it: in the status bar is room.
      const says = await hover.textContent({ timeout: 200 });
      await hover.hover({ force: true, timeout: 200 });
      await this.page.mouse.click(width / 2, height - 10);
      throw new Error(`a hover says: ${says}`);
    });
  }

  /** A picture of the window at rest. */
  async screenshot(step: string): Promise<string> {
    const path = this.editor.screenshotPath(step);
    await this.rest();
    await this.page.screenshot({ path });
    return path;
  }
}

/** Runs in the page. Ends when side bar and toasts did not change for `stillMs`; a window that never rests is shown as it is. */
function untilStill({ stillMs, limitMs }: { stillMs: number; limitMs: number }): Promise<void> {
  return new Promise((resolve) => {
    const isMoving = () =>
      [...document.querySelectorAll('.notification-toast')].some((it) => it.getAnimations().length > 0);
    const end = () => {
      observer.disconnect();
      clearTimeout(still);
      clearTimeout(limit);
      resolve();
    };
    const look = () => {
      if (isMoving()) restart();
      else end();
    };
    const restart = () => {
      clearTimeout(still);
      still = setTimeout(look, stillMs);
    };
    const observer = new MutationObserver(restart);
    let still = setTimeout(look, stillMs);
    const limit = setTimeout(end, limitMs);
    for (const part of document.querySelectorAll('.part.sidebar, .part.statusbar, .notifications-toasts'))
      observer.observe(part, { subtree: true, childList: true, characterData: true, attributes: true });
  });
}

async function isVisible(frame: Frame): Promise<boolean> {
  const element = await frame.frameElement();
  return element.isVisible();
}
