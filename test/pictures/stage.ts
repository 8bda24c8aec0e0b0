import { Editor, type EditorOptions } from '../vscode/driver/editor.ts';
import { untilSeen } from '../vscode/driver/until.ts';
import type { EditorWindow } from '../vscode/driver/window.ts';

const treeTitles = ['Sessions', 'Inbox', 'Changes', 'Worktrees', 'Agents & Customizations', 'Gateway'] as const;
export type TreeTitle = (typeof treeTitles)[number];

/** A window of a new editor, which shows our views; it ends with what is done in it. A failure leaves a picture. */
export async function inEditor(
  name: string,
  { settings, ...options }: Omit<EditorOptions, 'settings'> & { readonly settings?: Readonly<Record<string, unknown>> },
  play: (window: EditorWindow) => Promise<void>,
): Promise<void> {
  const inSchemes = { ...settings, 'window.autoDetectColorScheme': true };
  const editor = await Editor.open(`pictures ${name}`, { ...options, settings: inSchemes });
  let window: EditorWindow | undefined;
  try {
    window = await editor.openWindow();
    await window.openContainer('Switchboard');
    await play(window);
  } catch (thrown) {
    await window?.pictureNow('failed');
    throw thrown;
  } finally {
    await editor.close();
  }
}

/** Unfolds these views of the side bar and folds the others. */
export async function showOnly(window: EditorWindow, ...titles: readonly TreeTitle[]): Promise<void> {
  for (const it of titles) await window.view(it);
  await window.fold(...treeTitles.filter((it) => !titles.includes(it)));
}

/** Takes the notifications away, which would stand in the next pictures. */
export async function clearNotifications(window: EditorWindow): Promise<void> {
  await window.command('Notifications: Clear All Notifications');
  await untilSeen('no notification is left', () => window.notifications.toasts(), []);
}
