import { html, nothing, type TemplateResult } from 'lit';
import type { SpendLog } from '../../../../sidecar/protocol/gateway/activity.ts';
import type { CallContentAnswer, CallContentSide } from '../../../../sidecar/protocol/gateway/pages/callContent.ts';
import { t } from '../../../shared/l10n.ts';
import type { Session } from '../../kit/adminElement.ts';
import { count, moment } from '../../kit/format.ts';
import { wordsOf } from '../../kit/loader.ts';
import { failure, hint } from '../../kit/notice.ts';

/** The request and the response of a call, read when somebody asks for them: the audit records that. */
export class ContentSection {
  readonly #session: Session;
  readonly #call: SpendLog;
  readonly #draw: () => void;
  #value: CallContentAnswer | undefined;
  #error: string | undefined;
  #isLoading = false;

  /** @param draw called when there is something new to show */
  constructor(session: Session, call: SpendLog, draw: () => void) {
    this.#session = session;
    this.#call = call;
    this.#draw = draw;
  }

  render(): TemplateResult {
    return html`<section class="stack" aria-label=${t('Request and response')}><h3>${t('Request and response')}</h3>
      ${failure(this.#error)}${this.#value ? this.#shown(this.#value) : this.#offer()}</section>`;
  }

  #offer(): TemplateResult {
    const { info } = this.#session;
    if (info?.content_days === null)
      return hint(
        t(
          'The gateway does not store requests and responses. To store them, an administrator can set "content" under "activity" in switchboard.jsonc and restart the gateway.',
        ),
      );
    const note = info?.sees_all
      ? html`<p class="muted">${t('If the call is not your own, the audit log records that you read it.')}</p>`
      : nothing;
    return html`${note}<button type="button" class="button" ?disabled=${this.#isLoading} @click=${() => void this.#load()}>
      ${t('Show request and response')}</button>`;
  }

  async #load(): Promise<void> {
    this.#isLoading = true;
    this.#error = undefined;
    this.#draw();
    try {
      this.#value = await this.#session.routes.callContent(this.#call.request_id);
    } catch (thrown) {
      this.#error = wordsOf(thrown);
    }
    this.#isLoading = false;
    this.#draw();
  }

  #shown({ is_stored, kept_until, request, response }: CallContentAnswer): TemplateResult {
    if (!is_stored)
      return hint(
        t(
          'Nothing is stored for this call. Its key or team may be excluded, it may have been refused, or it may be too old.',
        ),
      );
    return html`<p class="muted">${t('Secrets were removed before this was stored. It will be deleted on {0}.', moment(kept_until))}</p>
      ${side(t('Request'), request)}${side(t('Response'), response)}`;
  }
}

function side(title: string, shown: CallContentSide): TemplateResult {
  return html`<h4>${title}</h4>
    ${
      shown
        ? html`${shown.is_cut ? hint(t('Only the beginning is stored. The whole was {0} bytes.', count(shown.bytes))) : nothing}
          <pre class="code" tabindex="0" aria-label=${title}>${pretty(shown.text)}</pre>`
        : html`<p class="muted">${t('Not stored.')}</p>`
    }`;
}

/** JSON with line breaks; anything else as it is. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
