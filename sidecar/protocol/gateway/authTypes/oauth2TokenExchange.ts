import * as z from 'zod';
import { t } from '../translatable.ts';
import { defineAuthType } from './definition.ts';
import { oauthClient, oauthClientFields } from './oauthClient.ts';

export const oauth2TokenExchange = defineAuthType({
  label: t('OAuth 2 token exchange'),
  description: 'RFC 8693',
  owns: ['authorization'],
  credentials: {
    ...oauthClient,
    audience: { schema: z.string().nullish(), description: 'Audience of the exchanged token.' },
    token_exchange_endpoint: {
      schema: z.string().max(2048).nullish(),
      description: 'Token exchange endpoint (RFC 8693).',
    },
    subject_token_type: {
      schema: z.string().nullish(),
      description: "Type of the caller's token in the token exchange.",
    },
    token_exchange_profile: {
      schema: z.string().nullish(),
      description: 'Token exchange variant: rfc8693 (default) or entra_obo.',
    },
  },
  fields: {
    token_exchange_endpoint: { label: t('Token exchange endpoint'), asked: 'required' },
    audience: { label: t('Audience'), asked: 'optional' },
    subject_token_type: { label: t('Subject token type') },
    token_exchange_profile: { label: t('Profile') },
    ...oauthClientFields('required'),
  },
});
