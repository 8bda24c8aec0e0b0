import * as vscode from 'vscode';
import { ROOT } from '../../sidecar/protocol/uris.ts';
import { PROTOCOL_VERSION } from '../../sidecar/protocol/version.ts';

/**
 * What a window says of itself to whichever host it connects to.
 * @param version of this build
 * @param initializationOptions what only this kind of host gets
 */
export function initializeParams(
  clientId: string,
  version: string,
  initializationOptions: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return {
    channel: ROOT,
    protocolVersions: [PROTOCOL_VERSION],
    clientId,
    clientInfo: { name: 'switchboard-vscode', version, title: vscode.env.appName },
    initialSubscriptions: [ROOT],
    locale: vscode.env.language,
    initializationOptions,
  };
}
