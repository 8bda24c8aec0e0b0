import { lstat } from 'node:fs/promises';
import type { ToolDecision, ToolFacts } from '../../agents/provider.ts';
import type { ChatActionOf } from '../../protocol/channels/chat/actions.ts';
import type { ConfirmationOption } from '../../protocol/channels/chat/toolCalls.ts';
import type { PermissionDial } from '../../protocol/channels/session/permissionDial.ts';
import type { AllowedBy, OfferedRule } from '../../protocol/rules.ts';
import { ruleWords } from '../../protocol/rules.ts';
import type { StringOrMarkdown } from '../../protocol/shared.ts';
import type { PermissionRule } from '../../protocol/window.ts';
import type { FileHolder, HeldFiles } from '../changes/fileHolders.ts';
import type { EffectDeps } from '../context/effectDeps.ts';
import type { PendingAnswers } from '../context/pendingAnswers.ts';
import type { HookVerdict } from '../hooks/turnHooks.ts';
import { decidePermission, type PermissionVerdict } from '../permissions/decidePermission.ts';
import { type Rule, targetOf } from '../permissions/facts.ts';
import { type ReadLimits, readLimits } from '../permissions/readLimits.ts';
import { type RuleOffer, ruleOffers } from '../permissions/ruleOffers.ts';
import { heldMeta, heldOptions, noteHolders, TAKE_OVER, WAIT_FOR_EACH_OTHER, WHEN_FREE } from '../tools/heldFiles.ts';
import { filesOf, toolMeta, toolQuestion } from '../tools/toolQuestion.ts';
import type { TurnWriter } from '../tools/turnWriter.ts';
import type { Decided } from './decisions.ts';
import { readRules, saveRule } from './grantedRules.ts';
import { previewEdits } from './previewEdits.ts';
import { TOOL } from './sandbox/askToConnect.ts';

export type Confirmation = ChatActionOf<'chat/toolCallConfirmed'>;

/** What every judgment goes by. */
export interface JudgeDeps {
  readonly effects: EffectDeps;
  readonly session: string;
  /** Real paths of the session's folders. */
  readonly folders: readonly string[];
  readonly settings: () => { readonly rules: readonly PermissionRule[]; readonly trusted: boolean };
}

export interface ConfirmDeps extends JudgeDeps {
  readonly answers: PendingAnswers<Confirmation>;
  readonly writer: TurnWriter;
  readonly chat: string;
  /** What a person chose for the session, now. */
  readonly dial: () => PermissionDial;
  /** The agent's name of the tool, for rules about tools. */
  readonly toolName: (toolCallId: string) => string | undefined;
  /** What other sessions change now. */
  readonly files: HeldFiles;
  /** Keeps the bytes of what the tool may change. */
  readonly capture: (paths: readonly string[]) => Promise<void>;
  /** The verdict of the hooks of the session; `undefined` for none. */
  readonly beforeTool: (call: { facts: ToolFacts; toolName: string }) => Promise<HookVerdict | undefined>;
  /** Waits for a limit. @returns why the call is refused. Absent: no limit applies to the call */
  readonly refusal?: () => Promise<string | undefined>;
  /** How often a person allowed, one by one, what the rule in these words would allow. */
  readonly timesAllowed: (rule: string) => number;
  /** Keeps what was decided, for whoever looks later. */
  readonly record: (facts: ToolFacts, decided: Decided) => void;
  /** Puts the call into the chat, once it is known whether a rule denies it. Absent: the agent did. */
  readonly introduce?: (isDenied: boolean) => void;
  /** Whether a person chose a mode in which the agent decides by itself. Absent: no. */
  readonly agentDecides?: () => boolean;
}

/** After so many answers of the same kind a rule is suggested. */
const SUGGEST_AFTER = 3;

type Denial = Pick<Decided, 'by'> & { readonly reason: string; readonly rule?: Rule };
type HookedVerdict = PermissionVerdict | ({ readonly verdict: 'deny' } & Denial);

/**
 * Decides one tool call: by a rule at once, otherwise by a person, through a pending tool call in the chat. Bytes of the
 * files it may change are kept before it is allowed.
 */
export async function confirmTool(deps: ConfirmDeps, facts: ToolFacts, signal: AbortSignal): Promise<ToolDecision> {
  const judged = await judgeWithHooks(deps, facts);
  const refusal = judged.verdict === 'deny' ? undefined : await deps.refusal?.();
  signal.throwIfAborted();
  const holders = targetOf[facts.kind] === 'edit' ? deps.files.others(facts.paths) : [];
  const verdict = holders.length > 0 ? warnOfHolders(judged) : judged;
  deps.introduce?.(verdict.verdict === 'deny');
  if (verdict.verdict === 'deny') {
    // Never pending, not even for a moment: nobody is asked.
    deps.writer.toolRuns(facts, 'setting', toolMeta(facts));
    return denied(deps, facts, verdict);
  }
  if (refusal !== undefined) {
    deps.writer.toolRuns(facts, 'setting', toolMeta(facts));
    return refused(deps, facts, refusal);
  }
  if (verdict.verdict === 'allow') {
    const fresh = await begin(deps, facts);
    if (holders.length > 0) noteHolders(deps.effects, deps.writer, deps.files.others(fresh));
    signal.throwIfAborted();
    const by = letThroughBy(verdict);
    if (verdict.by !== 'default') deps.record(facts, { allowed: true, by: verdict.by, ...ruleOf(verdict.rule) });
    const why = verdict.by === 'agent' ? { agentDecided: true } : by && { allowedBy: by };
    deps.writer.toolRuns(facts, by ? 'setting' : 'not-needed', { ...toolMeta(facts), ...why });
    return { allow: true };
  }
  return askForTool(deps, facts, verdict, holders, signal);
}

/** No rule and no dial lets a call change what another session changes. Where the agent decides, nobody is asked. */
function warnOfHolders(judged: HookedVerdict): HookedVerdict {
  if (judged.verdict === 'deny' || (judged.verdict === 'allow' && judged.by === 'agent')) return judged;
  const because = judged.verdict === 'ask' ? judged.because : 'default';
  return { verdict: 'ask', because, oneClick: false, widest: 'once', proposals: [] };
}

/**
 * Keeps what the tool may change. Other sessions that would change it are warned from now on.
 * @returns the files that no call of this turn was allowed to change before
 */
async function begin({ capture, files }: ConfirmDeps, { kind, paths }: ToolFacts): Promise<readonly string[]> {
  const fresh = targetOf[kind] === 'edit' ? files.hold(paths) : [];
  await capture(paths);
  return fresh;
}

/** Does not ask again about what was just allowed, unless a rule denies it by now. */
export function confirmAgain(deps: ConfirmDeps, facts: ToolFacts): ToolDecision {
  const verdict = judge(deps, facts);
  return verdict.verdict === 'deny' ? denied(deps, facts, verdict) : { allow: true };
}

/** Which rule let a call run without a question, or that the dial did. */
function letThroughBy({ by, rule }: Extract<PermissionVerdict, { verdict: 'allow' }>): AllowedBy | undefined {
  if (by === 'dial') return { dial: 'acceptEdits' };
  if (!rule || rule.source === 'workspace') return undefined;
  return { rule: ruleWords(rule.target, rule.pattern, rule.input), source: rule.source };
}

/** A rule as it is kept with what it decided. */
function ruleOf(rule: Rule | undefined): Pick<Decided, 'rule' | 'source'> {
  return rule ? { rule: ruleWords(rule.target, rule.pattern, rule.input), source: rule.source } : {};
}

function denied(deps: ConfirmDeps, facts: ToolFacts, { by, rule, reason }: Denial): ToolDecision {
  deps.record(facts, { allowed: false, by, ...ruleOf(rule) });
  return refused(deps, facts, reason);
}

function refused({ writer }: ConfirmDeps, { toolCallId }: ToolFacts, reason: string): ToolDecision {
  const ended = { kind: 'toolEnded', toolCallId, success: false } as const;
  writer.toolEnded({ ...ended, pastTenseMessage: 'Denied', error: reason }, []);
  return { allow: false, reason };
}

/** Hooks only narrow: what a rule denies they are not asked about, and what they allow still needs the rules or a person. */
async function judgeWithHooks(deps: ConfirmDeps, facts: ToolFacts): Promise<HookedVerdict> {
  const first = judge(deps, facts);
  if (first.verdict === 'deny') return first;
  const hookVerdict = await deps.beforeTool({ facts, toolName: deps.toolName(facts.toolCallId) ?? facts.kind });
  if (hookVerdict?.verdict === 'deny') return { verdict: 'deny', by: 'hook', reason: hookVerdict.reason };
  const verdict = judge(deps, facts); // a rule may have been made while they ran
  return hookVerdict && verdict.verdict === 'allow'
    ? { verdict: 'ask', because: 'rule', oneClick: true, widest: 'once', proposals: [] }
    : verdict;
}

/** Why a rule denies by now what was allowed before. Nothing is recorded or shown. */
export function deniedByNow(deps: JudgeDeps, facts: ToolFacts, toolName: string): string | undefined {
  const verdict = decidePermission({ ...settingsOf(deps), facts: { ...facts, toolName } });
  return verdict.verdict === 'deny' ? verdict.reason : undefined;
}

/** What rules say about reading files (absolute real paths), as of now. */
export function limitsOnReading(deps: JudgeDeps, paths: readonly string[]): ReadLimits {
  return readLimits(settingsOf(deps), paths);
}

type Judging = JudgeDeps & Pick<ConfirmDeps, 'dial' | 'toolName' | 'agentDecides'>;

/** Whether the rules and the dial let nobody run the tool without a question. */
export function needsQuestion(deps: Judging, facts: ToolFacts): boolean {
  return judge(deps, facts).verdict !== 'allow';
}

function judge(deps: Judging, facts: ToolFacts): PermissionVerdict {
  const toolName = deps.toolName(facts.toolCallId);
  return decidePermission({
    ...settingsOf(deps),
    facts: { ...facts, ...(toolName !== undefined && { toolName }) },
    dial: deps.dial(),
    agentDecides: deps.agentDecides?.() ?? false,
  });
}

function settingsOf({ effects, session, folders, settings }: JudgeDeps) {
  const { rules, trusted } = settings();
  return { rules: [...rules, ...readRules(effects.storage)], session, trusted, folders };
}

/** The agent says that it creates files, and none of them is there. */
async function creates(facts: ToolFacts): Promise<boolean> {
  const { kind, preview = [] } = facts;
  const files = filesOf(facts);
  const isSaid = kind === 'edit' && preview.length === files.length && preview.every((it) => it.before === undefined);
  if (!isSaid || files.length === 0) return false;
  const isThere = await Promise.all(files.map((it) => lstat(it).then(Boolean, (error) => error.code !== 'ENOENT')));
  return !isThere.includes(true);
}

async function askForTool(
  deps: ConfirmDeps,
  facts: ToolFacts,
  verdict: Extract<PermissionVerdict, { verdict: 'ask' }>,
  holders: readonly FileHolder[],
  signal: AbortSignal,
): Promise<ToolDecision> {
  const { proposals, oneClick } = verdict;
  const offers = ruleOffers(proposals, deps.folders);
  const [usual] = proposals;
  const isConnection = deps.toolName(facts.toolCallId) === TOOL;
  const shown = usual && { rule: usual.pattern, ruleTarget: usual.target, offers: offers.map(shownOffer) };
  const edits = await previewEdits(facts.preview ?? [], (name, text) =>
    deps.effects.changes.keepContent(deps.session, name, Buffer.from(text)),
  );
  const question = toolQuestion(facts, await creates(facts));
  signal.throwIfAborted();
  const pending = {
    ...question,
    options: [
      ...optionsFor(offers, holders),
      ...(isConnection && usual ? [denyAlways(ruleWords(usual.target, usual.pattern, usual.input))] : []),
    ],
    editable: facts.kind === 'shell',
    ...(edits.length > 0 && { edits: { items: edits } }),
  };
  // Hidden characters are read before anything is allowed.
  const isOneClick = oneClick && question.riskAssessment === undefined;
  const like = usual && ruleWords(usual.target, usual.pattern, usual.input);
  const times = like !== undefined && isOneClick ? deps.timesAllowed(like) : 0;
  const waiting = deps.answers.wait(`${deps.chat} ${facts.toolCallId}`, signal);
  deps.writer.toolAsks(facts, pending, {
    ...toolMeta(facts),
    ...shown,
    because: verdict.because,
    oneClick: isOneClick,
    ...(times >= SUGGEST_AFTER && { timesAllowed: times }),
    ...heldMeta(deps.effects, holders),
  });
  const answer = await deps.writer.whileAsking('Waiting for your approval.', waiting);
  if (!answer.approved) {
    const reason = answer.reasonMessage === undefined ? undefined : plain(answer.reasonMessage);
    const isDenied = answer.reason === 'denied'; // a call that is skipped ended before anybody decided
    if (isDenied && isConnection && usual && answer.selectedOptionId === DENY_ALWAYS)
      saveRule(deps.effects, { target: usual.target, pattern: usual.pattern, effect: 'deny' });
    if (isDenied) deps.record(facts, { allowed: false, by: 'person', ...(reason !== undefined && { reason }) });
    return { allow: false, skipped: answer.reason === 'skipped', ...(reason !== undefined && { reason }) };
  }
  if (answer.selectedOptionId === WHEN_FREE) {
    const free = deps.files.whenFree(facts.paths, signal);
    const isHeld = await deps.writer.whileAsking('Waiting for another session.', free);
    if (!isHeld) return refused(deps, facts, WAIT_FOR_EACH_OTHER);
  }
  // A rule can have been added since the person was asked.
  const now = judge(deps, facts);
  if (now.verdict === 'deny') return denied(deps, facts, now);
  const chosen = offers.find((it) => it.option === answer.selectedOptionId);
  if (chosen) grant(deps, chosen);
  const { editedToolInput: edited } = answer;
  const saved = chosen
    ? ({ rule: shownOffer(chosen).rule, source: 'granted' } as const)
    : like !== undefined && isOneClick && { like };
  deps.record(facts, { allowed: true, by: 'person', ...saved, ...(edited !== undefined && { edited }) });
  if (answer.selectedOptionId === TAKE_OVER) deps.files.takeOver(facts.paths);
  deps.writer.toolBegins(facts.toolCallId);
  const isShown = new Set(holders.map((it) => it.session));
  const fresh = await begin(deps, facts);
  // Another session can have begun to change the files since the person was asked.
  const unshown = deps.files.others(fresh).filter((it) => !isShown.has(it.session));
  noteHolders(deps.effects, deps.writer, unshown);
  signal.throwIfAborted();
  return { allow: true, ...(answer.editedToolInput !== undefined && { editedInput: answer.editedToolInput }) };
}

function grant({ effects, session, folders }: ConfirmDeps, { scope, rule }: RuleOffer): void {
  const { target, pattern, input } = rule;
  saveRule(effects, {
    target,
    pattern,
    ...(input !== undefined && { input }),
    ...(scope === 'session' && { session }),
    ...(scope === 'workspace' && { folder: folders[0]! }),
  });
}

function shownOffer({ option, scope, rule }: RuleOffer): OfferedRule {
  return { option, scope, by: rule.by, rule: ruleWords(rule.target, rule.pattern, rule.input) };
}

/** The label of a wider answer says all that it grants. */
function optionsFor(offers: readonly RuleOffer[], holders: readonly FileHolder[]): ConfirmationOption[] {
  const labels = {
    session: (rule: string) => `Allow ${rule} in this session`,
    workspace: (rule: string) => `Allow ${rule} in this workspace`,
    always: (rule: string) => `Always allow ${rule}`,
  };
  return [
    { id: 'allow-once', label: 'Allow once', kind: 'approve', group: 0 },
    ...offers.map((it): ConfirmationOption => {
      const { option, scope, rule } = shownOffer(it);
      return { id: option, label: labels[scope](rule), kind: 'approve', group: 0 };
    }),
    ...heldOptions(holders),
    { id: 'deny', label: 'Deny', kind: 'deny', group: 1 },
    { id: 'deny-with-reason', label: 'Deny with a reason', kind: 'deny', group: 1 },
  ];
}

const DENY_ALWAYS = 'deny-always';
/** A host that was denied can be one to which an agent connects again and again. */
const denyAlways = (rule: string): ConfirmationOption => ({
  id: DENY_ALWAYS,
  label: `Always deny ${rule}`,
  kind: 'deny',
  group: 1,
});

function plain(text: StringOrMarkdown): string {
  return typeof text === 'string' ? text : text.markdown;
}
