import type * as z from 'zod';
import type { ManagementDeps } from '../managementDeps.ts';
import type { Call } from '../route.ts';
import type { AttributeOf } from './filter.ts';
import type { AttributeRules } from './patch.ts';

type Who = Pick<Call, 'actor'>;

/** One kind of resource: how it is read, shown, and kept as a record. */
export interface ResourceKind<Resource, Managed> {
  readonly name: 'User' | 'Group';
  readonly path: 'Users' | 'Groups';
  readonly schema: z.ZodType<Resource>;
  readonly attributes: AttributeRules;
  /** What can be compared in a filter, in lower case. */
  readonly filters: readonly string[];
  attributeOf(record: Managed): AttributeOf;
  idOf(record: Managed): string;
  /** Without `meta`. */
  shown(record: Managed): Readonly<Record<string, unknown>>;
  all(deps: ManagementDeps): Promise<readonly Managed[]>;
  /** @throws {Fault} `not_found`, for records that no identity provider manages as well */
  find(deps: ManagementDeps, id: string): Promise<Managed>;
  /** @throws {Fault} `already_exists`, `invalid_params` */
  add(who: Who, deps: ManagementDeps, resource: Resource): Promise<Managed>;
  /** @throws {Fault} `already_exists`, `invalid_params`, `not_found` */
  put(who: Who, deps: ManagementDeps, id: string, resource: Resource): Promise<Managed>;
  remove(who: Who, deps: ManagementDeps, id: string): Promise<void>;
  /** What a PATCH left, as it is judged. */
  cleaned(resource: Readonly<Record<string, unknown>>): unknown;
}
