import { join } from 'node:path';
import { packageOfTests } from '../../../vsix.ts';
import { projectRoot } from '../../support/cache.ts';
import { Editor } from '../../vscode/driver/editor.ts';
import { endShared } from '../../vscode/driver/servedBackend.ts';
import { until } from '../../vscode/driver/until.ts';
import type { EditorWindow } from '../../vscode/driver/window.ts';
import { meanOfMost, median, type Row } from '../measure.ts';

/** The editor reports whole milliseconds. The mean of this many windows is more precise. */
const WINDOWS = 12;

/**
 * How long activation holds up the editor: the time that the editor reports for loading our bundle and calling `activate()`, relative to
 * an extension that does nothing. Both run in the same windows, which are opened one after the other. The other row is the time until
 * the promise of `activate()` is fulfilled. Everything is registered then, and the extension host has done other things meanwhile.
 */
export async function activation(): Promise<readonly Row[]> {
  const empty = await packageOfTests('empty', join(projectRoot, 'test', 'bench', 'emptyExtension'));
  // Tall enough for the list to show all extensions, because those that activate quickly come last.
  const editor = await Editor.open('bench', { more: [empty], viewport: { width: 1200, height: 6000 } });
  try {
    const figures = { ours: [] as number[], empty: [] as number[], whole: [] as number[] };
    for (let run = 0; run < WINDOWS; run += 1) {
      const window = await editor.openWindow();
      figures.whole.push(await registeredMs(window));
      await window.command('Developer: Show Running Extensions');
      figures.ours.push(await activationMs(window, 'Switchboard'));
      figures.empty.push(await activationMs(window, 'Empty baseline'));
      await window.close();
    }
    const [ours, baseline] = [meanOfMost(figures.ours), meanOfMost(figures.empty)];
    const detail = `${ours.toFixed(1)} ms (${figures.ours.join(', ')}) against ${baseline.toFixed(1)} ms (${figures.empty.join(', ')})`;
    return [
      {
        name: 'from activate() until everything is registered',
        value: median(figures.whole),
        limit: 50,
        unit: 'ms',
        detail: figures.whole.join(', '),
      },
      { name: 'activate(), against an empty extension', value: ours / baseline, limit: 2, unit: 'ratio', detail },
    ];
  } finally {
    await editor.close();
    await endShared();
  }
}

/** Between the marks of the extension host around our activation. */
async function registeredMs(window: EditorWindow): Promise<number> {
  const times = await until('our activation has ended', async () => {
    const marks = await window.probe.run<{ name: string; startTime: number }[]>(
      'return globalThis.MonacoPerformanceMarks.getMarks();',
    );
    const at = (step: string) =>
      marks.find((it) => it.name === `code/extHost/${step}ActivateExtension/switchboard.switchboard`)?.startTime;
    const [from, to] = [at('will'), at('did')];
    return from !== undefined && to !== undefined && { from, to };
  });
  return times.to - times.from;
}

async function activationMs(window: EditorWindow, name: string): Promise<number> {
  const row = window.page.locator('.runtime-extensions-editor .extension', { hasText: name }).first();
  const text = (await row.textContent()) ?? '';
  const said = /Activation:\s*(\d+)\s*ms/.exec(text)?.[1];
  if (said === undefined) throw new Error(`the editor shows no activation time for ${name}: ${text}`);
  return Number(said);
}
