import * as z from 'zod';
import type { ConfigValues, SessionConfigPropertySchema, SessionConfigState } from '../../configSchemas.ts';

/** A choice of the host in the config of every session: what its agent may do without asking. */
export const PERMISSION_DIAL = 'switchboard.permissions';

/**
 * `ask`: whatever no rule allows. `acceptEdits`: edits in the folders of the session need no question. `readOnly`: changes and
 * commands are denied. A deny rule wins over each.
 */
export const PermissionDial = z.enum(['ask', 'acceptEdits', 'readOnly']);
export type PermissionDial = z.infer<typeof PermissionDial>;

/** What holds where nobody chose. */
export const USUAL_DIAL: PermissionDial = 'ask';

/** The action that sets the dial back. */
export const toUsualDial = { type: 'session/configChanged', config: { [PERMISSION_DIAL]: USUAL_DIAL } } as const;

export function dialOf(values: ConfigValues | undefined): PermissionDial {
  return PermissionDial.safeParse(values?.[PERMISSION_DIAL]).data ?? USUAL_DIAL;
}

const property: SessionConfigPropertySchema = {
  type: 'string',
  title: 'Permissions',
  description: 'What the agent can do in this session without asking. Deny rules always apply.',
  default: USUAL_DIAL,
  enum: ['ask', 'acceptEdits', 'readOnly'] satisfies PermissionDial[],
  enumLabels: ['Ask', 'Accept edits', 'Read only'],
  enumDescriptions: [
    'Asks before changes, commands, and tools, unless a rule allows them.',
    "Edits files in this session's folders without asking. Asks before everything else.",
    'Denies changes and commands. Asks before other tools.',
  ],
  sessionMutable: true,
};

/** The config of a session with the dial of the host, which no option of an agent can stand for. */
export function withDial({ schema, values }: SessionConfigState, dial: PermissionDial): SessionConfigState {
  return {
    schema: { ...schema, properties: { [PERMISSION_DIAL]: property, ...without(schema.properties) } },
    values: { ...values, [PERMISSION_DIAL]: dial },
  };
}

/** What an agent gets to know: the dial is not its business. */
export function withoutDial(values: ConfigValues): ConfigValues {
  return without(values);
}

/** In `_meta` of a session whose agent ran a tool without asking, in a mode in which it should ask. */
const RAN_UNASKED = 'ranUnasked';

export function hasRunUnasked(meta: Readonly<Record<string, unknown>> | undefined): boolean {
  return meta?.[RAN_UNASKED] === true;
}
export function withRunUnasked(meta: Readonly<Record<string, unknown>> | undefined): Record<string, unknown> {
  return { ...meta, [RAN_UNASKED]: true };
}

/** What the description of a value begins with, in the config of a session, where the agent acts without asking. */
export const AGENT_DECIDES = 'Agent decides: ';

function without<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  const { [PERMISSION_DIAL]: _dial, ...others } = record;
  return others;
}
