import type { QuestionAnswers, QuestionSet } from '../../../agents/provider.ts';
import { Fault } from '../../../platform/faults.ts';
import { NOT_STARTED, SANDBOX_META, toNoSandbox } from '../../../protocol/channels/session/sandboxChoice.ts';
import { commitMeta, commitSession } from '../../context/chatAccess.ts';
import type { EffectDeps } from '../../context/effectDeps.ts';

export interface StartSandboxDeps {
  readonly effects: Pick<EffectDeps, 'sandboxes' | 'store' | 'newId'>;
  readonly session: string;
  readonly env: Readonly<Record<string, string>>;
  readonly ask: (questions: QuestionSet) => Promise<QuestionAnswers>;
}

const QUESTION = 'sandbox';
const WITHOUT = 'without';

/**
 * Starts the sandbox of a session. If it cannot start, the user decides whether the session continues without it. No program of
 * the session runs before that.
 * @throws {Fault} `unavailable` with the reason if the user stops
 */
export async function startSandbox({ effects, session, env, ask }: StartSandboxDeps): Promise<void> {
  const { sandboxes, store, newId } = effects;
  const reason = await sandboxes.start(session, env).then(
    () => undefined,
    (thrown: unknown) => {
      if (thrown instanceof Fault) return thrown;
      throw thrown;
    },
  );
  const note = (is: typeof NOT_STARTED | undefined) => {
    if (store.state('session', session)?._meta?.[SANDBOX_META] !== is) commitMeta(store, session, SANDBOX_META, is);
  };
  note(reason && NOT_STARTED);
  if (!reason) return;
  const { response, values } = await ask({
    id: newId(),
    message: reason.message,
    questions: [
      {
        kind: 'single-select',
        id: QUESTION,
        message: 'Continue without a sandbox? The agent could then do everything that you can do.',
        required: true,
        options: [
          { id: 'stop', label: 'Stop', recommended: true },
          { id: WITHOUT, label: 'Continue without a sandbox' },
        ],
      },
    ],
  });
  if (response !== 'accept' || values[QUESTION] !== WITHOUT) throw reason;
  note(undefined);
  commitSession(store, session, toNoSandbox);
}
