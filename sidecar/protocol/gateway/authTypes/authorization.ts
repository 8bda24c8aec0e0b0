import { t } from '../translatable.ts';
import { authValue } from './authValue.ts';
import { defineAuthType } from './definition.ts';

export const authorization = defineAuthType({
  label: t('Full Authorization header'),
  owns: ['authorization'],
  credentials: authValue,
  needs: ['auth_value'],
  fields: {
    'credentials.auth_value': {
      label: t('Authorization header value'),
      help: t('Sent exactly as entered.'),
      asked: 'required',
    },
  },
});
