import { t } from '../translatable.ts';
import { authValue } from './authValue.ts';
import { defineAuthType } from './definition.ts';

export const basic = defineAuthType({
  label: t('Username and password'),
  description: 'Basic',
  owns: ['authorization'],
  credentials: authValue,
  needs: ['auth_value'],
  fields: {
    'credentials.auth_value': {
      label: t('Username and password'),
      help: t('Enter username:password. Sent as "Authorization: Basic …".'),
      asked: 'required',
    },
  },
});
