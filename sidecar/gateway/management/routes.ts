import { keyRoutes } from './keys/routes.ts';
import { listAudit } from './oversight/audit.ts';
import { explainAccess } from './oversight/explain.ts';
import { budgetRoutes } from './people/budgets.ts';
import { customerRoutes } from './people/customers.ts';
import { organizationRoutes } from './people/organizations.ts';
import { userRoutes } from './people/users.ts';
import type { Route } from './route.ts';
import { teamReadRoutes } from './teams/list.ts';
import { teamMemberRoutes } from './teams/members.ts';
import { teamRecordRoutes } from './teams/teams.ts';

/** Every route of the management API; the OpenAPI document is made of the same rows. */
export const routes: readonly Route[] = [
  ...keyRoutes,
  ...teamRecordRoutes,
  ...teamMemberRoutes,
  ...teamReadRoutes,
  ...organizationRoutes,
  ...userRoutes,
  ...customerRoutes,
  ...budgetRoutes,
  explainAccess,
  listAudit,
];
