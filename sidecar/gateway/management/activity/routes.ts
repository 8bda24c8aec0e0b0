import type { Route } from '../route.ts';
import { dailyRoutes } from './daily.ts';
import { logRoutes } from './logs.ts';
import { recordUse } from './recordUse.ts';

export const activityRoutes: readonly Route[] = [...dailyRoutes, ...logRoutes, recordUse];
