import { html, nothing, type TemplateResult } from 'lit';
import type { BannerButton } from '../../src/webviews/contract/chat.ts';
import type { Banner } from '../../src/webviews/contract/chatModel.ts';
import { nowMs } from '../shared/clock.ts';
import { icon } from '../shared/icon.ts';
import { fromHost, plural, t } from '../shared/l10n.ts';
import { LightElement } from '../shared/lightElement.ts';
import { post } from './post.ts';

interface Words {
  readonly icon: string;
  readonly text: string;
  readonly button?: string;
  readonly more?: readonly { readonly what: BannerButton; readonly label: string }[];
}

/** What stands between the person and the agent: one row and one button each. */
export class BannersElement extends LightElement {
  static override properties = { banners: { attribute: false } };
  declare banners: readonly Banner[];

  #timer: number | undefined;

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#countDown(false);
  }

  protected override render(): TemplateResult {
    this.#countDown((this.banners ?? []).some((it) => it.until !== undefined));
    return html`${(this.banners ?? []).map((it) => this.#banner(it))}`;
  }

  #countDown(isShown: boolean): void {
    if (!isShown) {
      window.clearInterval(this.#timer);
      this.#timer = undefined;
    } else this.#timer ??= window.setInterval(() => this.requestUpdate(), 1_000);
  }

  #banner(banner: Banner): TemplateResult {
    const words = wordsOf(banner);
    const ask = (what: BannerButton) => () => post(this, { type: 'banner', bannerId: banner.id, what });
    return html`<div class="banner is-${banner.kind}" role="group" aria-label=${words.text}>
      ${icon(words.icon)}
      <div class="banner-words">${words.text}${banner.detail && words.text !== banner.detail ? html` <span class="muted">${fromHost(banner.detail)}</span>` : nothing}</div>
      ${words.button ? html`<button type="button" class="button" @click=${ask('act')}>${words.button}</button>` : nothing}
      ${words.more?.map((it) => html`<button type="button" class="button quiet" @click=${ask(it.what)}>${it.label}</button>`)}
      ${
        banner.canDismiss
          ? html`<button type="button" class="icon-button codicon codicon-close" aria-label=${t('Dismiss')} title=${t('Dismiss')} @click=${ask('dismiss')}></button>`
          : nothing
      }
    </div>`;
  }
}
customElements.define('chat-banners', BannersElement);

function restoredWords({ turns, files }: NonNullable<Banner['restored']>): string {
  const parts = [
    ...(turns > 0 ? [plural(turns, '{0} turn was removed from the chat', '{0} turns were removed from the chat')] : []),
    ...(files > 0 ? [plural(files, '{0} file was restored', '{0} files were restored')] : []),
  ];
  return t('{0}. You can redo this until you send the next message.', parts.join(', '));
}

function unaskedWords(agent: string, { here, all }: NonNullable<Banner['unasked']>): string {
  const runs = plural(
    here,
    'In this session, it ran {0} tool without asking.',
    'In this session, it ran {0} tools without asking.',
  );
  return [t('{0} does not always ask.', agent), runs, ...(all > here ? [t('In all sessions: {0}.', all)] : [])].join(
    ' ',
  );
}

/** `1:02:05`, or `2:05` below an hour. */
function countdown(until: string): string {
  const seconds = Math.max(0, Math.ceil((Date.parse(until) - nowMs()) / 1_000));
  const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (n: number) => String(n).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

function wordsOf({
  kind,
  subject,
  until = '',
  detail = '',
  restored = { turns: 0, files: 0 },
  unasked = { here: 0, all: 0 },
}: Banner): Words {
  const agent = subject ?? t('The agent');
  switch (kind) {
    case 'untrusted':
      return {
        icon: 'shield',
        text: t('Agents run commands and change files, so they run only in folders you trust.'),
        button: t('Trust this folder to run agents'),
      };
    case 'noFolder':
      return {
        icon: 'folder',
        text: t('No folder is open, so the agent has no files to work on.'),
        button: t('Open folder…'),
      };
    case 'folderGone':
      return {
        icon: 'folder',
        text: t("This session's folder no longer exists."),
        button: t('Choose another folder'),
      };
    case 'noAgent':
      return { icon: 'plug', text: t('No agent was found on this machine.'), button: t('Add agent…') };
    case 'noModel':
      return {
        icon: 'plug',
        text: t('{0} has no model yet. Use a local model, add a key under Models + Endpoints, or sign in.', agent),
        button: t('Connect a model…'),
      };
    case 'commandMissing':
      return { icon: 'plug', text: t('The command for {0} was not found.', agent), button: t('Open settings') };
    case 'agentGone':
      return { icon: 'plug', text: t('The agent {0} was removed.', agent), button: t('Add agent…') };
    case 'signIn':
      return { icon: 'account', text: t('{0} needs you to sign in.', agent), button: t('Sign in') };
    case 'silent':
      return {
        icon: 'watch',
        text: t('{0} has not responded for a while.', agent),
        button: t('Stop'),
        more: [
          { what: 'retry', label: t('Try again') },
          { what: 'log', label: t('Show log') },
        ],
      };
    case 'parked':
      return {
        icon: 'watch',
        text: t('{0} reached a usage limit. Your message will be sent again in {1}.', agent, countdown(until)),
        button: t('Resume now'),
        more: [
          { what: 'otherAgent', label: t('Continue with another agent') },
          { what: 'cancel', label: t('Cancel') },
        ],
      };
    case 'ranUnasked':
      return { icon: 'warning', text: unaskedWords(agent, unasked), button: t('New session in a sandbox') };
    case 'restored':
      return { icon: 'discard', text: restoredWords(restored), button: t('Redo') };
    case 'offline':
      return {
        icon: 'debug-disconnect',
        text: subject
          ? t('Not connected to {0}. Reconnecting…', subject)
          : t('Not connected to the host. Reconnecting…'),
        button: subject ? t('Try now') : t('Restart host'),
      };
    case 'stopped':
      return { icon: 'debug-disconnect', text: t('The host is stopped.'), button: t('Restart host') };
    case 'creationFailed':
      return { icon: 'error', text: t('{0} could not be started.', agent), button: t('Try again') };
    case 'refused':
      return { icon: 'warning', text: t('The answer was not accepted.') };
    case 'notAttached':
      return { icon: 'warning', text: detail };
    case 'gone':
      return { icon: 'trash', text: t('This session was deleted.'), button: t('New session') };
  }
}
