import { Fault } from '../../platform/faults.ts';
import type { EffectDeps, Requester } from '../context/effectDeps.ts';
import type { TurnWriter } from '../tools/turnWriter.ts';

export interface AskTokenDeps {
  readonly effects: Pick<EffectDeps, 'tokens'>;
  readonly writer: Pick<TurnWriter, 'whileAsking' | 'problem'>;
  readonly session: string;
  readonly displayName: string;
  /** Whoever asks now: another client may take over while the turn waits. */
  readonly requester: () => Requester | undefined;
}

/**
 * A turn wants a token in the middle: the client is notified, everybody sees what the turn waits for, and it goes on with the
 * token that is pushed.
 * @param refused the token that the resource did not take
 * @throws the reason of `signal`; a bug for a resource that the agent does not declare
 */
export async function askToken(
  { effects: { tokens }, writer, session, displayName, requester }: AskTokenDeps,
  resource: string,
  refused: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  const metadata = tokens.find(resource);
  if (!metadata)
    throw new Fault('unavailable', `${displayName} requested a token for a resource that it did not declare.`);
  const holder = requester();
  if (holder) tokens.demand(holder, resource, { channel: session, ...(refused !== undefined && { refused }) });
  const held = holder?.tokens.get(resource);
  if (held) return held.value;
  const name = metadata.resource_name ?? resource;
  writer.problem({
    kind: 'signInNeeded',
    message: `${displayName} needs you to sign in to ${name}. It will continue automatically after you do.`,
    resources: [metadata],
  });
  try {
    return await writer.whileAsking(`Waiting for you to sign in to ${name}.`, tokens.next(requester, resource, signal));
  } finally {
    writer.problem(undefined);
  }
}
