import { errors, guardrails, levels, trace } from './requirements/gateway/access.ts';
import {
  activityLog,
  activityMetrics,
  activityPage,
  activityRecord,
  service,
} from './requirements/gateway/activity.ts';
import {
  agentModes,
  authTypes,
  openApiServices,
  passthrough,
  secretStores,
  signer,
} from './requirements/gateway/backends.ts';
import { identityHeaders, keyHeaders, provisioning, routes, signedTokens } from './requirements/gateway/callers.ts';
import { cloudBehaviour, cloudRecord, cloudRelay } from './requirements/gateway/cloudAgents.ts';
import { messages } from './requirements/gateway/messages.ts';
import { models } from './requirements/gateway/models.ts';
import {
  addresses,
  alerts,
  authorizationServer,
  commandLine,
  content,
  conversations,
  exports,
  guardrailServices,
  health,
  imports,
  keptLists,
  logs,
  managed,
  management,
  metrics,
  networks,
  pages,
  processes,
  resilience,
  retention,
  robustness,
  toolSearch,
  traces,
  upkeep,
  workers,
} from './requirements/gateway/operation.ts';
import { agents, permissions, servers } from './requirements/gateway/registration.ts';
import { attacks, vulnerabilities } from './requirements/gateway/security.ts';
import { invitations, signIn } from './requirements/gateway/signIn.ts';
import { hostRequirements } from './requirements/host.ts';

export { hostRequirements };

/** Section by section of the gateway specification, in its order. */
export const gatewayRequirements = [
  alerts,
  service,
  activityMetrics,
  activityRecord,
  activityLog,
  agents,
  servers,
  permissions,
  cloudRecord,
  routes,
  cloudRelay,
  cloudBehaviour,
  activityPage,
  keyHeaders,
  identityHeaders,
  signedTokens,
  provisioning,
  authTypes,
  agentModes,
  signer,
  passthrough,
  levels,
  trace,
  guardrails,
  errors,
  commandLine,
  content,
  conversations,
  health,
  authorizationServer,
  addresses,
  managed,
  management,
  metrics,
  exports,
  traces,
  networks,
  processes,
  resilience,
  keptLists,
  toolSearch,
  guardrailServices,
  retention,
  robustness,
  pages,
  imports,
  logs,
  openApiServices,
  secretStores,
  upkeep,
  workers,
  messages,
  models,
  signIn,
  invitations,
] as const;

/** What the gateway is held to against attacks that are known. */
export const securityRows = [vulnerabilities, attacks] as const;

type KeysOf<Group> = Group extends unknown ? keyof Group : never;
/** The name by which a test cites what it shows. */
export type RequirementId = KeysOf<
  (typeof gatewayRequirements)[number] | (typeof securityRows)[number] | (typeof hostRequirements)[number]
>;
