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
  readonly root: Node | undefined;

  constructor(text: string) {
    const errors: ParseError[] = [];
    const isReadable = text.length <= MAX_CHARACTERS && !nestsDeeply(text);
    this.root = isReadable ? parseTree(text, errors, { allowTrailingComma: true }) : undefined;
    const syntax = errors.map(({ error, offset, length }) => ({
      path: '',
      message: syntaxMessage(printParseErrorCode(error)),
      kind: 'syntax' as const,
      offset,
      length,
    }));
    if (!isReadable) {
      const message = 'the configuration is too large or nested too deeply';
      this.problems = [{ path: '', message, kind: 'syntax', offset: 0, length: 0 }];
    } else this.problems = [...syntax, ...this.#twice(this.root)];
  }

  /** Plain data; objects have no prototype. */
  get value(): unknown {
    return this.root && (getNodeValue(this.root) as unknown);
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

/** The parser calls itself for every level, so depth is looked at before it. */
function nestsDeeply(text: string): boolean {
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\\n]|\\.)*"|\/\/.*|\/\*[\s\S]*?\*\/|[[\]{}]/g)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}
