import type { Frame, Locator } from 'playwright-core';
import { pressKeyOnce, write } from './keys.ts';
import { press, pressOnce } from './press.ts';
import { until } from './until.ts';
import type { EditorWindow } from './window.ts';

/**
 * Opens a menu of the page and chooses in it: again where it closed, as the focus went elsewhere, or was opened before
 * the choice was there.
 */
export async function chooseInMenu(opener: Locator, choice: Locator, how: { force?: boolean } = {}): Promise<void> {
  await until(`${String(choice)} is chosen in the menu of ${String(opener)}`, async () => {
    if (!(await choice.isVisible())) await opener.click({ timeout: 5_000 });
    return pressOnce(choice, how);
  });
}

/** Opens a menu of the page, and waits until it offers this: again where it closed, as the focus went elsewhere. */
export async function openMenu(opener: Locator, offered: Locator): Promise<void> {
  await until(`the menu of ${String(opener)} offers ${String(offered)}`, async () => {
    if (!(await offered.isVisible())) await opener.click({ timeout: 5_000 });
    await offered.waitFor({ timeout: 2_000 });
    return true;
  });
}

/** Chooses who answers in a chat that has no session yet, and waits until it says so. */
export async function chooseAgent(chat: Frame, name: string): Promise<void> {
  const picker = chat.getByRole('button', { name: /^Agent:/ });
  const chosen = chat.getByRole('button', { name: new RegExp(`^Agent:.*${name}`) });
  await picker.waitFor();
  if (!(await chosen.isVisible()))
    await chooseInMenu(picker, chat.getByRole('menuitemradio', { name: new RegExp(name) }));
  await chosen.waitFor();
}

/** What a chat says, its prompts left out: they may hold the words that are waited for. */
export function answersIn(chat: Frame): Promise<string> {
  return chat.getByRole('log').evaluate((log) => {
    const copy = log.cloneNode(true) as Element;
    for (const prompt of copy.querySelectorAll('.bubble')) prompt.remove();
    return copy.textContent ?? '';
  });
}

/** Types into the chat and sends it, as a person does. @param name of the field, in the language of the chat */
export async function say(chat: Frame, text: string, name = 'Message'): Promise<void> {
  const message = chat.getByRole('textbox', { name });
  await until(`"${text}" is sent`, async () => {
    await write(message, text);
    return pressKeyOnce(message, 'Enter');
  });
}

/** Chooses for a new session that it works in a worktree of its own. */
export async function chooseWorktree(window: EditorWindow, chat: Frame): Promise<void> {
  await press(chat.getByRole('button', { name: 'Options…' }));
  await window.pick('Separate worktree');
  await window.pick('Yes');
  await window.page.getByRole('option', { name: /^Separate worktree, Yes/ }).waitFor();
  await window.quickInput.leave();
}
