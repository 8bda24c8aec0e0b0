import { html, render } from 'lit';
import type { TurnHead } from '../../src/webviews/contract/chatModel.ts';
import { nowMs } from '../shared/clock.ts';
import { fromHost, t } from '../shared/l10n.ts';
import { fixed } from '../shared/numbers.ts';

/** Shorter work needs no clock. */
const quietMs = 5_000;

/** What the agent is doing, and for how long. The clock is the page's own: it ticks once a second, whatever is written. */
export class Activity {
  readonly #root: HTMLElement;
  #turn: TurnHead | undefined;
  #timer: number | undefined;

  constructor(root: HTMLElement) {
    this.#root = root;
  }

  show(turn: TurnHead | undefined): void {
    this.#turn = turn;
    const isWorking = turn !== undefined && !turn.needsYou;
    if (!isWorking) {
      window.clearInterval(this.#timer);
      this.#timer = undefined;
    } else this.#timer ??= window.setInterval(() => this.#draw(), 1_000);
    this.#draw();
  }

  #draw(): void {
    render(this.#line(), this.#root);
  }

  #line() {
    const turn = this.#turn;
    if (!turn) return html``;
    if (turn.needsYou) return html`<span class="activity">${t('Waiting for your answer')}</span>`;
    const sinceMs = nowMs() - Date.parse(turn.startedAt);
    const words = turn.activity === undefined ? t('Working…') : fromHost(turn.activity);
    return html`<span class="activity is-working">${words}</span>${
      sinceMs >= quietMs ? html` <span class="activity-time">${elapsed(sinceMs)}</span>` : ''
    }`;
  }
}

/** `0.4 s`, and from ten seconds on as {@link elapsed} */
export function duration(ms: number): string {
  return ms < 10_000 ? t('{0} s', fixed(Math.max(100, ms) / 1_000, 1)) : elapsed(ms);
}

/** `5 s` or `1 min 5 s` */
export function elapsed(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  return seconds < 60 ? t('{0} s', seconds) : t('{0} min {1} s', Math.floor(seconds / 60), seconds % 60);
}
