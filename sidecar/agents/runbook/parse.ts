import * as z from 'zod';
import { parsePatch } from '../edits/patch.ts';
import type { Question } from '../provider.ts';
import { parseAsk } from './parseAsk.ts';
import { problemOfPlaceholders } from './placeholders.ts';
import { type Fence, splitFences } from './splitFences.ts';

/** One thing to do, with the line (from 1) on which its block begins. */
export type Step = { readonly line: number } & (
  | { readonly kind: 'prose'; readonly text: string }
  | { readonly kind: 'shell'; readonly command: string }
  | { readonly kind: 'diff'; readonly patch: string }
  | { readonly kind: 'write'; readonly path: string; readonly content: string }
  | { readonly kind: 'ask'; readonly question: Question }
  | { readonly kind: 'tool'; readonly name: string; readonly input: Readonly<Record<string, unknown>> }
);
export interface Runbook {
  readonly title: string;
  readonly description: string;
  /** Milliseconds between two words of prose, so that a reader can follow. */
  readonly paceMs: number;
  readonly steps: readonly Step[];
}
/** What is wrong, and how to put it right; `line` counts from 1. */
export interface Problem {
  readonly line: number;
  readonly message: string;
}
export type ParsedRunbook =
  | { readonly ok: true; readonly runbook: Runbook }
  | { readonly ok: false; readonly problems: readonly Problem[] };

const maxPaceMs = 1_000;

/**
 * Reads a Markdown runbook. Blocks fenced as `sh`, `diff`, `write <path>`, `ask`, and `tool <name>` are steps; all the rest, fenced
 * blocks of other languages included, is prose and is kept to the letter.
 *
 * @param name the title when neither front matter nor a heading gives one
 */
export function parseRunbook(source: string, name: string): ParsedRunbook {
  const problems: Problem[] = [];
  const front = readFrontMatter(source, problems);
  const steps: Step[] = [];
  for (const piece of splitFences(source, front.bodyLine)) {
    if (piece.kind === 'prose') {
      if (piece.text.trim() !== '') steps.push({ kind: 'prose', line: piece.line, text: piece.text });
      continue;
    }
    const step = piece.closed
      ? readBlock(piece)
      : `the \`${piece.info}\` block is not closed; add ${piece.marker} on a line of its own`;
    if (typeof step === 'string') problems.push({ line: piece.line, message: step });
    else if ('message' in step) problems.push(step);
    else steps.push(step);
  }
  problems.push(...problemsOfNames(steps));
  if (problems.length > 0) return { ok: false, problems: problems.toSorted((a, b) => a.line - b.line) };
  const heading = /^#\s+(.+?)\s*#*$/m.exec(steps.find((it) => it.kind === 'prose')?.text ?? '')?.[1];
  return {
    ok: true,
    runbook: {
      title: front.title ?? heading ?? name,
      description: front.description ?? '',
      paceMs: front.paceMs,
      steps,
    },
  };
}

/** True when the text has a block that a runbook would perform. */
export function looksLikeRunbook(text: string): boolean {
  return splitFences(text, 1).some((it) => it.kind === 'block');
}

function readBlock(block: Fence): Step | Problem | string {
  const { line } = block;
  switch (block.language) {
    case 'sh': {
      const command = block.content.replace(/\s+$/, '').replaceAll('\r\n', '\n');
      return command.trim() === '' ? 'the `sh` block is empty; add a command' : { kind: 'shell', line, command };
    }
    case 'write': {
      const path = block.info.slice('write'.length).trim();
      if (path === '') return 'the `write` block has no file path; add the path after `write`: ```write notes/today.md';
      return { kind: 'write', line, path, content: block.content };
    }
    case 'diff': {
      const patch = parsePatch(block.content);
      return patch.ok
        ? { kind: 'diff', line, patch: block.content }
        : { line: line + patch.line, message: patch.message };
    }
    case 'tool': {
      const name = block.info.slice('tool'.length).trim();
      if (name === '') return 'the `tool` block has no tool name; add the name after `tool`: ```tool echo';
      const input = parseInput(block.content);
      return input ? { kind: 'tool', line, name, input } : 'a `tool` block must contain a JSON object or be empty';
    }
    case 'ask': {
      const ask = parseAsk(block.content);
      return ask.ok ? { kind: 'ask', line, question: ask.question } : { line: line + ask.line, message: ask.message };
    }
  }
}

function parseInput(content: string): Readonly<Record<string, unknown>> | undefined {
  if (content.trim() === '') return {};
  try {
    return Input.safeParse(JSON.parse(content)).data;
  } catch {
    return undefined; // no JSON
  }
}
const Input = z.record(z.string(), z.unknown());

/** Every name is asked once, and before it is used; a name in a shell stands where it can be quoted. */
function problemsOfNames(steps: readonly Step[]): Problem[] {
  const problems: Problem[] = [];
  const allNames = new Set(steps.flatMap((it) => (it.kind === 'ask' ? [it.question.id] : [])));
  const asked = new Set<string>();
  for (const step of steps) {
    if (step.kind === 'ask') {
      const { id } = step.question;
      if (asked.has(id))
        problems.push({
          line: step.line,
          message: `\`${id}\` is used by more than one question; give this question a different name`,
        });
      asked.add(id);
    } else {
      const message = problemOfPlaceholders(step, asked, allNames);
      if (message) problems.push({ line: step.line, message });
    }
  }
  return problems;
}

interface FrontMatter {
  readonly title?: string;
  readonly description?: string;
  readonly paceMs: number;
  readonly bodyLine: number;
}

function readFrontMatter(source: string, problems: Problem[]): FrontMatter {
  const lines = source.split('\n').map((it) => it.replace(/\r$/, ''));
  if (lines[0] !== '---') return { paceMs: 0, bodyLine: 1 };
  const end = lines.indexOf('---', 1);
  if (end === -1) {
    problems.push({ line: 1, message: 'the front matter is not closed; add --- on a line of its own' });
    return { paceMs: 0, bodyLine: lines.length + 1 };
  }
  const values = new Map<string, string>();
  for (const [index, line] of lines.slice(1, end).entries()) {
    const found = /^(title|description|pace):\s*(.*?)\s*$/.exec(line);
    if (found) values.set(found[1]!, found[2]!.replace(/^(["'])(.*)\1$/, '$2'));
    else if (line.trim() !== '') {
      problems.push({
        line: index + 2,
        message: 'front matter can contain only `title: …`, `description: …`, and `pace: …`; remove this line',
      });
    }
  }
  const paceMs = Number(values.get('pace') ?? 0);
  if (!Number.isInteger(paceMs) || paceMs < 0 || paceMs > maxPaceMs) {
    problems.push({
      line: 1,
      message: `\`pace\`, the delay between words in milliseconds, must be a whole number from 0 to ${maxPaceMs}`,
    });
  }
  const title = values.get('title');
  const description = values.get('description');
  return {
    ...(title && { title }),
    ...(description && { description }),
    paceMs,
    bodyLine: end + 2,
  };
}
