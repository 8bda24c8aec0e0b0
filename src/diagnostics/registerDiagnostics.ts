import * as vscode from 'vscode';
import { commandIds } from '../manifest/manifest.ts';
import { onCommand } from '../platform/commandHandlers.ts';
import { loadBundle } from '../platform/loadBundle.ts';
import type { DiagnosticsDeps, DiagnosticsModule } from './diagnosticsModule.ts';

/** The commands for finding out what is wrong, whose code is loaded when one of them is used. @param bundle its path */
export function registerDiagnostics(bundle: string, deps: DiagnosticsDeps): vscode.Disposable {
  let opened: ReturnType<DiagnosticsModule['openDiagnostics']> | undefined;
  const { exportDiagnostics, showTraffic, showHealth, reportIssue } = commandIds;
  return vscode.Disposable.from(
    ...[exportDiagnostics, showTraffic, showHealth, reportIssue].map((id) =>
      onCommand(id, () => {
        opened ??= loadBundle<DiagnosticsModule>(bundle, 'openDiagnostics').openDiagnostics(deps);
        return opened[id]?.();
      }),
    ),
  );
}
