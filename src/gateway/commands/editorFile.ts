import type { ParseError, parse } from 'jsonc-parser';
import * as z from 'zod';

/** A value that a person is asked for before the file can be used: `${input:token}`. */
export interface FileInput {
  readonly id: string;
  readonly description: string;
  readonly isSecret: boolean;
}
export interface EditorFile {
  /** By name, as they stand in the file. */
  readonly servers: Readonly<Record<string, unknown>>;
  readonly inputs: readonly FileInput[];
  /** Programs that the servers run. */
  readonly commands: readonly string[];
}

const Servers = z.record(z.string(), z.looseObject({ command: z.string().optional(), url: z.string().optional() }));
const File = z.object({
  servers: Servers.optional(),
  mcpServers: Servers.optional(),
  inputs: z
    .array(z.object({ id: z.string(), description: z.string().optional(), password: z.boolean().optional() }))
    .default([]),
});

/** Reads JSON with comments. */
export type ParseJsonc = typeof parse;

/** `.vscode/mcp.json`, or a file with `mcpServers`. @returns `undefined` where it is none */
export function readEditorFile(text: string, parseJsonc: ParseJsonc): EditorFile | undefined {
  const errors: ParseError[] = [];
  const parsed = File.safeParse(parseJsonc(text, errors, { allowTrailingComma: true }));
  if (errors.length > 0 || !parsed.success) return undefined;
  const servers = parsed.data.servers ?? parsed.data.mcpServers;
  if (!servers) return undefined;
  const used = new Set([...JSON.stringify(servers).matchAll(/\$\{input:([^}"\\]+)\}/g)].map((it) => it[1] ?? ''));
  return {
    servers,
    inputs: [...used].map((id) => {
      const known = parsed.data.inputs.find((it) => it.id === id);
      return { id, description: known?.description ?? id, isSecret: known?.password ?? true };
    }),
    commands: [...new Set(Object.values(servers).flatMap((it) => it.command ?? []))],
  };
}

/** The same with every `${input:…}` and `${workspaceFolder}` replaced. */
export function filledIn(
  value: unknown,
  inputs: Readonly<Record<string, string>>,
  workspaceFolder: string | undefined,
): unknown {
  if (typeof value === 'string') {
    return value
      .replaceAll(/\$\{input:([^}]+)\}/g, (whole, id: string) => inputs[id] ?? whole)
      .replaceAll(/\$\{workspaceFolder\}/g, (whole) => workspaceFolder ?? whole);
  }
  if (Array.isArray(value)) return value.map((it) => filledIn(it, inputs, workspaceFolder));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, it]) => [key, filledIn(it, inputs, workspaceFolder)]));
}
