import { isRecord } from '../../../platform/isRecord.ts';
import { type Filter, readFilter } from './filter.ts';
import { type PatchOperation, scimFault } from './wire.ts';

type Resource = Readonly<Record<string, unknown>>;
type Item = Readonly<Record<string, unknown>>;

/** The attributes of a resource: with the names of their members, and whether they are lists. */
export interface AttributeRule {
  readonly members?: readonly string[];
  readonly isList?: boolean;
}
export type AttributeRules = Readonly<Record<string, AttributeRule>>;

interface Path {
  readonly attribute: string;
  readonly rule: AttributeRule;
  readonly filter: Filter | undefined;
  /** What an element has that the filter would find, where it compares one member. */
  readonly made: Item;
  readonly member: string | undefined;
}

const PATH =
  /^(?:urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group):)?([A-Za-z]\w*)(?:\[(.{1,400})\])?(?:\.([A-Za-z]\w*))?$/i;
const SINGLE = /^\s*(\w+)\s+eq\s+("(?:[^"\\]|\\.)*")\s*$/i;

/**
 * A resource after the operations of a PATCH (RFC 7644, 3.5.2), to be judged as a whole afterwards. Attributes without a rule are
 * ignored.
 *
 * @throws {Fault} `invalid_params` with `data.scimType`
 */
export function applyPatch(resource: Resource, operations: readonly PatchOperation[], rules: AttributeRules): Resource {
  return operations.reduce((patched, operation) => applyOne(patched, operation, rules), resource);
}

function applyOne(resource: Resource, { op, path, value }: PatchOperation, rules: AttributeRules): Resource {
  if (path === undefined) {
    if (op === 'remove') throw scimFault('noTarget', "'remove' requires a path.");
    if (!isRecord(value)) throw scimFault('invalidValue', 'Without a path, the value must be an object of attributes.');
    const { id, schemas: _schemas, meta: _meta, ...attributes } = value;
    if (id !== undefined && id !== resource['id']) throw readOnly();
    return Object.entries(attributes).reduce(
      (patched, [name, it]) => applyOne(patched, { op, path: name, value: it }, rules),
      resource,
    );
  }
  const target = readPath(path, rules);
  if (!target) return resource;
  const { attribute, rule } = target;
  const before = resource[attribute];
  const after = rule.isList
    ? patchedList(Array.isArray(before) ? before : [], op, value, target)
    : patchedValue(before, op, value, target);
  return { ...resource, [attribute]: after };
}

/** @returns `undefined` for an attribute that is not kept */
function readPath(path: string, rules: AttributeRules): Path | undefined {
  const [, name = '', filter, member] = PATH.exec(path) ?? [];
  if (name === '') {
    if (/^urn:[\w:.-]+$/i.test(path)) return undefined; // of an extension
    throw scimFault('invalidPath', 'The path of an operation cannot be read.');
  }
  if (/^(?:id|meta|schemas)$/i.test(name)) throw readOnly();
  const attribute = Object.keys(rules).find((it) => it.toLowerCase() === name.toLowerCase());
  if (attribute === undefined) return undefined;
  const rule = rules[attribute]!;
  if (filter !== undefined && !rule.isList)
    throw scimFault('invalidPath', `The attribute '${attribute}' is not a list, so it cannot be filtered.`);
  const members = rule.members ?? [];
  const known = member === undefined ? undefined : members.find((it) => it.toLowerCase() === member.toLowerCase());
  if (member !== undefined && known === undefined) return undefined;
  return {
    attribute,
    rule,
    filter:
      filter === undefined
        ? undefined
        : readFilter(
            filter,
            members.map((it) => it.toLowerCase()),
          ),
    made: madeBy(filter, members),
    member: known,
  };
}

/** Providers replace `emails[type eq "work"].value` also where there is no such element yet. */
function madeBy(filter: string | undefined, members: readonly string[]): Item {
  const [, name = '', literal] = SINGLE.exec(filter ?? '') ?? [];
  const member = members.find((it) => it.toLowerCase() === name.toLowerCase());
  return member === undefined || literal === undefined ? {} : { [member]: JSON.parse(literal) as unknown };
}

function patchedValue(before: unknown, op: PatchOperation['op'], value: unknown, { member }: Path): unknown {
  if (member === undefined) return op === 'remove' ? undefined : value;
  return { ...(isRecord(before) ? before : {}), [member]: op === 'remove' ? undefined : value };
}

function patchedList(
  before: readonly unknown[],
  op: PatchOperation['op'],
  value: unknown,
  path: Path,
): readonly unknown[] {
  const { filter, member, made } = path;
  const items = before.filter(isRecord);
  if (!filter) {
    if (member !== undefined)
      throw scimFault('invalidPath', 'A member of a list requires a filter that selects elements.');
    const given = [value ?? []].flat();
    if (op === 'replace') return given;
    const names = new Set(given.map(nameOf));
    if (op === 'remove') return value == null ? [] : items.filter((it) => !names.has(nameOf(it)));
    return [...items.filter((it) => !names.has(nameOf(it))), ...given];
  }
  const isMeant = (it: Item) => filter((name) => Object.entries(it).find(([key]) => key.toLowerCase() === name)?.[1]);
  if (op === 'remove')
    return member === undefined
      ? items.filter((it) => !isMeant(it))
      : items.map((it) => (isMeant(it) ? { ...it, [member]: undefined } : it));
  const change = (it: Item): unknown => (member === undefined ? value : { ...it, [member]: value });
  return items.some(isMeant) ? items.map((it) => (isMeant(it) ? change(it) : it)) : [...items, change(made)];
}

const nameOf = (item: unknown): unknown => (isRecord(item) ? item['value'] : item);
const readOnly = () => scimFault('mutability', "The attributes 'id', 'meta', and 'schemas' cannot be changed.");
