import { Random } from '../../fuzz/random.ts';
import { modelMembers, modelTwins } from './modelBodies.ts';

/** How a member is there a second time, or under a name that is not quite its own. */
export const twinKinds = ['repeat', 'escape', 'case', 'longS', 'kelvin', 'nul', 'underscore'] as const;
export type TwinKind = (typeof twinKinds)[number];

export const agentStyles = ['a2a 0.3', 'a2a 1.0', 'a2a 0.3 over HTTP+JSON', 'a2a 1.0 over HTTP+JSON'] as const;
export const modelStyles = ['model chat', 'model responses', 'model messages', 'model gemini'] as const;
export type ModelStyle = (typeof modelStyles)[number];
export type Style = 'mcp' | 'rest' | (typeof agentStyles)[number] | ModelStyle;
export const isOverHttpJson = (style: Style): boolean => style.endsWith('HTTP+JSON');
export interface Generated {
  readonly text: string;
  readonly twin: TwinKind | undefined;
}

export type Member = [name: string, text: string];

/** Tools that the caller may use, and one that it may not. */
export const allowedTools = ['read_issue', 'list'] as const;
export const argumentNames = ['repo', 'body', 'count', 'key', 'user_id', 'states'] as const;

/** Calls as clients write them, and as somebody would who wants two readers to disagree. The same seed makes the same calls. */
export class Calls {
  readonly #random: Random;
  readonly #style: Style;
  readonly #prefix: string;
  #count = 0;

  /** @param prefix of tool names */
  constructor(seed: number, style: Style, prefix = '') {
    this.#random = new Random(seed);
    this.#style = style;
    this.#prefix = prefix;
  }

  next(): Generated {
    this.#count += 1;
    const twin = this.#random.chance(0.55) ? this.#random.pick(twinKinds) : undefined;
    return { text: this.#call(twin), twin };
  }

  #call(twin: TwinKind | undefined): string {
    const style = this.#style;
    if (modelStyles.some((it) => it === style)) return this.#modelCall(style as ModelStyle, twin);
    return style.startsWith('a2a') ? this.#agentCall(twin) : this.#toolCall(twin);
  }

  #modelCall(style: ModelStyle, twin: TwinKind | undefined): string {
    const random = this.#random;
    const { outer, inner, innerName } = modelMembers(style, random);
    const isInner = twin !== undefined && random.chance(0.3);
    const [name, value] = modelTwins(style, isInner ? 'inner' : 'outer', twin, random);
    if (twin && isInner) this.#addTwin(inner, twin, name, value);
    if (inner.length > 0) outer.push([innerName, this.#object(inner)]);
    if (random.chance(0.2)) outer.push(['metadata', '{"Model":"other","stream":1,"max_tokens":9}']);
    if (twin && !isInner) this.#addTwin(outer, twin, name, value);
    return this.#object(outer);
  }

  #toolCall(twin: TwinKind | undefined): string {
    const random = this.#random;
    const tool = random.chance(0.1) ? 'delete_repo' : random.pick(allowedTools);
    const other = `"${this.#prefix}${random.pick(['delete_repo', ...allowedTools])}"`;
    const args: Member[] = argumentNames.filter(() => random.chance(0.6)).map((it) => [it, this.#value(2)]);
    args.push(['states', '[1]']);
    const isRest = this.#style === 'rest';
    const params: Member[] = [['name', `"${this.#prefix}${tool}"`]];
    const outer: Member[] = isRest
      ? []
      : [
          ['jsonrpc', '"2.0"'],
          ['id', String(this.#count)],
          ['method', '"tools/call"'],
        ];
    const where = random.pick(
      isRest ? (['params', 'arguments'] as const) : (['outer', 'params', 'arguments'] as const),
    );
    if (twin && where === 'arguments') this.#addTwin(args, twin, twin === 'kelvin' ? 'key' : 'states', this.#value(1));
    const argumentsText = this.#object(unique(args, twin));
    params.push(['arguments', argumentsText]);
    if (random.chance(0.2)) params.push(['_meta', '{"Name":1,"x":{"name":2}}']);
    if (twin && where === 'params') {
      const known = random.pick(['name', 'arguments'] as const);
      const name = { kelvin: isRest ? 'key' : 'task', underscore: 'name', longS: 'arguments' }[twin as string] ?? known;
      this.#addTwin(params, twin, name, name === 'name' ? other : '{"repo":"other"}');
    }
    if (isRest) return this.#object(params);
    outer.push(['params', this.#object(params)]);
    if (random.chance(0.2)) outer.push(['trace', '{"Method":1}']);
    if (twin && where === 'outer') {
      const name = twin === 'longS' ? 'params' : random.pick(['method', 'params'] as const);
      const value = name === 'method' ? '"foo/bar"' : `{"name":${other},"arguments":{}}`;
      if (twin === 'kelvin') this.#addTwin(outer, 'case', name, value);
      else this.#addTwin(outer, twin, name, value);
    }
    return this.#object(outer);
  }

  #agentCall(twin: TwinKind | undefined): string {
    const random = this.#random;
    const isRest = isOverHttpJson(this.#style);
    const isNew = isRest || this.#style === 'a2a 1.0';
    const parts = this.#style === 'a2a 0.3 over HTTP+JSON' ? 'content' : 'parts';
    const message: Member[] = [
      ['messageId', `"m${this.#count}"`],
      ['role', isNew ? '"ROLE_USER"' : '"user"'],
      [parts, `[{"text":${this.#string()}}]`],
    ];
    if (!isNew) message.push(['kind', '"message"']);
    if (random.chance(0.5)) message.push(['taskId', this.#string()]);
    if (random.chance(0.5)) message.push(['contextId', `"c${random.below(3)}"`]);
    if (isNew && random.chance(0.3))
      for (const it of message) it[0] = it[0].replace(/[A-Z]/, (c) => `_${c.toLowerCase()}`);
    const where = random.pick(isRest ? (['params', 'message'] as const) : (['outer', 'params', 'message'] as const));
    if (twin && (where === 'message' || twin === 'kelvin')) {
      const long = parts === 'parts' ? 'parts' : 'messageId';
      const name = { longS: long, kelvin: 'taskId', underscore: 'messageId' }[twin as string] ?? 'messageId';
      this.#addTwin(message, twin, name, name === 'parts' ? '[]' : '"other"');
    }
    const params: Member[] = [['message', this.#object(message)]];
    const otherMessage = '{"messageId":"other","role":"user","parts":[]}';
    if (twin && twin !== 'kelvin' && where === 'params') this.#addTwin(params, twin, 'message', otherMessage);
    if (isRest) return this.#object(params);
    const method = isNew ? '"SendMessage"' : '"message/send"';
    const outer: Member[] = [
      ['jsonrpc', '"2.0"'],
      ['id', String(this.#count)],
      ['method', method],
    ];
    outer.push(['params', this.#object(params)]);
    if (twin && twin !== 'kelvin' && where === 'outer') {
      const name = twin === 'longS' ? 'params' : random.pick(['method', 'params'] as const);
      this.#addTwin(outer, twin, name, name === 'method' ? '"tasks/cancel"' : `{"message":${otherMessage}}`);
    }
    return this.#object(outer);
  }

  /** Before or after the real one, or, once in a while, alone. */
  #addTwin(members: Member[], kind: TwinKind, name: string, value: string): void {
    const random = this.#random;
    const at = random.below(members.length + 1);
    members.splice(at, 0, [spelled(kind, name, random), value]);
    if (!members.some(([it]) => it === name)) members.push([name, value]);
    if (kind === 'repeat' || kind === 'escape' || random.chance(0.85)) return;
    members.splice(
      members.findIndex(([it]) => it === name),
      1,
    );
  }

  #object(members: readonly Member[]): string {
    const space = () => (this.#random.chance(0.1) ? this.#random.pick([' ', '\n', '\t ']) : '');
    const shuffled = this.#random.chance(0.3) ? members.toReversed() : members;
    const parts = shuffled.map(([name, text]) => `${space()}${nameText(name)}${space()}:${space()}${text}`);
    return `{${parts.join(',')}${space()}}`;
  }

  #value(depth: number): string {
    const random = this.#random;
    const kind = random.below(depth > 0 ? 6 : 4);
    if (kind === 0) return this.#string();
    if (kind === 1) return random.pick(['1', '1.0', '-0', '1e2', '0.50', '9007199254740993', '12345678901234567890']);
    if (kind === 2) return random.pick(['true', 'false', 'null']);
    if (kind === 3) return String(random.below(1_000));
    if (kind === 4) return `[${this.#value(depth - 1)},${this.#value(depth - 1)}]`;
    return this.#object([
      ['Name', this.#value(depth - 1)],
      ['name', this.#value(depth - 1)],
      ['__proto__', '1'],
    ]);
  }

  #string(): string {
    return this.#random.pick([
      '"a"',
      '"\\u0061"',
      '"\\ud800"',
      '"{\\"name\\":1}"',
      '"\\\\"',
      '"é\u2028"',
      `"${this.#random.id()}"`,
    ]);
  }
}

/** A raw name begins with `\0raw:` and is text of JSON already. */
const raw = '\0raw:';
const nameText = (name: string) => (name.startsWith(raw) ? `"${name.slice(raw.length)}"` : JSON.stringify(name));

function spelled(kind: TwinKind, name: string, random: Random): string {
  switch (kind) {
    case 'repeat':
      return name;
    case 'escape':
      return `${raw}\\u${name.charCodeAt(0).toString(16).padStart(4, '0')}${name.slice(1)}`;
    case 'case':
      return random.chance(0.5) ? name.toUpperCase() : `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    case 'longS':
      return name.replace('s', '\u017f');
    case 'kelvin':
      return name.replace('k', '\u212a');
    case 'nul':
      return random.chance(0.5) ? `${name}\0` : `${name}\0x`;
    case 'underscore':
      return /[A-Z]/.test(name) ? name.replace(/[A-Z]/, (it) => `_${it.toLowerCase()}`) : `${name}_`;
  }
}

/** Arguments of an honest call have each name once. */
function unique(members: readonly Member[], twin: TwinKind | undefined): readonly Member[] {
  if (twin) return members;
  return members.filter(([name], at) => members.findLastIndex(([it]) => it === name) === at);
}
