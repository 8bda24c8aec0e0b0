import type { KeyRoute } from '../routing/route.ts';
import { accessGroupRoutes } from './accessGroups/routes.ts';
import { dailyRoutes } from './activity/daily.ts';
import { activityRoutes } from './activity/logs.ts';
import { recordUse } from './activity/recordUse.ts';
import { credentialRoutes } from './agents/credentials.ts';
import { agentRoutes } from './agents/routes.ts';
import { alertDeliveryRoutes } from './alerts/deliveries.ts';
import { alertRuleRoutes } from './alerts/rules.ts';
import { alertTargetRoutes } from './alerts/targets.ts';
import { guardrailRoutes } from './guardrails/routes.ts';
import { keyRoutes } from './keys/routes.ts';
import type { Management } from './management.ts';
import { modelRoutes } from './models/routes.ts';
import { gatewayInfo } from './oversight/about.ts';
import { explainAccess } from './oversight/accessExplanation.ts';
import { listAudit } from './oversight/audit.ts';
import { budgetRoutes } from './people/budgets.ts';
import { customerRoutes } from './people/customers.ts';
import { invitationRoutes } from './people/invitations.ts';
import { organizationRoutes } from './people/organizations.ts';
import { userRoutes } from './people/users.ts';
import type { Route } from './route.ts';
import { scimTokenRoutes } from './scim/tokens.ts';
import { accessRequestRoutes } from './servers/accessRequests.ts';
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

/** The rows as their rooms write them. */
export const routes: readonly Route[] = [
  ...keyRoutes,
  ...teamRecordRoutes,
  ...teamMemberRoutes,
  ...teamReadRoutes,
  ...organizationRoutes,
  ...userRoutes,
  ...invitationRoutes,
  ...scimTokenRoutes,
  ...customerRoutes,
  ...budgetRoutes,
  ...serverRoutes,
  ...reviewRoutes,
  ...importRoutes,
  ...catalogueRoutes,
  ...accessRequestRoutes,
  ...userCredentialRoutes,
  ...userVariableRoutes,
  ...toolsetRoutes,
  ...accessGroupRoutes,
  ...agentRoutes,
  ...credentialRoutes,
  ...modelRoutes,
  ...dailyRoutes,
  ...activityRoutes,
  recordUse,
  ...alertTargetRoutes,
  ...alertRuleRoutes,
  ...alertDeliveryRoutes,
  ...guardrailRoutes,
  explainAccess,
  listAudit,
  gatewayInfo,
];

/** By the tags of the document. */
const requirements: Readonly<Record<string, string>> = {
  keys: 'gateway.manage.keys',
  teams: 'gateway.manage.people',
  organizations: 'gateway.manage.people',
  users: 'gateway.manage.people',
  invitations: 'gateway.invitations',
  customers: 'gateway.manage.people',
  budgets: 'gateway.manage.people',
  'mcp servers': 'gateway.manage.servers',
  'own credentials': 'gateway.manage.servers',
  toolsets: 'gateway.manage.servers',
  'access groups': 'gateway.manage.access-groups',
  agents: 'gateway.manage.agents',
  credentials: 'gateway.manage.agents',
  models: 'gateway.manage.models',
  activity: 'gateway.activity.daily',
  guardrails: 'gateway.manage.oversight',
  access: 'gateway.manage.oversight',
  audit: 'gateway.manage.oversight',
  alerts: 'gateway.manage.alerts',
};

/** Below any name these are addresses of a server: `/credentials/mcp` is that of a server called credentials. */
const ofServers: ReadonlySet<string> = new Set(['mcp', 'sse', 'authorize', 'token', 'register']);
const hasShortParameter = (path: string): boolean => path.split('/').length === 3 && path.endsWith('}');

/** Every route of the management API. */
export const managementRoutes: readonly KeyRoute<Management>[] = routes.map((route) => {
  const { method, path, summary, tag, query, body, answer, status, who } = route;
  return {
    method,
    path,
    surface: 'management',
    auth: 'browser',
    groups: method === 'GET' ? ['management_routes', 'info_routes'] : ['management_routes'],
    countedAs: '(management)',
    limitsAdminKeys: true,
    requirements: [requirements[tag] ?? ''],
    openapi: [{ method, path, summary, tag, query, body, answer, status, who }],
    accepts: (params) => !hasShortParameter(path) || !Object.values(params).some((it) => ofServers.has(it)),
    handle: (call, management) => management.serve(route, call),
  };
});
