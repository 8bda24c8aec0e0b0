import type { Frame } from 'playwright-core';

/** Chooses who answers in a chat that has no session yet. */
export async function chooseAgent(chat: Frame, name: string): Promise<void> {
  await chat.getByRole('button', { name: /^Agent:/ }).click();
  await chat.getByRole('menuitemradio', { name: new RegExp(name) }).click();
}

/** Types into the chat and sends it, as a person does. */
export async function say(chat: Frame, text: string): Promise<void> {
  const message = chat.getByRole('textbox', { name: 'Message' });
  await message.fill(text);
  await message.press('Enter');
}
