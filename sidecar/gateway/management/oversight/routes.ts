import type { Route } from '../route.ts';
import { gatewayInfo } from './about.ts';
import { explainAccess } from './accessExplanation.ts';
import { listAudit } from './audit.ts';

export const oversightRoutes: readonly Route[] = [explainAccess, listAudit, gatewayInfo];
