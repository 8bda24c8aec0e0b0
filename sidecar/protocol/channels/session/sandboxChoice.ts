import type { ConfigValues, SessionConfigPropertySchema, SessionConfigState } from '../../configSchemas.ts';
import { withoutDial } from './permissionDial.ts';

/** A setting of the host in the config of every session: whether its programs run in a sandbox. Fixed when the session is created. */
export const SANDBOX = 'switchboard.sandbox';

export const isSandboxed = (values: ConfigValues | undefined): boolean => values?.[SANDBOX] === 'on';

/** The action with which a session continues without a sandbox, as the user chose. */
export const toNoSandbox = { type: 'session/configChanged', config: { [SANDBOX]: 'off' } } as const;

const property: SessionConfigPropertySchema = {
  type: 'string',
  title: 'Sandbox',
  description:
    "Limits what this session's programs can read, write, and connect to. Can be chosen only for a new session.",
  default: 'off',
  enum: ['off', 'on'],
  enumLabels: ['Off', 'On'],
  enumDescriptions: [
    'Programs in this session can do everything that you can do.',
    'Programs in this session write only in its folders and ask before they connect to a host.',
  ],
};

/** The config of a session with the host's setting. It replaces an option of the agent with the same ID. */
export function withSandbox({ schema, values }: SessionConfigState, isOn: boolean): SessionConfigState {
  return {
    schema: { ...schema, properties: { ...without(schema.properties), [SANDBOX]: property } },
    values: { ...values, [SANDBOX]: isOn ? 'on' : 'off' },
  };
}

/** The values for the agent, without the settings of the host. */
export function withoutOwnChoices(values: ConfigValues): ConfigValues {
  return without(withoutDial(values));
}

/**
 * In the `_meta` of the summary of a session with a sandbox: `true`, or {@link NOT_STARTED}. In the `_meta` of the session
 * itself only the latter.
 */
export const SANDBOX_META = 'sandbox';
/** The sandbox could not start the last time, so nothing ran. */
export const NOT_STARTED = 'notStarted';

function without<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  const { [SANDBOX]: _sandbox, ...others } = record;
  return others;
}
