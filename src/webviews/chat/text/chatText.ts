import { fromHost, type Localizer } from '../../../platform/localizer.ts';
import type { ChatModel, FileLine, QuestionRow, Row, ToolRow, ToolRowState } from '../../contract/chatModel.ts';

/**
 * A chat as plain text, for reading with a screen reader, an editor's search, or a braille display: what the page shows, in
 * its order, with a heading for each prompt, answer, tool call and question. Commands stand there whole.
 */
export function chatText(l10n: Localizer, { head, rows }: Pick<ChatModel, 'head' | 'rows'>): string {
  const parts = rows.flatMap((row) => textOf(l10n, row));
  const older = head.hasOlder ? [l10n.t('Earlier turns are not loaded. Scroll up in the chat to load them.')] : [];
  const empty = parts.length === 0 ? [l10n.t('This chat has no messages yet.')] : [];
  return `${[`# ${head.title}`, ...older, ...empty, ...parts].join('\n\n')}\n`;
}

function textOf(l10n: Localizer, row: Row): string[] {
  switch (row.kind) {
    case 'prompt':
      return [
        `## ${row.byAgent ? l10n.t('An agent asked') : l10n.t('You asked')}`,
        row.text,
        ...(row.attachments.length > 0
          ? [l10n.t('Attached: {0}', row.attachments.map((it) => it.label).join(', '))]
          : []),
      ];
    case 'markdown':
      return [`## ${l10n.t('The agent answered')}`, row.text.trim()];
    case 'reasoning':
      return [`## ${l10n.t('Thinking')}`, row.text.trim()];
    case 'notice':
      return [`## ${l10n.t('Notice')}`, fromHost(l10n, row.text)];
    case 'tool':
      return toolText(l10n, row);
    case 'question':
      return questionText(l10n, row);
    case 'error':
      return [`## ${row.isStopped ? l10n.t('Notice') : l10n.t('The turn failed')}`, fromHost(l10n, row.message)];
    case 'end':
      return row.state === 'cancelled' ? [l10n.t('The turn was stopped.')] : [];
  }
}

function toolText(l10n: Localizer, row: ToolRow): string[] {
  const title = fromHost(l10n, row.title);
  const isAsked = row.state === 'pending';
  const heading = isAsked
    ? l10n.t('Needs your approval: {0}', title)
    : l10n.t('{0} ({1})', title, stateOf(l10n, row.state));
  const labeled = (label: string, text: string | undefined) => (text ? [`${label}\n${text}`] : []);
  return [
    `## ${heading}`,
    ...(row.words ? [fromHost(l10n, row.words)] : []),
    ...(row.intention ? [row.intention] : []),
    ...labeled(l10n.t('Command:'), row.command),
    ...labeled(l10n.t('Folder:'), row.where),
    ...labeled(l10n.t('Input:'), row.command ? undefined : row.input),
    ...labeled(l10n.t('Files:'), [...row.files.map((it) => fileText(l10n, it)), ...row.paths].join('\n')),
    ...labeled(l10n.t('Output:'), row.output?.text),
    ...(row.exitCode ? [l10n.t('exit code {0}', row.exitCode)] : []),
    ...(row.error ? [fromHost(l10n, row.error)] : []),
    ...(row.reason ? [l10n.t('Your reason: {0}', row.reason)] : []),
    ...(isAsked
      ? [l10n.t('Answer it in the Inbox or in the chat, or run "{0}".', l10n.t('Review Pending Requests…'))]
      : []),
  ];
}

function fileText(l10n: Localizer, { label, change, added, removed }: FileLine): string {
  const counts = added === undefined && removed === undefined ? '' : ` +${added ?? 0} −${removed ?? 0}`;
  const words = {
    created: l10n.t('{0} (new)', label),
    deleted: l10n.t('{0} (deleted)', label),
    moved: label,
    edited: label,
  };
  return `${words[change]}${counts}`;
}

function questionText(l10n: Localizer, row: QuestionRow): string[] {
  const message = row.message === undefined ? l10n.t('A question') : fromHost(l10n, row.message);
  const isOpen = row.state === 'open';
  const questions = row.questions.flatMap((it) => [
    it.title ? `${it.title}: ${it.message}` : it.message,
    ...it.options.map((option) => `- ${[option.label, option.description].filter(Boolean).join(': ')}`),
    ...(isOpen ? [] : answerOf(l10n, row, it.id)),
  ]);
  return [
    `## ${isOpen ? l10n.t('The agent asks: {0}', message) : message}`,
    ...(row.url ? [row.url] : []),
    ...(questions.length > 0 ? [questions.join('\n')] : []),
  ];
}

function answerOf(l10n: Localizer, { answers, questions }: QuestionRow, id: string): string[] {
  const answer = answers[id];
  const options = questions.find((it) => it.id === id)?.options ?? [];
  const labelOf = (value: string) => options.find((it) => it.id === value)?.label ?? value;
  const given = [answer?.value ?? [], answer?.freeform ?? []].flat().map((it) => labelOf(String(it)));
  return [given.length > 0 ? l10n.t('Your answer: {0}', given.join(', ')) : l10n.t('Not answered')];
}

function stateOf(l10n: Localizer, state: ToolRowState): string {
  switch (state) {
    case 'preparing':
    case 'running':
      return l10n.t('running');
    case 'pending':
    case 'reviewing':
      return l10n.t('needs you');
    case 'signIn':
      return l10n.t('sign-in required');
    case 'done':
      return l10n.t('done');
    case 'failed':
      return l10n.t('failed');
    case 'denied':
      return l10n.t('denied');
    case 'skipped':
      return l10n.t('skipped');
  }
}
