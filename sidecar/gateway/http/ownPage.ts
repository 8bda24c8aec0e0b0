import { Fault } from '../../platform/faults.ts';
import type { HttpRequest } from '../../platform/httpMessages.ts';

/** A page of another site could sign somebody in or out under another name. @throws {Fault} `forbidden` */
export function checkOwnPage(request: HttpRequest): void {
  if (request.headers.get('sec-fetch-site') === 'same-origin') return;
  throw new Fault('forbidden', "Only this gateway's own pages can use this sign-in endpoint.", {
    data: { field: 'sec-fetch-site' },
  });
}
