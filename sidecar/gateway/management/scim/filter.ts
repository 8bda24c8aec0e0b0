import { scimFault } from './wire.ts';

/** A value of a resource by the name of an attribute, in lower case, such as `emails.value`. Lists are matched by any of theirs. */
export type AttributeOf = (attribute: string) => unknown;
export type Filter = (attributeOf: AttributeOf) => boolean;

const MAX_LENGTH = 1_024;
const MAX_TERMS = 32;
const TERM = /\s*([A-Za-z][\w.]*)\s+eq\s+("(?:[^"\\]|\\.)*"|true|false)\s*/iy;
const JOIN = /(and|or)(?=\s)/iy;
/** RFC 7643 says of these that their case counts. */
const caseExact: ReadonlySet<string> = new Set(['id', 'externalid', 'value', 'members.value']);

/**
 * Reads comparisons with `eq`, joined by `and` and `or`, of which `and` binds tighter (RFC 7644, 3.4.2.2).
 *
 * @param attributes that can be compared, in lower case
 * @throws {Fault} `invalid_params` with `data.scimType` for every other filter
 */
export function readFilter(text: string, attributes: readonly string[]): Filter {
  if (text.length > MAX_LENGTH) throw wrong();
  const any: Filter[][] = [[]];
  let at = 0;
  for (let terms = 1; ; terms += 1) {
    TERM.lastIndex = at;
    const [whole, name = '', literal = ''] = TERM.exec(text) ?? [];
    if (whole === undefined || terms > MAX_TERMS) throw wrong();
    any.at(-1)!.push(equals(name.toLowerCase(), literal, attributes));
    at += whole.length;
    if (at === text.length) break;
    JOIN.lastIndex = at;
    const join = JOIN.exec(text)?.[1]?.toLowerCase();
    if (!join) throw wrong();
    if (join === 'or') any.push([]);
    at += join.length;
  }
  return (attributeOf) => any.some((every) => every.every((it) => it(attributeOf)));
}

function equals(attribute: string, literal: string, attributes: readonly string[]): Filter {
  if (!attributes.includes(attribute)) throw wrong();
  const wanted = valueIn(literal);
  const fold = (it: unknown) => (typeof it === 'string' && !caseExact.has(attribute) ? it.toLowerCase() : it);
  return (attributeOf) => [attributeOf(attribute)].flat().some((it) => fold(it) === fold(wanted));
}

function valueIn(literal: string): unknown {
  try {
    return JSON.parse(literal.startsWith('"') ? literal : literal.toLowerCase());
  } catch {
    throw wrong();
  }
}

const wrong = () =>
  scimFault('invalidFilter', "This filter is not supported. Use comparisons with 'eq', joined by 'and' or 'or'.");
