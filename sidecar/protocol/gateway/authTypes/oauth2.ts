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
      help: t('authorization_code: each user signs in. client_credentials: the gateway signs in with its own account.'),
    },
    ...oauthClientFields('optional'),
    issuer: { label: t('Issuer'), help: t('The gateway discovers the other endpoints from the issuer or the server.') },
    authorization_url: { label: t('Authorization URL'), hiddenWith: 'client_credentials' },
    registration_url: {
      label: t('Registration URL'),
      help: t('If you do not enter a client ID, the gateway registers a client at this URL.'),
      hiddenWith: 'client_credentials',
    },
    token_url: { label: t('Token URL') },
  },
  presets: { oauth2_flow: 'authorization_code' },
});
