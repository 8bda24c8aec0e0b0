import type { TerminalAction, TerminalClaim, TerminalState } from '../../protocol/channels/terminal/schema.ts';

/** What a client has to do with sessions and clients. */
export interface TerminalContext {
  readonly clientId: string;
  readonly trusted: boolean;
  readonly isConnected: (clientId: string) => boolean;
  /** Whether the session is there and the client looks at it. */
  readonly isIn: (session: string) => boolean;
  /** Whether the tool call runs in the session. */
  readonly isRunning: (session: string, turnId: string, toolCallId: string) => boolean;
}

const MAX_INPUT = 64 * 1024;
const MAX_TITLE = 200;
const MAX_CELLS = 1_000;

/** Why a client's action is refused, `undefined` when it is accepted. */
export function checkTerminalAction(
  action: TerminalAction,
  state: TerminalState,
  context: TerminalContext,
): string | undefined {
  if (!holds(state.claim, context)) return 'this terminal is controlled by another client';
  switch (action.type) {
    case 'terminal/input':
      if (!context.trusted) return 'Trust this folder to use terminals.';
      if (state.exitCode !== undefined) return 'this terminal has ended';
      return action.data.length > MAX_INPUT ? `data: must have at most ${MAX_INPUT} characters` : undefined;
    case 'terminal/resized':
      return [action.cols, action.rows].every((it) => Number.isInteger(it) && it >= 1 && it <= MAX_CELLS)
        ? undefined
        : `cols, rows: must be whole numbers from 1 to ${MAX_CELLS}`;
    case 'terminal/titleChanged':
      return action.title.trim() === '' || action.title.length > MAX_TITLE
        ? `title: must be 1 to ${MAX_TITLE} characters`
        : undefined;
    case 'terminal/claimed':
      return refuseClaim(action.claim, context, true);
    default:
      return undefined;
  }
}

/** A client's own claim, or that of a session which it looks at. */
export function holds(claim: TerminalClaim, context: TerminalContext): boolean {
  if (claim.kind === 'client') return claim.clientId === context.clientId;
  return claim.kind === 'session' && context.isIn(claim.session);
}

/**
 * Why a client cannot make this claim, with the field in front.
 * @param mayHandOver whether it may be for another client
 */
export function refuseClaim(claim: TerminalClaim, context: TerminalContext, mayHandOver: boolean): string | undefined {
  if (claim.kind === 'client') {
    const fits = claim.clientId === context.clientId || (mayHandOver && context.isConnected(claim.clientId));
    return fits ? undefined : 'claim.clientId: must be your own client ID';
  }
  if (claim.kind !== 'session') return 'claim.kind: unknown value';
  const { session, turnId, toolCallId } = claim;
  if (!context.isIn(session)) return 'claim.session: subscribe to this session first';
  if (turnId === undefined && toolCallId === undefined) return undefined;
  return turnId !== undefined && toolCallId !== undefined && context.isRunning(session, turnId, toolCallId)
    ? undefined
    : 'claim.toolCallId: no running tool call with this ID was found';
}
