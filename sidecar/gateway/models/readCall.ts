import { isUtf8 } from 'node:buffer';
import * as z from 'zod';
import { Fault } from '../../platform/faults.ts';
import type { ModelDialect } from '../../protocol/gateway/modelProviders/definition.ts';
import { ambiguityWords, readStrict } from '../wire/strictJson.ts';
import { type Member, readTopLevel, type TopLevel, twinIn, type Watched, watchedOf } from '../wire/topLevel.ts';

/** One operation on a model: what its row of the table of routes says of it. */
export interface ModelOperation {
  readonly dialect: ModelDialect;
  /** Behind the provider's path of the dialect. */
  readonly suffix: string;
  /** Of the API, where the path names one. */
  readonly version?: 'v1' | 'v1beta';
  /** Counts tokens and makes none. */
  readonly isCount?: boolean;
  /** Every answer is a stream, whatever the body says. */
  readonly isStream?: boolean;
  /** For the log. */
  readonly callType: string;
}

/** A call as its caller wrote it, and what the gateway read of it. */
export interface ModelCall {
  readonly operation: ModelOperation;
  /** The name that the caller used. */
  readonly alias: string;
  readonly isStream: boolean;
  /** The gateway asks for usage where the caller did not: the answer to that is taken out again. */
  readonly addsUsage: boolean;
  /** The most that the answer may hold, of all its choices; absent where the caller does not say. */
  readonly maxOutput: number | undefined;
  readonly choices: number;
  readonly inputBytes: number;
  /** More input than stands in the body may count: an earlier answer, a stored prompt, a cache. */
  readonly refersToInput: boolean;
  /** The body for a backend that calls the model by `name`. */
  bodyFor(name: string): Buffer;
}

/** What a reader may take for a member that the gateway decides on. */
const common = [watchedOf('model'), watchedOf('stream'), watchedOf('tools')];
const watched: Readonly<Record<ModelDialect, readonly Watched[]>> = {
  chat: [
    ...common,
    watchedOf('stream_options'),
    watchedOf('max_tokens'),
    watchedOf('max_completion_tokens'),
    watchedOf('n'),
  ],
  responses: [
    ...common,
    watchedOf('stream_options'),
    watchedOf('max_output_tokens'),
    watchedOf('previous_response_id'),
    watchedOf('conversation'),
    watchedOf('prompt'),
  ],
  messages: [...common, watchedOf('max_tokens')],
  gemini: [
    ...common,
    watchedOf('generationConfig', 'generation_config'),
    watchedOf('cachedContent', 'cached_content'),
    watchedOf('generateContentRequest', 'generate_content_request'),
  ],
};

const Tokens = z.int().min(0).nullish();
const Flag = z.boolean().nullish();
const StreamOptions = z.looseObject({ include_usage: Flag }).nullish();
const generation = [
  watchedOf('maxOutputTokens', 'max_output_tokens'),
  watchedOf('candidateCount', 'candidate_count'),
] as const;

/**
 * Reads a call. Only what the gateway decides on is read; the rest is looked at for its structure alone, and goes on as it is.
 *
 * @param alias that the path names; absent where the body does
 * @throws {Fault} `invalid_params`
 */
export function readModelCall(operation: ModelOperation, bytes: Buffer, alias: string | undefined): ModelCall {
  if (!isUtf8(bytes)) throw bad('body', 'is not valid UTF-8');
  const top = readTopLevel(bytes);
  if ('refused' in top) throw badBody(top.refused);
  const twin = twinIn(top, watched[operation.dialect]);
  if (twin !== undefined) throw badBody(twin);
  const body = new Body(bytes, top);
  return operation.dialect === 'gemini' ? geminiCall(operation, body, alias ?? '') : plainCall(operation, body);
}

function plainCall(operation: ModelOperation, body: Body): ModelCall {
  const { dialect } = operation;
  const alias = body.read('model', z.string().min(1));
  const isStream = body.read('stream', Flag) === true;
  const isChat = dialect === 'chat';
  const options = isChat && isStream ? body.read('stream_options', StreamOptions) : undefined;
  const addsUsage = isChat && isStream && options?.include_usage !== true;
  const maxOutput = isChat
    ? (body.read('max_completion_tokens', Tokens) ?? body.read('max_tokens', Tokens))
    : body.read(dialect === 'messages' ? 'max_tokens' : 'max_output_tokens', Tokens);
  const choices = (isChat ? body.read('n', Tokens) : undefined) ?? 1;
  const isGiven = (name: string) => body.read(name, z.unknown()) != null;
  return {
    operation,
    alias,
    isStream,
    addsUsage,
    maxOutput: maxOutput ?? undefined,
    choices: Math.max(1, choices),
    inputBytes: body.bytes.length,
    refersToInput: dialect === 'responses' && ['previous_response_id', 'conversation', 'prompt'].some(isGiven),
    bodyFor: (name) =>
      body.with([
        ['model', name],
        ...(addsUsage ? [['stream_options', { ...options, include_usage: true }] as const] : []),
      ]),
  };
}

function geminiCall(operation: ModelOperation, body: Body, alias: string): ModelCall {
  // The path names the model: a second name would be for whoever reads the body.
  for (const name of ['model', 'generateContentRequest', 'generate_content_request'])
    if (body.place(name)) throw bad(name, 'must not appear in the body, because the path names the model');
  const place = body.place('generationConfig') ?? body.place('generation_config');
  const config = place && body.object(place, generation);
  const numberOf = (...names: readonly string[]) => {
    const value = names.map((it) => config?.[it]).find((it) => it !== undefined);
    return check(Tokens, value, `generationConfig.${names[0]}`) ?? undefined;
  };
  return {
    operation,
    alias,
    isStream: operation.isStream === true,
    addsUsage: false,
    maxOutput: numberOf('maxOutputTokens', 'max_output_tokens'),
    choices: Math.max(1, numberOf('candidateCount', 'candidate_count') ?? 1),
    inputBytes: body.bytes.length,
    refersToInput: body.place('cachedContent') !== undefined || body.place('cached_content') !== undefined,
    bodyFor: () => body.bytes,
  };
}

/** The bytes of a body with the places of its members. */
class Body {
  readonly bytes: Buffer;
  readonly #top: TopLevel;

  constructor(bytes: Buffer, top: TopLevel) {
    this.bytes = bytes;
    this.#top = top;
  }

  place(name: string): Member | undefined {
    return this.#top.members.find((it) => it.name === name);
  }

  /** @throws {Fault} `invalid_params` naming the member */
  read<T>(name: string, schema: z.ZodType<T>): T {
    const place = this.place(name);
    return check(schema, place && this.#parse(place), name);
  }

  /** A member that is an object, whose members mean one thing each. @throws {Fault} `invalid_params` */
  object(place: Member, members: readonly Watched[]): Readonly<Record<string, unknown>> {
    const inside = readTopLevel(this.bytes, place.from, place.to);
    if ('refused' in inside) throw bad(place.name, `cannot be read: ${inside.refused}`);
    const twin = twinIn(inside, members);
    if (twin !== undefined) throw bad(place.name, `cannot be read: ${twin}`);
    return this.#parse(place) as Readonly<Record<string, unknown>>;
  }

  /** With these members, and every other byte as it was. */
  with(members: readonly (readonly [name: string, value: unknown])[]): Buffer {
    const edits = members.map(([name, value]) => {
      const place = this.place(name);
      const text = JSON.stringify(value);
      return place
        ? { from: place.from, to: place.to, text }
        : { from: this.#top.end, to: this.#top.end, text: `,${JSON.stringify(name)}:${text}` };
    });
    const parts: Buffer[] = [];
    let from = 0;
    for (const it of edits.toSorted((one, other) => one.from - other.from)) {
      parts.push(this.bytes.subarray(from, it.from), Buffer.from(it.text));
      from = it.to;
    }
    parts.push(this.bytes.subarray(from));
    return Buffer.concat(parts);
  }

  #parse({ name, from, to }: Member): unknown {
    const read = readStrict(this.bytes.toString('utf8', from, to), { maxDepth: 64 });
    if (!('refused' in read)) return read.value;
    const { refused } = read;
    throw bad(name, refused === 'no JSON' ? 'is not valid JSON' : `cannot be read: ${ambiguityWords(refused)}`);
  }
}

function check<T>(schema: z.ZodType<T>, value: unknown, name: string): T {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  throw bad(name, value === undefined ? 'is required' : 'has a value of the wrong type');
}

const bad = (field: string, what: string) => new Fault('invalid_params', `'${field}' ${what}.`, { data: { field } });
const badBody = (why: string) =>
  new Fault('invalid_params', `The body cannot be read: ${why}.`, { data: { field: 'body' } });
