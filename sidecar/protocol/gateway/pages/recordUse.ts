import * as z from 'zod';
import { Day } from '../activityQueries.ts';
import { Id } from '../stamps.ts';

/** The kinds of records that have a page of their own. */
export const DetailKind = z.enum([
  'key',
  'team',
  'organization',
  'user',
  'end_user',
  'budget',
  'mcp_server',
  'toolset',
  'agent',
  'model',
  'guardrail',
]);
export type DetailKind = z.infer<typeof DetailKind>;

/** Query of `GET /activity/record`. */
export const RecordUseQuery = z
  .object({
    kind: DetailKind,
    /** Hash of a key; name of a model or guardrail. */
    id: Id,
    start_date: Day,
    end_date: Day,
  })
  .refine((it) => it.start_date <= it.end_date, { error: 'must not be before start_date', path: ['end_date'] });
export type RecordUseQuery = z.infer<typeof RecordUseQuery>;

const sums = {
  successful_requests: z.int(),
  failed_requests: z.int(),
  total_tokens: z.int(),
  spend: z.number().describe('US dollars'),
};
const Share = z.object({ id: z.string(), name: z.string(), ...sums });
export type Share = z.infer<typeof Share>;

/** The calls of a record in a range of days. */
export const RecordCalls = z.object({
  ...sums,
  last_used: z
    .string()
    .nullable()
    .describe('Time of the last call, or its day if the time is not known; null if there is none in this range'),
  daily: z.array(z.object({ date: z.string(), ...sums })).describe('Days with calls, oldest first'),
  keys: z.array(Share).describe('At most 10, most calls first'),
  tools: z.array(Share).describe('At most 10, as server/tool'),
  models: z.array(Share).describe('At most 10, by the name that callers use'),
});
export type RecordCalls = z.infer<typeof RecordCalls>;

/** Records of one kind that name the record. */
export const NamedBy = z.object({
  kind: DetailKind,
  total: z.int(),
  has_more: z.boolean().describe('There are more than total'),
  records: z.array(z.object({ id: z.string(), name: z.string() })).describe('The first 20'),
});
export type NamedBy = z.infer<typeof NamedBy>;

/** `GET /activity/record`. */
export const RecordUse = z.object({
  calls: RecordCalls.nullable().describe('null for records that calls do not name, such as budgets'),
  named_by: z.array(NamedBy).describe('Empty for callers that see only their own data'),
});
export type RecordUse = z.infer<typeof RecordUse>;
