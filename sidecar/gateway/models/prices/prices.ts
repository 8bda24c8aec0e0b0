import * as z from 'zod';
import type { OpenModelParams, PriceSource } from '../../../protocol/gateway/model.ts';
import { providedModel } from '../../../protocol/gateway/modelProviders/index.ts';
import type { ModelUsage } from '../usage/modelUsage.ts';

/**
 * US dollars per million tokens: a price, followed by pairs of a number of input tokens and the price of all tokens of a call with
 * more input than that.
 */
const Rate = z.array(z.number());
type Rate = z.infer<typeof Rate>;

type Matching =
  | { readonly equals: string }
  | { readonly starts_with: string }
  | { readonly ends_with: string }
  | { readonly contains: string }
  | { readonly regex: string }
  | { readonly or: readonly Matching[] }
  | { readonly and: readonly Matching[] };
const Matching: z.ZodType<Matching> = z.lazy(() =>
  z.union([
    z.object({ equals: z.string() }),
    z.object({ starts_with: z.string() }),
    z.object({ ends_with: z.string() }),
    z.object({ contains: z.string() }),
    z.object({ regex: z.string() }),
    z.object({ or: z.array(Matching) }),
    z.object({ and: z.array(Matching) }),
  ]),
);
const Rates = z.object({
  input: Rate,
  output: Rate,
  cacheRead: Rate.optional(),
  cacheCreation: Rate.optional(),
  cacheCreationHour: Rate.optional(),
});
const Row = z.object({
  provider: z.string(),
  match: Matching,
  context: z.int().optional(),
  /** In order of time. Prices with a date apply from that day on. */
  prices: z.array(Rates.extend({ from: z.string().optional() })),
});
type Row = z.infer<typeof Row>;

/** The prices and the context window of a model. */
export interface ModelPrices {
  readonly rates: Readonly<z.infer<typeof Rates>>;
  readonly source: PriceSource;
  /** The maximum number of input tokens. */
  readonly context: number | undefined;
}

/** The price table, read when it is first needed. */
let priceTable: { readonly rows: readonly Row[]; readonly dated: string } | undefined;
async function readTable() {
  if (priceTable) return priceTable;
  const { table, dated } = await import('./table.ts');
  const rows = table
    .trim()
    .split('\n')
    .map((it) => Row.parse(JSON.parse(it)));
  priceTable = { rows, dated };
  return priceTable;
}

const known = new WeakMap<OpenModelParams, { readonly day: string; readonly prices: ModelPrices | undefined }>();

/**
 * The prices of a model: those that are set for it, or else those in the table.
 *
 * @param today YYYY-MM-DD, UTC
 * @returns `undefined` if they are not known
 */
export async function pricesOf(params: OpenModelParams, today: string): Promise<ModelPrices | undefined> {
  const found = known.get(params);
  if (found?.day === today) return found.prices;
  const prices = await readPrices(params, today);
  known.set(params, { day: today, prices });
  return prices;
}

async function readPrices(params: OpenModelParams, today: string): Promise<ModelPrices | undefined> {
  const { input_cost_per_token: input, output_cost_per_token: output, max_input_tokens } = params;
  const listed = await listedPrices(params, today);
  const { rates, source } = listed ?? {};
  const inputRate = flat(input) ?? rates?.input;
  const outputRate = flat(output) ?? rates?.output;
  if (!inputRate || !outputRate) return undefined;
  // A price that is set for input also applies to cached input, unless a price is set for that too.
  const cache = typeof input === 'number' ? undefined : rates;
  const own = flat(params.cache_creation_input_token_cost);
  return {
    rates: {
      input: inputRate,
      output: outputRate,
      cacheRead: flat(params.cache_read_input_token_cost) ?? cache?.cacheRead,
      cacheCreation: own ?? cache?.cacheCreation,
      cacheCreationHour: own ?? cache?.cacheCreationHour,
    },
    source: source && !(flat(input) && flat(output)) ? source : { source: 'model' },
    context: max_input_tokens ?? listed?.context,
  };
}

async function listedPrices({ model }: OpenModelParams, today: string): Promise<ModelPrices | undefined> {
  const provided = providedModel(model);
  const provider = provided?.definition.prices;
  if (!provided || provider === undefined) return undefined;
  const name = provided.name.toLowerCase();
  const { rows, dated } = await readTable();
  const row = rows.find((it) => it.provider === provider && matches(it.match, name));
  const rates = row?.prices.findLast((it) => it.from === undefined || it.from <= today);
  return row && rates && { rates, context: row.context, source: { source: 'price_table', date: dated } };
}

function matches(match: Matching, name: string): boolean {
  if ('equals' in match) return name === match.equals;
  if ('starts_with' in match) return name.startsWith(match.starts_with);
  if ('ends_with' in match) return name.endsWith(match.ends_with);
  if ('contains' in match) return name.includes(match.contains);
  if ('regex' in match) return new RegExp(match.regex).test(name);
  if ('or' in match) return match.or.some((it) => matches(it, name));
  return match.and.every((it) => matches(it, name));
}

const MILLION = 1_000_000;
const flat = (perToken: number | null | undefined): Rate | undefined =>
  typeof perToken === 'number' ? [perToken * MILLION] : undefined;

/** The cost of a call in US dollars, from the tokens that its provider counted. */
export function costOf({ rates }: ModelPrices, usage: ModelUsage): number {
  const priceOf = (rate: Rate | undefined) => at(rate ?? rates.input, usage.input);
  const { input, output, cacheRead, cacheCreation, cacheCreationHour } = usage;
  const plain = Math.max(0, input - cacheRead - cacheCreation);
  return (
    (plain * priceOf(rates.input) +
      cacheRead * priceOf(rates.cacheRead) +
      (cacheCreation - cacheCreationHour) * priceOf(rates.cacheCreation) +
      cacheCreationHour * priceOf(rates.cacheCreationHour ?? rates.cacheCreation) +
      output * at(rates.output, input)) /
    MILLION
  );
}

/** The maximum cost of a call in US dollars, with every token at its highest possible price. */
export function greatestCost({ rates }: ModelPrices, input: number, output: number): number {
  const inputs = [rates.input, rates.cacheRead, rates.cacheCreation, rates.cacheCreationHour];
  return (input * Math.max(...inputs.map(highest)) + output * highest(rates.output)) / MILLION;
}

function at(rate: Rate, input: number): number {
  let price = rate[0] ?? 0;
  for (let step = 1; step + 1 < rate.length; step += 2) if (input > (rate[step] ?? 0)) price = rate[step + 1] ?? price;
  return price;
}

const highest = (rate: Rate | undefined): number =>
  Math.max(0, ...(rate ?? []).filter((_, place) => place === 0 || place % 2 === 0));
