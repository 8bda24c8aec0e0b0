import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import type { Tools } from '../activation/toolsStub.ts';
import { whyOf } from '../platform/whyOf.ts';
import type { GatewayAddress } from './door.ts';
import { GatewayError } from './gatewayError.ts';
import type { GatewayRoutes } from './routes.ts';
import type { GatewaySecrets } from './secrets.ts';

/** Under this name the editor's calls show in the activity. */
const ALIAS = 'VS Code';

export interface EditorToolsDeps {
  readonly routes: () => GatewayRoutes;
  readonly secrets: GatewaySecrets;
  readonly address: () => Promise<GatewayAddress>;
  readonly warn: (message: string) => void;
}

/** The governed tools as one server for the editor's own agents, under a key of their own. */
export function editorTools({ routes, secrets, address, warn }: EditorToolsDeps): Tools {
  async function keyOf(): Promise<string> {
    const known = await secrets.editorKey();
    if (known !== undefined && (await isGood(known))) return known;
    const before = (await routes().keys()).find((it) => it.key_alias === ALIAS);
    const made = before
      ? await routes().rotateKey({ key: before.token })
      : await routes().newKey({ key_alias: ALIAS, allowed_routes: ['mcp_routes'] });
    await secrets.keepEditorKey(made.key);
    return made.key;
  }
  /** A person may have revoked it, or the gateway lost its records. */
  async function isGood(key: string): Promise<boolean> {
    try {
      const { info } = await routes().key(createHash('sha256').update(key).digest('hex'));
      return info.blocked !== true;
    } catch (thrown) {
      if (thrown instanceof GatewayError && thrown.status !== undefined) return false;
      throw thrown;
    }
  }
  return {
    async provideMcpServerDefinitions() {
      try {
        const { baseUrl } = await address();
        return [new vscode.McpHttpServerDefinition('Switchboard', vscode.Uri.parse(`${baseUrl}/mcp`))];
      } catch (thrown) {
        warn(`the editor gets no tools: ${whyOf(thrown)}`);
        return [];
      }
    },
    async resolveMcpServerDefinition(server) {
      server.headers = { 'x-gateway-api-key': `Bearer ${await keyOf()}` };
      return server;
    },
  };
}
