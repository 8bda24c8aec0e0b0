/** Where an answer goes. */
export const placeholder = /\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g;

/** How the shell reads the character at hand. `nested`: in a way that we do not follow, up to the end of the command. */
type Reading = 'plain' | 'single' | 'double' | 'backtick' | 'comment' | 'arithmetic' | 'nested';

const endOf = { single: "'", double: '"', backtick: '`', comment: '\n' } as const;
const intoVariable = 'assign the answer to a variable first, on an earlier line: NAME={{name}}';
/** An expansion in double quotes whose own text holds nothing that could be read as a quote. */
const simpleExpansion = /^\$(?:\(\([^"'`\\#(){}]*\)\)|\((?![^)]*\bcase\b)[^"'`\\#(){}]*\)|\{[^"'`\\(){}$]*\})/;

/**
 * What is wrong with the places of answers in a command, in a sentence. An answer is quoted as a whole word, which holds
 * only where the shell reads plain words: elsewhere it could become a command.
 */
export function problemInShell(command: string): string | undefined {
  const places = new Map([...command.matchAll(placeholder)].map((it) => [it.index, it[0]]));
  if (places.size === 0) return undefined;
  if (/<<|\$['[]/.test(command)) return `a command with {{…}} must not contain <<, $', or $[; ${intoVariable}`;
  let reading: Reading = 'plain';
  let depth = 0;
  for (let at = 0; at < command.length; at++) {
    const name = places.get(at);
    const char = command[at]!;
    if (name !== undefined) {
      if (reading !== 'plain') return problems[reading](name);
      at += name.length - 1;
    } else if (char === '\\' && reading !== 'single' && reading !== 'comment') {
      const next = places.get(at + 1);
      if (next !== undefined) return `remove the backslash before ${next}; it would break the answer's quoting`;
      at++;
    } else if (reading === 'plain') {
      if (command.startsWith('((', at)) {
        reading = 'arithmetic';
        depth = 1; // the second one is read next
      } else reading = opened(command, at);
    } else if (reading === 'arithmetic') {
      if (char === '(') depth += 1;
      if (char === ')') depth -= 1;
      if (depth === 0) reading = 'plain';
    } else if (reading === 'double' && /^(?:`|\$[({])/.test(command.slice(at, at + 2))) {
      const simple = simpleExpansion.exec(command.slice(at))?.[0];
      if (simple === undefined) reading = 'nested';
      else at += simple.length - 1;
    } else if (reading !== 'nested' && endOf[reading] === char) reading = 'plain';
  }
  return undefined;
}

function opened(command: string, at: number): Reading {
  const char = command[at]!;
  if (char === "'") return 'single';
  if (char === '"') return 'double';
  if (char === '`') return 'backtick';
  return char === '#' && (at === 0 || /[\s;&|()]/.test(command[at - 1]!)) ? 'comment' : 'plain';
}

const inQuotes = (name: string) => `move ${name} out of the quotes; answers are already quoted for the shell`;
const problems: Readonly<Record<Exclude<Reading, 'plain'>, (name: string) => string>> = {
  single: inQuotes,
  double: inQuotes,
  backtick: inQuotes,
  comment: (name) => `remove ${name} from the comment`,
  arithmetic: (name) => `remove ${name} from the arithmetic expression; ${intoVariable}`,
  nested: (name) => `${name} is in or after a command substitution inside double quotes; ${intoVariable}`,
};
