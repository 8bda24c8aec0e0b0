import type * as z from 'zod';
import type { Finding } from './problem.ts';

type Issue = z.core.$ZodIssue;
const articles: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list [ ]',
  object: 'an object { }',
  record: 'an object { }',
  null: 'null',
};

/** What zod found, in words for a person, one finding a mistake. Values are not quoted. */
export function findingsOf(issue: Issue, root: unknown): Finding[] {
  const path = issue.path.filter((it): it is string | number => typeof it !== 'symbol');
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        path: [...path, key],
        message: `the member '${key}' is unknown`,
        kind: 'shape',
        atName: true,
      }));
    case 'invalid_type':
      if (isMissing(root, path)) return [{ path, message: `'${String(path.at(-1))}' is missing`, kind: 'shape' }];
      return [{ path, message: `must be ${articles[issue.expected] ?? issue.expected}`, kind: 'shape' }];
    case 'invalid_value':
      return [
        { path, message: `must be one of ${issue.values.map((it) => JSON.stringify(it)).join(', ')}`, kind: 'shape' },
      ];
    case 'too_small':
      return [
        {
          path,
          message: `must be ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}${unit(issue.origin)}`,
          kind: 'shape',
        },
      ];
    case 'too_big':
      return [
        {
          path,
          message: `must be ${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}${unit(issue.origin)}`,
          kind: 'shape',
        },
      ];
    case 'invalid_key':
      return [
        {
          path,
          message: `this name cannot be used: ${issue.issues[0]?.message ?? 'it is malformed'}`,
          kind: 'rule',
          atName: true,
        },
      ];
    case 'invalid_union': {
      const best = issue.discriminator === undefined ? undefined : `'${issue.discriminator}' has an unknown value`;
      return [{ path, message: best ?? issue.message, kind: 'rule' }];
    }
    default:
      return [{ path, message: issue.message, kind: 'rule' }];
  }
}

const unit = (origin: string) =>
  origin === 'string' ? ' characters long' : origin === 'array' || origin === 'set' ? ' entries long' : '';

function isMissing(root: unknown, path: readonly (string | number)[]): boolean {
  let here = root;
  for (const it of path) {
    if (typeof here !== 'object' || here === null) return false;
    here = (here as Readonly<Record<string | number, unknown>>)[it];
  }
  return here === undefined;
}
