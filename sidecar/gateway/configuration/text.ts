import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { syntaxMessage } from '../../platform/json.ts';
import type { ConfigProblem, Finding } from './problem.ts';

/** Nobody writes as much by hand; what is larger is another file. */
const MAX_CHARACTERS = 5_000_000;
const MAX_DEPTH = 64;

/** The file as a tree with places. Comments and a comma after the last member are allowed. */
export class ConfigText {
  readonly problems: readonly ConfigProblem[];
  readonly #text: string;
  /** Set if the text is JSON without mistakes. Its tree is then created only when a place is asked for. */
  readonly #plain: { readonly value: unknown } | undefined;
  #tree: { readonly root: Node | undefined; readonly errors: readonly ParseError[] } | undefined;

  constructor(text: string) {
    this.#text = text;
    this.#plain = text.length <= MAX_CHARACTERS ? plainJson(text) : undefined;
    if (this.#plain) {
      this.problems = [];
      return;
    }
    if (text.length > MAX_CHARACTERS || depthOf(text) > MAX_DEPTH) {
      const message = 'the configuration is too large or nested too deeply';
      this.#tree = { root: undefined, errors: [] };
      this.problems = [{ path: '', message, kind: 'syntax', offset: 0, length: 0 }];
      return;
    }
    this.problems = [...this.#parsed().errors.map(syntaxProblem), ...this.#twice(this.root)];
  }

  get root(): Node | undefined {
    return this.#parsed().root;
  }

  /** Plain data; objects have no prototype. */
  get value(): unknown {
    if (this.#plain) return this.#plain.value;
    return this.root && (getNodeValue(this.root) as unknown);
  }

  #parsed() {
    if (this.#tree) return this.#tree;
    const errors: ParseError[] = [];
    const root = parseTree(this.#text, errors, { allowTrailingComma: true });
    this.#tree = { root, errors };
    return this.#tree;
  }

  /** Where the thing is, or the nearest around it that is there. */
  place({ path, message, kind, atName }: Finding): ConfigProblem {
    for (let n = path.length; n > 0; n -= 1) {
      const node = this.root && findNodeAtLocation(this.root, path.slice(0, n));
      if (!node) continue;
      const isMember = node.parent?.type === 'property';
      const marked = isMember && (atName || n < path.length) ? (node.parent?.children?.[0] ?? node) : node;
      return { path: path.join('.'), message, kind, offset: marked.offset, length: marked.length };
    }
    return { path: path.join('.'), message, kind, offset: this.root?.offset ?? 0, length: 1 };
  }

  /** Of two members with one name the reader would take the last, unnoticed. */
  #twice(node: Node | undefined, path: readonly (string | number)[] = []): ConfigProblem[] {
    const children = node?.children ?? [];
    if (node?.type === 'array') return children.flatMap((it, at) => this.#twice(it, [...path, at]));
    if (node?.type !== 'object') return [];
    const seen = new Set<string>();
    return children.flatMap((property) => {
      const [name, value] = property.children ?? [];
      if (!name) return [];
      const key = String(name.value);
      const here = [...path, key];
      const { offset, length } = name;
      const again: ConfigProblem[] = seen.has(key)
        ? [{ path: here.join('.'), message: `'${key}' appears more than once`, kind: 'rule', offset, length }]
        : [];
      seen.add(key);
      return [...again, ...this.#twice(value, here)];
    });
  }
}

function syntaxProblem({ error, offset, length }: ParseError): ConfigProblem {
  return { path: '', message: syntaxMessage(printParseErrorCode(error)), kind: 'syntax', offset, length };
}

/**
 * Matches what the parser reads: a string that is not closed ends with its line, and such a comment with the file. Because both match,
 * the time grows with the length of the text and not with its square.
 */
const TOKEN = /"(?:\\[\s\S]|[^"\\\n\r])*"?|\/\/[^\n\r]*|\/\*[\s\S]*?(?:\*\/|$)|[[\]{}]/g;

/** The parser calls itself for every level, so the greatest depth is found first. */
function depthOf(text: string): number {
  const open: string[] = [];
  let deepest = 0;
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') deepest = Math.max(deepest, open.push(token === '{' ? '}' : ']'));
    // The parser skips a bracket that closes something else.
    else if (token === open.at(-1)) open.pop();
  }
  return deepest;
}

/** Of JSON: each string, with the colon that follows the name of a member. */
const STRING = /"(?:\\.|[^"\\])*"(?:\s*:)?/g;

/**
 * Reads text without comments, ten times as fast as the parser that creates a tree. The gateway's start waits for this.
 * @returns `undefined` for other text, for text that is nested too deeply, and if two members have the same name
 */
function plainJson(text: string): { readonly value: unknown } | undefined {
  let members = 0;
  function bare(value: unknown, depth: number): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (depth > MAX_DEPTH) throw new RangeError('nested too deeply');
    if (Array.isArray(value)) return value.map((it) => bare(it, depth + 1));
    const copy = Object.create(null) as Record<string, unknown>;
    for (const [name, it] of Object.entries(value)) {
      members += 1;
      copy[name] = bare(it, depth + 1);
    }
    return copy;
  }
  try {
    const value = bare(JSON.parse(text), 1);
    // The names in the text are more if a later member took the place of an earlier one.
    const names = text.match(STRING)?.filter((it) => it.endsWith(':')).length ?? 0;
    return members === names ? { value } : undefined;
  } catch {
    return undefined;
  }
}
