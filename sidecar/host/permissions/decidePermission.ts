import {
  addressesOf,
  changes,
  type PathComparison,
  type PermissionFacts,
  type ProposedRule,
  type Rule,
  targetOf,
} from './facts.ts';
import { allowShell, readShell, type ShellView, touchesShell } from './judgeShell.ts';
import { comparable, isInside, resolvePath } from './paths.ts';
import { isEverything, matchesPath, matchesText } from './patterns.ts';
import { proposeRules } from './proposeRule.ts';

export interface PermissionQuestion {
  readonly facts: PermissionFacts;
  /**
   * Of all sources, in any order. A rule with a `session` counts only for that {@link session}, one with a `folder` only
   * where that is all of {@link folders}.
   */
  readonly rules: readonly Rule[];
  readonly session?: string;
  /** True for a tool that the agent runs without asking (a mode in which the agent decides). */
  readonly agentDecides?: boolean;
  /** What a person chose for the session. Absent: `ask`. */
  readonly dial?: Dial;
  /** Whether the person trusts the workspace. */
  readonly trusted: boolean;
  /** The session's folders: absolute real paths. With none, everything is outside. */
  readonly folders: readonly string[];
  readonly comparison?: PathComparison;
}

export type PermissionVerdict =
  | { readonly verdict: 'allow'; readonly by: 'rule' | 'default' | 'agent' | 'dial'; readonly rule?: Rule }
  /** `reason` is for the person and for the agent. */
  | {
      readonly verdict: 'deny';
      readonly by: 'rule' | 'dial' | 'untrusted';
      readonly rule?: Rule;
      readonly reason: string;
    }
  | {
      readonly verdict: 'ask';
      readonly because: AskReason;
      /** Present where a rule asks. */
      readonly rule?: Rule;
      /** False for what a person should read before answering: no answer from a notification then. */
      readonly oneClick: boolean;
      readonly widest: 'once' | 'session' | 'always';
      /** What wider answers would save, the usual one first. Empty where `widest` is `once`. */
      readonly proposals: readonly ProposedRule[];
    };
export type Dial = 'ask' | 'acceptEdits' | 'readOnly';
export type AskReason = 'rule' | 'destructive' | 'outside' | 'protected' | 'unclear' | 'default';

/**
 * Pure. A deny wins over an ask, an ask over an allow, whatever their source and order. What is destructive, leaves the
 * folders, cannot be understood, or writes what the editor or git would run is never allowed by a rule, nor by the dial. What
 * the dial denies no rule allows.
 */
export function decidePermission(question: PermissionQuestion): PermissionVerdict {
  const { facts, trusted, agentDecides = false, dial = 'ask' } = question;
  if (!trusted) return { verdict: 'deny', by: 'untrusted', reason: 'This workspace is not trusted.' };
  const matter = readMatter(question);
  const rules = question.rules.filter((it) => holdsIn(it, question));
  const denied = rules.find((it) => it.effect === 'deny' && touches(it, matter));
  if (denied)
    return {
      verdict: 'deny',
      by: 'rule',
      rule: denied,
      reason: `A rule denies this: ${denied.target} ${denied.pattern}`,
    };
  if (dial === 'readOnly' && changes(facts)) return { verdict: 'deny', by: 'dial', reason: READ_ONLY };
  const asking = rules.find((it) => it.effect === 'ask' && touches(it, matter));
  if (asking) return { ...askOnce('rule', true), rule: asking };
  const danger = findDanger(matter);
  if (danger) return askOnce(danger, false);
  // What such a tool does nobody knows, so no rule lets it through.
  if (dial === 'readOnly' && targetOf[facts.kind] === 'tool' && facts.kind !== 'think') return askOnce('default', true);
  const granted = allowedBy(
    matter,
    rules.filter((it) => it.effect === 'allow' && it.source !== 'workspace'),
  );
  if (granted) return { verdict: 'allow', by: 'rule', rule: granted };
  if (agentDecides) return { verdict: 'allow', by: 'agent' };
  if (needsNoQuestion(facts)) return { verdict: 'allow', by: 'default' };
  if (dial === 'acceptEdits' && facts.kind === 'edit' && facts.paths.length > 0)
    return { verdict: 'allow', by: 'dial' }; // that the files are in the folders, and are no dangerous ones, was seen before
  const proposals = proposeRules(facts, question.folders, question.comparison).filter((it) =>
    allowedBy(matter, [asRule(it)]),
  );
  const [usual] = proposals;
  if (!usual) return askOnce('default', true);
  return { verdict: 'ask', because: 'default', oneClick: true, widest: usual.widest, proposals };
}

function holdsIn({ session, folder }: Rule, question: PermissionQuestion): boolean {
  if (session !== undefined && session !== question.session) return false;
  if (folder === undefined) return true;
  const { folders, comparison = {} } = question;
  const same = (path: string) => comparable(resolvePath('/', path), comparison);
  return folders.length > 0 && folders.every((it) => same(it) === same(folder));
}

interface Matter {
  readonly facts: PermissionFacts;
  readonly folders: readonly string[];
  readonly comparison: PathComparison;
  readonly shell?: ShellView;
}

function readMatter({ facts, folders, comparison = {} }: PermissionQuestion): Matter {
  const shell = facts.kind === 'shell' ? readShell(facts, folders, comparison) : undefined;
  return { facts, folders, comparison, ...(shell && { shell }) };
}

function askOnce(because: AskReason, oneClick: boolean): Extract<PermissionVerdict, { verdict: 'ask' }> {
  return { verdict: 'ask', because, oneClick, widest: 'once', proposals: [] };
}

function asRule({ target, pattern, input }: ProposedRule): Rule {
  return { id: 'proposed', effect: 'allow', source: 'granted', target, pattern, ...(input !== undefined && { input }) };
}

/** Whether a rule that narrows (ask, deny) speaks about any part of it. */
function touches(rule: Rule, { facts, folders, comparison, shell }: Matter): boolean {
  const ofPath = (path: string) => matchesPath(rule.pattern, path, folders, comparison);
  if (rule.target === 'shell') return shell !== undefined && touchesShell(rule, shell);
  if (rule.target === 'edit' || rule.target === 'read') {
    if (targetOf[facts.kind] === rule.target) return isEverything(rule.pattern) || facts.paths.some(ofPath);
    // A move or an edit shows what is in the file; a shell may read and write whatever it names.
    if (rule.target === 'read' && targetOf[facts.kind] === 'edit')
      return !isEverything(rule.pattern) && facts.paths.some(ofPath);
    if (!shell) return false;
    if (shell.reach.writes.length > 0 && rule.target === 'edit' && shell.reach.writes.some(ofPath)) return true;
    return !isEverything(rule.pattern) && [...facts.paths, ...shell.reach.mentions].some(ofPath);
  }
  if (targetOf[facts.kind] !== rule.target) return false;
  if (rule.target === 'tool') return matchesTool(rule, facts, facts.toolName ?? '');
  return isEverything(rule.pattern) || addressesOf(facts).some((it) => matchesText(rule.pattern, it));
}

function findDanger({ facts, folders, comparison, shell }: Matter): AskReason | undefined {
  if (shell?.isDestructive) return 'destructive';
  if (shell?.reach.leaves || facts.paths.some((it) => !isInside(it, folders, comparison))) return 'outside';
  const written = targetOf[facts.kind] === 'edit' ? facts.paths : (shell?.reach.writes ?? []);
  // The whole path counts: a session may work in a folder of hooks itself.
  if (written.some((it) => isProtected(comparable(resolvePath('/', it), { ...comparison, ignoreCase: true }))))
    return 'protected';
  if (shell && !shell.clear) return 'unclear';
  return undefined;
}

/** Files whose content git, the editor or this product would act upon. */
function isProtected(path: string): boolean {
  return actedUpon.test(path) || startsPrograms.test(path);
}
const actedUpon = /(?:^|\/)(?:\.git|\.vscode|\.switchboard|\.husky|[^/]*\.code-workspace)(?:\/|$)/;
/** They name servers and hooks that the host and agents start. */
const startsPrograms =
  /(?:^|\/)(?:\.github\/hooks|\.(?:agents|claude|github)\/plugins)(?:\/|$)|(?:^|\/)(?:\.?mcp\.json|\.claude\/settings[^/]*\.json)$/;

function allowedBy({ facts, folders, comparison, shell }: Matter, rules: readonly Rule[]): Rule | undefined {
  if (shell) return allowShell(shell, rules, folders, comparison)?.[0];
  const target = targetOf[facts.kind];
  const own = rules.filter((it) => it.target === target);
  if (target === 'tool') return facts.toolName ? own.find((it) => matchesTool(it, facts, facts.toolName!)) : undefined;
  if (target === 'fetch')
    return everyOne(
      addressesOf(facts),
      own,
      (it, address) => isEverything(it.pattern) || matchesText(it.pattern, address),
    );
  return everyOne(facts.paths, own, (it, path) => matchesPath(it.pattern, path, folders, comparison));
}

/** The first rule used, when each of `things` is allowed by some rule. Nothing known is nothing allowed. */
function everyOne(
  things: readonly string[],
  rules: readonly Rule[],
  matches: (rule: Rule, thing: string) => boolean,
): Rule | undefined {
  const used = things.map((thing) => rules.find((it) => matches(it, thing)));
  return used.every((it) => it !== undefined) ? used[0] : undefined;
}

const READ_ONLY =
  'The user set this session to read-only, so changes and commands are denied. You can still read files.';

/** Looking at files of the folders, and thinking. That they are inside was seen before. */
function needsNoQuestion(facts: PermissionFacts): boolean {
  if (facts.kind === 'think' || facts.kind === 'search') return true;
  return facts.kind === 'read' && facts.paths.length > 0;
}

function matchesTool({ pattern, input }: Rule, { toolInput = '' }: PermissionFacts, toolName: string): boolean {
  return matchesText(pattern, toolName) && (input === undefined || input === toolInput);
}
