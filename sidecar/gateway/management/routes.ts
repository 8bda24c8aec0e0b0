import { keyRoutes } from './keys/routes.ts';
import { listAudit } from './oversight/audit.ts';
import { explainAccess } from './oversight/explain.ts';
import type { Route } from './route.ts';

/** Every route of the management API; the OpenAPI document is made of the same rows. */
export const routes: readonly Route[] = [...keyRoutes, explainAccess, listAudit];
