import { t } from '../translatable.ts';
import { authValue } from './authValue.ts';
import { defineAuthType } from './definition.ts';

export const authorization = defineAuthType({
  label: t('A whole Authorization header'),
  owns: ['authorization'],
  credentials: authValue,
  needs: ['auth_value'],
  fields: {
    'credentials.auth_value': {
      label: t('Value of the header Authorization'),
      help: t('Sent word for word.'),
      asked: 'required',
    },
  },
});
