import type * as z from 'zod';
import { AccessGroupRecord } from '../../protocol/gateway/accessGroup.ts';
import { AgentRecord, CredentialRecord } from '../../protocol/gateway/agent.ts';
import { AlertRuleRecord } from '../../protocol/gateway/alerts/rule.ts';
import { AlertTargetRecord } from '../../protocol/gateway/alerts/target.ts';
import { GuardrailRecord } from '../../protocol/gateway/guardrail.ts';
import { KeyGrace, KeyRecord } from '../../protocol/gateway/key.ts';
import { BudgetRecord } from '../../protocol/gateway/limits.ts';
import { McpServerRecord, ToolsetRecord } from '../../protocol/gateway/mcpServer.ts';
import { ModelRecord } from '../../protocol/gateway/model.ts';
import { AccessRequestRecord } from '../../protocol/gateway/pages/accessRequest.ts';
import { InvitationRecord } from '../../protocol/gateway/people/invitation.ts';
import {
  EndUserRecord,
  identityName,
  OrganizationRecord,
  ScimTokenRecord,
  TeamRecord,
  UserRecord,
} from '../../protocol/gateway/people.ts';
import { ToolPinRecord } from '../../protocol/gateway/toolPin.ts';

/** How one kind of record is read and found. */
interface Kind<S extends z.ZodType> {
  readonly schema: S;
  readonly idOf: (record: z.infer<S>) => string;
  /** Unique among the kind where there is one. */
  readonly aliasOf?: (record: z.infer<S>) => string | null | undefined;
}
const kind = <S extends z.ZodType>(it: Kind<S>): Kind<S> => it;

/** Every kind of record that the gateway keeps. */
export const kinds = {
  key: kind({ schema: KeyRecord, idOf: (it) => it.token, aliasOf: (it) => it.key_alias }),
  key_grace: kind({ schema: KeyGrace, idOf: (it) => it.token }),
  /** Kept so that the log still knows whose calls they were. */
  deleted_key: kind({ schema: KeyRecord, idOf: (it) => it.token }),
  team: kind({ schema: TeamRecord, idOf: (it) => it.team_id, aliasOf: (it) => it.team_alias }),
  organization: kind({
    schema: OrganizationRecord,
    idOf: (it) => it.organization_id,
    aliasOf: (it) => it.organization_alias,
  }),
  user: kind({
    schema: UserRecord,
    idOf: (it) => it.user_id,
    aliasOf: ({ identity }) => identity && identityName(identity),
  }),
  end_user: kind({ schema: EndUserRecord, idOf: (it) => it.user_id }),
  budget: kind({ schema: BudgetRecord, idOf: (it) => it.budget_id }),
  mcp_server: kind({ schema: McpServerRecord, idOf: (it) => it.server_id }),
  toolset: kind({ schema: ToolsetRecord, idOf: (it) => it.toolset_id, aliasOf: (it) => it.toolset_name }),
  agent: kind({ schema: AgentRecord, idOf: (it) => it.agent_id, aliasOf: (it) => it.agent_name }),
  /** Several models can have the same name. They share its calls. */
  model: kind({ schema: ModelRecord, idOf: (it) => it.model_id }),
  access_group: kind({
    schema: AccessGroupRecord,
    idOf: (it) => it.access_group_id,
    aliasOf: (it) => it.access_group_name,
  }),
  /** Found by the hash of its secret. */
  invitation: kind({ schema: InvitationRecord, idOf: (it) => it.invitation_id, aliasOf: (it) => it.token }),
  access_request: kind({ schema: AccessRequestRecord, idOf: (it) => it.request_id }),
  tool_pin: kind({ schema: ToolPinRecord, idOf: (it) => it.server_id }),
  alert_target: kind({ schema: AlertTargetRecord, idOf: (it) => it.target_name }),
  alert_rule: kind({ schema: AlertRuleRecord, idOf: (it) => it.rule_name }),
  scim_token: kind({ schema: ScimTokenRecord, idOf: (it) => it.token_id, aliasOf: (it) => it.hash }),
  guardrail: kind({ schema: GuardrailRecord, idOf: (it) => it.guardrail_name }),
  credential: kind({ schema: CredentialRecord, idOf: (it) => it.credential_name }),
} as const;

export type KindName = keyof typeof kinds;
export type RecordOf<K extends KindName> = z.infer<(typeof kinds)[K]['schema']>;
