import type { Memento } from 'vscode';

export const pinsKey = 'sessions.pinned';

/** The sessions that a person pinned, which go where the person goes. @param ofPerson what is remembered everywhere */
export function readPins(ofPerson: Pick<Memento, 'get'>): Set<string> {
  return new Set(ofPerson.get<string[]>(pinsKey, []));
}
