import { html, nothing, type TemplateResult } from 'lit';
import type { FileLine, SubAgentLink, ToolRow } from '../../../src/webviews/contract/chatModel.ts';
import { icon } from '../../shared/icon.ts';
import { fromHost, plural, t } from '../../shared/l10n.ts';
import { duration } from '../activity.ts';
import { inputAndOutput, money } from '../amounts.ts';
import type { BatchModel } from '../batch.ts';
import { post } from '../post.ts';
import './diff.ts';
import { linked } from './linked.ts';
import { RowElement } from './row.ts';
import './toolAsk.ts';
import { batchHead } from './toolBatch.ts';

const kindIcons: Readonly<Record<string, string>> = {
  shell: 'terminal',
  edit: 'edit',
  read: 'file',
  delete: 'trash',
  move: 'arrow-swap',
  search: 'search',
  fetch: 'globe',
  think: 'lightbulb',
};

/** Shorter times are only in the hover. */
const shownFromMs = 1_000;
/** Files whose changes a card shows; those of the others are in their previews. */
const mostDiffs = 5;

/** One tool call: a line that says what and how it went, and unfolded what exactly was run, where, and what came out. */
export class ToolElement extends RowElement<ToolRow> {
  static override properties = { batch: { attribute: false }, isOpen: { state: true } };
  /** Where its card stands for others that wait as well. */
  declare batch: BatchModel | undefined;
  declare isOpen: boolean | undefined;

  #followsOutput = true;

  protected override willUpdate(): void {
    const output = this.querySelector('.output');
    if (output) this.#followsOutput = output.scrollHeight - output.scrollTop - output.clientHeight <= 24;
  }

  /** What is printed last is what a person waits for. */
  protected override updated(): void {
    const output = this.querySelector('.output');
    if (output && this.#followsOutput) output.scrollTop = output.scrollHeight;
  }

  protected override render(): TemplateResult {
    const { row } = this;
    if (row.state === 'pending' && row.ask) return this.#pendingCard();
    const isOpen = this.isOpen ?? (row.state === 'failed' || isRunning(row));
    const hasMore = Boolean(
      row.command ||
        row.input ||
        row.output ||
        isThere(row) ||
        row.error ||
        row.reason ||
        row.allowedBy ||
        row.files.length > 0,
    );
    return html`<div class="tool is-${row.state}">
      <button
        type="button"
        class="tool-line"
        aria-expanded=${hasMore ? String(isOpen) : nothing}
        ?disabled=${!hasMore}
        title=${hoverWords(row) || nothing}
        @click=${() => {
          this.isOpen = !isOpen;
        }}
      >
        ${stateIcon(row)}
        <span class="tool-title">${fromHost(row.title)}</span>
        ${fileSummary(row.files)}
        <span class="tool-state">${stateWord(row)}</span>
        ${row.exitCode ? html`<span class="tool-state">${t('exit code {0}', row.exitCode)}</span>` : nothing}
        ${(row.durationMs ?? 0) >= shownFromMs ? html`<span class="tool-time">${duration(row.durationMs!)}</span>` : nothing}
        ${hasMore ? icon(isOpen ? 'chevron-down' : 'chevron-right') : nothing}
      </button>
      ${isOpen && hasMore ? html`<div class="tool-body">${this.#details()} ${this.#output()} ${this.#terminal()}</div>` : nothing}
      ${row.subAgent ? this.#subAgent(row.subAgent) : nothing} ${row.state === 'signIn' ? this.#signIn() : nothing}
    </div>`;
  }

  #pendingCard(): TemplateResult {
    const { row } = this;
    return html`<section class="tool-card" aria-label=${t('Needs your approval: {0}', fromHost(row.title))}>
      ${this.batch ? batchHead(this.batch) : nothing}
      <header class="tool-card-head">
        ${icon(kindIcons[row.toolKind] ?? 'tools')}
        <h3>${fromHost(row.title)}</h3>
      </header>
      ${row.words ? html`<p>${fromHost(row.words)}</p>` : nothing}
      ${row.intention ? html`<p class="muted">${row.intention}</p>` : nothing} ${this.#details()} ${this.#output()}
      <chat-tool-ask .row=${row}></chat-tool-ask>
    </section>`;
  }

  #details(): TemplateResult {
    const { row } = this;
    return html`
      ${row.command ? html`<pre class="command" tabindex="0" aria-label=${t('Command')}>${row.command}</pre>` : nothing}
      ${row.where ? html`<p class="where">${icon('folder')} ${row.where}</p>` : nothing}
      ${!row.command && row.input ? html`<pre class="command" tabindex="0" aria-label=${t('Input')}>${row.input}</pre>` : nothing}
      ${row.files.length > 0 ? this.#files() : nothing}
      ${
        row.paths.length > 0
          ? html`<ul class="files">${row.paths.map((it) => html`<li><code>${it}</code></li>`)}</ul>`
          : nothing
      }
      ${row.reason ? html`<p class="muted">${t('Your reason: {0}', row.reason)}</p>` : nothing}
      ${row.allowedBy ? html`<p class="muted">${allowedWords(row.allowedBy)}</p>` : nothing}
      ${row.error ? html`<p class="tool-error">${row.error}</p>` : nothing}
    `;
  }

  #files(): TemplateResult {
    const { row } = this;
    const open = (what: 'preview' | 'file', index: number) =>
      post(this, { type: 'tool', turnId: row.turnId, toolCallId: row.toolCallId, what, index });
    return html`<ul class="files">
      ${row.files.map(
        (file, index) => html`<li class="file-change">
          <div class="file-head">
            <button type="button" class="link file-name" @click=${() => open('file', index)}>${file.label}</button>
            ${changeWord(file)} ${counts(file)}
            <button type="button" class="link" aria-label=${t('Preview {0}', file.label)} @click=${() => open('preview', index)}>
              ${t('Preview')}
            </button>
          </div>
          ${index < mostDiffs ? html`<chat-diff .row=${row} .index=${index}></chat-diff>` : nothing}
        </li>`,
      )}
    </ul>`;
  }

  #output() {
    const { row } = this;
    if (!row.output) return nothing;
    const open = () => post(this, { type: 'tool', turnId: row.turnId, toolCallId: row.toolCallId, what: 'output' });
    return html`<pre class="output" tabindex="0" aria-label=${t('Output')}>${linked(row.output.text)}</pre>
      <p class="output-foot">
        ${
          row.output.isCut
            ? html`<span class="muted">${t('Showing only the end of the output ({0} lines in total).', row.output.lines)}</span>`
            : nothing
        }
        <button type="button" class="link" @click=${open}>${t('Open in editor')}</button>
      </p>`;
  }

  #terminal() {
    const { row } = this;
    if (!isThere(row)) return nothing;
    const ask = (what: 'terminal' | 'background') =>
      post(this, { type: 'tool', turnId: row.turnId, toolCallId: row.toolCallId, what });
    return html`<p class="output-foot">
      <button type="button" class="link" @click=${() => ask('terminal')}>${t('Open Terminal')}</button>
      ${
        isRunning(row)
          ? html`<button type="button" class="link" @click=${() => ask('background')}>${t('Continue in Background')}</button>`
          : nothing
      }
    </p>`;
  }

  #subAgent({ chat, title, state, tokens, cost }: SubAgentLink): TemplateResult {
    const words = [
      subAgentWords[state](),
      ...(tokens ? [inputAndOutput(tokens)] : []),
      ...(state === 'idle' ? [t('cost {0}', money(cost))] : []),
    ];
    return html`<p class="sub-agent is-${state}">
      ${icon(subAgentIcons[state], state === 'working')}
      <button type="button" class="link" @click=${() => post(this, { type: 'chat', chat, what: 'show' })}>
        ${t('Sub-agent {0}', title)}
      </button>
      <span class="muted">${words.join(' · ')}</span>
    </p>`;
  }

  #signIn(): TemplateResult {
    const { row } = this;
    const signIn = () => post(this, { type: 'tool', turnId: row.turnId, toolCallId: row.toolCallId, what: 'signIn' });
    return html`<div class="banner">
      ${icon('account')}
      <div class="banner-words">${t('This tool needs you to sign in.')}</div>
      <button type="button" class="button" @click=${signIn}>${t('Sign in')}</button>
    </div>`;
  }
}

const isThere = ({ terminal }: ToolRow): boolean => terminal !== undefined && terminal.place !== 'gone';
const subAgentIcons = { idle: 'check', working: 'loading', needsYou: 'bell-dot', failed: 'error' } as const;
const subAgentWords = {
  idle: () => t('done'),
  working: () => t('working'),
  needsYou: () => t('needs your input'),
  failed: () => t('failed'),
} as const;
/** Its command runs, and its call waits for it. */
const isRunning = ({ terminal, state }: ToolRow): boolean => terminal?.place === 'call' && state === 'running';

/** Why nobody was asked about it. */
function allowedWords(by: NonNullable<ToolRow['allowedBy']>): string {
  if (by === 'agent') return t('The agent ran this without asking.');
  if ('dial' in by) return t('Ran without asking because the permissions are set to "Accept edits".');
  return by.source === 'user'
    ? t('Ran without asking because of the rule "{0}" in your user settings.', by.rule)
    : t('Ran without asking because of the rule "{0}", which you saved.', by.rule);
}

function stateIcon(row: ToolRow): TemplateResult {
  if (row.state === 'running' || row.state === 'preparing') return icon('loading', true);
  if (row.state === 'failed') return icon('error');
  if (row.state === 'denied' || row.state === 'skipped') return icon('circle-slash');
  return icon(kindIcons[row.toolKind] ?? 'tools');
}

function stateWord(row: ToolRow): string {
  if (row.terminal?.place === 'background') return t('running in the background');
  if (row.state === 'failed') return t('failed');
  if (row.state === 'denied') return t('denied');
  if (row.state === 'skipped') return t('stopped');
  if (row.state === 'running') return t('running');
  return '';
}

/** What the line has no room for. */
function hoverWords({ exitCode, durationMs, allowedBy }: ToolRow): string {
  return [
    ...(exitCode === undefined ? [] : [t('exit code {0}', exitCode)]),
    ...(durationMs === undefined ? [] : [t('took {0}', duration(durationMs))]),
    ...(allowedBy === undefined ? [] : [allowedWords(allowedBy)]),
  ].join(' · ');
}

function fileSummary(files: readonly FileLine[]) {
  if (files.length === 0) return nothing;
  const added = files.reduce((sum, it) => sum + (it.added ?? 0), 0);
  const removed = files.reduce((sum, it) => sum + (it.removed ?? 0), 0);
  const count = files.length > 1 ? html`<span>${plural(files.length, '{0} file', '{0} files')}</span>` : nothing;
  return html`<span class="tool-counts">
    ${count} <span class="added">+${added}</span> <span class="removed">−${removed}</span>
  </span>`;
}

function counts(file: FileLine) {
  if (file.added === undefined && file.removed === undefined) return nothing;
  return html`<span class="added">+${file.added ?? 0}</span> <span class="removed">−${file.removed ?? 0}</span>`;
}

function changeWord(file: FileLine) {
  if (file.change === 'edited') return nothing;
  const word = { created: t('new'), deleted: t('deleted'), moved: t('moved') }[file.change];
  return html`<span class="muted">${word}</span>`;
}
