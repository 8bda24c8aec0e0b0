import { isUtf8 } from 'node:buffer';
import * as z from 'zod';
import { Fault } from '../../platform/faults.ts';
import type { ModelDialect } from '../../protocol/gateway/modelProviders/definition.ts';
import { ambiguityWords, readStrict } from '../wire/strictJson.ts';
import { type Member, readTopLevel, type TopLevel, twinIn, type Watched, watchedOf } from '../wire/topLevel.ts';

/** An operation on a model, as defined by its row in the route table. */
export interface ModelOperation {
  readonly dialect: ModelDialect;
  /** Follows the provider's path for the dialect. */
  readonly suffix: string;
  /** The API version, if the path contains one. */
  readonly version?: 'v1' | 'v1beta';
  /** Counts tokens without generating any. */
  readonly isCount?: boolean;
  /** The response is always a stream, regardless of the body. */
  readonly isStream?: boolean;
  /** `call_type` in the call record. */
  readonly callType: string;
}

/** A call, and what the gateway read from its body. */
export interface ModelCall {
  readonly operation: ModelOperation;
  /** The name that the caller used. */
  readonly alias: string;
  readonly isStream: boolean;
  /** The gateway asks for usage because the caller did not, and removes it from the response. */
  readonly addsUsage: boolean;
  /** The maximum number of output tokens per choice; absent if the caller does not set one. */
  readonly maxOutput: number | undefined;
  readonly choices: number;
  readonly inputBytes: number;
  /** Input outside the body may count too: an earlier response, a stored prompt, a cache. */
  readonly refersToInput: boolean;
  /** The body for a backend that calls the model by `name`. */
  bodyFor(name: string): Buffer;
}

/** Members that the gateway's decisions depend on. Other spellings are refused, because a lenient reader could accept them. */
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

const ModelName = z.string().min(1);
const Anything = z.unknown();
const Tokens = z.int().min(0).nullish();
const Flag = z.boolean().nullish();
const StreamOptions = z.looseObject({ include_usage: Flag }).nullish();
const generation = [
  watchedOf('maxOutputTokens', 'max_output_tokens'),
  watchedOf('candidateCount', 'candidate_count'),
] as const;

/**
 * Reads a call. Only members that the gateway's decisions depend on are parsed. The rest is checked for its structure and forwarded
 * unchanged.
 *
 * @param alias the model name in the path; absent if the body contains it
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
  const alias = body.read('model', ModelName);
  const isStream = body.readIfPresent('stream', Flag) === true;
  const isChat = dialect === 'chat';
  const options = isChat && isStream ? streamOptions(body) : undefined;
  const addsUsage = isChat && isStream && options?.include_usage !== true;
  const maxOutput = isChat
    ? (body.readIfPresent('max_completion_tokens', Tokens) ?? body.readIfPresent('max_tokens', Tokens))
    : body.readIfPresent(dialect === 'messages' ? 'max_tokens' : 'max_output_tokens', Tokens);
  const choices = (isChat ? body.readIfPresent('n', Tokens) : undefined) ?? 1;
  const isGiven = (name: string) => body.readIfPresent(name, Anything) != null;
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

/** Another spelling of `include_usage` could keep a provider from reporting the tokens of the call. */
function streamOptions(body: Body): z.infer<typeof StreamOptions> {
  const options = body.readIfPresent('stream_options', StreamOptions);
  const place = body.place('stream_options');
  if (options && place) body.object(place, [watchedOf('include_usage')]);
  return options;
}

function geminiCall(operation: ModelOperation, body: Body, alias: string): ModelCall {
  // The path names the model. A provider could use a second name in the body instead.
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

/** The bytes of a body, with the positions of its members. */
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

  /** Skips the schema if the member is absent, because most calls have few optional members. @throws {Fault} as {@link read} */
  readIfPresent<T>(name: string, schema: z.ZodType<T>): T | undefined {
    return this.place(name) && this.read(name, schema);
  }

  /** Parses a member that is an object, and refuses ambiguous members in it. @throws {Fault} `invalid_params` */
  object(place: Member, members: readonly Watched[]): Readonly<Record<string, unknown>> {
    const inside = readTopLevel(this.bytes, place.from, place.to);
    if ('refused' in inside) throw bad(place.name, `cannot be read: ${inside.refused}`);
    const twin = twinIn(inside, members);
    if (twin !== undefined) throw bad(place.name, `cannot be read: ${twin}`);
    return this.#parse(place) as Readonly<Record<string, unknown>>;
  }

  /** Sets these members and leaves every other byte unchanged. */
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
