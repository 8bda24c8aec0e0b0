import type { Question } from '../provider.ts';

export type ParsedAsk =
  | { readonly ok: true; readonly question: Question }
  /** `line` counts from 1, the first line of the block. */
  | { readonly ok: false; readonly line: number; readonly message: string };

const kinds = ['text', 'number', 'integer', 'boolean', 'single-select', 'multi-select'] as const;
type Kind = (typeof kinds)[number];
/** Which fields each kind knows besides `name`, `kind`, `message`, `title`, `required`. */
const fieldsOf: Record<Kind, readonly string[]> = {
  text: ['min', 'max', 'format', 'default'],
  number: ['min', 'max', 'default'],
  integer: ['min', 'max', 'default'],
  boolean: ['default'],
  'single-select': ['options', 'other', 'default'],
  'multi-select': ['options', 'other', 'min', 'max'],
};
const common = ['name', 'kind', 'message', 'title', 'required'];

interface Field {
  readonly line: number;
  readonly value: string;
}
interface Option {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  readonly recommended?: boolean;
}

/**
 * Reads the lines of an `ask` block: `name: value` each, and under `options:` lines `- id: Label | description`.
 * `other: true` lets a person write an answer that is not among the options.
 */
export function parseAsk(content: string): ParsedAsk {
  const fields = new Map<string, Field>();
  const options: Option[] = [];
  const fail = (line: number, message: string): ParsedAsk => ({ ok: false, line, message });
  for (const [index, raw] of content.split('\n').entries()) {
    const line = index + 1;
    const text = raw.trim();
    if (text === '') continue;
    const item = /^-\s+(.+)$/.exec(text);
    if (item) {
      if (!fields.has('options'))
        return fail(
          line,
          'a line that starts with `-` is an option; write `options:` on the line before the first option',
        );
      const option = readOption(item[1]!);
      if (options.some((it) => it.id === option.id))
        return fail(line, `the option \`${option.id}\` appears more than once; give one of them a different ID`);
      options.push(option);
      continue;
    }
    const field = /^([a-z]+):\s*(.*)$/.exec(text);
    if (!field) return fail(line, 'write `field: value`, for example `message: What is the version?`');
    if (fields.has(field[1]!))
      return fail(
        line,
        `\`${field[1]}\` appears more than once; keep only one, because a block can contain only one question`,
      );
    fields.set(field[1]!, { line, value: field[2]! });
  }
  return readQuestion(fields, options, fail);
}

type Fail = (line: number, message: string) => ParsedAsk;

function readQuestion(fields: ReadonlyMap<string, Field>, options: readonly Option[], fail: Fail): ParsedAsk {
  const kind = fields.get('kind')?.value ?? 'text';
  const kindLine = fields.get('kind')?.line ?? 1;
  if (!isKind(kind)) return fail(kindLine, `\`${kind}\` is not a known kind; use one of ${kinds.join(', ')}`);
  for (const [name, { line }] of fields) {
    if (!common.includes(name) && !fieldsOf[kind].includes(name)) {
      return fail(
        line,
        `questions of kind \`${kind}\` do not support \`${name}\`; remove this line (supported fields: ${[...common, ...fieldsOf[kind]].join(', ')})`,
      );
    }
  }
  const name = fields.get('name');
  if (!name || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name.value)) {
    return fail(
      name?.line ?? 1,
      'the question requires a name that contains only letters, digits, and _, for example `name: release_kind`',
    );
  }
  const message = fields.get('message');
  if (!message || message.value === '')
    return fail(message?.line ?? 1, 'the question requires a `message: …` line with the text to show the user');

  const numbers = readBounds(fields, fail);
  if ('ok' in numbers) return numbers;
  for (const flag of ['required', 'other'] as const) {
    const field = fields.get(flag);
    if (field && !/^(true|false)$/.test(field.value)) return fail(field.line, `\`${flag}\` must be true or false`);
  }
  const isTrue = (field: string) => fields.get(field)?.value === 'true';
  const title = fields.get('title')?.value;
  const base = {
    id: name.value,
    message: message.value,
    ...(title && { title }),
    ...(isTrue('required') && { required: true }),
  };
  const other = isTrue('other') ? { allowFreeformInput: true } : {};
  return ofKind({ kind, kindLine, base, numbers, other, fields, options, fail });
}

interface Bounds {
  min?: number;
  max?: number;
}

function readBounds(fields: ReadonlyMap<string, Field>, fail: Fail): Bounds | ParsedAsk {
  const numbers: Bounds = {};
  for (const bound of ['min', 'max'] as const) {
    const field = fields.get(bound);
    if (!field) continue;
    const value = Number(field.value);
    if (field.value === '' || !Number.isFinite(value))
      return fail(field.line, `\`${bound}\` must be a number, for example \`${bound}: 3\``);
    numbers[bound] = value;
  }
  if (numbers.min !== undefined && numbers.max !== undefined && numbers.min > numbers.max) {
    return fail(fields.get('min')!.line, '`min` is greater than `max`; swap them');
  }
  return numbers;
}

interface QuestionParts {
  readonly kind: Kind;
  readonly kindLine: number;
  readonly base: {
    readonly id: string;
    readonly message: string;
    readonly title?: string;
    readonly required?: boolean;
  };
  readonly numbers: Bounds;
  readonly other: { readonly allowFreeformInput?: boolean };
  readonly fields: ReadonlyMap<string, Field>;
  readonly options: readonly Option[];
  readonly fail: Fail;
}

function ofKind({ kind, kindLine, base, numbers, other, fields, options, fail }: QuestionParts): ParsedAsk {
  const preset = fields.get('default');
  switch (kind) {
    case 'text': {
      const format = fields.get('format')?.value;
      return {
        ok: true,
        question: {
          ...base,
          kind,
          ...numbers,
          ...(format && { format }),
          ...(preset && { defaultValue: preset.value }),
        },
      };
    }
    case 'number':
    case 'integer': {
      if (!preset) return { ok: true, question: { ...base, kind, ...numbers } };
      const defaultValue = Number(preset.value);
      if (
        preset.value === '' ||
        !Number.isFinite(defaultValue) ||
        (kind === 'integer' && !Number.isInteger(defaultValue))
      ) {
        return fail(
          preset.line,
          `for this question, \`default\` must be ${kind === 'integer' ? 'a whole number' : 'a number'}`,
        );
      }
      return { ok: true, question: { ...base, kind, ...numbers, defaultValue } };
    }
    case 'boolean':
      if (preset && !/^(true|false)$/.test(preset.value))
        return fail(preset.line, 'for this question, `default` must be true or false');
      return { ok: true, question: { ...base, kind, ...(preset && { defaultValue: preset.value === 'true' }) } };
    case 'single-select': {
      if (options.length === 0)
        return fail(
          fields.get('options')?.line ?? kindLine,
          `a ${kind} question requires \`options:\`, followed by lines such as \`- patch: Patch release\``,
        );
      if (preset && !options.some((it) => it.id === preset.value))
        return fail(
          preset.line,
          `\`default\` is not one of the options; use one of ${options.map((it) => it.id).join(', ')}`,
        );
      const marked = preset
        ? options.map((it) => (it.id === preset.value ? { ...it, recommended: true } : it))
        : options;
      return { ok: true, question: { ...base, kind, options: marked, ...other } };
    }
    case 'multi-select':
      if (options.length === 0)
        return fail(
          fields.get('options')?.line ?? kindLine,
          `a ${kind} question requires \`options:\`, followed by lines such as \`- docs: Documentation\``,
        );
      return { ok: true, question: { ...base, kind, options, ...numbers, ...other } };
  }
}

/** `id: Label | description`, or a label alone; `(recommended)` at the end of the label marks it. */
function readOption(text: string): Option {
  const [head = '', ...rest] = text.split(' | ');
  const description = rest.join(' | ').trim();
  const named = /^([A-Za-z0-9_.-]+):\s+(.+)$/.exec(head);
  const marked = (named?.[2] ?? head).trim();
  const label = marked.replace(/\s*\(recommended\)$/, '');
  return {
    id: named?.[1] ?? label,
    label,
    ...(description && { description }),
    ...(label !== marked && { recommended: true }),
  };
}

function isKind(text: string): text is Kind {
  return (kinds as readonly string[]).includes(text);
}
