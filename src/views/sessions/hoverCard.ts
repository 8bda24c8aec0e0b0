import type { ChatState } from '../../../sidecar/protocol/channels/chat/schema.ts';
import { budgetOf } from '../../../sidecar/protocol/channels/session/budgets.ts';
import {
  dialOf,
  PERMISSION_DIAL,
  type PermissionDial,
} from '../../../sidecar/protocol/channels/session/permissionDial.ts';
import { NOT_STARTED, SANDBOX, SANDBOX_META } from '../../../sidecar/protocol/channels/session/sandboxChoice.ts';
import type { SessionState, SessionSummary } from '../../../sidecar/protocol/channels/session/schema.ts';
import { dialDoubt } from '../../client/dialState.ts';
import { ownBranch } from '../../client/ownTree.ts';
import { durationText, shortAge } from '../../platform/ages.ts';
import { budgetWords } from '../../platform/budgetWords.ts';
import { countsText } from '../../platform/counts.ts';
import { fromHost, type Localizer } from '../../platform/localizer.ts';
import { cloudLines } from './cloudWords.ts';
import { folderName, stateOf } from './groups.ts';
import { usageLines } from './usageWords.ts';
import { stateWord } from './words.ts';

/** What is known of a session that is open in this window; of others the host is not asked, because looking has effects. */
export interface OpenState {
  readonly session: SessionState | undefined;
  readonly chats: readonly ChatState[];
}

/** A line of the card: what it is, its value as plain text, and the web page that the value links to. */
export type CardLine = readonly [name: string, value: string, link?: string | undefined];

/** Everything that is known of a session; what is not known has no line. */
export function cardLines(
  l10n: Localizer,
  summary: SessionSummary,
  { session, chats }: OpenState,
  context: { readonly nowMs: number; readonly agentName: (provider: string) => string },
): CardLine[] {
  const { changes } = summary;
  const budget = budgetOf(session?._meta ?? summary._meta);
  const files = filesText(l10n, changes?.files ?? 0);
  const counts = countsText(changes?.additions, changes?.deletions);
  const turns = chats.flatMap((it) => it.turns);
  const duration = turns.reduce((sum, it) => sum + (it.duration ?? 0), 0);
  const lines: CardLine[] = [
    [l10n.t('Status'), stateWord(l10n, stateOf(summary))],
    [l10n.t('Activity'), fromHost(l10n, summary.activity ?? '')],
    [l10n.t('Agent'), context.agentName(summary.provider)],
    [l10n.t('Model'), turns.findLast((it) => it.usage?.model)?.usage?.model ?? ''],
    [l10n.t('Permissions'), session ? dialWords(l10n, session) : ''],
    [l10n.t('Sandbox'), sandboxWords(l10n, summary, session)],
    [l10n.t('Folder'), folderName(summary)],
    [l10n.t('Branch'), (session && ownBranch(session)) ?? ''],
    [l10n.t('Changes'), [files, counts].filter((it) => it !== '').join(', ')],
    [l10n.t('Worked for'), duration > 0 ? durationText(l10n, duration) : ''],
    ...cloudLines(l10n, summary),
    ...usageLines(l10n, summary),
    [l10n.t('Budget'), budget ? budgetWords(l10n, budget) : ''],
    [l10n.t('Updated'), ago(l10n, summary.modifiedAt, context.nowMs)],
    [l10n.t('Created'), ago(l10n, summary.createdAt, context.nowMs)],
  ];
  return lines.filter(([, value]) => value !== '');
}

/** The card as Markdown, without anything of it being taken for Markdown. */
export function cardMarkdown(title: string, lines: readonly CardLine[]): string {
  const shown = (value: string, link: string | undefined) =>
    link === undefined ? escaped(value) : `[${escaped(value)}](${encodedLink(link)})`;
  const rows = lines.map(([name, value, link]) => `| ${escaped(name)} | ${shown(value, link)} |`);
  return [`**${escaped(title)}**`, '', '| | |', '| --- | --- |', ...rows].join('\n');
}

/** Where the dial of a session stands, and whether it holds, in words. */
export function dialWords(l10n: Localizer, { config, _meta }: Pick<SessionState, 'config' | '_meta'>): string {
  if (!config?.schema.properties[PERMISSION_DIAL]) return '';
  const doubt = dialDoubt(config, config.values, _meta);
  if (doubt === 'agentDecides') return l10n.t('Agent decides');
  const words: Record<PermissionDial, string> = {
    ask: l10n.t('Ask'),
    acceptEdits: l10n.t('Accept edits'),
    readOnly: l10n.t('Read only'),
  };
  const word = words[dialOf(config.values)];
  return doubt === 'ranUnasked' ? l10n.t('{0} (agent does not always ask)', word) : word;
}

/** Whether the session's programs run in a sandbox. Nothing if that is not known, or if the agent works elsewhere. */
function sandboxWords(l10n: Localizer, { _meta }: SessionSummary, session: SessionState | undefined): string {
  const held = _meta?.[SANDBOX_META];
  if (held === NOT_STARTED) return l10n.t('On, but it could not start');
  if (held === true) return l10n.t('On');
  return session?.config?.schema.properties[SANDBOX] ? l10n.t('Off') : '';
}

function ago(l10n: Localizer, at: string, nowMs: number): string {
  return nowMs - Date.parse(at) < 60_000 ? l10n.t('just now') : l10n.t('{0} ago', shortAge(l10n, at, nowMs));
}

function filesText(l10n: Localizer, files: number): string {
  if (files === 0) return '';
  return files === 1 ? l10n.t('1 file') : l10n.t('{0} files', files);
}

/** An address whose characters cannot end a link or a cell of a table. */
function encodedLink(link: string): string {
  return link.replaceAll(/[()|<>\\\s]/g, (it) => encodeURIComponent(it).replace('(', '%28').replace(')', '%29'));
}

function escaped(text: string): string {
  return text
    .replaceAll(/[\\`*_{}[\]()#+\-.!|<>~$&]/g, '\\$&')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
