import { parse } from 'yaml';
import * as z from 'zod';

const text = z.union([z.string(), z.number(), z.boolean()]).transform(String);
/** A list, or its entries in one line with commas between. */
const words = z
  .union([z.array(text), text.transform((it) => it.split(','))])
  .transform((all) => all.map((it) => it.trim()).filter((it) => it !== ''));
const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((it) => it === 'true')]);

/** The members that programs of the field write, each under every name that it has there. */
const FrontMatter = z
  .looseObject({
    name: text.optional(),
    description: text.optional(),
    model: words.optional(),
    tools: words.optional(),
    applyTo: words.optional(),
    globs: words.optional(),
    paths: words.optional(),
    alwaysApply: flag.optional(),
    'disable-model-invocation': flag.optional(),
    'user-invocable': flag.optional(),
    'user-invokable': flag.optional(),
  })
  .partial();
export type FrontMatter = z.infer<typeof FrontMatter>;

export interface Parsed {
  readonly matter: FrontMatter;
  /** The text below it. */
  readonly body: string;
  /** What is wrong with it; then `matter` is empty. */
  readonly problem?: string;
}

/** A Markdown file with YAML between two lines of three dashes at its top, or without. */
export function parseFrontMatter(source: string): Parsed {
  const found = /^\uFEFF?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/.exec(source);
  if (!found) return { matter: {}, body: source };
  const body = source.slice(found[0].length);
  try {
    const given: unknown = parse(lenient(found[1] ?? '')) ?? {};
    const parsed = FrontMatter.safeParse(dropNulls(given));
    if (parsed.success) return { matter: parsed.data, body };
    const [issue] = parsed.error.issues;
    return {
      matter: {},
      body,
      problem: `${issue?.path.join('.') || 'front matter'}: ${issue?.message ?? 'cannot be read'}`,
    };
  } catch (thrown) {
    const why = thrown instanceof Error ? (thrown.message.split('\n')[0] ?? '') : String(thrown);
    return { matter: {}, body, problem: `front matter: ${why}` };
  }
}

/** `globs: *.ts` is no YAML, and is what people write. */
function lenient(yaml: string): string {
  return yaml.replace(
    /^(globs|applyTo|paths):[ \t]*([*!][^\r\n]*)$/gm,
    (_line, key: string, value: string) => `${key}: ${JSON.stringify(value.trim())}`,
  );
}

function dropNulls(given: unknown): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}
