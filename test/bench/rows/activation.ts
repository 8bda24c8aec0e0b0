import { Editor } from '../../vscode/driver/editor.ts';
import { endShared } from '../../vscode/driver/servedBackend.ts';
import type { EditorWindow } from '../../vscode/driver/window.ts';
import { median, type Row, RUNS } from '../measure.ts';

/** What the editor itself says that our `activate()` took, bundle included, in fresh windows one after the other. */
export async function activation(): Promise<readonly Row[]> {
  const editor = await Editor.open('bench');
  try {
    const figures: number[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      const window = await editor.openWindow();
      figures.push(await activationMs(window));
      await window.close();
    }
    const detail = `measured by the editor in ${RUNS} windows: ${figures.join(', ')}`;
    return [{ name: 'activate()', value: median(figures), limit: 50, unit: 'ms', detail }];
  } finally {
    await editor.close();
    await endShared();
  }
}

async function activationMs(window: EditorWindow): Promise<number> {
  await window.command('Developer: Show Running Extensions');
  const row = window.page.locator('.runtime-extensions-editor .extension', { hasText: 'Switchboard' }).first();
  const text = (await row.textContent()) ?? '';
  const said = /Activation:\s*(\d+)\s*ms/.exec(text)?.[1];
  if (said === undefined) throw new Error(`the editor says no activation time: ${text}`);
  return Number(said);
}
