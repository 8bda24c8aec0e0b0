import type { Frame, Locator, Page } from 'playwright-core';
import { inBothSchemes, type PathOf } from '../../support/editor/schemes.ts';
import { takesStepPictures } from '../../support/editor/stepPictures.ts';
import type { Editor } from './editor.ts';
import { pressKey } from './keys.ts';
import { Notifications } from './notifications.ts';
import { chooseEntry, press, pressUnder } from './press.ts';
import type { Probe } from './probe.ts';
import { QuickInput } from './quickInput.ts';
import { TreeRows } from './tree.ts';
import { until, untilSeen } from './until.ts';

/** One window of the editor: what a person sees and clicks, found by its accessible role and name. */
export class EditorWindow {
  readonly editor: Editor;
  readonly page: Page;
  readonly notifications: Notifications;
  readonly quickInput: QuickInput;
  readonly #close: () => Promise<void>;
  #probe: Probe | undefined;

  private constructor(editor: Editor, page: Page, close: () => Promise<void>) {
    this.editor = editor;
    this.page = page;
    this.#close = close;
    this.notifications = new Notifications(this);
    this.quickInput = new QuickInput(page);
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
  reloadByCommand(): Promise<void> {
    return this.reloadedBy(() => this.command('Developer: Reload Window'));
  }

  /** Until the window is there again after `act` reloaded it. */
  async reloadedBy(act: () => Promise<void>): Promise<void> {
    this.editor.probes.forget();
    const loaded = this.page.waitForEvent('load', { timeout: 60_000 });
    await act();
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
  command(title: string): Promise<void> {
    return this.quickInput.command(title);
  }

  /** Opens the command palette with `text` typed in. */
  openPalette(text?: string): Promise<void> {
    return this.quickInput.openPalette(text);
  }

  /** Chooses an entry of the open quick pick by the beginning of its label. */
  pick(label: string): Promise<void> {
    return this.quickInput.pick(label);
  }

  /** The labels that the open quick pick shows now. */
  picks(): Promise<string[]> {
    return this.quickInput.picks();
  }

  /** Answers the open input box. */
  type(text: string): Promise<void> {
    return this.quickInput.type(text);
  }

  /** Takes what the open quick pick or input box offers. */
  accept(): Promise<void> {
    return this.quickInput.accept();
  }

  /** Clicks a line of the editor that is active, of the right side of a diff, and waits until the cursor is in it. */
  async putCursor(words: string): Promise<void> {
    const line = this.page.locator('.editor-group-container.active .editor-instance .view-line', { hasText: words });
    await untilSeen(
      `the cursor is in the line "${words}"`,
      async () => {
        await line.last().click({ timeout: 5_000 });
        return this.probe.run<string>(
          "const it = vscode.window.activeTextEditor; return it ? it.document.lineAt(it.selection.active.line).text : '';",
        );
      },
      (it) => it.includes(words),
    );
  }

  /** Presses a key in the editor that is active: in the right side of a diff. */
  async keyInEditor(key: string): Promise<void> {
    const editor = this.page.locator('.editor-group-container.active .editor-instance .monaco-editor');
    await pressKey(editor.locator('.native-edit-context, textarea.inputarea').last(), key);
  }

  /** Shows a view container by its name in the activity bar, whatever shows now. */
  async openContainer(name: string): Promise<void> {
    const tab = this.page.locator('.part.activitybar').getByRole('tab', { name: new RegExp(`^${name}`) });
    const isShown = async () => (await tab.getAttribute('aria-selected', { timeout: 5_000 })) === 'true';
    await until(`the container ${name} is shown`, async () => {
      if (!(await isShown())) await press(tab);
      await this.page.locator('.part.sidebar').waitFor({ timeout: 5_000 });
      return isShown();
    });
  }

  /** Folds views of the shown container, so that others have more room. */
  async fold(...titles: readonly string[]): Promise<void> {
    for (const title of titles) await this.#foldOrNot(title, false);
  }

  /** Looks again after the click: a window that just opened folds its views as they were left. */
  async #foldOrNot(title: string, isExpanded: boolean): Promise<Locator> {
    const heading = this.page.getByRole('heading', { name: title, exact: true });
    const header = this.page.locator('.pane-header').filter({ has: heading });
    const isSo = async () =>
      (await header.getAttribute('aria-expanded', { timeout: 5_000 })) === (isExpanded ? 'true' : 'false');
    await until(`the view ${title} is ${isExpanded ? 'unfolded' : 'folded'}`, async () => {
      if (!(await isSo())) await press(header);
      return isSo();
    });
    return this.page.locator('.pane').filter({ has: header });
  }

  /** A view of the shown container, by its title. It is unfolded where it was folded. */
  view(title: string): Promise<Locator> {
    return this.#foldOrNot(title, true);
  }

  /** The rows of a tree view. */
  async tree(title: string): Promise<TreeRows> {
    return new TreeRows(this, await this.view(title));
  }

  /** Clicks a button of a view's title bar or welcome text by its accessible name. */
  async clickInView(title: string, button: string | RegExp): Promise<void> {
    const view = await this.view(title);
    await pressUnder(view, view.getByRole('button', { name: button }).first());
  }

  /** Chooses in a menu of a view's title bar, which opens with the press. */
  async chooseInView(title: string, button: string | RegExp, entry: string): Promise<void> {
    const view = await this.view(title);
    const item = this.page.getByRole('menuitem', { name: entry });
    await chooseEntry(item, async () => {
      await view.hover({ timeout: 5_000 });
      await view.getByRole('button', { name: button }).first().click({ timeout: 5_000 });
    });
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
    await press(this.page.locator('.part.statusbar').getByRole('button', { name: label }).first());
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
    return until('a chat page is visible', async () => drawn((await this.webviews())[0]));
  }

  /** The page that becomes visible after `act`. A page that is about to close is not taken for the new one. */
  async chatAfter(act: () => Promise<unknown>, limitMs?: number): Promise<Frame> {
    const before = new Set(await this.webviews());
    await act();
    const next = async () => drawn((await this.webviews()).find((it) => !before.has(it)));
    return until('another chat page is visible', next, { ...(limitMs !== undefined && { limitMs }) });
  }

  /** Closes every editor, and waits until none shows: a page on its way out would be taken for the next one. */
  async closeEditors(): Promise<void> {
    await this.command('View: Close All Editors');
    await untilSeen('no editor is open', () => this.openEditors(), []);
    await untilSeen('no page of ours shows', async () => (await this.webviews()).length, 0);
  }

  /** Starts the host anew, and waits for the new one: what is asked before that may still be answered by the old one. */
  async restartHost(): Promise<void> {
    const before = this.editor.hostPid();
    await this.command('Switchboard: Restart Host');
    await untilSeen(
      `another host runs than ${before}`,
      () => this.editor.hostPid(),
      (it) => it !== undefined && it !== before,
    );
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

  /** Waits until the window is at rest, and saves a screenshot if screenshots of steps are on. */
  async screenshot(step: string): Promise<void> {
    if (takesStepPictures) await this.pictureNow(step);
    else await this.rest();
  }

  /** Saves a screenshot of the window at rest, for a test that failed. */
  async pictureNow(step: string): Promise<void> {
    await this.rest();
    await this.page.screenshot({ path: this.editor.screenshotPath(step) });
  }

  /** Pictures of the window at rest, or of a part of it, in light and in dark, with the mouse on nothing. */
  async pictures(pathOf: PathOf, part: Pick<Page, 'screenshot'> | Locator = this.page): Promise<void> {
    await this.page.mouse.move(200, 4);
    await this.page.locator('.part.statusbar .codicon-loading').first().waitFor({ state: 'hidden' });
    await this.page.evaluate(scrollBack);
    await inBothSchemes(this.page, async (scheme) => {
      await untilSeen(`the window and its pages are ${scheme}`, () => this.#schemes(), [scheme]);
      await this.rest();
      await part.screenshot({ path: pathOf(scheme), animations: 'disabled' });
    });
  }

  /** What the window and the visible pages of ours are in now, each named once. */
  async #schemes(): Promise<string[]> {
    const theirs = await Promise.all((await this.webviews()).map((it) => it.locator('body').getAttribute('class')));
    const own = await this.page.locator('.monaco-workbench').first().getAttribute('class');
    return [...new Set([own, ...theirs].map((it) => (isDark(it ?? '') ? 'dark' : 'light')))];
  }
}

/** @param classes of the window or a page. A page in the light high contrast theme has the classes of both high contrast themes. */
const isDark = (classes: string) =>
  /-dark\b|\bhc-black\b|\bvscode-high-contrast\b/.test(classes) && !classes.includes('vscode-high-contrast-light');

/** Runs in the page. A click may have scrolled the frame of the window by a few pixels, as no hand can. */
function scrollBack(): void {
  for (let it = document.querySelector('.part.sidebar'); it; it = it.parentElement) it.scrollTo(0, 0);
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

/** @returns `undefined` for a page that is still empty */
async function drawn(frame: Frame | undefined): Promise<Frame | undefined> {
  return frame && (await frame.locator('body > *').count()) > 0 ? frame : undefined;
}

async function isVisible(frame: Frame): Promise<boolean> {
  const element = await frame.frameElement();
  return element.isVisible();
}
