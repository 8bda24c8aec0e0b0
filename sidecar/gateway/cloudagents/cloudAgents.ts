import { Fault } from '../../platform/faults.ts';
import type { HttpResponse } from '../../platform/httpMessages.ts';
import { cloudAgentsService } from '../access/catalogue.ts';
import type { Accounting } from '../activity/accounting.ts';
import type { Permissions } from '../auth/permissions.ts';
import type { StreamSend } from '../backends/streamSend.ts';
import type { RouteCall } from '../routing/route.ts';
import { type CloudFacts, type CloudRecording, relayCloudAgents } from './relay.ts';

export interface CloudAgentsRouteDeps {
  readonly send: StreamSend;
  /** Absent where none is configured. */
  readonly service: { readonly upstreamUrl: string; readonly prefix: string } | undefined;
  readonly credential: () => Promise<string | undefined>;
  readonly permissions: Permissions;
  readonly accounting: Accounting;
}

/** What the routes are served by. */
export interface CloudAgents {
  relay(call: RouteCall): Promise<HttpResponse>;
}

/** The pass-through to the cloud-agents service: one record each, without price and without an end user. */
export function cloudAgents({ accounting, service, permissions, ...relayDeps }: CloudAgentsRouteDeps): CloudAgents {
  const relay = async ({ request, context, params }: RouteCall) => {
    if (!service) {
      throw new Fault(
        'not_found',
        'No cloud-agents service is configured. Add one under cloud_agents in switchboard.jsonc.',
      );
    }
    const anonymous = { ...context, caller: { ...context.caller, endUser: undefined, endUserId: undefined } };
    const deps = {
      ...relayDeps,
      send: ((...sent) => context.progress.during(relayDeps.send(...sent))) as StreamSend,
      upstreamUrl: service.upstreamUrl,
      prefix: service.prefix,
      async admit() {
        // The end user narrows, and is tracked nowhere.
        if (!(await permissions.of(context.caller)).allowsCloudAgents) throw notGranted();
        const permit = await accounting.admit(anonymous, { cost: 0 });
        return () => permit.settle(0);
      },
      begin: (facts: CloudFacts): CloudRecording => {
        const recording = accounting.begin(anonymous, { ...facts });
        return {
          content: recording.content,
          answered: () => recording.answered(),
          finish({ httpStatus, ...outcome }) {
            if (httpStatus !== undefined) recording.note({ metadata: { status_code: httpStatus } });
            recording.finish(outcome);
          },
        };
      },
    };
    return relayCloudAgents(deps, request, params['rest'] ?? '', context);
  };
  return { relay };
}

const notGranted = () =>
  new Fault(
    'forbidden',
    `The permissions of this key, its team, or its end user do not include cloud agents. Add '${cloudAgentsService.agent_name}' to 'agents' in object_permission.`,
    { data: { field: 'object_permission.agents' } },
  );
