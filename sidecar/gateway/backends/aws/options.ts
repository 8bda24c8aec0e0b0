import { Fault } from '../../../platform/faults.ts';

/** The SigV4 fields of `credentials` of a server, or of `gateway_params` of an agent. */
export interface AwsFields {
  readonly aws_access_key_id?: string | null | undefined;
  readonly aws_secret_access_key?: string | null | undefined;
  readonly aws_session_token?: string | null | undefined;
  readonly aws_region_name?: string | null | undefined;
  readonly aws_service_name?: string | null | undefined;
  readonly aws_role_name?: string | null | undefined;
  readonly aws_session_name?: string | null | undefined;
}

export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface AwsOptions {
  readonly region: string;
  readonly service: string;
  /** Sign with these, or assume the role with them. Without keys and role the machine's own chain is asked. */
  readonly keys?: AwsKeys;
  readonly role?: string;
  readonly sessionName?: string;
}

const defaults = { region: 'us-east-1', service: 'bedrock-agentcore' } as const;
const word = /^[a-z0-9-]{1,64}$/;

export function readAwsOptions(fields: AwsFields): AwsOptions {
  const keys = keysOf(fields);
  return {
    region: fields.aws_region_name?.trim() || defaults.region,
    service: fields.aws_service_name?.trim() || defaults.service,
    ...(keys && { keys }),
    ...(fields.aws_role_name && { role: fields.aws_role_name.trim() }),
    ...(fields.aws_session_name && { sessionName: fields.aws_session_name.trim() }),
  };
}

/**
 * @param prefix of the field names in messages, `credentials.` for servers
 * @throws {Fault} `invalid_params` naming the field
 */
export function checkAws(fields: AwsFields, prefix: string): void {
  const { region, service, role, sessionName } = readAwsOptions(fields);
  const hasId = Boolean(fields.aws_access_key_id);
  if (hasId !== Boolean(fields.aws_secret_access_key)) {
    throw invalid(
      `${prefix}${hasId ? 'aws_secret_access_key' : 'aws_access_key_id'}`,
      'is required because the other half of the AWS key pair is set',
    );
  }
  if (fields.aws_session_token && !hasId)
    throw invalid(`${prefix}aws_access_key_id`, 'is required when a session token is set');
  if (!word.test(region)) throw invalid(`${prefix}aws_region_name`, 'is not a valid region');
  if (!word.test(service)) throw invalid(`${prefix}aws_service_name`, 'is not a valid service');
  if (role !== undefined && !/^arn:[\w-]+:iam::\d{12}:role\/[\w+=,.@/-]+$/.test(role)) {
    throw invalid(`${prefix}aws_role_name`, 'is not a role ARN');
  }
  if (sessionName !== undefined && !/^[\w+=,.@-]{2,64}$/.test(sessionName)) {
    throw invalid(
      `${prefix}aws_session_name`,
      'must be 2 to 64 characters long and contain only letters, digits, and _+=,.@-',
    );
  }
}

function keysOf(fields: AwsFields): AwsKeys | undefined {
  const { aws_access_key_id: accessKeyId, aws_secret_access_key: secretAccessKey, aws_session_token: token } = fields;
  if (!accessKeyId || !secretAccessKey) return undefined;
  const keys = { accessKeyId: accessKeyId.trim(), secretAccessKey: secretAccessKey.trim() };
  return token ? { ...keys, sessionToken: token.trim() } : keys;
}

const invalid = (field: string, message: string) =>
  new Fault('invalid_params', `'${field}' ${message}.`, { data: { field } });
