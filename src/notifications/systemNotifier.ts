import { execFile } from 'node:child_process';
import type { SessionSummary } from '../../sidecar/protocol/channels/session/schema.ts';
import { visibleText } from '../../sidecar/protocol/visibleText.ts';
import type { Localizer } from '../platform/localizer.ts';
import type { News, NewsKind } from './news.ts';
import { programFor } from './programs.ts';
import { isQuiet } from './quietHours.ts';

export type SystemLevel = 'off' | 'needsInput' | 'needsInputAndFailed' | 'all';

export interface SystemNotifierDeps {
  readonly l10n: Localizer;
  readonly level: () => SystemLevel;
  /** As in the setting. */
  readonly quietHours: () => string;
  readonly isFocused: () => boolean;
  readonly now: () => Date;
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
  /** Takes out what looks like a secret. */
  readonly clean: (text: string) => string;
  readonly warn: (message: string) => void;
}

/** News that come together are one notification, and after each there is none for a while. */
const SETTLE_MS = 1_000;
const REST_MS = 10_000;
const MAX_TITLE = 60;
const TIMEOUT_MS = 10_000;

const kinds: Readonly<Record<SystemLevel, readonly NewsKind[]>> = {
  off: [],
  needsInput: ['needsInput'],
  needsInputAndFailed: ['needsInput', 'failed'],
  all: ['needsInput', 'failed', 'finished'],
};

/**
 * Notifications of the operating system, for which the editor has no API: through the program that the system has for them.
 * They say which session and what kind of thing, and never what it asked: other people may see them, and arguments of
 * programs are seen by every user of the machine.
 */
export class SystemNotifier {
  readonly #deps: SystemNotifierDeps;
  readonly #waiting = new Map<string, News>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #restsUntilMs = 0;
  /** The program is missing: said once. */
  #isMissing = false;

  constructor(deps: SystemNotifierDeps) {
    this.#deps = deps;
  }

  tell(news: readonly News[]): void {
    const { level, quietHours, isFocused, now } = this.#deps;
    const time = now();
    if (isFocused() || isQuiet(quietHours(), { hour: time.getHours(), minute: time.getMinutes() })) return;
    for (const it of news) if (kinds[level()].includes(it.kind)) this.#waiting.set(it.session.resource, it);
    if (this.#waiting.size === 0 || this.#timer || this.#isMissing) return;
    const waitMs = Math.max(SETTLE_MS, this.#restsUntilMs - time.getTime());
    this.#timer = setTimeout(() => this.#show(), waitMs);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#waiting.clear();
  }

  #show(): void {
    this.#timer = undefined;
    const { l10n, isFocused, now, platform, env, warn } = this.#deps;
    const news = [...this.#waiting.values()];
    this.#waiting.clear();
    // The person came back in the meantime, and sees it.
    if (isFocused() || news.length === 0) return;
    this.#restsUntilMs = now().getTime() + REST_MS;
    const [only] = news;
    const title = only && news.length === 1 ? this.#titleOf(only.session) : 'Switchboard';
    const program = programFor(platform, title, lineOf(l10n, news));
    if (!program) return warn(`there are no notifications of the system on ${platform}`);
    const options = { env: { ...env, ...program.env }, timeout: TIMEOUT_MS, windowsHide: true };
    execFile(program.command, [...program.args], options, (error) => {
      if (!error) return;
      this.#isMissing = error.code === 'ENOENT';
      warn(`${program.command} showed no notification: ${String(error.code ?? error.signal ?? 'unknown reason')}`);
    });
  }

  #titleOf({ title }: SessionSummary): string {
    const clean = visibleText(this.#deps.clean(title.replace(/\s+/g, ' ').trim()));
    if (clean === '') return this.#deps.l10n.t('New session');
    return clean.length > MAX_TITLE ? `${clean.slice(0, MAX_TITLE - 1)}…` : clean;
  }
}

function lineOf(l10n: Localizer, news: readonly News[]): string {
  const needing = news.filter((it) => it.kind === 'needsInput').length;
  if (news.length > 1) {
    return needing === news.length
      ? l10n.t('{0} sessions need you.', needing)
      : l10n.t('{0} sessions have updates.', news.length);
  }
  if (needing === 1) return l10n.t('The session needs you.');
  return news[0]?.kind === 'failed' ? l10n.t('The last turn failed.') : l10n.t('The agent is done.');
}
