import * as vscode from 'vscode';
import { whyOf } from '../platform/whyOf.ts';

export interface PickItem<T> extends vscode.QuickPickItem {
  readonly value?: T;
}
export interface PickOptions<T> {
  readonly title: string;
  readonly placeHolder: string;
  readonly items: readonly PickItem<T>[];
  /** Items for what was typed, instead of a filter over `items`. Rejects with a reason for a person. */
  readonly find?: (typed: string) => Promise<readonly PickItem<T>[]>;
}

/** One choice of a list, `undefined` when it was left. The list stays while the person looks at something else. */
export function pick<T>({ title, placeHolder, items, find }: PickOptions<T>): Promise<PickItem<T> | undefined> {
  const list = vscode.window.createQuickPick<PickItem<T>>();
  list.title = title;
  list.placeholder = placeHolder;
  list.matchOnDescription = true;
  list.ignoreFocusOut = true;
  list.items = items;
  let asked = 0;
  const look = async (typed: string) => {
    if (!find) return;
    asked += 1;
    const mine = asked;
    list.busy = true;
    try {
      const found = await find(typed);
      if (mine === asked) list.items = found;
    } catch (error) {
      const why = whyOf(error);
      if (mine === asked) list.items = [{ label: `$(error) ${why}`, alwaysShow: true }];
    } finally {
      if (mine === asked) list.busy = false;
    }
  };
  return new Promise((resolve) => {
    list.onDidChangeValue((typed) => void look(typed));
    list.onDidAccept(() => {
      const [chosen] = list.selectedItems;
      if (!chosen || chosen.value === undefined) return;
      resolve(chosen);
      list.hide();
    });
    list.onDidHide(() => {
      asked += 1;
      resolve(undefined);
      list.dispose();
    });
    list.show();
    void look('');
  });
}
