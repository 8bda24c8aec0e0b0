import type { Locator } from 'playwright-core';
import { pressUnder } from './press.ts';
import { untilSeen } from './until.ts';
import type { EditorWindow } from './window.ts';

/** The toasts on the screen and the rows of the notification centre. */
export class Notifications {
  readonly #window: EditorWindow;

  constructor(window: EditorWindow) {
    this.#window = window;
  }

  toast(text: string | RegExp): Locator {
    return this.#window.page.locator('.notification-toast').filter({ hasText: text });
  }

  /** The messages of the toasts on the screen. */
  async toasts(): Promise<string[]> {
    return this.#window.page.locator('.notification-toast .notification-list-item-message').allInnerTexts();
  }

  /** The messages in the notification centre, which is opened for the look and closed after it. */
  async centre(): Promise<string[]> {
    await this.#window.command('Notifications: Show Notifications');
    const centre = this.#window.page.locator('.notifications-center.visible');
    await centre.waitFor();
    const messages = await centre.locator('.notification-list-item-message').allInnerTexts();
    await this.#window.command('Notifications: Hide Notifications');
    await centre.waitFor({ state: 'hidden' });
    return messages;
  }

  /** Removes all. The command has run when this settles; one that is chosen in the palette may run after the next message came. */
  async clear(): Promise<void> {
    await this.#window.probe.run("await vscode.commands.executeCommand('notifications.clearAll'); return null;");
    await untilSeen('no notification is left', () => this.toasts(), []);
  }

  /** Clicks a button, or a link in the text, of the toast that says `text`. */
  async click(text: string | RegExp, name: string | RegExp): Promise<void> {
    const toast = this.toast(text).first();
    await toast.waitFor();
    await pressUnder(toast, toast.getByRole('button', { name }).or(toast.getByRole('link', { name })).first());
  }
}
