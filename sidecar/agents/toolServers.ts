/** An MCP server over streamable HTTP. Its headers hold a key: nothing of them is logged. */
export interface ToolServer {
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}
/** Its environment holds a key: nothing of it is logged. */
export interface ToolProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}
