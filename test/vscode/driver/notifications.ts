import type { Locator } from 'playwright-core';
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
    const rows = this.#window.page.locator('.notifications-center.visible .notification-list-item-message');
    const messages = await rows.allInnerTexts();
    await this.#window.command('Notifications: Hide Notifications');
    return messages;
  }

  /** Clicks a button, or a link in the text, of the toast that says `text`. */
  async click(text: string | RegExp, name: string | RegExp): Promise<void> {
    const toast = this.toast(text).first();
    await toast.waitFor();
    await toast.hover();
    const button = toast.getByRole('button', { name }).or(toast.getByRole('link', { name }));
    await button.first().click();
  }
}
