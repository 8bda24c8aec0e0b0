import { html, nothing, type TemplateResult } from 'lit';
import type { ToolAsk, ToolRow } from '../../../src/webviews/contract/chatModel.ts';
import { icon } from '../../shared/icon.ts';
import { fromHost, t } from '../../shared/l10n.ts';
import { LightElement } from '../../shared/lightElement.ts';
import { openMenu } from '../../shared/menu.ts';
import { post } from '../post.ts';
import './ruleChoice.ts';

type Option = ToolAsk['options'][number];

/** Of the element, once its request is answered: the focus goes on from there. */
export const answeredEvent = 'request-answered';

/**
 * Allow and Deny with their wider forms. What is destructive or outside the workspace takes a second click, and there the
 * way out is the one that is easy to press.
 */
export class ToolAskElement extends LightElement {
  static override properties = {
    row: { attribute: false },
    isArmed: { state: true },
    isReasoning: { state: true },
    isChoosing: { state: true },
    sent: { state: true },
  };
  declare row: ToolRow;
  declare isArmed: boolean;
  declare isReasoning: boolean;
  /** The rule to save is being chosen. */
  declare isChoosing: boolean;
  /** The call that was just answered; the card stays as it is until the host has confirmed. */
  declare sent: string | undefined;

  protected override render() {
    const { ask, toolCallId } = this.row;
    if (!ask) return nothing;
    const allow = ask.options.filter((it) => it.approves);
    const deny = ask.options.filter((it) => !it.approves && it.id !== 'deny-with-reason');
    const canReason = ask.options.some((it) => it.id === 'deny-with-reason');
    const isSent = this.sent === toolCallId;
    return html`
      ${cautions(ask).map((it) => html`<p class="caution">${icon('warning')} ${it}</p>`)}
      ${ask.hints ? html`<p class="where">${hintWords(ask.hints)}</p>` : nothing}
      <div class="ask" role="group" aria-label=${t('Your answer')}>
        ${allow[0] && ask.oneClick ? this.#allow(allow[0], allow.slice(1), ask, isSent) : nothing}
        ${this.#whileHeld(allow, isSent)}
        ${deny[0] ? this.#deny(deny[0], deny.slice(1), canReason, isSent) : nothing}
        ${allow[0] && !ask.oneClick ? this.#allowAnyway(allow[0], isSent) : nothing}
      </div>
      ${this.#suggestion(ask, allow, isSent)}
      ${this.isReasoning ? this.#reason() : nothing} ${this.isChoosing ? this.#choice(ask) : nothing}
    `;
  }

  #allow(first: Option, wider: readonly Option[], ask: ToolAsk, isSent: boolean): TemplateResult {
    const more = (event: Event) =>
      openMenu(
        event.currentTarget as HTMLElement,
        t('More ways to allow'),
        [
          ...wider
            .filter((it) => !it.id.includes(':'))
            .map((it) => ({
              id: it.id,
              label: allowWords(it, ask.rule),
              ...(ask.rule && { description: howLong(it) }),
            })),
          ...(ask.offers ? [{ id: 'choose', label: t('Choose a rule…') }] : []),
        ],
        (id) => (id === 'choose' ? this.#choose() : this.#answer(id)),
      );
    return html`<span class="split">
      <button
        type="button"
        class="button primary allow"
        title=${t('Allow once (Ctrl+Enter)')}
        ?disabled=${isSent}
        @click=${() => this.#answer(first.id)}
      >
        ${t('Allow once')}
      </button>
      ${
        wider.length > 0
          ? html`<button
              type="button"
              class="button primary split-more codicon codicon-chevron-down"
              aria-haspopup="menu"
              aria-expanded="false"
              aria-label=${t('More ways to allow')}
              title=${t('More ways to allow')}
              ?disabled=${isSent}
              @click=${more}
            ></button>`
          : nothing
      }
    </span>`;
  }

  /** Whoever allows the same again and again is shown the rule that would do it, for this session only. */
  #suggestion({ timesAllowed, rule, oneClick }: ToolAsk, allow: readonly Option[], isSent: boolean) {
    const option = allow.find((it) => it.id === 'allow-session');
    if (timesAllowed === undefined || !oneClick || !rule || !option) return nothing;
    return html`<p class="muted suggestion">
      ${t('You have allowed requests like this {0} times.', timesAllowed)}
      <button
        type="button"
        class="link"
        title=${t('Saves a rule that you can remove later')}
        ?disabled=${isSent}
        @click=${() => this.#answer(option.id)}
      >
        ${allowWords(option, rule)}
      </button>
    </p>`;
  }

  #allowAnyway(first: Option, isSent: boolean): TemplateResult {
    const press = () => {
      if (this.isArmed) this.#answer(first.id);
      else this.isArmed = true;
    };
    const words = this.row.toolKind === 'shell' ? t('Run anyway') : t('Allow anyway');
    const look = this.isArmed ? 'is-armed' : 'quiet';
    return html`<button type="button" class="button ${look} danger allow" ?disabled=${isSent} @click=${press}>
      ${this.isArmed ? t('Press again to allow') : words}
    </button>`;
  }

  /** The answers that are offered if another session changes the same files. */
  #whileHeld(allow: readonly Option[], isSent: boolean): readonly TemplateResult[] {
    const words: Readonly<Record<string, { readonly label: string; readonly title: string }>> = {
      'allow-when-free': {
        label: t('Wait'),
        title: t('Allows this when the other session has finished its turn'),
      },
      'allow-take-over': {
        label: t('Take over'),
        title: t('Allows this now. From then on, the other session asks before it changes these files.'),
      },
    };
    return allow.flatMap(({ id }) => {
      const shown = words[id];
      if (!shown) return [];
      return html`<button type="button" class="button" title=${shown.title} ?disabled=${isSent} @click=${() => this.#answer(id)}>
        ${shown.label}
      </button>`;
    });
  }

  #deny(first: Option, wider: readonly Option[], canReason: boolean, isSent: boolean): TemplateResult {
    const more = (event: Event) =>
      openMenu(
        event.currentTarget as HTMLElement,
        t('More ways to deny'),
        [
          { id: 'reason', label: t('Deny with reason…') },
          ...wider.map(({ id, label }) => ({ id, label: fromHost(label) })),
        ],
        (id) => {
          if (id !== 'reason') return this.#answer(id);
          this.isReasoning = true;
          void this.updateComplete.then(() => this.querySelector('input')?.focus());
        },
      );
    return html`<span class="split">
      <button
        type="button"
        class="button deny"
        title=${t('Deny (Ctrl+Backspace)')}
        ?disabled=${isSent}
        @click=${() => this.#answer(first.id)}
      >
        ${t('Deny')}
      </button>
      ${
        canReason
          ? html`<button
              type="button"
              class="button split-more codicon codicon-chevron-down"
              aria-haspopup="menu"
              aria-expanded="false"
              aria-label=${t('More ways to deny')}
              title=${t('More ways to deny')}
              ?disabled=${isSent}
              @click=${more}
            ></button>`
          : nothing
      }
    </span>`;
  }

  #choose(): void {
    this.isChoosing = true;
    void this.updateComplete.then(() => this.querySelector<HTMLElement>('chat-rule-choice input')?.focus());
  }

  #choice({ offers = [] }: ToolAsk): TemplateResult {
    const leave = () => {
      this.isChoosing = false;
      this.querySelector<HTMLElement>('.split-more')?.focus();
    };
    return html`<chat-rule-choice
      .offers=${offers}
      @chosen=${(event: CustomEvent<string>) => this.#answer(event.detail)}
      @left=${leave}
    ></chat-rule-choice>`;
  }

  #reason(): TemplateResult {
    const submit = (event: Event) => {
      event.preventDefault();
      const reason = this.querySelector('input')!.value.trim();
      this.#answer(reason ? 'deny-with-reason' : 'deny', reason);
    };
    const leave = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      this.isReasoning = false;
    };
    return html`<form class="reason" @submit=${submit} @keydown=${leave}>
      <input type="text" class="field" maxlength="2000" aria-label=${t('Reason')} placeholder=${t('What should the agent do instead?')} />
      <button type="submit" class="button">${t('Send reason')}</button>
    </form>`;
  }

  /** By a key. What takes a second click only gets the focus: a key that was meant for another request must not run it. */
  press(what: 'allow' | 'deny'): void {
    const button = this.querySelector<HTMLButtonElement>(`.${what}`);
    if (what === 'allow' && this.row.ask?.oneClick !== true) button?.focus();
    else button?.click();
  }

  #answer(optionId: string, reason?: string): void {
    const { turnId, toolCallId } = this.row;
    this.sent = toolCallId;
    post(this, { type: 'decide', turnId, toolCallId, optionId, ...(reason && { reason }) });
    this.dispatchEvent(new CustomEvent(answeredEvent, { bubbles: true }));
    // A refused answer leaves the call pending: the buttons come back.
    window.setTimeout(() => {
      this.sent = undefined;
    }, 3000);
  }
}
customElements.define('chat-tool-ask', ToolAskElement);

function cautions({ oneClick, because, heldBy = [] }: ToolAsk): readonly string[] {
  const held = heldBy.map(({ title, files }) =>
    t('The session "{0}" is also changing {1}.', title || t('New session'), files.join(', ')),
  );
  return oneClick || (because === undefined && held.length > 0) ? held : [cautionWords(because), ...held];
}

function cautionWords(because: ToolAsk['because']): string {
  switch (because) {
    case 'destructive':
      return t('This command can delete data. Check it before you allow it.');
    case 'outside':
      return t('This accesses something outside the workspace. Check it before you allow it.');
    case 'protected':
      return t('This writes a file that VS Code or Git may run. Check it before you allow it.');
    case 'unclear':
      return t('Switchboard cannot tell what this command does. Check it before you allow it.');
    case undefined:
      return t('Check this before you allow it.');
  }
}

function allowWords(option: Option, rule: string | undefined): string {
  if (option.id === 'allow-session') return rule ? t('Allow {0} in this session', rule) : fromHost(option.label);
  if (option.id === 'allow-workspace') return rule ? t('Allow {0} in this workspace', rule) : fromHost(option.label);
  if (option.id === 'allow-always') return rule ? t('Always allow {0}', rule) : fromHost(option.label);
  return fromHost(option.label);
}

/** Where the rule of a wider answer applies, and until when. */
function howLong({ id }: Option): string {
  if (id === 'allow-session') return t('Until you delete this session');
  return id === 'allow-workspace' ? t('In all sessions of this workspace') : t('In all sessions and workspaces');
}

/** A claim of the tool, said as one. */
function hintWords({ isReadOnly, isDestructive, isIdempotent, isOpenWorld }: NonNullable<ToolAsk['hints']>): string {
  const claims = [
    isReadOnly ? t('read-only') : isDestructive ? t('can delete data') : t('adds data but deletes nothing'),
    ...(isIdempotent && !isReadOnly ? [t('safe to repeat')] : []),
    isOpenWorld ? t('accesses other systems') : t('accesses only its own data'),
  ];
  return t('Reported by the tool, not verified: {0}.', claims.join(', '));
}
