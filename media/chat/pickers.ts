import { html, nothing, type TemplateResult } from 'lit';
import type { Picker, PickerChoice } from '../../src/webviews/contract/chatModel.ts';
import { icon } from '../shared/icon.ts';
import { fromHost, t } from '../shared/l10n.ts';
import { LightElement } from '../shared/lightElement.ts';
import { type MenuItem, openMenu } from '../shared/menu.ts';
import { post } from './post.ts';

const optionsId = 'options';
const noCustomAgent = 'default';

/** The options for a message, on one line. Those that do not fit are in a menu at the end. */
export class PickersElement extends LightElement {
  static override properties = { pickers: { attribute: false }, hasOptions: { attribute: false } };
  declare pickers: readonly Picker[];
  declare hasOptions: boolean;

  constructor() {
    super();
    this.pickers = [];
    this.hasOptions = false;
  }

  protected override firstUpdated(): void {
    new ResizeObserver(() => this.#fit()).observe(this);
    void document.fonts.ready.then(() => this.#fit());
  }

  protected override updated(): void {
    this.#fit();
  }

  protected override render(): TemplateResult {
    return html`${this.pickers.map((it) => this.#chip(it))}${this.hasOptions ? this.#options() : nothing}
      <button type="button" class="icon-button codicon codicon-ellipsis picker-more" aria-haspopup="menu" aria-expanded="false"
        aria-label=${t('More choices')} title=${t('More choices')} hidden @click=${(event: Event) => this.#openMore(event)}></button>`;
  }

  #chip(picker: Picker): TemplateResult {
    const chosen = chosenOf(picker);
    const title = fromHost(t(picker.title));
    const label = picker.doubt === 'agentDecides' ? t('Agent decides') : (chosen?.label ?? title);
    const name = t('{0}: {1}', title, '');
    const named = `${name}${label}`;
    const marked = chosen?.agentDecides === true || picker.doubt !== undefined;
    const rank = rankOf(picker);
    return html`<button
      type="button"
      class="picker ${marked ? 'agent-decides' : ''}"
      data-id=${picker.id}
      data-rank=${rank}
      aria-haspopup="menu"
      aria-expanded="false"
      aria-label="${named}${chosen?.agentDecides ? `, ${t('agent decides')}` : ''}${picker.doubt === 'ranUnasked' ? `, ${t('does not always ask')}` : ''}"
      title=${[named, doubtWords(picker) ?? chosen?.description].filter(Boolean).join('\n')}
      ?disabled=${!picker.enabled}
      @click=${(event: Event) => this.#open(event.currentTarget as HTMLElement, picker)}
    >
      ${marked ? icon('warning') : nothing}
      <span class="picker-label">${isNamed(picker) ? html`<span class="picker-name">${name}</span>` : nothing}${label}</span>${picker.doubt === 'ranUnasked' ? html`<span class="picker-mark">${t('does not always ask')}</span>` : nothing}${chosen?.agentDecides ? html`<span class="picker-mark">${t('agent decides')}</span>` : nothing}
      ${picker.enabled ? icon('chevron-down') : nothing}
    </button>`;
  }

  #options(): TemplateResult {
    return html`<button type="button" class="picker" data-id=${optionsId} data-rank="9" @click=${() => post(this, { type: 'options' })}>
      ${icon('settings')}<span class="picker-label">${t('Options…')}</span>
    </button>`;
  }

  /** The effort level is chosen together with the model if the agent offers one. */
  #open(anchor: HTMLElement, picker: Picker): void {
    const beside = picker.id === 'model' ? this.pickers.filter((it) => isEffort(it) && it.enabled) : [];
    const choices = [picker, ...beside].flatMap((from) => choicesOf(from).map((choice) => ({ from, choice })));
    const items = choices.map(({ from, choice }, at): MenuItem => {
      const item = this.#item(from, choice);
      return { ...item, id: String(at), ...(from !== picker && { group: fromHost(t(from.title)) }) };
    });
    openMenu(anchor, fromHost(t(picker.title)), items, (id) => {
      const { from, choice } = choices[Number(id)]!;
      post(this, { type: 'choose', picker: from.id, choice: choice.id });
    });
  }

  #item(picker: Picker, it: PickerChoice): MenuItem {
    const isChosen = it.id === picker.value;
    const { pin } = it;
    return {
      id: it.id,
      label: it.adds ? t('Add Agent…') : it.label,
      ...(it.adds ? { icon: 'add' } : { isChecked: isChosen }),
      ...(it.locked && { isLocked: true }),
      ...(it.agentDecides
        ? { description: [t('Agent decides'), it.description].filter(Boolean).join(' · ') }
        : describe(it)),
      ...(it.agentDecides && !isChosen && { confirm: t('Press again to let the agent act without asking') }),
      ...(it.group && { group: groupName(it.group) }),
      ...(pin && {
        side: {
          icon: pin === 'pinned' ? 'pinned' : 'pin',
          label: pin === 'pinned' ? t('Unpin {0}', it.label) : t('Pin {0}', it.label),
          act: () => post(this, { type: 'pinModel', model: it.id, isPinned: pin !== 'pinned' }),
        },
      }),
    };
  }

  /** The choices that have no room; each opens its own menu in the place of this one. */
  #openMore(event: Event): void {
    const more = event.currentTarget as HTMLElement;
    const hidden = new Set(this.#chips.filter((it) => it.hidden).map((it) => it.dataset['id']));
    const pickers = this.pickers.filter((it) => hidden.has(it.id));
    const items: MenuItem[] = pickers.map((it) => ({
      id: it.id,
      label: fromHost(t(it.title)),
      description: chosenOf(it)?.label ?? '',
      ...(!it.enabled && { isLocked: true }),
    }));
    if (hidden.has(optionsId)) items.push({ id: optionsId, label: t('Options…'), icon: 'settings' });
    openMenu(more, t('More choices'), items, (id) => {
      const picker = pickers.find((it) => it.id === id);
      if (picker) this.#open(more, picker);
      else post(this, { type: 'options' });
    });
  }

  get #chips(): HTMLElement[] {
    return [...this.querySelectorAll<HTMLElement>('.picker')];
  }

  /** Hides the least important until the others fit; the last ones give up their names, and then the ends of their words. */
  #fit(): void {
    const chips = this.#chips;
    const more = this.querySelector<HTMLElement>('.picker-more');
    if (!more || this.clientWidth === 0) return;
    for (const it of chips) it.hidden = false;
    more.hidden = true;
    this.classList.remove('is-tight');
    if (this.scrollWidth <= this.clientWidth) return;
    more.hidden = false;
    const order = [...chips].sort((a, b) => Number(b.dataset['rank']) - Number(a.dataset['rank']));
    for (const it of order) {
      if (it.dataset['rank'] === '0' || this.scrollWidth <= this.clientWidth) break;
      it.hidden = true;
    }
    more.hidden = chips.every((it) => !it.hidden);
    this.classList.toggle('is-tight', this.scrollWidth > this.clientWidth);
  }
}
customElements.define('chat-pickers', PickersElement);

const chosenOf = (picker: Picker): PickerChoice | undefined => choicesOf(picker).find((it) => it.id === picker.value);

const choicesOf = (picker: Picker): readonly PickerChoice[] =>
  picker.isOwn || picker.id === 'customAgent' ? picker.choices.map(inOwnWords) : picker.choices;

/** Options whose value explains itself are shown without a name. */
const isNamed = ({ id, isOwn, value }: Picker): boolean =>
  isOwn === true || (id === 'customAgent' ? value === noCustomAgent : id.startsWith('option:') && id !== 'option:mode');

const isEffort = ({ id }: Picker): boolean => /^option:.*(?:effort|thinking|thought|reasoning)/i.test(id);

/** Options with a lower number are hidden later. Permissions, and a sandbox that is on, are never hidden. */
function rankOf(picker: Picker): number {
  if (
    picker.id === 'agent' ||
    (picker.isOwn && picker.value !== 'off') ||
    picker.doubt ||
    chosenOf(picker)?.agentDecides
  )
    return 0;
  if (isEffort(picker)) return 3;
  const known = ['model', 'option:mode', 'folder', 'customAgent'].indexOf(picker.id);
  return known < 0 ? 8 : known + 1;
}

function groupName(group: NonNullable<PickerChoice['group']>): string {
  if (group === 'pinned') return t('Pinned');
  return group === 'recent' ? t('Recent') : t('All models');
}

/** What a choice says under its name: why it cannot be chosen, or what it is. */
function describe({ locked, description, contextTokens, seesImages, isDefault }: PickerChoice): {
  readonly description?: string;
} {
  if (locked) return { description: locked === 'notEnabled' ? t('Not enabled') : t('Not allowed here') };
  const facts = [
    description,
    isDefault && t('Default'),
    contextTokens !== undefined && t('{0}k tokens of context', Math.round(contextTokens / 1000)),
    seesImages && t('Images'),
  ].filter(Boolean);
  return facts.length > 0 ? { description: facts.join(' · ') } : {};
}

/** The choices that do not come from the agent or a file, in the language of the page. */
function inOwnWords(choice: PickerChoice): PickerChoice {
  switch (choice.id) {
    case 'ask':
      return {
        ...choice,
        label: t('Ask'),
        description: t('Asks before changes, commands, and tools, unless a rule allows them.'),
      };
    case 'acceptEdits':
      return {
        ...choice,
        label: t('Accept edits'),
        description: t("Edits files in this session's folders without asking. Asks before everything else."),
      };
    case 'readOnly':
      return {
        ...choice,
        label: t('Read only'),
        description: t('Denies changes and commands. Asks before other tools.'),
      };
    case 'off':
      return {
        ...choice,
        label: t('Off'),
        description: t('Programs in this session can do everything that you can do.'),
      };
    case 'on':
      return {
        ...choice,
        label: t('On'),
        description: t('Programs in this session write only in its folders and ask before they connect to a host.'),
      };
    case noCustomAgent:
      return { ...choice, label: t('none selected') };
    default:
      return choice;
  }
}

/** Why the chosen permissions cannot be enforced, or not for everything. */
function doubtWords({ doubt }: Picker): string | undefined {
  if (doubt === 'agentDecides')
    return t(
      'In its current mode, the agent decides for itself what to run. Switchboard cannot enforce these permissions.',
    );
  if (doubt === 'ranUnasked')
    return t('This agent ran a tool without asking. Switchboard cannot enforce these permissions.');
  return undefined;
}
