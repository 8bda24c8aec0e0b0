import { Hono } from 'hono';
import { Fault } from '../../platform/faults.ts';
import type { Timers } from '../../platform/timers.ts';
import type { AppEnv } from './app.ts';
import { faultResponse } from './faultResponses.ts';
import { type Listening, type ListenOptions, listen } from './listen.ts';

/**
 * Answers everybody that the database does not answer yet, where the gateway will be.
 *
 * @throws {Fault} as {@link listen}
 */
export function openWaitingRoom(options: ListenOptions, version: string, timers: Timers): Promise<Listening> {
  const app = new Hono<AppEnv>();
  const headers = { 'cache-control': 'no-store' };
  app.get('/healthz', () => Response.json({ status: 'no_db_connection', version }, { status: 503, headers }));
  app.all('*', () =>
    faultResponse(
      new Fault('unavailable', 'The database of the gateway does not answer yet. Try again in a moment.', {
        data: { reason: 'no_db_connection', retry_after_s: 1 },
      }),
    ),
  );
  return listen(app, options, timers);
}
