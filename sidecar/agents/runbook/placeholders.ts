import type { QuestionAnswers } from '../provider.ts';
import type { Step } from './parse.ts';

export type Answers = QuestionAnswers['values'];

const placeholder = /\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g;

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
    if (all.has(name)) return `{{${name}}} is used before it is asked; move its \`ask\` block up`;
    if (step.kind === 'shell')
      return `{{${name}}} is not the name of a question; add an \`ask\` block with \`name: ${name}\` before it`;
  }
  return step.kind === 'shell' ? problemInShell(step.command) : undefined;
}

/**
 * An answer is quoted as a whole word, which holds only where the shell reads plain words. Inside quotes, comments,
 * backticks and here-documents it would not, and an answer could become a command.
 */
function problemInShell(command: string): string | undefined {
  const places = [...command.matchAll(placeholder)].map((it) => it.index);
  if (places.length === 0) return undefined;
  if (/<<|\$'/.test(command))
    return "a command with {{…}} must not have << or $'; put the answer into a variable first: NAME={{name}}";
  let state: 'plain' | 'single' | 'double' | 'backtick' | 'comment' = 'plain';
  for (let at = 0; at < command.length; at++) {
    if (places.includes(at) && state !== 'plain') {
      const name = command.slice(at, command.indexOf('}}', at) + 2);
      return state === 'comment'
        ? `take ${name} out of the comment`
        : `take ${name} out of the quotes: answers are quoted for the shell already`;
    }
    const char = command[at]!;
    if (char === '\\' && state !== 'single' && state !== 'comment') at++;
    else if (state === 'plain') {
      if (char === "'") state = 'single';
      else if (char === '"') state = 'double';
      else if (char === '`') state = 'backtick';
      else if (char === '#' && (at === 0 || /[\s;&|()]/.test(command[at - 1]!))) state = 'comment';
    } else if (endOf[state] === char) state = 'plain';
  }
  return undefined;
}

const endOf = { single: "'", double: '"', backtick: '`', comment: '\n' } as const;

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
