import type { Route } from '../route.ts';
import { generateKey, generateServiceKey } from './generate.ts';
import { keyInfo, listAliases, listKeys } from './list.ts';
import { regenerateKey, regenerateNamedKey } from './regenerate.ts';
import { blockKey, deleteKeys, resetSpend, unblockKey } from './state.ts';
import { updateKeys, updateOneKey, updateTeamKeys } from './update.ts';

export const keyRoutes: readonly Route[] = [
  generateKey,
  generateServiceKey,
  updateOneKey,
  updateKeys,
  updateTeamKeys,
  deleteKeys,
  regenerateKey,
  regenerateNamedKey,
  blockKey,
  unblockKey,
  resetSpend,
  keyInfo,
  listKeys,
  listAliases,
];
