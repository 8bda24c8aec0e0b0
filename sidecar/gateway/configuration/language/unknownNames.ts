import { getNodePath, type Node } from 'jsonc-parser';
import { allCloudAgents, modelWords } from '../../../protocol/gateway/objectPermission.ts';
import type { ConfigProblem } from '../problem.ts';
import type { Draft } from './configLanguage.ts';
import type { NameKind } from './facts.ts';
import { nameReference, type Reference, valueReference } from './references.ts';

/** What is said of a name that nobody has. Kinds that are not here may be made up freely, or are judged elsewhere. */
const spoken: Partial<Record<NameKind, string>> = {
  server: 'server or server group',
  tool: 'tool on this server',
  agent: 'agent or agent group',
  toolset: 'toolset',
  model: 'model',
};
const allowed: ReadonlySet<string> = new Set([
  'no-mcp-servers',
  'all-proxy-mcpservers',
  'all-team-mcpservers',
  allCloudAgents,
  ...Object.values(modelWords),
]);

/** Names in the file that neither it nor the running gateway has. Tools are judged where somebody asked their server. */
export function unknownNames(draft: Draft, found: readonly ConfigProblem[]): ConfigProblem[] {
  const marked = new Set(found.map((it) => it.offset));
  const problems: ConfigProblem[] = [];
  visit(draft.source.root, (node) => {
    const isName = node.parent?.type === 'property' && node.parent.children?.[0] === node;
    if (node.type !== 'string' || marked.has(node.offset)) return;
    const path = getNodePath(node);
    const at = (it: Parameters<Draft['at']>[0]) => draft.at(it);
    const reference = isName ? nameReference(path, at) : valueReference(path, at);
    const name = String(node.value);
    const message = reference && whyUnknown(reference, name, draft);
    if (message)
      problems.push({ path: path.join('.'), message, kind: 'warning', offset: node.offset, length: node.length });
  });
  return problems;
}

function whyUnknown(reference: Reference, name: string, { names }: Draft): string | undefined {
  const { kind, server } = reference;
  const word = spoken[kind];
  if (word === undefined || allowed.has(name)) return undefined;
  if (kind === 'tool') {
    const tools = names.server(server ?? '')?.tools;
    return tools && !tools.includes(name) ? `no ${word} named '${name}' was found` : undefined;
  }
  const groups = kind === 'server' ? names.of('serverGroup') : kind === 'agent' ? names.of('agentGroup') : [];
  const isKnown = names.of(kind).includes(name) || groups.includes(name) || names.server(name) !== undefined;
  return isKnown ? undefined : `no ${word} named '${name}' was found, so this allows nothing yet`;
}

function visit(node: Node | undefined, see: (node: Node) => void): void {
  if (!node) return;
  see(node);
  for (const it of node.children ?? []) visit(it, see);
}
