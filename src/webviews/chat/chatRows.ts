import { TimedMeta } from '../../../sidecar/protocol/channels/chat/callMeta.ts';
import { PlanMeta } from '../../../sidecar/protocol/channels/chat/planMeta.ts';
import type { ActiveTurn, ChatState, ResponsePart, Turn } from '../../../sidecar/protocol/channels/chat/schema.ts';
import type { StepMeta } from '../../../sidecar/protocol/channels/chat/stepMeta.ts';
import { USAGE_LIMITED } from '../../../sidecar/protocol/channels/session/parked.ts';
import type { EndRow, ErrorRow, PlanItem, PromptRow, Row, TurnChangesModel } from '../contract/chatModel.ts';
import type { TurnUsage } from '../contract/usageModel.ts';
import { toSent } from './attach/attachmentModels.ts';
import { toQuestionRow } from './chatQuestions.ts';
import { plain, toToolRow } from './chatTools.ts';
import { toTurnUsage } from './chatUsage.ts';

interface Finished {
  readonly changes: TurnChangesModel | undefined;
  readonly isLast: boolean;
  readonly rows: readonly Row[];
}
interface FromPart {
  readonly isRunning: boolean;
  readonly row: Row | undefined;
}

/**
 * Turns of one chat as rows. Reducers keep what they do not touch by reference, so rows are made once for each part and
 * the same object comes back until the part changes: that is how a patch finds what changed.
 */
export class RowBuilder {
  readonly #folders: readonly string[];
  readonly #turns = new WeakMap<Turn, Finished>();
  readonly #parts = new WeakMap<ResponsePart, FromPart>();
  readonly #prompts = new WeakMap<object, PromptRow>();

  /** @param folders URIs of the session's folders: paths are shown relative to them */
  constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  /** @param from the first turn shown, as an index into `state.turns` */
  rows(state: ChatState, from: number, changesOf: (turn: Turn) => TurnChangesModel | undefined): Row[] {
    const shown = state.turns.slice(from);
    const rows = shown.flatMap((turn, index) => {
      const before = state.turns[from + index - 1];
      const isFirst = from + index === 0 && state.turnsNextCursor === undefined;
      const isLast = index === shown.length - 1 && !state.activeTurn;
      return this.#finished(turn, changesOf(turn), isLast, () => toTurnUsage(turn, before, isFirst));
    });
    return state.activeTurn ? [...rows, ...this.#running(state.activeTurn)] : rows;
  }

  #finished(
    turn: Turn,
    changes: TurnChangesModel | undefined,
    isLast: boolean,
    usage: () => TurnUsage | undefined,
  ): readonly Row[] {
    const known = this.#turns.get(turn);
    if (known && known.isLast === isLast && JSON.stringify(known.changes) === JSON.stringify(changes))
      return known.rows;
    const rows = [this.#prompt(turn), ...this.#answer(turn, false), ...endRows(turn, changes, isLast, usage())];
    this.#turns.set(turn, { changes, isLast, rows });
    return rows;
  }

  #running(turn: ActiveTurn): Row[] {
    return [this.#prompt(turn), ...this.#answer(turn, true)];
  }

  #prompt(turn: Turn | ActiveTurn): PromptRow {
    const known = this.#prompts.get(turn.message);
    if (known) return known;
    const row = toPromptRow(turn);
    this.#prompts.set(turn.message, row);
    return row;
  }

  #answer(turn: Turn | ActiveTurn, isRunning: boolean): Row[] {
    // While a plan is worked on it has a place of its own; of those that were changed since, nothing stays.
    const plan = isRunning ? -1 : turn.responseParts.findLastIndex(planOf);
    return turn.responseParts.flatMap((part, index) => {
      if (index !== plan && planOf(part)) return [];
      const row = this.#part(turn, index, part, isRunning);
      return row ? [row] : [];
    });
  }

  #part(turn: Turn | ActiveTurn, index: number, part: ResponsePart, isRunning: boolean): Row | undefined {
    const known = this.#parts.get(part);
    // Only an open question looks different once its turn has ended.
    if (known && (known.isRunning === isRunning || part.kind !== 'inputRequest')) return known.row;
    const row = this.#toRow(turn, index, part, isRunning);
    this.#parts.set(part, { isRunning, row });
    return row;
  }

  #toRow(turn: Turn | ActiveTurn, index: number, part: ResponsePart, isRunning: boolean): Row | undefined {
    const turnId = turn.id;
    const id = `${turnId}/${index}`;
    switch (part.kind) {
      case 'markdown':
        return part.content === '' ? undefined : { kind: 'markdown', id, turnId, text: part.content };
      case 'reasoning': {
        const { durationMs } = TimedMeta.safeParse(part._meta).data ?? {};
        const timed = durationMs === undefined ? {} : { durationMs };
        return part.content === '' ? undefined : { kind: 'reasoning', id, turnId, text: part.content, ...timed };
      }
      case 'toolCall':
        return toToolRow(id, turnId, part.toolCall, this.#folders, (it) => rowOfCall(turn, index, it));
      case 'systemNotification': {
        if (stopOf([part])) return undefined; // its row is the last one of the turn
        const isMarkdown = typeof part.content !== 'string';
        const text = typeof part.content === 'string' ? part.content : part.content.markdown;
        const offers = part._meta?.['offer'] === 'attachTranscript';
        const isFailure = part._meta?.['kind'] === 'hookFailed';
        const more = { ...(offers && { offer: 'attachTranscript' as const }), ...(isFailure && { isFailure }) };
        return { kind: 'notice', id, turnId, text, isMarkdown, ...more };
      }
      case 'inputRequest':
        return toQuestionRow(id, turnId, part, isRunning);
      default:
        // A content reference has no words of its own, and a part of a newer host is skipped.
        return undefined;
    }
  }
}

/** A call before the one at `end`: what calls on behalf of another comes after it. */
function rowOfCall(turn: Turn | ActiveTurn, end: number, toolCallId: string): string | undefined {
  const at = turn.responseParts.findIndex((it) => it.kind === 'toolCall' && it.toolCall.toolCallId === toolCallId);
  return at < 0 || at >= end ? undefined : `${turn.id}/${at}`;
}

/** Also stands for a prompt whose session is being created: the row keeps its id when the turn arrives. */
export function toPromptRow(turn: Pick<Turn | ActiveTurn, 'id' | 'message' | 'startedAt'>): PromptRow {
  return {
    kind: 'prompt',
    id: `${turn.id}/prompt`,
    turnId: turn.id,
    text: turn.message.text,
    attachments: (turn.message.attachments ?? []).filter((it) => it._meta?.['inText'] !== true).map(toSent),
    ...(turn.startedAt && { at: turn.startedAt }),
    ...(turn.message.origin.kind !== 'user' && { byAgent: true }),
  };
}

function endRows(
  turn: Turn,
  changes: TurnChangesModel | undefined,
  isLast: boolean,
  usage: TurnUsage | undefined,
): Row[] {
  const rows: Row[] = [];
  if (turn.state === 'error' || stopOf(turn.responseParts)) rows.push(toErrorRow(turn, isLast));
  if (turn.state === 'cancelled' || changes || usage || turn.duration !== undefined) {
    const end: EndRow = {
      kind: 'end',
      id: `${turn.id}/end`,
      turnId: turn.id,
      state: turn.state,
      ...(turn.duration !== undefined && { durationMs: turn.duration }),
      ...(usage && { usage }),
      ...(changes && { changes }),
    };
    rows.push(end);
  }
  return rows;
}

function toErrorRow(turn: Turn, isLast: boolean): ErrorRow {
  const message = plain(turn.error?.message ?? stopOf(turn.responseParts)?.content) ?? '';
  return {
    kind: 'error',
    id: `${turn.id}/error`,
    turnId: turn.id,
    message: message.replace(stepWord(turn, 'hint') ?? '', '').trim(),
    ...(turn.state !== 'error' && { isStopped: true }),
    // The banner of a parked chat says what it waits for.
    action: isLast && turn.error?.errorType !== USAGE_LIMITED ? errorAction(turn) : 'none',
  };
}

/** Which button helps after a turn failed so. */
export function errorAction(turn: Pick<Turn, 'error' | 'responseParts'>): Exclude<ErrorRow['action'], 'none'> {
  return wayOut.get(turn.error?.errorType) ?? (stepWord(turn, 'skipWith') === undefined ? 'retry' : 'step');
}
const wayOut = new Map<string | undefined, Exclude<ErrorRow['action'], 'none'>>([
  ['authRequired', 'signIn'],
  ['commandMissing', 'configureAgents'],
  ['providerNotFound', 'addAgent'],
  ['folderGone', 'folder'],
  ['folderNeeded', 'folder'],
  ['notTrusted', 'trust'],
]);

/** What the agent says about the step at which the turn failed or stopped. */
export function stepWord(turn: Pick<Turn, 'error' | 'responseParts'>, key: keyof StepMeta): string | undefined {
  const word = (turn.error ?? stopOf(turn.responseParts))?._meta?.[key];
  return typeof word === 'string' ? word : undefined;
}

/** The part that says that the turn stopped at a step. */
function stopOf(parts: readonly ResponsePart[]) {
  return parts.findLast((it) => it.kind === 'systemNotification' && it._meta?.['skipWith'] !== undefined) as
    | Extract<ResponsePart, { kind: 'systemNotification' }>
    | undefined;
}

/** The plan that a part is. */
export function planOf(part: ResponsePart): readonly PlanItem[] | undefined {
  if (part.kind !== 'systemNotification') return undefined;
  return PlanMeta.safeParse(part._meta).data?.plan;
}
