import type { Route } from '../route.ts';
import { teamReadRoutes } from './list.ts';
import { teamMemberRoutes } from './members.ts';
import { teamRecordRoutes } from './teams.ts';

export const teamRoutes: readonly Route[] = [...teamRecordRoutes, ...teamMemberRoutes, ...teamReadRoutes];
