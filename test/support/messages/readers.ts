import type { ModelStyle } from './twins.ts';

/** One JSON value with everything that is in the text: members in their order, repeats included, numbers as they are spelled. */
export type Node =
  | { readonly members: readonly (readonly [name: string, value: Node])[] }
  | { readonly items: readonly Node[] }
  | { readonly scalar: string };

/** A reader of our own, so that no JSON library decides what a test believes. @throws where the text is no JSON */
export function readNode(text: string): Node {
  let at = 0;
  const space = () => {
    while (' \t\r\n'.includes(text[at] ?? '!')) at += 1;
  };
  const fail = (): never => {
    throw new Error(`no JSON at ${at}`);
  };
  const string = (): string => {
    const from = at;
    for (at += 1; text[at] !== '"'; at += 1) {
      if (at >= text.length) fail();
      if (text[at] === '\\') at += 1;
    }
    at += 1;
    return JSON.parse(text.slice(from, at)) as string;
  };
  const list = <T>(end: string, item: () => T): T[] => {
    const found: T[] = [];
    at += 1;
    space();
    if (text[at] === end) {
      at += 1;
      return found;
    }
    for (;;) {
      found.push(item());
      space();
      const mark = text[at];
      at += 1;
      if (mark === end) return found;
      if (mark !== ',') fail();
    }
  };
  const value = (): Node => {
    space();
    if (text[at] === '{')
      return {
        members: list('}', () => {
          space();
          const name = string();
          space();
          if (text[at] !== ':') fail();
          at += 1;
          return [name, value()] as const;
        }),
      };
    if (text[at] === '[') return { items: list(']', value) };
    if (text[at] === '"') return { scalar: JSON.stringify(string()) };
    const word = /^(?:-?\d[\d.eE+-]*|true|false|null)/.exec(text.slice(at, at + 400))?.[0] ?? fail();
    at += word.length;
    return { scalar: /^[tfn]/.test(word) ? word : String(Number(word)) };
  };
  const read = value();
  space();
  if (at < text.length) fail();
  return read;
}

/** What a reader understands of a call. */
export interface ReadCall {
  readonly method: string;
  /** The tool, or the id of the message to an agent. */
  readonly name: string;
  /** Arguments, or the message, in one spelling. */
  readonly content: string;
}

/** Which of several members of an object a reader takes for the one it wants. */
type Take = (members: readonly (readonly [name: string, value: Node])[], name: string) => Node | undefined;

/** As some readers compare names: Go's encoding/json without regard to case, others without `_`, C ends names at a NUL. */
const loose = (name: string) =>
  (name.split('\0')[0] ?? '').replaceAll('\u017f', 's').replaceAll('\u212a', 'k').replaceAll('_', '').toLowerCase();

const takes: Readonly<Record<'last' | 'first' | 'folding', Take>> = {
  last: (members, name) => members.findLast(([it]) => it === name)?.[1],
  first: (members, name) => members.find(([it]) => it === name)?.[1],
  folding: (members, name) => members.findLast(([it]) => loose(it) === loose(name))?.[1],
};

const messageNames = ['messageId', 'contextId', 'taskId', 'role', 'parts', 'content', 'kind'] as const;

function callOf(node: Node, take: Take): ReadCall {
  const of = (it: Node | undefined, name: string) => (it && 'members' in it ? take(it.members, name) : undefined);
  const params = of(node, 'params');
  const method = write(of(node, 'method'), take);
  const message = of(params, 'message');
  if (message) {
    const content = messageNames.map((it) => write(of(message, it), take)).join();
    return { method, name: write(of(message, 'messageId'), take), content };
  }
  return { method, name: write(of(params, 'name'), take), content: write(of(params, 'arguments'), take) };
}

/** Sorted, each name once: what the reader takes of it. Arguments are a map, whose names are compared as they are. */
function write(node: Node | undefined, take: Take): string {
  if (!node) return 'nothing';
  if ('scalar' in node) return node.scalar;
  if ('items' in node) return `[${node.items.map((it) => write(it, take)).join()}]`;
  const inner = take === takes.first ? takes.first : takes.last;
  const names = [...new Set(node.members.map(([name]) => name))].toSorted();
  return `{${names.map((it) => `${JSON.stringify(it)}:${write(inner(node.members, it), take)}`).join()}}`;
}

/** A text as each of the three readers understands it. */
export function readThrice(text: string): Readonly<Record<keyof typeof takes, ReadCall>> {
  const node = readNode(text);
  return { last: callOf(node, takes.last), first: callOf(node, takes.first), folding: callOf(node, takes.folding) };
}

export const readLast = (text: string): ReadCall => readThrice(text).last;

/** The body of a model call, as each of the three readers understands it. */
export function readModelThrice(text: string, style: ModelStyle): ReturnType<typeof readThrice> {
  const node = readNode(text);
  const of = (take: Take) => modelCallOf(node, take, style);
  return { last: of(takes.last), first: of(takes.first), folding: of(takes.folding) };
}

function modelCallOf(node: Node, take: Take, style: ModelStyle): ReadCall {
  const of = (it: Node | undefined, name: string) => {
    const found = it && 'members' in it ? take(it.members, name) : undefined;
    return found && 'scalar' in found && found.scalar === 'null' ? undefined : found;
  };
  const read = (it: Node | undefined) => (it ? write(it, take) : undefined);
  if (style === 'model gemini') {
    const config = of(node, 'generationConfig') ?? of(node, 'generation_config');
    const most = read(of(config, 'maxOutputTokens')) ?? read(of(config, 'max_output_tokens'));
    const choices = read(of(config, 'candidateCount')) ?? read(of(config, 'candidate_count'));
    return modelCall({ name: read(of(node, 'model')), isStream: false, most, choices, hasUsage: false });
  }
  const isStream = read(of(node, 'stream')) === 'true';
  const isChat = style === 'model chat';
  const limits = {
    'model chat': ['max_completion_tokens', 'max_tokens'],
    'model responses': ['max_output_tokens'],
    'model messages': ['max_tokens'],
  };
  return modelCall({
    name: read(of(node, 'model')),
    isStream,
    most: limits[style].map((it) => read(of(node, it))).find((it) => it !== undefined),
    choices: isChat ? read(of(node, 'n')) : undefined,
    hasUsage: isChat && isStream && read(of(of(node, 'stream_options'), 'include_usage')) === 'true',
  });
}

/** The parts of a model call that decide whether it is allowed, in one spelling. */
export const modelCall = (it: {
  readonly name: string | undefined;
  readonly isStream: boolean;
  readonly most: string | undefined;
  readonly choices: string | undefined;
  readonly hasUsage: boolean;
}): ReadCall => ({
  method: String(it.isStream),
  name: it.name ?? 'nothing',
  content: `${it.most ?? 'nothing'} ${it.choices ?? '1'} ${it.hasUsage}`,
});
