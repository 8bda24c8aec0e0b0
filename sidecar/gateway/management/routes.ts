import { accessGroupRoutes } from './accessGroups/routes.ts';
import { dailyRoutes } from './activity/daily.ts';
import { activityRoutes } from './activity/logs.ts';
import { credentialRoutes } from './agents/credentials.ts';
import { agentRoutes } from './agents/routes.ts';
import { keyRoutes } from './keys/routes.ts';
import { listAudit } from './oversight/audit.ts';
import { explainAccess } from './oversight/explain.ts';
import { listGuardrails } from './oversight/guardrails.ts';
import { budgetRoutes } from './people/budgets.ts';
import { customerRoutes } from './people/customers.ts';
import { organizationRoutes } from './people/organizations.ts';
import { userRoutes } from './people/users.ts';
import type { Route } from './route.ts';
import { catalogueRoutes } from './servers/catalogue.ts';
import { serverRoutes } from './servers/crud.ts';
import { importRoutes } from './servers/import.ts';
import { reviewRoutes } from './servers/review.ts';
import { toolsetRoutes } from './servers/toolsets.ts';
import { userCredentialRoutes } from './servers/userCredentials.ts';
import { userVariableRoutes } from './servers/userVariables.ts';
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
  ...serverRoutes,
  ...reviewRoutes,
  ...importRoutes,
  ...catalogueRoutes,
  ...userCredentialRoutes,
  ...userVariableRoutes,
  ...toolsetRoutes,
  ...accessGroupRoutes,
  ...agentRoutes,
  ...credentialRoutes,
  ...dailyRoutes,
  ...activityRoutes,
  listGuardrails,
  explainAccess,
  listAudit,
];
