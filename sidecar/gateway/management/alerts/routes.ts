import type { Route } from '../route.ts';
import { alertDeliveryRoutes } from './deliveries.ts';
import { alertRuleRoutes } from './rules.ts';
import { alertTargetRoutes } from './targets.ts';

export const alertRoutes: readonly Route[] = [...alertTargetRoutes, ...alertRuleRoutes, ...alertDeliveryRoutes];
