import type { TurnRequest } from './provider.ts';

/** Neither ACP nor A2A knows custom agents: for this one message the prompt describes the role of the agent. */
export const roleFor = ({ name, instructions }: NonNullable<TurnRequest['customAgent']>): string =>
  `For this message, act as the custom agent "${name}". Follow these instructions:\n\n${instructions}\n\nThe message:`;
