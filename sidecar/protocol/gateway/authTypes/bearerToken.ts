import { t } from '../translatable.ts';
import { authValue } from './authValue.ts';
import { defineAuthType } from './definition.ts';

export const bearerToken = defineAuthType({
  label: t('Bearer token'),
  owns: ['authorization'],
  credentials: authValue,
  needs: ['auth_value'],
  fields: {
    'credentials.auth_value': {
      label: t('Token'),
      help: t('Sent as "Authorization: Bearer …".'),
      asked: 'required',
    },
  },
});
