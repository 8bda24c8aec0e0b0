import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import { SpendLogsQuery } from '../../../protocol/gateway/activityQueries.ts';
import { DAY_MS } from '../../../protocol/gateway/duration.ts';
import { CallContentAnswer } from '../../../protocol/gateway/pages/callContent.ts';
import type { CallContentRow } from '../../storage/database/activityTables.ts';
import type { ManagementDeps } from '../managementDeps.ts';
import { type Call, ok, type Route, route } from '../route.ts';
import { seesAll } from '../standing.ts';
import { audit } from '../writes.ts';
import { ownKeys, scopeOf } from './scope.ts';

/** What the audit calls a request and its response. */
export const CONTENT_KIND = 'call_content';

const readContent = route({
  method: 'GET',
  path: '/spend/logs/content',
  who: 'any',
  tag: 'activity',
  summary:
    'Returns the stored request and response of a call. Administrators can read those of every call, which the audit records. Everybody else can read only their own',
  query: z.object({ request_id: z.string().min(1).max(512) }),
  answer: CallContentAnswer,
  async handle(call, deps) {
    const { request_id } = call.query;
    const { content } = deps.options;
    const isOwn = await checkReader(call, deps, request_id);
    const row = (await deps.store.callContents.of([request_id])).get(request_id);
    if (row && !isOwn) await audit(call, deps, 'read', CONTENT_KIND, request_id);
    return ok({
      request_id,
      is_stored: row !== undefined,
      is_on: content !== undefined,
      kept_until: row ? new Date(row.at_ms + keptDays(deps) * DAY_MS).toISOString() : null,
      ...contentOf(row),
    });
  },
});

/** Where requests and responses are not stored any more, those of before are deleted after the usual time. */
const USUAL_DAYS = 7;
const keptDays = ({ options }: ManagementDeps) => options.content?.keepDays ?? USUAL_DAYS;

/** The two sides of a call as they are answered. */
export const contentOf = (row: CallContentRow | undefined) => ({
  request: side(row?.request, row?.request_bytes, row?.request_cut),
  response: side(row?.response, row?.response_bytes, row?.response_cut),
});

const side = (text: string | null | undefined, bytes = 0, cut = 0) =>
  text === null || text === undefined ? null : { text, bytes, is_cut: cut === 1 };

/**
 * @returns whether the caller made the call
 * @throws {Fault} `not_found` for a call that the caller cannot see, `forbidden` for one whose content is not for the caller
 */
async function checkReader(call: Call, deps: ManagementDeps, requestId: string): Promise<boolean> {
  const scope = await scopeOf(call, deps, {});
  const { data } = await deps.activity.spendLogs({ ...SpendLogsQuery.parse({ request_id: requestId }), ...scope });
  const [line] = data;
  if (!line) throw new Fault('not_found', `The call '${requestId}' does not exist, or you cannot see it.`);
  const isOwn = line.api_key !== '' && (await ownKeys(call, deps)).includes(line.api_key);
  if (!isOwn && !call.caller.isAdmin) throw notForViewers();
  return isOwn;
}

const notForViewers = () =>
  new Fault('forbidden', 'Only administrators can read requests and responses of calls that are not their own.');

/**
 * Before requests and responses are exported: whoever exports more than the own calls must be an administrator, and leaves a line in
 * the audit. @throws {Fault} `forbidden`
 */
export async function checkExport(call: Call, deps: ManagementDeps, query: SpendLogsQuery): Promise<void> {
  const own = await ownKeys(call, deps);
  if (!seesAll(call.caller) && query.api_key?.every((it) => own.includes(it))) return;
  if (!call.caller.isAdmin) throw notForViewers();
  await audit(call, deps, 'read', CONTENT_KIND, 'export', { after: query });
}

export const contentRoutes: readonly Route[] = [readContent];
