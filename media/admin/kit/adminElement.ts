import type { KeyAnswer } from '../../../sidecar/protocol/gateway/answers.ts';
import type { GatewayInfoAnswer } from '../../../sidecar/protocol/gateway/pages/info.ts';
import { t } from '../../shared/l10n.ts';
import { LightElement } from '../../shared/lightElement.ts';
import type { Api, Query } from '../api.ts';
import type { Routes } from '../gateway.ts';
import type { Place } from '../place.ts';
import { wordsOf } from './loader.ts';

/** What pages get from the one that opened them. */
export interface Session {
  readonly api: Api;
  readonly routes: Routes;
  readonly place: Place;
  /** False for who may look and change nothing. */
  readonly mayWrite: boolean;
  /** The record of the key that was used to sign in. */
  readonly own: KeyAnswer;
  /** Absent for a gateway that does not say. */
  readonly info: GatewayInfoAnswer | undefined;
}

/** Whether it is an administrator who looks. Others write as well: what is theirs. */
export const isAdministrator = ({ mayWrite, info }: Session): boolean => mayWrite && info?.sees_all !== false;

/** A page. Its filters are the query of the address, so that a reload and Back keep them. */
export class AdminElement extends LightElement {
  static override properties = { session: { attribute: false }, query: { attribute: false } };
  declare session: Session;
  declare query: Readonly<Record<string, string>>;

  /** Changes the address's query; what is empty goes. */
  protected ask(query: Query): void {
    this.dispatchEvent(new CustomEvent('admin-query', { detail: { ...this.query, ...query }, bubbles: true }));
  }

  /** Does something and says so; a refusal is said instead. */
  protected async attempt(work: () => Promise<unknown>, done: string): Promise<void> {
    try {
      await work();
      this.notify(done);
    } catch (thrown) {
      this.refuse(t('The action failed: {0}', wordsOf(thrown)));
    }
  }

  /** Tells a person what was not done, and why. */
  protected refuse(words: string): void {
    this.dispatchEvent(new CustomEvent('admin-refused', { detail: words, bubbles: true }));
  }

  /** Tells a person that something was done, also one who only hears the page. */
  protected notify(words: string): void {
    this.dispatchEvent(new CustomEvent('admin-notice', { detail: words, bubbles: true }));
  }
}
