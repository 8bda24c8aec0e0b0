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
    const size = text.length <= MAX_CHARACTERS ? sizeOf(text) : undefined;
    if (!size || size.depth > MAX_DEPTH) {
      const message = 'the configuration is too large or nested too deeply';
      this.#tree = { root: undefined, errors: [] };
      this.problems = [{ path: '', message, kind: 'syntax', offset: 0, length: 0 }];
      return;
    }
    this.#plain = plainJson(text, size.names);
    if (this.#plain) this.problems = [];
    else this.problems = [...this.#parsed().errors.map(syntaxProblem), ...this.#twice(this.root)];
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
const TOKEN = /"(?:\\[\s\S]|[^"\\\n\r])*"?(\s*:)?|\/\/[^\n\r]*|\/\*[\s\S]*?(?:\*\/|$)|[[\]{}]/g;

/** The parser calls itself for every level, so the depth is checked first. @returns the greatest depth, and the number of member names */
function sizeOf(text: string): { readonly depth: number; readonly names: number } {
  const open: string[] = [];
  let deepest = 0;
  let names = 0;
  for (const [token, colon] of text.matchAll(TOKEN)) {
    if (colon !== undefined) names += 1;
    else if (token === '{' || token === '[') deepest = Math.max(deepest, open.push(token === '{' ? '}' : ']'));
    // The parser skips a bracket that closes something else.
    else if (token === open.at(-1)) open.pop();
  }
  return { depth: deepest, names };
}

/**
 * Reads text without comments, ten times as fast as the parser that creates a tree. The gateway's start waits for this.
 * @param names the number of members in the text @returns `undefined` for other text, and if two members have the same name
 */
function plainJson(text: string, names: number): { readonly value: unknown } | undefined {
  let count = 0;
  function bare(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(bare);
    if (typeof value !== 'object' || value === null) return value;
    const copy = Object.create(null) as Record<string, unknown>;
    for (const [name, it] of Object.entries(value)) {
      count += 1;
      copy[name] = bare(it);
    }
    return copy;
  }
  try {
    const value = bare(JSON.parse(text));
    return count === names ? { value } : undefined;
  } catch {
    return undefined;
  }
}
