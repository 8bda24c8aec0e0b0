import { Editor } from '../../vscode/driver/editor.ts';
import type { Row } from '../measure.ts';

/** What the editor itself says that our `activate()` took, bundle included, in a fresh window. */
export async function activation(): Promise<readonly Row[]> {
  const editor = await Editor.open('bench');
  try {
    const window = await editor.openWindow();
    await window.command('Developer: Show Running Extensions');
    const row = window.page.locator('.runtime-extensions-editor .extension', { hasText: 'Switchboard' }).first();
    const text = (await row.textContent()) ?? '';
    const said = /Activation:\s*(\d+)\s*ms/.exec(text)?.[1];
    if (said === undefined) throw new Error(`the editor says no activation time: ${text}`);
    return [{ name: 'activate()', value: Number(said), limit: 50, unit: 'ms', detail: 'measured by the editor' }];
  } finally {
    await editor.close();
  }
}
