import { t } from '../translatable.ts';
import { defineAuthType } from './definition.ts';

export const none = defineAuthType({ label: t('No authentication'), owns: [], credentials: {}, fields: {} });
