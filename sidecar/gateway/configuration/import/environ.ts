import { isRecord } from '../../../platform/isRecord.ts';
import type { Collector, Fields } from './imported.ts';

const ENVIRON = /^os\.environ\/([A-Za-z_]\w*)$/;

/** LiteLLM's `os.environ/NAME`, at any depth, as our `{ "env": "NAME" }`. */
export function withEnviron(value: unknown): unknown {
  if (typeof value === 'string') {
    const name = ENVIRON.exec(value)?.[1];
    return name === undefined ? value : { env: name };
  }
  if (Array.isArray(value)) return value.map(withEnviron);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, withEnviron(it)]));
}

/** A secret that stands in clear text becomes a variable, and is reported. */
export function secretPlace(value: unknown, variable: string, path: string, to: Collector): Fields | undefined {
  if (value === null || value === undefined || value === '') return undefined;
  if (isRecord(value)) return value;
  to.note(path, `a plaintext secret was found here but was not imported. Set the environment variable ${variable}`);
  return { env: variable };
}
