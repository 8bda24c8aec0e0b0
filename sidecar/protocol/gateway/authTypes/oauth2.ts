import { t } from '../translatable.ts';
import { defineAuthType } from './definition.ts';
import { oauthClient, oauthClientFields } from './oauthClient.ts';

export const oauth2 = defineAuthType({
  label: t('Sign in with OAuth 2'),
  description: t('in the browser'),
  owns: ['authorization'],
  credentials: oauthClient,
  fields: {
    oauth2_flow: {
      label: t('Flow'),
      help: t('authorization_code: each person signs in. client_credentials: the gateway has an account.'),
    },
    ...oauthClientFields('optional'),
    issuer: { label: t('Issuer'), help: t('Everything else is found from it, or from the server itself.') },
    authorization_url: { label: t('Authorization address'), hiddenWith: 'client_credentials' },
    registration_url: {
      label: t('Registration address'),
      help: t('A client is registered there where no client id is given.'),
      hiddenWith: 'client_credentials',
    },
    token_url: { label: t('Token address') },
  },
  presets: { oauth2_flow: 'authorization_code' },
});
