import { realpath } from 'node:fs/promises';
import { URI } from 'vscode-uri';
import type { CustomAgent } from '../../agents/provider.ts';
import type { ChildCustomization, Customization } from '../../protocol/channels/session/customizations.ts';
import type { SessionState } from '../../protocol/channels/session/schema.ts';
import type { ServerDefinition } from '../mcp/serverConfig.ts';
import { type AskClient, clientFiles } from './clientFiles.ts';
import { type CustomizationFiles, diskFiles } from './files.ts';
import { parseFrontMatter } from './frontMatter.ts';
import { serverIn } from './jsonChildren.ts';

export interface HolderDeps {
  readonly state: (session: string) => SessionState | undefined;
  readonly askClient: (clientId: string) => AskClient;
}
type Container = Extract<Customization, { children?: unknown }>;

/** Reads what customizations say, from whoever has their files. */
export class Holders {
  readonly #deps: HolderDeps;

  constructor(deps: HolderDeps) {
    this.#deps = deps;
  }

  /** What a custom agent says. @throws when it cannot be read */
  async agent(session: string, uri: string): Promise<CustomAgent | undefined> {
    const found = this.#find(session, (it) => it.type === 'agent' && it.uri === uri);
    if (found?.child.type !== 'agent') return undefined;
    const source = await (await this.filesOf(session, found.holder))?.read(uri);
    if (source === undefined) return undefined;
    const { name, model, tools } = found.child;
    return {
      name,
      instructions: parseFrontMatter(source).body.trim(),
      ...(model !== undefined && { model }),
      ...(tools && tools.length > 0 && { tools }),
    };
  }

  /** How an MCP server is started, as its file says now. @throws when that cannot be read */
  async server(session: string, id: string): Promise<ServerDefinition | undefined> {
    const found = this.#find(session, (it) => it.type === 'mcpServer' && it.id === id);
    if (!found) return undefined;
    const { child, holder } = found;
    const source = await (await this.filesOf(session, holder))?.read(child.uri);
    const raw = source === undefined ? undefined : serverIn(source, child.name);
    if (raw === undefined) return undefined;
    const folder = holder.type === 'plugin' && isFile(holder.uri) ? holder.uri : this.#folderOf(session, child.uri);
    return { name: child.name, raw, ...(folder !== undefined && { folder: URI.parse(folder).fsPath }) };
  }

  /** Who has the files of a container. Of what a client published, only what lies in a folder of the session is on disk. */
  async filesOf(
    session: string,
    { uri, clientId }: { uri: string; clientId?: string },
  ): Promise<CustomizationFiles | undefined> {
    const { scheme } = URI.parse(uri);
    if (clientId === undefined) return onDisk(uri);
    if (scheme !== 'file') return reserved.test(scheme) ? undefined : clientFiles(this.#deps.askClient(clientId));
    const holder = this.#folders(session).find((it) => isBelow(uri, it));
    return holder === undefined ? undefined : onDisk(holder);
  }

  #find(
    session: string,
    isIt: (child: ChildCustomization) => boolean,
  ): { child: ChildCustomization; holder: Container } | undefined {
    for (const holder of this.#deps.state(session)?.customizations ?? []) {
      if (!('children' in holder)) continue;
      const child = holder.children?.find(isIt);
      if (child) return { child, holder };
    }
    return undefined;
  }

  /** The folder of the session in which something lies; its first folder for what lies nowhere. */
  #folderOf(session: string, uri: string): string | undefined {
    const folders = this.#folders(session).filter(isFile);
    return folders.find((it) => isBelow(uri, it)) ?? folders[0];
  }
  #folders(session: string): readonly string[] {
    return this.#deps.state(session)?.workingDirectories ?? [];
  }
}

/** Ours and the web's: no client holds files under these. */
const reserved = /^(?:https?|data|host-[a-z-]*|x-switchboard.*)$/i;
const isFile = (uri: string): boolean => uri.startsWith('file:');
const isBelow = (uri: string, folder: string): boolean => uri === folder || uri.startsWith(`${folder}/`);

async function onDisk(folder: string): Promise<CustomizationFiles | undefined> {
  const root = await realpath(URI.parse(folder).fsPath).catch(() => undefined); // gone: nothing can be read
  return root === undefined ? undefined : diskFiles(root);
}
