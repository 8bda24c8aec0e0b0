import * as z from 'zod';
import { t } from '../translatable.ts';
import { defineAuthType } from './definition.ts';

export const cloudSigv4 = defineAuthType({
  label: t('Signed requests'),
  description: 'SigV4',
  owns: ['authorization', 'x-amz-date', 'x-amz-security-token'],
  overHttpOnly: true,
  credentials: {
    aws_access_key_id: {
      schema: z.string().nullish(),
      description: 'Access key ID for cloud_sigv4.',
      secret: 'always',
    },
    aws_secret_access_key: {
      schema: z.string().nullish(),
      description: 'Secret access key for cloud_sigv4.',
      secret: 'always',
    },
    aws_session_token: {
      schema: z.string().nullish(),
      description: 'Session token for cloud_sigv4.',
      secret: 'always',
    },
    aws_region_name: { schema: z.string().nullish(), description: 'Region for cloud_sigv4. Default: us-east-1.' },
    aws_service_name: {
      schema: z.string().nullish(),
      description: 'Service name to use in the signature for cloud_sigv4. Default: bedrock-agentcore.',
    },
    aws_role_name: { schema: z.string().nullish(), description: 'Role to assume for cloud_sigv4.' },
    aws_session_name: { schema: z.string().nullish(), description: 'Session name for the assumed role.' },
  },
  fields: {
    'credentials.aws_region_name': {
      label: t('Region'),
      help: t('For example, eu-central-1.'),
      isRequired: true,
      asked: 'required',
    },
    'credentials.aws_service_name': {
      label: t('Service'),
      help: t('For example, execute-api.'),
      isRequired: true,
      asked: 'required',
    },
    'credentials.aws_access_key_id': { label: t('Access key ID'), asked: 'optional' },
    'credentials.aws_secret_access_key': { label: t('Secret access key'), asked: 'optional' },
    'credentials.aws_session_token': { label: t('Session token') },
    'credentials.aws_role_name': { label: t('Role to assume') },
    'credentials.aws_session_name': { label: t('Session name') },
  },
});
