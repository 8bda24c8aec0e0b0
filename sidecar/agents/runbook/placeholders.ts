import type { QuestionAnswers } from '../provider.ts';
import type { Step } from './parse.ts';
import { placeholder, problemInShell } from './shellPlaceholders.ts';

export type Answers = QuestionAnswers['values'];

/** Puts answers into text; several values are joined with commas, a question that was skipped leaves nothing. */
export function fillText(text: string, answers: Answers, names: ReadonlySet<string>): string {
  return text.replace(placeholder, (whole, name: string) =>
    names.has(name) ? valuesOf(answers, name).join(', ') : whole,
  );
}

/** Puts answers into a command, each as a quoted word of its own; a question that was skipped is the empty word. */
export function fillCommand(command: string, answers: Answers): string {
  return command.replace(placeholder, (_, name: string) => {
    const values = valuesOf(answers, name);
    return values.length === 0 ? "''" : values.map(shellWord).join(' ');
  });
}

/** One word of a POSIX shell that stands for exactly this text. */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9_./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * What is wrong with the names used in a step, in a sentence; `undefined` when nothing is.
 *
 * @param asked names of the questions before this step
 * @param all names of all questions
 */
export function problemOfPlaceholders(
  step: Exclude<Step, { kind: 'ask' }>,
  asked: ReadonlySet<string>,
  all: ReadonlySet<string>,
): string | undefined {
  const text = textOf(step);
  for (const found of text.matchAll(placeholder)) {
    const name = found[1]!;
    if (asked.has(name)) continue;
    if (all.has(name)) return `{{${name}}} is used before its question; move its \`ask\` block up`;
    if (step.kind === 'shell')
      return `{{${name}}} is not the name of a question; add an \`ask\` block with \`name: ${name}\` before it`;
  }
  return step.kind === 'shell' ? problemInShell(step.command) : undefined;
}

function textOf(step: Exclude<Step, { kind: 'ask' }>): string {
  switch (step.kind) {
    case 'prose':
      return step.text;
    case 'shell':
      return step.command;
    case 'diff':
      return step.patch;
    case 'write':
      return `${step.path}\n${step.content}`;
    case 'tool':
      return JSON.stringify(step.input);
  }
}

function valuesOf(answers: Answers, name: string): readonly string[] {
  const value = Object.hasOwn(answers, name) ? answers[name] : undefined;
  if (value === undefined) return [];
  return typeof value === 'object' ? value : [String(value)];
}
