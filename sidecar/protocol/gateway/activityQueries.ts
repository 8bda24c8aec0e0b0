import * as z from 'zod';
import { CallStatus } from './activity.ts';

/** UTC day, as in queries. */
export const Day = z.iso.date('must be a date such as 2026-11-21');
const words = z
  .union([z.string(), z.array(z.string())])
  .transform((it) => (typeof it === 'string' ? it.split(',') : it));
const page = z.coerce.number().int().min(1).max(1_000_000).default(1);
const size = (fallback: number) => z.coerce.number().int().min(1).max(1_000).default(fallback);
const flag = z.union([z.boolean(), z.stringbool()]).default(false);
const range = { start_date: Day, end_date: Day };
const inOrder = (it: { readonly start_date: string; readonly end_date: string }) => it.start_date <= it.end_date;
const order = { error: 'must not be before start_date', path: ['end_date'] };

export const EntityKind = z.enum(['user', 'team', 'agent', 'customer', 'organization', 'tag']);
export type EntityKind = z.infer<typeof EntityKind>;

/** Query of `GET /{entity}/daily/activity`. */
export const DailyActivityQuery = z
  .object({
    ...range,
    /** Only these users, teams and so on; comma-separated or several. */
    entity_ids: words.optional(),
    model: z.string().optional(),
    api_key: words.optional(),
    /** Minutes, as JavaScript's getTimezoneOffset; the range is widened by the day that the caller's days reach into. */
    timezone: z.coerce.number().int().min(-840).max(840).default(0),
    /** Changes nothing: a range that ends today has the current UTC day. */
    include_current_utc_day: flag,
    page,
    /** Days on a page. */
    page_size: size(50),
  })
  .refine(inOrder, order);
export type DailyActivityQuery = z.infer<typeof DailyActivityQuery>;

export const GatewayDailyQuery = z.object(range).refine(inOrder, order);
export type GatewayDailyQuery = z.infer<typeof GatewayDailyQuery>;

export const EndpointActivityQuery = z
  .object({ ...range, api_key: words.optional(), team_id: words.optional(), tag: words.optional() })
  .refine(inOrder, order);
export type EndpointActivityQuery = z.infer<typeof EndpointActivityQuery>;

/** A day, or a time with or without a zone: UTC then. */
const Moment = z
  .string()
  .transform((it) => (/^\d{4}-\d\d-\d\d$/.test(it) ? it : it.replace(' ', 'T')))
  .transform((it) => (/T[\d:.]+$/.test(it) ? `${it}Z` : it))
  .refine((it) => !Number.isNaN(Date.parse(it)), { error: 'must be a date or a date and time' });

export const spendLogSorts = [
  'startTime',
  'spend',
  'total_tokens',
  'endTime',
  'request_duration_ms',
  'model',
  'ttft_ms',
] as const;

/** Query of `GET /spend/logs/v2`. */
export const SpendLogsQuery = z.object({
  start_date: Moment.optional(),
  /** A day counts whole. */
  end_date: Moment.optional(),
  api_key: words.optional(),
  user_id: words.optional(),
  team_id: words.optional(),
  end_user: z.string().optional(),
  request_id: z.string().optional(),
  session_id: z.string().optional(),
  trace_id: z.string().optional(),
  key_alias: z.string().optional(),
  model: z.string().optional(),
  /** The gateway groups no models: both mean the model. */
  model_id: z.string().optional(),
  model_group: z.string().optional(),
  status_filter: CallStatus.optional(),
  error_code: z.string().optional(),
  /** Part of it. */
  error_message: z.string().optional(),
  min_spend: z.coerce.number().min(0).optional(),
  max_spend: z.coerce.number().min(0).optional(),
  /** Begins the id of the request or session, in its own case; or is part of model, endpoint, end user or error. */
  search: z.string().max(256).optional(),
  /** Ended later than this and took at most ten minutes: what a page that follows the log asks for again and again. */
  ended_after: Moment.optional(),
  /**
   * Quick on a large log, for pages: what is more than 10,000 calls is not counted, and words or an order that no index has are
   * looked for in the newest calls alone. The answer says so.
   */
  bounded: flag,
  /** Only the newest request of each session. */
  group_by_session: flag,
  sort_by: z.enum(spendLogSorts).default('startTime'),
  sort_order: z.enum(['asc', 'desc']).default('desc'),
  page,
  page_size: size(50),
});
export type SpendLogsQuery = z.infer<typeof SpendLogsQuery>;
