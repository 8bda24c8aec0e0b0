import { findNodeAtLocation, getLocation } from 'jsonc-parser';
import type { JsonSchema } from '../jsonSchema.ts';
import type { Draft } from './configLanguage.ts';
import { nameReference, type Path, type Reference, valueReference } from './references.ts';
import { schemasAt, wordsAt } from './schemaAt.ts';

export interface Completion {
  readonly label: string;
  /** `member` and `value` come from the JSON schema, `name` from the file and the gateway. */
  readonly kind: 'member' | 'value' | 'name';
  /** A few words beside the label. */
  readonly detail?: string;
  readonly documentation?: string | undefined;
  /** JSON, to be put in the place of `length` units from `offset`. */
  readonly insert: string;
  readonly offset: number;
  readonly length: number;
}

export function completionAt(draft: Draft, offset: number): Completion[] {
  const { path, previousNode, isAtPropertyKey } = getLocation(draft.text, offset);
  const isInside = previousNode && previousNode.offset <= offset && offset <= previousNode.offset + previousNode.length;
  const place = isInside ? { offset: previousNode.offset, length: previousNode.length } : { offset, length: 0 };
  const at = (it: Path) => draft.at(it);
  if (isAtPropertyKey) {
    const parent = path.slice(0, -1);
    const there = namesIn(draft, parent, String(path.at(-1) ?? ''));
    const end = place.offset + place.length;
    const colon = /^\s*:/.test(draft.text.slice(end)) ? '' : ': ';
    const members = schemasAt(parent).flatMap((it) => Object.keys(it.properties ?? {}));
    const own = members.map((name) => ({ name, kind: 'member' as const, documentation: wordsAt([...parent, name]) }));
    const others = named(nameReference([...parent, ''], at), draft);
    return unique([...own, ...others])
      .filter(({ name }) => !there.has(name))
      .map(({ name, ...rest }) => ({ ...rest, label: name, insert: `${JSON.stringify(name)}${colon}`, ...place }));
  }
  const values = schemasAt(path).flatMap(valuesOf);
  const own = values.map((value) => ({ name: value, kind: 'value' as const, insert: value }));
  const others = named(valueReference(path, at), draft).map((it) => ({ ...it, insert: JSON.stringify(it.name) }));
  return unique([...others, ...own]).map(({ name, ...rest }) => ({
    ...rest,
    label: name.startsWith('"') ? String(JSON.parse(name)) : name,
    ...place,
  }));
}

function named(reference: Reference | undefined, { names }: Draft) {
  if (!reference) return [];
  const { kind, server } = reference;
  return names
    .of(kind, server)
    .map((name) => ({ name, kind: 'name' as const, detail: detailOf(kind, name, server, names) }));
}

function detailOf(kind: Reference['kind'], name: string, server: string | undefined, names: Draft['names']): string {
  if (kind === 'tool') return server === undefined ? 'tool' : `tool on ${server}`;
  if (kind !== 'server') return words[kind];
  const health = names.server(name)?.health;
  return health === undefined ? 'MCP server' : `MCP server, ${health}`;
}
const words: Record<Exclude<Reference['kind'], 'tool' | 'server'>, string> = {
  agent: 'agent',
  team: 'team',
  toolset: 'toolset',
  organization: 'organisation',
  budget: 'budget',
  guardrail: 'guardrail',
  model: 'model',
  serverGroup: 'MCP server group',
  agentGroup: 'agent group',
  program: 'program in stdio.allowed_commands',
};

/** JSON of every value that the schema lists. */
function valuesOf(schema: JsonSchema): string[] {
  if (schema.const !== undefined) return [JSON.stringify(schema.const)];
  if (schema.enum) return schema.enum.map((it) => JSON.stringify(it));
  return schema.type === 'boolean' ? ['true', 'false'] : [];
}

/** Members that stand in the object already, without the one that is being written. */
function namesIn({ source, text }: Draft, path: Path, writing: string): ReadonlySet<string> {
  const node = source.root && findNodeAtLocation(source.root, [...path]);
  const names = (node?.children ?? []).map((it) => String(it.children?.[0]?.value));
  const times = names.filter((it) => it === writing).length;
  return new Set(names.filter((it) => text !== '' && (it !== writing || times > 1)));
}

const unique = <T extends { readonly name: string }>(all: readonly T[]): T[] => [
  ...new Map(all.map((it) => [it.name, it])).values(),
];
