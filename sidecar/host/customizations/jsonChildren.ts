import { createHash } from 'node:crypto';
import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { isRecord } from '../../platform/isRecord.ts';
import { syntaxMessage } from '../../platform/json.ts';
import type { ChildCustomization } from '../../protocol/channels/session/customizations.ts';
import type { TextRange } from '../../protocol/shared.ts';

export interface JsonChildren {
  readonly children: readonly ChildCustomization[];
  readonly problem?: string;
}

/** The hooks of a file: one for each event that it names under `hooks`. */
export function hookChildren(uri: string, source: string): JsonChildren {
  return membersOf(source, ['hooks'], (name, range) => ({ type: 'hook', id: idOf(uri, name), uri, name, range }));
}

/** The servers of a file, under `servers` (VS Code) or `mcpServers` (everybody else). As none of them runs. */
export function serverChildren(uri: string, source: string): JsonChildren {
  return membersOf(source, serverKeys, (name, range, value) => ({
    type: 'mcpServer',
    id: idOf(uri, name),
    uri,
    name,
    range,
    enabled: !(isRecord(value) && value['disabled'] === true),
    state: { kind: 'stopped' },
  }));
}

/** What the file says of one server; `undefined` where it says nothing, or cannot be read. */
export function serverIn(source: string, name: string): unknown {
  const tree = parseTree(source, [], { allowTrailingComma: true });
  const found = serverKeys.map((it) => tree && findNodeAtLocation(tree, [it, name])).find((it) => it !== undefined);
  return found && getNodeValue(found);
}
const serverKeys = ['servers', 'mcpServers'];

/** The same for the same thing at every look, and unique in a session. */
export function idOf(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('base64url').slice(0, 22);
}

function membersOf(
  source: string,
  keys: readonly string[],
  toChild: (name: string, range: TextRange, value: unknown) => ChildCustomization,
): JsonChildren {
  const errors: ParseError[] = [];
  const tree = parseTree(source, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (!tree || first) return { children: [], problem: first ? syntaxProblem(source, first) : 'is empty' };
  const holder = keys.map((it) => findNodeAtLocation(tree, [it])).find((it) => it !== undefined);
  if (!holder) return { children: [] };
  if (holder.type !== 'object') return { children: [], problem: `${keys.join(' or ')}: must be an object` };
  const lines = lineStarts(source);
  const children = (holder.children ?? []).flatMap((property: Node) => {
    const [key, value] = property.children ?? [];
    if (!key || !value) return [];
    const range = {
      start: positionAt(lines, property.offset),
      end: positionAt(lines, property.offset + property.length),
    };
    return toChild(String(key.value), range, getNodeValue(value));
  });
  return { children };
}

function syntaxProblem(source: string, { error, offset }: ParseError): string {
  const { line, character } = positionAt(lineStarts(source), offset);
  return `line ${line + 1}, column ${character + 1}: ${syntaxMessage(printParseErrorCode(error))}`;
}
function lineStarts(source: string): number[] {
  return [0, ...[...source.matchAll(/\n/g)].map((it) => it.index + 1)];
}
function positionAt(lines: readonly number[], offset: number) {
  const line = lines.findLastIndex((it) => it <= offset);
  return { line, character: offset - (lines[line] ?? 0) };
}
