import { Fault } from '../../platform/faults.ts';
import type { Timers } from '../../platform/timers.ts';
import { RouteTable } from '../routing/routeTable.ts';
import type { App } from './app.ts';
import { healthAnswer } from './drain.ts';
import { faultResponse } from './faultResponses.ts';
import { type Listening, type ListenOptions, listen } from './listen.ts';
import { sendResponse } from './sendResponse.ts';

const waiting = {
  surface: 'public',
  auth: 'none',
  groups: [],
  requirements: ['gateway.address.judged'],
  openapi: 'The document is not available yet.',
} as const;

/**
 * Answers everybody that the database does not answer yet, where the gateway will be.
 *
 * @throws {Fault} as {@link listen}
 */
export function openWaitingRoom(options: ListenOptions, version: string, timers: Timers): Promise<Listening> {
  const notReady = () => healthAnswer('no_db_connection', version);
  const refused = () =>
    faultResponse(
      new Fault('unavailable', 'The gateway database is not responding yet. Try again in a moment.', {
        data: { reason: 'no_db_connection', retry_after_s: 1 },
      }),
    );
  const routes = new RouteTable([
    { ...waiting, method: 'GET', path: '/healthz', spelled: 'whole', answer: notReady },
    { ...waiting, method: 'GET', path: '/readyz', spelled: 'whole', answer: notReady },
    { ...waiting, method: 'GET', path: '/livez', spelled: 'whole', answer: () => healthAnswer('ok', version) },
    { ...waiting, method: 'ANY', path: '/**', answer: refused },
  ]);
  const app: App = ({ method, pathname }, outgoing) =>
    sendResponse((routes.find(method, pathname)?.route.answer ?? refused)(), outgoing);
  return listen(app, options, timers);
}
