import type { ToolFacts } from '../../agents/provider.ts';
import type { SessionSummary } from '../../protocol/channels/session/schema.ts';
import { Decision, type DecisionsParams, type DecisionsResult } from '../../protocol/rules.ts';
import type { EffectDeps } from '../context/effectDeps.ts';
import type { HostStorage } from '../storage/hostStorage.ts';

const PAGE = 50;
/** So many decisions are looked at for what a person allows again and again. */
const LATELY = 100;
/** What is longer is cut: whoever wants all of it opens the chat. */
const MAX_WORDS = 1_000;

export type Decided = Pick<Decision, 'allowed' | 'by' | 'rule' | 'source' | 'reason' | 'like'> & {
  /** The command as a person changed it. */
  readonly edited?: string;
};
export interface DecidedCall {
  readonly session: string;
  readonly chat: string;
  readonly turnId: string;
}

/** Keeps what was decided about a call, in the transaction of this tick. */
export function recordDecision(
  { store, storage, clock, secrets }: Pick<EffectDeps, 'store' | 'storage' | 'clock' | 'secrets'>,
  call: DecidedCall,
  { toolCallId, kind, command, invocationMessage }: ToolFacts,
  { allowed, by, rule, source, reason, like, edited }: Decided,
): void {
  const shown = (text: string) => cut(secrets.within(text));
  const decision: Decision = {
    at: clock.now(),
    ...call,
    toolCallId,
    toolKind: kind,
    what: shown(edited ?? command ?? invocationMessage),
    allowed,
    by,
    ...(rule !== undefined && { rule: shown(rule) }),
    ...(source && { source }),
    ...(like !== undefined && { like: shown(like) }),
    ...(reason !== undefined && { reason: shown(reason) }),
    ...(edited !== undefined && { edited: true }),
  };
  store.writeRows(() => storage.decisions.add(call.session, JSON.stringify(decision)));
}

/** How often a person allowed requests once, lately and in this session, that the rule `like` would allow. */
export function timesAllowed(
  { storage, secrets }: Pick<EffectDeps, 'storage' | 'secrets'>,
  session: string,
  like: string,
): number {
  const words = cut(secrets.within(like));
  return storage.decisions
    .page(LATELY, undefined, session)
    .filter(({ body }) => Decision.parse(JSON.parse(body)).like === words).length;
}

/** One page, newest first. */
export function decisionsOf(storage: HostStorage, { session, limit = PAGE, before }: DecisionsParams): DecisionsResult {
  const rows = storage.decisions.page(limit + 1, before, session);
  const shown = rows.slice(0, limit);
  const titles = new Map<string, string | undefined>();
  const titleOf = (uri: string): string | undefined => {
    if (!titles.has(uri)) {
      const row = storage.sessions.get(uri);
      titles.set(uri, row && (JSON.parse(row.summary) as SessionSummary).title);
    }
    return titles.get(uri);
  };
  const last = shown.at(-1);
  return {
    items: shown.map(({ body }) => {
      const decision = Decision.parse(JSON.parse(body));
      const title = titleOf(decision.session);
      return { ...decision, ...(title !== undefined && { title }) };
    }),
    ...(rows.length > limit && last && { next: last.n }),
  };
}

function cut(text: string): string {
  return text.length > MAX_WORDS ? `${text.slice(0, MAX_WORDS - 1)}…` : text;
}
