import type { TextOrSecret } from '../../../protocol/gateway/config/secretRef.ts';
import { type Collector, soundsSecret, variableName } from './imported.ts';

const PLACEHOLDER = /\$\{(input|env):([^}]+)\}/g;

/** The environment variable that stands for what an editor asks a person for, or takes from its own environment. */
const variableOf = (kind: string, name: string) =>
  kind === 'env' && /^[A-Za-z_]\w*$/.test(name) ? name : variableName(name);

/**
 * A value of `env` or `headers` as ours: a placeholder becomes the place of a secret, and so does what sounds secret and
 * stood there in clear text. Each is reported, because somebody has to set the variable.
 * @param own the variable for a value that is no placeholder as a whole
 */
export function toValue(text: string, name: string, own: string, path: string, to: Collector): TextOrSecret {
  const [first, ...more] = [...text.matchAll(PLACEHOLDER)];
  if (first && more.length === 0 && first[0] === text) {
    const variable = variableOf(first[1]!, first[2]!);
    if (first[1] === 'input')
      to.note(path, `the editor prompted for this value. Set the environment variable ${variable}`);
    return { env: variable };
  }
  if (first) {
    to.note(path, `this value contains placeholders. Set the environment variable ${own} to the complete value`);
    return { env: own };
  }
  if (!soundsSecret(name)) return text;
  to.note(path, `a plaintext secret was found here but was not imported. Set the environment variable ${own}`);
  return { env: own };
}

/** Whether something is left that only an editor can fill in. */
export const editorOnly = (text: string): string | undefined =>
  /\$\{(?!env:|input:)[^}]*\}/.exec(text)?.[0] ?? /\$\{(?:env|input):[^}]*\}/.exec(text)?.[0];
