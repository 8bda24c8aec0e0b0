/** Where the tools are, and the keys to them: in the environment, because everybody on a machine sees arguments. */
export const TOOLS_URL = 'SWITCHBOARD_TOOLS_URL';
export const TOOLS_HEADERS = 'SWITCHBOARD_TOOLS_HEADERS';

/** An MCP server over HTTP on this machine, and how a program of ours is started that stands for it. */
export type ToolProgramOf = (server: { readonly url: string; readonly headers: Readonly<Record<string, string>> }) => {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
};

/** This very program, in another role. @param entry the file that starts this build again */
export function toolProgramOf(entry: string, { execPath, versions }: NodeJS.Process): ToolProgramOf {
  const asNode: Record<string, string> = versions['electron'] === undefined ? {} : { ELECTRON_RUN_AS_NODE: '1' };
  return ({ url, headers }) => ({
    command: execPath,
    args: [entry, 'bridge'],
    env: { ...asNode, [TOOLS_URL]: url, [TOOLS_HEADERS]: JSON.stringify(headers) },
  });
}
