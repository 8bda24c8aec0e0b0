import type { AnswerClaim, AnswerIds } from '../client/answerIds.ts';
import type { PendingRequest, Waiting } from '../client/attention.ts';
import { confirmationFacts, decide, type OptionId } from '../client/confirmations.ts';
import type { HostPort } from '../client/port.ts';

export interface AnswersDeps {
  /** The host on which something waits. */
  readonly portOf: (session: string) => Pick<HostPort, 'dispatch'>;
  readonly attention: Pick<Waiting, 'find'>;
  readonly ids: AnswerIds;
  /** Shows the chat that asks, with its card. */
  /** @param chat of the session; absent: the one that is shown, or its first */
  readonly openChat: (session: string, chat?: string) => void;
}

export interface Decision {
  readonly option: OptionId;
  readonly reason?: string;
}

/** Sends what a person decided about a tool call. */
export class Answers {
  readonly #deps: AnswersDeps;

  constructor(deps: AnswersDeps) {
    this.#deps = deps;
  }

  /**
   * A command wants to answer. Without the one-time id it only shows the request. The id is used with the answer and not
   * before, so that a person who steps out of `choose` can begin again.
   *
   * @returns false when nothing waits under that key
   */
  async answer(
    claim: AnswerClaim,
    choose: (pending: PendingRequest) => Decision | undefined | Promise<Decision | undefined>,
  ): Promise<boolean> {
    const { attention, ids, openChat } = this.#deps;
    const pending = attention.find(claim.key);
    if (!pending) return false;
    if (pending.request.kind !== 'toolConfirmation' || !ids.isGood(claim)) {
      openChat(pending.session.resource, pending.request.chat);
      return true;
    }
    const decision = await choose(pending);
    if (decision === undefined) return true;
    // What a person should read before is allowed only where all of it stands: on its card.
    const isRead = !decision.option.startsWith('allow') || confirmationFacts(pending.request).isOneClick;
    if (isRead && ids.spend(claim)) this.send(pending, decision);
    else openChat(pending.session.resource, pending.request.chat);
    return true;
  }

  /** For a list of our own that is on the screen: nobody else can press its buttons. */
  send({ session, request }: PendingRequest, decision: Decision): void {
    if (request.kind !== 'toolConfirmation') return;
    this.#deps.portOf(session.resource).dispatch(request.chat, decide(request, decision));
  }
}
