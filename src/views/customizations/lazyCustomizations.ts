import * as vscode from 'vscode';
import { loadBundle } from '../../platform/loadBundle.ts';
import type { CustomizationsDeps, CustomizationsModule } from './deps.ts';

/** The view is loaded when it is first seen. @param bundle the absolute path of `dist/customizations.cjs` */
export function lazyCustomizations(bundle: string, deps: CustomizationsDeps): vscode.Disposable {
  let opened: vscode.Disposable | undefined;
  const open = () => {
    if (!opened && deps.tree.view.visible)
      opened = loadBundle<CustomizationsModule>(bundle, 'openCustomizations').openCustomizations(deps);
  };
  const stop = deps.tree.view.onDidChangeVisibility(open);
  open();
  return new vscode.Disposable(() => {
    stop.dispose();
    opened?.dispose();
  });
}
