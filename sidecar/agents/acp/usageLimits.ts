import * as z from 'zod';
import { type LimitReset, readReset, UsageLimitReached } from '../usageLimits.ts';
import type { AcpAgent } from './wellKnown.ts';

const number = z.number().nonnegative().optional().catch(undefined);
const moment = z
  .union([z.number().positive(), z.iso.datetime({ offset: true })])
  .optional()
  .catch(undefined);

/** Members of an error's `data` that state a limit. The protocol defines none; these are the names that agents use. */
const ErrorData = z.object({
  errorKind: z.string().optional().catch(undefined),
  status: number,
  statusCode: number,
  /** Seconds. */
  retryAfter: number,
  /** A moment in seconds or milliseconds since 1970, or as text. */
  resetsAt: moment,
});
const Answered = z.object({ message: z.string().catch(''), data: ErrorData });

/** What an adapter reports of the limits of its account with `usage_update`: seconds since 1970. */
export const RateLimit = z.object({ status: z.string(), resetsAt: z.number().positive().nullish() });
export type RateLimit = z.infer<typeof RateLimit>;

/**
 * Whether an agent failed because of a usage limit, by the members of its error, or else by the words of agents whose words
 * are known.
 * @param reported what it last said about the limits of its account
 * @param clean removes secrets
 */
export function usageLimitIn(
  agent: AcpAgent,
  thrown: unknown,
  reported: RateLimit | undefined,
  clean: (text: string) => string,
): UsageLimitReached | undefined {
  const { message, data } = Answered.safeParse(thrown).data ?? { message: messageOf(thrown) };
  const isTyped = data?.errorKind === 'rate_limit' || data?.status === 429 || data?.statusCode === 429;
  const isStated = data?.resetsAt !== undefined || reported?.status === 'rejected';
  if (!isTyped && !isStated && !agent.usageLimit?.test(message)) return undefined;
  const said = clean(message).split('\n')[0]!.slice(0, 300);
  const sentence = /[.!?]$/.test(said) ? said : `${said}.`;
  return new UsageLimitReached(agent.displayName, sentence, resetOf(message, data, reported), thrown);
}

function resetOf(
  message: string,
  data: z.infer<typeof ErrorData> | undefined,
  reported: RateLimit | undefined,
): LimitReset | undefined {
  const stated = data?.resetsAt;
  if (typeof stated === 'string') return { atMs: Date.parse(stated) };
  if (stated !== undefined) return { atMs: stated < 100_000_000_000 ? stated * 1_000 : stated };
  if (data?.retryAfter !== undefined) return { inMs: data.retryAfter * 1_000 };
  if (reported?.status === 'rejected' && reported.resetsAt != null) return { atMs: reported.resetsAt * 1_000 };
  return readReset(message);
}

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : '');
