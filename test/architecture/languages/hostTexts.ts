import ts from 'typescript';
import { findInCode } from '../../support/sources.ts';

/** Below them are {@link rooms}. */
const folders = [
  'sidecar/host',
  'sidecar/agents',
  'sidecar/launch',
  'sidecar/platform/sandbox',
  'sidecar/protocol/gateway',
];

/** The folders and files with texts of the host that a window or a page shows. */
const rooms = [
  'sidecar/host/agents',
  'sidecar/host/changes',
  'sidecar/host/context',
  'sidecar/host/customizations',
  'sidecar/host/effects',
  'sidecar/host/hooks',
  'sidecar/host/mcp',
  'sidecar/host/offeredAgents.ts',
  'sidecar/host/permissions',
  'sidecar/host/rpc',
  'sidecar/platform/sandbox',
  'sidecar/host/sessions',
  'sidecar/host/terminals',
  'sidecar/host/tools',
  'sidecar/host/turns',
  'sidecar/agents/a2a',
  'sidecar/agents/acp',
  'sidecar/agents/cloud',
  'sidecar/agents/coder/loop.ts',
  'sidecar/agents/coder/models/askModel.ts',
  'sidecar/agents/coder/modes.ts',
  'sidecar/agents/coder/provider.ts',
  'sidecar/agents/coder/session.ts',
  'sidecar/agents/coder/tools',
  'sidecar/agents/coder/turn.ts',
  'sidecar/agents/edits/edit.ts',
  'sidecar/agents/usageLimits.ts',
  'sidecar/agents/edits/files.ts',
  'sidecar/agents/folderNeeded.ts',
  'sidecar/agents/gatewayCall.ts',
  'sidecar/agents/registry/agentInstalls.ts',
  'sidecar/agents/registry/archives',
  'sidecar/agents/registry/download.ts',
  'sidecar/agents/registry/installedAgents.ts',
  'sidecar/agents/registry/installers',
  'sidecar/agents/registry/registry.ts',
  'sidecar/agents/toolNames.ts',
  'sidecar/launch/attach',
  'sidecar/launch/host',
  'sidecar/protocol/gateway/guardrails',
];

/** Sentences that no window shows: messages for agents and other programs, contents of files, and names. */
const notShown = new Set([
  'Changes made by an agent',
  'Kind of guardrail.',
  'When the guardrail runs: one mode or an array of modes. A pre_mcp_call guardrail runs before the call and can change or refuse it. A during_mcp_call guardrail runs in parallel with the call and can refuse it. A post_mcp_call guardrail runs after the call and can change or withhold its result.',
  'Run the guardrail on every call. Otherwise, it runs only for keys, teams, and servers that refer to it.',
  'Only in guardrails that the API made.',
  'Set by the gateway.',
  'Secret for bearer or hmac.',
  'Earlier conversation',
  'Edited {0} (+{1} −{2})',
  'Keys, tokens and passwords that Switchboard knows or recognizes were replaced with [hidden]. Contents larger than 1 MB and turns that were still running were left out.',
  'For this message, act as the custom agent "{0}". Follow these instructions:\n\n{1}\n\nThe message:',
  '(The attachment {0} was left out because this agent does not accept the content type {1}.)',
  'I denied "{0}": {1}',
  'Lines written by agents, as Switchboard recorded them.\n\n{0}',
  'Library/Application Support/Code',
  'Library/Application Support/Firefox',
  'Library/Application Support/Google',
  'Method not found.',
  'PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE',
  'No text to compare.',
  'No turn is running, so nobody can be asked.',
  'Not allowed in this session.',
  'Programs in the sandbox can connect only to hosts that have a name.',
  'Programs in the sandbox cannot reach this port of the machine.',
  'Programs in the sandbox tried to connect to too many hosts in this turn.',
  'The user denied this connection.',
  'Output of type {0}',
  'Qwen Code',
  'Stopped after {0} steps.',
  'Subproject commit {0}{1}',
  'Switchboard',
  'Switchboard did not save this file: {0}. Size: {1} bytes; changed: {2} ns.',
  'Switchboard did not save {0}: it is too large.',
  'The turn that this call belongs to has ended.',
  'The budget is used up, and no turn is running in which the user can be asked to raise it. Do not try again.',
  'The budget is used up, and the user did not raise it. Do not try again. Stop here, and say what is done and what is left.',
  'You run in a sandbox in which your own sandbox cannot start. Run each command with sandbox_permissions set to "require_escalated" and a short justification. It then stays in the outer sandbox, and the user is asked.',
  '{0} in {1}',
  '{0} is denied because the work of the agent does not require it.',
]);

/**
 * What the host says in its own words: sentences, and the titles and labels of what it offers. Placeholders stand where it
 * puts a value. They are found by what they look like, so that a new one is not forgotten.
 */
export function hostTexts(): readonly string[] {
  const texts = new Set<string>();
  findInCode(folders, (node, path) => {
    if (!rooms.some((it) => path === it || path.startsWith(`${it}/`))) return undefined;
    const text = wordsOf(node)?.trim();
    if (text !== undefined && isShown(node, text) && !notShown.has(text)) texts.add(text);
    return undefined;
  });
  return [...texts];
}

function wordsOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return ts.isImportDeclaration(node.parent) ? undefined : node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map((it, at) => `{${at}}${it.literal.text}`).join('');
}

function isShown(node: ts.Node, text: string): boolean {
  if (!/\p{Ll}{2}/u.test(text)) return false;
  if (isTitle(node)) return true;
  // A value by its name, such as `Bearer …` or `NAME: …`, or a command to install something.
  if (/^[\w.{}[\]]+: |^Bearer |^Install it with: /.test(text)) return false;
  if (isLogged(node) || isForModel(node)) return false;
  const isSentence = /^(?:[\p{Lu}“"]|\{0\}['’]? \p{L})/u.test(text) && /\s/.test(text);
  const isLabel = /^(?:title|label)$/.test(propertyOf(node)) && /^\p{Lu}/u.test(text);
  return isSentence || isLabel || isReason(node, text);
}

/** The title of a tool call, on its card and in the Inbox. A call without a title is shown by the name of its tool. */
function isTitle(node: ts.Node): boolean {
  const { fileName } = node.getSourceFile();
  const place = ts.isConditionalExpression(node.parent) ? node.parent.parent : node.parent;
  const name = ts.isPropertyAssignment(place) || ts.isVariableDeclaration(place) ? place.name.getText() : '';
  if (name === 'displayName' && ts.isObjectLiteralExpression(place.parent))
    return place.parent.properties.some((it) => it.name?.getText() === 'toolName');
  return /\/agents\/(?:coder\/tools|edits)\//.test(fileName) && /^(?:past|invocationMessage)$/.test(name);
}

/** Most texts in the tools of the built-in agent are for its model. Errors and questions are also shown. */
function isForModel(node: ts.Node): boolean {
  const { fileName } = node.getSourceFile();
  if (!/\/agents\/coder\/tools\//.test(fileName) || /^(?:message|label)$/.test(propertyOf(node))) return false;
  const { parent } = node;
  if (ts.isNewExpression(parent)) return parent.expression.getText() !== 'Fault';
  return !(ts.isCallExpression(parent) && /^(?:refuse|refused)$/.test(parent.expression.getText()));
}

/** Why a file was left as it is: completes a sentence of the host. */
function isReason(node: ts.Node, text: string): boolean {
  return /\/changes\/snapshots\//.test(node.getSourceFile().fileName) && /^(?:it|its|there|the|something) /.test(text);
}

const propertyOf = (node: ts.Node) => (ts.isPropertyAssignment(node.parent) ? node.parent.name.getText() : '');

function isLogged(node: ts.Node): boolean {
  for (let it = node.parent; it && !ts.isStatement(it); it = it.parent)
    if (ts.isCallExpression(it) && /\b(?:log|logger|warn|info|debug)\b/.test(it.expression.getText())) return true;
  return false;
}
