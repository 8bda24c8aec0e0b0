import type { PermissionRule } from '../../protocol/window.ts';
import { toFileUri } from '../context/paths.ts';
import { isIn } from '../files/locate.ts';

/** What a person let one client have, besides the folders of sessions: a file, or a folder with all that is in it. */
export interface Grant {
  readonly id: string;
  /** The real path. */
  readonly real: string;
  readonly read: boolean;
  readonly write: boolean;
}
/** What access is needed. */
export interface Need {
  readonly read: boolean;
  readonly write: boolean;
}

export function covers(grant: Grant, real: string, need: Need): boolean {
  return isIn(real, grant.real) && (grant.read || !need.read) && (grant.write || !need.write);
}

/** As a person sees them among the approvals, and can take them back. */
export function grantRules(grants: readonly Grant[]): PermissionRule[] {
  return grants.map(({ id, real, write }) => ({
    id,
    effect: 'allow',
    target: write ? 'edit' : 'read',
    pattern: toFileUri(real),
    source: 'granted',
  }));
}
