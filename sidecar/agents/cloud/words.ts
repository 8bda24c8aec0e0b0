import { codeSpan } from '../../protocol/visibleText.ts';
import type { CloudAgent } from './wire.ts';

/** On one line, as inline code. */
const code = (text: string): string => codeSpan(text.replaceAll(/\s+/g, ' ').trim());
/** A link whose text is the address. */
const link = (url: string): string => `<${url.replaceAll(/[<>\s]/g, encodeURIComponent)}>`;

/** Where a new agent works, as a notice in Markdown. */
export function launchedWords({ repository, url }: CloudAgent): string {
  const launched =
    repository === undefined
      ? 'The cloud agent was launched.'
      : `The cloud agent was launched for ${code(repository)}.`;
  return [launched, ...page(url)].join(' ');
}

/** What an agent that rests leaves behind, as a notice in Markdown. A link is the last of it. */
export function endedWords({ status, branch, pullRequest, url }: CloudAgent): string {
  return [
    status === 'FINISHED' ? 'The cloud agent finished.' : `The cloud agent ended with the status ${code(status)}.`,
    ...(branch === undefined ? [] : [`The cloud agent's branch is ${code(branch)}.`]),
    ...(pullRequest === undefined ? page(url) : [`The cloud agent's pull request is ${link(pullRequest)}`]),
  ].join(' ');
}

const page = (url: string | undefined): readonly string[] =>
  url === undefined ? [] : [`The cloud agent's page is ${link(url)}`];
