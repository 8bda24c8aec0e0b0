import { pathSegments } from '../../platform/pathSegments.ts';

/** An address of the A2A surface. */
export type A2aRoute =
  | {
      readonly kind: 'call';
      /** UUID or name. */
      readonly agent: string;
      readonly template: '/a2a/{agent_id}' | '/a2a/{agent_id}/message/send' | '/v1/a2a/{agent_id}/message/send';
    }
  | {
      readonly kind: 'card';
      readonly agent: string;
      readonly file: CardFile;
      readonly template: `/a2a/{agent_id}/.well-known/${CardFile}`;
    };

/** The path of a card below an agent's address: since A2A 0.3, and before. */
export const cardFiles = ['agent-card.json', 'agent.json'] as const;
export type CardFile = (typeof cardFiles)[number];

/**
 * The route of a path; `undefined` for every other. What follows the agent never selects a method: the message does.
 *
 * @param pathname as it stands in the URL, still encoded
 */
export function matchA2aRoute(pathname: string): A2aRoute | undefined {
  const [first, ...more] = pathSegments(pathname) ?? [];
  const isVersioned = first === 'v1';
  const [surface, agent, ...rest] = isVersioned ? more : [first, ...more];
  if (surface !== 'a2a' || agent === undefined) return undefined;
  const tail = rest.join('/');
  if (tail === 'message/send') {
    const template = isVersioned ? '/v1/a2a/{agent_id}/message/send' : '/a2a/{agent_id}/message/send';
    return { kind: 'call', agent, template };
  }
  if (isVersioned) return undefined;
  if (tail === '') return { kind: 'call', agent, template: '/a2a/{agent_id}' };
  const file = cardFiles.find((it) => tail === `.well-known/${it}`);
  return file && { kind: 'card', agent, file, template: `/a2a/{agent_id}/.well-known/${file}` };
}
