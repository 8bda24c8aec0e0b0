import { t } from '../translatable.ts';
import { authValue } from './authValue.ts';
import { defineAuthType } from './definition.ts';

export const apiKey = defineAuthType({
  label: t('API key'),
  description: 'X-API-Key',
  owns: ['x-api-key'],
  credentials: authValue,
  needs: ['auth_value'],
  fields: {
    'credentials.auth_value': {
      label: t('API key'),
      help: t('Sent in the x-api-key header.'),
      asked: 'required',
    },
  },
});
